"""bitpact compare on the real backends: the acceptance lines, the table of expected verdicts, exit codes, the JSON twin."""

import copy
import json
import shlex

import jsonschema
import numpy
import pytest
from processor import here, verdicts_here

FORMATS = ["f32", "bf16", "f16"]


@pytest.mark.parametrize("number_format", FORMATS)
def test_matmul_differs_plain_and_is_exact_under_the_contract(bitpact, schema, number_format):
    problem = f"matmul 64x64x{number_format},64x64x{number_format}"
    plain = bitpact("compare", problem, "--reference", "mlx", "--candidate", "iree", "--json")
    assert plain.code == 1, plain.err
    report = plain.json
    jsonschema.validate(report, schema("comparison"))
    assert report["verdict"] == "differs"
    assert report["relation"] == "operator"
    assert report["ran"] == ["mlx.matmul", "iree.module@main"]
    assert report["first_divergence"]["reference"]["bits"] != report["first_divergence"]["candidate"]["bits"]
    assert report["cause_known"], report["cause"]
    assert ("product: mlx has rounded, iree has fused" if number_format == "f32" else "accumulator: ") in report["cause"]

    contract = f"contracts/mlx/matmul-{number_format}.json"
    exact = bitpact("compare", problem, "--reference", "mlx", "--candidate", "iree", "--contract", contract, "--json")
    assert exact.code == 0, exact.err
    report = exact.json
    jsonschema.validate(report, schema("comparison"))
    assert report["verdict"] == "exact"
    assert report["relation"] == "contract"
    assert report["outputs"]["different"] == 0
    assert report["outputs"]["compared"] > 3000
    assert report["contract"]["shape"] == "verified"
    assert report["contract"]["replay"]["different"] == 0
    assert report["outside_domain"]["compared"] > 0
    assert {form["how"] for form in report["forms"]} == {
        "with flags untouched",
        "compiled for the contract on its own",
    }
    assert all(form["outcome"] == "exact" for form in report["forms"])


def test_the_table_of_expected_verdicts(bitpact, root, tmp_path):
    table = tmp_path / "table.txt"
    rows = verdicts_here((root / "tests/verdicts/mlx-iree.txt").read_text()).splitlines()
    rows = [row for row in rows if row and not row.startswith("#")]
    table.write_text("\n".join(rows) + "\n")
    ran = bitpact("compare", "--problems", table, "--candidate", "iree", "--no-offers", "--no-cause")
    assert ran.code == 0, ran.err
    printed = ran.out.splitlines()
    assert len(printed) == len(rows) >= 361
    exact = sum("contract=" in row and "expect=exact" in row for row in rows)
    assert sum("[contract]" in line and line.startswith("exact") for line in printed) == exact >= 174


def test_what_becomes_of_floats_that_no_byte_holds(bitpact):
    """MLX's low byte is IREE's too, where vectors of 32-bit integers are narrowed by AVX-512; without it, they saturate."""
    ran = bitpact("compare", "convert 65536xf32 out=i8", "--candidate", "iree", "--no-offers")
    assert ran.code == here(0, 1), ran.out + ran.err
    if ran.code == 1:
        assert "overflow: mlx has wrap" in ran.out
        assert "iree has indefinite-i32-saturated" in ran.out


def test_the_contracts_run_on_native_equal_mlx(bitpact, root, tmp_path):
    lines = [
        line.split("; expect=")[0]
        for line in (root / "tests/verdicts/mlx-iree.txt").read_text().splitlines()
        if "contract=" in line and "candidate=" not in line
    ]
    table = tmp_path / "native.txt"
    table.write_text("\n".join(lines) + "\n")
    ran = bitpact("compare", "--problems", table, "--candidate", "native")
    assert ran.code == 0, ran.err
    assert len(ran.out.splitlines()) == len(lines) >= 174
    # On native nothing is outside the domain: MLX's contracts hold for all operand values.
    assert "outside" not in ran.out


def test_a_wrong_contract_differs_and_says_that_it_is_not_the_references(bitpact, tmp_path):
    wrong = tmp_path / "wrong.json"
    made = bitpact("contract", "matmul 8x8xf32,8x8xf32", "--set", "order=reversed", "-o", wrong)
    assert made.code == 0, made.err
    ran = bitpact("compare", "matmul 64x64xf32,64x64xf32", "--candidate", "iree", "--contract", wrong)
    assert ran.code == 1, ran.err
    assert "IT IS NOT WHAT THE REFERENCE COMPUTES" in ran.out
    assert "order: mlx has sequential" in ran.out
    assert "iree has reversed" in ran.out


def test_a_contract_for_other_formats_is_refused(bitpact):
    ran = bitpact("compare", "matmul 8x8xf16,8x8xf16", "--candidate", "iree", "--contract", "contracts/mlx/matmul-f32.json")
    assert ran.code == 3
    assert "contract-not-for-problem" in ran.err


def test_repeats_agree_with_themselves(bitpact):
    ran = bitpact("compare", "sum 8x512xbf16 axis=1", "--candidate", "iree", "--repeat", "5", "--json", "--no-cause")
    assert ran.json["repeats"] == 5
    assert ran.json["verdict"] == "differs"


def test_a_repeat_that_differs_is_nondeterministic(bitpact):
    worker = "worker:python3 tests/end_to_end/changing_worker.py"
    ran = bitpact("compare", "add 4xf32,4xf32", "--reference", "native", "--candidate", worker, "--repeat", "3", "--json")
    assert ran.code == 4, ran.err
    assert ran.json["verdict"] == "nondeterministic"
    assert ran.json["diagnostic"]["code"] == "nondeterministic"


def test_all_inputs_of_a_16_bit_format_are_exhaustive(bitpact):
    ran = bitpact(
        "compare", "convert 65536xbf16 out=f32", "--candidate", "native", "--operands", "bitpact-operands/2 enumerate", "--json"
    )
    assert ran.code == 0, ran.err
    assert ran.json["strength"] == "exhaustive: all 65536 inputs of bf16"


def test_the_reproduce_line_gives_the_same_report(bitpact):
    first = bitpact(
        "compare", "sum 4x33x7xf16 axis=1", "--candidate", "iree", "--json", "--operands", "bitpact-operands/2 seed=7"
    ).json
    again = bitpact(*shlex.split(first["reproduce"])[1:], "--json").json
    for report in (first, again):
        for key in ("cost", "reference_cost"):
            report.pop(key)
    assert first == again


def test_operands_from_files(bitpact, tmp_path):
    a = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    b = numpy.ones((3, 2), dtype=numpy.float32)
    numpy.save(tmp_path / "a.npy", a)
    numpy.save(tmp_path / "b.npy", b)
    ran = bitpact(
        "compare", "matmul 2x3xf32,3x2xf32", "--candidate", "native", "--operand-files", f"{tmp_path}/a.npy,{tmp_path}/b.npy"
    )
    assert ran.code == 0, ran.err
    ran = bitpact("run", "contracts/mlx/matmul-f32.json", tmp_path / "a.npy", tmp_path / "b.npy", "-o", tmp_path / "c.npy")
    assert ran.code == 0, ran.err
    assert numpy.array_equal(numpy.load(tmp_path / "c.npy"), a @ b)


def test_the_schema_is_strict(bitpact, schema):
    report = bitpact("compare", "add 4xf32,4xf32", "--reference", "native", "--candidate", "native", "--json").json
    jsonschema.validate(report, schema("comparison"))
    for key in report:
        broken = copy.deepcopy(report)
        del broken[key]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema("comparison"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**report, "extra": 1}, schema("comparison"))


def test_a_refusal_has_its_report_too(bitpact, schema):
    ran = bitpact("compare", "matmul 2x3xf32,2x3xf32", "--candidate", "iree", "--json")
    assert ran.code == 2
    report = json.loads(ran.out)
    jsonschema.validate(report, schema("comparison"))
    assert report["verdict"] == "refused"
    assert report["diagnostic"]["code"] == "clause-violated"
    assert "matmul.C4" in report["diagnostic"]["reason"]


def test_f64_is_refused_by_name_where_iree_would_demote_it(bitpact):
    ran = bitpact("compare", "matmul 8x9xf64,9x8xf64", "--reference", "native", "--candidate", "iree", "--json")
    assert ran.code == 3
    assert ran.json["diagnostic"]["code"] == "backend-lacks-format"
    assert "demote-f64=false" in ran.json["diagnostic"]["reason"]
    kept = bitpact(
        "compare", "matmul 8x9xf64,9x8xf64", "--reference", "native", "--candidate", "iree[demote-f64=false]", "--no-cause"
    )
    assert kept.code == 1, kept.out + kept.err


def test_few_outputs_are_asked_with_further_operand_sets(bitpact, schema, liars):
    """Pairs of products saturated to int16 show in no output of the first set: one of small numbers."""
    problem = "integer_matmul 1x64xui8,64x1xi8"
    sides = ["--reference", "native", "--candidate", f"worker[kernel=int16-pairs]:{liars}"]
    first = bitpact("compare", problem, *sides, "--operand-sets", "1", "--json")
    assert (first.code, first.json["operands"]["sets"]) == (0, 1)
    ran = bitpact("compare", problem, *sides, "--json")
    assert ran.code == 1, ran.out
    jsonschema.validate(ran.json, schema("comparison"))
    assert "before this one nothing differed" in ran.json["strength"]
    again = bitpact(*shlex.split(ran.json["reproduce"])[1:], "--json")
    assert again.code == 1
    for same in ("outputs", "first_divergence", "operands"):
        assert again.json[same] == ran.json[same]


def test_an_exact_of_few_outputs_counts_its_sets(bitpact, schema, liars):
    ran = bitpact(
        "compare",
        "sum 65xf32",
        "--reference",
        "mlx",
        "--candidate",
        "native",
        "--contract",
        "contracts/mlx/sum-f32.json",
        "--json",
    )
    assert ran.code == 0, ran.out
    jsonschema.validate(ran.json, schema("comparison"))
    assert ran.json["operands"]["sets"] == 128
    assert ran.json["outputs"]["compared"] == ran.json["contract"]["replay"]["compared"] == 128
    for name in ("normal", "wide", "cancellation", "ties", "subnormal", "special"):
        assert name in ran.json["strength"]


def test_further_operands_are_asked_where_the_first_are_outside_the_domain(bitpact, tmp_path):
    contract = tmp_path / "c.json"
    made = bitpact("contract", "sum 4xf32", "--exclude", "subnormal-input", "-o", contract)
    assert made.code == 0, made.err
    compared = ["compare", "sum 4xf32", "--reference", "native", "--candidate", "native", "--contract", contract]
    recipe = ["--operands", "bitpact-operands/2 seed=1 classes=subnormal,special"]
    first = bitpact(*compared, *recipe, "--json")
    assert first.code == 4 and first.json["verdict"] == "unknown"
    ran = bitpact(*compared, *recipe, "--operand-sets", "12", "--json")
    assert ran.code == 0 and ran.json["verdict"] == "exact", ran.out
    assert ran.json["outputs"]["compared"] > 0 and ran.json["outside_domain"]["compared"] > 0
    assert ran.json["outputs"]["compared"] + ran.json["outside_domain"]["compared"] == 12


def test_a_refusal_names_the_flags_that_carry_it(bitpact, schema):
    """IREE computes f64 in f32 unless it is told not to: the C library's log, which is in f64, is refused, and what holds is named."""
    line = ["compare", "log 512xf32", "--contract", "contracts/mlx/log-f32.json", "--json"]
    ran = bitpact(*line, "--candidate", "iree")
    assert ran.code == 3
    jsonschema.validate(ran.json, schema("comparison"))
    assert 'it is exact as --candidate "iree[demote-f64=false]"' in ran.err
    (form,) = ran.json["forms"]
    assert (form["how"], form["outcome"]) == ("compiled for the contract on its own", "exact")
    assert bitpact(*line, "--candidate", "iree", "--no-offers").json["forms"] == []
    assert bitpact(*line, "--candidate", "iree[demote-f64=false]").json["verdict"] == "exact"
