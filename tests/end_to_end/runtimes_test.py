"""compare over all the runtimes at once: the association of each in a sum, several candidates, the table against XLA."""

import struct

import jsonschema
import numpy
import pytest

RUNTIMES = ["iree", "xla", "onnxruntime", "numpy"]
SUMS = {
    "cancelling": ([1e8, 1, -1e8, 1] * 4, {"mlx": 1, "iree": 1, "xla": 1, "onnxruntime": 8, "numpy": 0}),
    "absorbing": (
        [2**24] + [1] * 31,
        {"mlx": 16777216, "iree": 16777216, "xla": 16777216, "onnxruntime": 16777244, "numpy": 16777244},
    ),
}


def over(candidates):
    return [word for name in candidates for word in ("--candidate", name)]


def value(side):
    return struct.unpack("<f", int(side["bits"], 16).to_bytes(4, "little"))[0]


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_over_five_runtimes(bitpact, schema, tmp_path, name):
    terms, expected = SUMS[name]
    numpy.save(tmp_path / "terms.npy", numpy.array(terms, dtype=numpy.float32))
    problem = f"sum {len(terms)}xf32"
    ran = bitpact("compare", problem, *over(RUNTIMES), "--operand-files", tmp_path / "terms.npy", "--json")
    assert ran.code == 1, ran.err
    jsonschema.validate(ran.json, schema("comparisons"))
    reports = {report["candidate"]["spec"]: report for report in ran.json["comparisons"]}
    assert list(reports) == RUNTIMES
    for candidate, report in reports.items():
        jsonschema.validate(report, schema("comparison"))
        equal = expected[candidate] == expected["mlx"]
        assert report["verdict"] == ("exact" if equal else "differs"), candidate
        if equal:
            continue
        assert value(report["first_divergence"]["reference"]) == expected["mlx"]
        assert value(report["first_divergence"]["candidate"]) == expected[candidate], candidate
        assert "order" in report["cause"], report["cause"]
    cause = {candidate: report["cause"] for candidate, report in reports.items()}
    if name == "absorbing":
        for candidate in ("onnxruntime", "numpy"):
            # A compensated accumulator in order would give this one output, too, and that is said.
            assert "order" in cause[candidate] and "sequential" in cause[candidate] and "interleaved(8)" in cause[candidate], (
                cause
            )
    else:
        # One output: an f64 accumulator would give it, too, and that is said.
        assert "order from sequential to interleaved(2) or interleaved(8, interleaved(4, interleaved(2)))" in cause["onnxruntime"]
        assert "interleaved(8, pairwise(1))" in cause["numpy"]


def test_many_outputs_tell_the_associations_apart(bitpact):
    ran = bitpact("compare", "sum 64x512xf32 axis=1", *over(["onnxruntime", "numpy", "xla[ynn=false]"]), "--json")
    cause = [report["cause"] for report in ran.json["comparisons"]]
    assert cause[0].endswith("onnxruntime has interleaved(8, interleaved(4, interleaved(2)))"), cause
    assert cause[1].endswith("numpy has pairwise(128, 8, interleaved(8, pairwise(1)))"), cause
    assert "xla[ynn=false] has blocked(32)" in cause[2], cause


def test_the_table_of_several_candidates_and_the_worst_exit_code(bitpact):
    ran = bitpact("compare", "add 4xf32,4xf32", "--reference", "native", *over(["native", "numpy"]))
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-3:] == [
        "candidate  verdict  differing  cause",
        "native     exact    0 of 512",
        "numpy      exact    0 of 512",
    ]
    refused = bitpact("compare", "add 4xbf16,4xbf16", "--reference", "native", *over(["native", "onnxruntime"]))
    assert refused.code == 3
    assert "refused  -          [backend-lacks-format] onnx.Add of bf16" in refused.out
    unknown = bitpact("compare", "add 4xbf16,4xbf16", "--reference", "native", *over(["onnxruntime", "nonesuch"]))
    assert unknown.code == 2
    assert "[unknown-backend]" in unknown.out


def test_what_takes_one_candidate_says_so(bitpact, tmp_path):
    for more in (["--problems", "tests/verdicts/mlx-xla.txt"], ["add 4xf32,4xf32", "--emitted", tmp_path / "m.mlir"]):
        ran = bitpact("compare", *more, *over(["native", "numpy"]))
        assert ran.code == 2
        assert "[usage]" in ran.err


def table(root, keep):
    return [line for line in (root / "tests/verdicts/mlx-xla.txt").read_text().splitlines() if line[:1] != "#" and keep(line)]


def test_the_table_of_expected_verdicts_on_xla(bitpact, root, tmp_path):
    # One shape an operator and format; the whole table is the long test below.
    some = table(root, lambda line: any(shape in line for shape in ("64x64x", "4096xf32", "4096xbf16", "8x512", "out=f32")))
    (tmp_path / "table.txt").write_text("\n".join(some) + "\n")
    ran = bitpact("compare", "--problems", tmp_path / "table.txt", "--candidate", "xla", "--no-cause", "--no-offers")
    assert ran.code == 0, ran.err
    assert len(ran.out.splitlines()) == len(some) > 30


def test_every_contract_holds_on_xla(root):
    contracts = table(root, lambda line: "contract=" in line)
    assert len(contracts) >= 143
    assert all(line.endswith("expect=exact") for line in contracts)


def test_devices_that_are_not_here_refuse_by_name(bitpact, schema):
    ran = bitpact("backends", "mlx:gpu", "iree:cuda", "xla:gpu", "onnxruntime:cuda", "--json")
    jsonschema.validate(ran.json, schema("backends"))
    for row in ran.json["backends"]:
        assert not row["verified"], row["spec"]
        assert row["available"] or row["diagnostic"]["code"] == "backend-absent"
