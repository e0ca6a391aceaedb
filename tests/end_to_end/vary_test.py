"""bitpact probe --vary: the same problem under other values of an attribute, or of an option of the backend."""

import json

import jsonschema
import pytest

FEW = ["--replay-outputs", "3000", "--replay-seconds", "1", "--one-length"]


def compare(bitpact, problem, backend, contract):
    return bitpact("compare", problem, "--reference", backend, "--candidate", "native", "--contract", contract)


def test_an_alignment_that_makes_a_difference_is_a_condition(bitpact, schema, tmp_path, liars):
    backend, out = f"worker[kernel=by-alignment]:{liars}", tmp_path / "c.json"
    problem = "sum 64x256xf32"
    ran = bitpact("probe", problem, "--backend", backend, "--vary", "align=4,16", "--json", "-o", out, *FEW)
    assert ran.code == 0, ran.out + ran.err
    jsonschema.validate(ran.json, schema("vary"))
    assert [(c["attributes"]["align"], c["program"]) for c in ran.json["conditions"]] == [("64", 0), ("4", 1), ("16", 1)]
    assert ran.json["varied"] == [{"name": "align", "kind": "attribute", "values": ["64", "4", "16"], "unasked": "not-covered"}]
    orders = [program["probe"]["parts"][0]["order"] for program in ran.json["programs"]]
    assert orders == ["interleaved(8, pairwise(1))", "sequential"]
    assert any("order" in words for words in ran.json["conditions"][1]["differences"])
    written = json.loads(out.read_text())
    assert written == ran.json["contract"]
    assert [piece["when"] for piece in written["pieces"]] == [{"align": "64"}, {"align": "4"}, {"align": "16"}]
    assert written["verified"] == [problem + suffix for suffix in (" axis=1", " align=4 axis=1", " align=16 axis=1")]
    for suffix, code in [("", 0), (" align=4", 0), (" align=16", 0), (" align=8", 3)]:
        compared = compare(bitpact, problem + suffix, backend, out)
        assert compared.code == code, compared.out + compared.err
    shown = bitpact("show", out)
    assert "align=4" in shown.out


def test_the_report_in_words_says_what_was_not_asked(bitpact, liars):
    backend = f"worker[kernel=by-alignment]:{liars}"
    ran = bitpact("probe", "sum 8x16xf32", "--backend", backend, "--vary", "align=32", *FEW)
    assert ran.code == 0, ran.err
    assert "VARY  sum 8x16xf32 axis=1" in ran.out and "2 condition(s), 2 program(s)" in ran.out
    assert "against the first: " in ran.out
    assert "other values of align: not covered by the contract" in ran.out


# The kernel leaves a term out where there are 257 of them.
def test_a_program_that_is_not_known_under_a_condition_is_said(bitpact, tmp_path, liars):
    backend, out = f"worker[kernel=drops-a-leaf]:{liars}", tmp_path / "c.json"
    ran = bitpact("probe", "sum 257x4xf32 axis=1", "--backend", backend, "--vary", "axis=0", "-o", out, *FEW)
    assert ran.code == 4 and "error[" in ran.err
    assert "no program: sum 257x4xf32 axis=0" in ran.out
    assert [piece["when"] for piece in json.loads(out.read_text())["pieces"]] == [{"axis": "1"}]


def test_layouts_are_attributes(bitpact, liars):
    backend = f"worker[kernel=sequential]:{liars}"
    ran = bitpact("probe", "matmul 3x17xf32,17x5xf32", "--backend", backend, "--vary", "transpose_b=true", "--json", *FEW)
    assert ran.code == 0, ran.err
    assert [c["problem"] for c in ran.json["conditions"]] == [
        "matmul 3x17xf32,17x5xf32",
        "matmul 3x17xf32,5x17xf32 transpose_b=true",
    ]
    assert ran.json["varied"][0]["unasked"] == "none"
    assert len(ran.json["programs"]) == 1 and ran.json["contract"]["pieces"][0]["when"] == {}


# Its sums begin with packets of four, at multiples of 16 bytes.
def test_alignment_changes_sums_of_onnxruntime(bitpact, schema, tmp_path):
    out, problem = tmp_path / "c.json", "sum 64x257xf32 axis=1"
    ran = bitpact("probe", problem, "--backend", "onnxruntime", "--vary", "align=4,16,32", "--json", "-o", out, *FEW)
    assert ran.code == 0, ran.out + ran.err
    jsonschema.validate(ran.json, schema("vary"))
    programs = {c["attributes"]["align"]: c["program"] for c in ran.json["conditions"]}
    assert programs["64"] == programs["16"] == programs["32"] != programs["4"]
    for align in ("", " align=4", " align=16", " align=32"):
        compared = compare(bitpact, problem + align, "onnxruntime", out)
        assert compared.code == 0, compared.out + compared.err


def test_threads_are_another_identity(bitpact, schema):
    ran = bitpact("probe", "sum 4x100xf32", "--backend", "numpy[threads=1]", "--vary", "threads=1,2", "--json", *FEW)
    assert ran.code == 0, ran.out + ran.err
    jsonschema.validate(ran.json, schema("vary"))
    assert [c["backend"] for c in ran.json["conditions"]] == ["numpy[threads=1]", "numpy[threads=2]"]
    assert ran.json["varied"] == [{"name": "threads", "kind": "option", "values": ["1", "2"], "unasked": "other-identities"}]
    assert any("identity.threads" in words for words in ran.json["conditions"][1]["identity_differences"])
    assert ran.json["contract"]["identity"]["threads"] == "1"


@pytest.mark.parametrize("backend", ["mlx", "xla", "iree"])
def test_runtimes_that_copy_operands_refuse_alignments(bitpact, backend):
    ran = bitpact("probe", "sum 4x9xf32", "--backend", backend, "--vary", "align=16", *FEW)
    assert ran.code == 3 and "error[backend-lacks-form]" in ran.err and "align=16" in ran.err


def test_a_worker_that_does_not_state_it_is_not_asked(bitpact, root):
    backend = f"worker:{root / '.venv/bin/python'} {root / 'examples/worker.py'}"
    assert bitpact("probe", "add 8xf32,8xf32", "--backend", backend, *FEW).code == 0
    ran = bitpact("probe", "add 8xf32,8xf32", "--backend", backend, "--vary", "align=16", *FEW)
    assert ran.code == 3 and "error[backend-lacks-form]" in ran.err and "align=16" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--vary", "align"], "usage"),
        (["--vary", "align=2"], "bad-attribute"),
        (["--vary", "speed=1"], "unknown-attribute"),
        (["--vary", "align=4", "--vary", "align=8"], "usage"),
        (["--vary", "align=4", "--switches", "n=1..9"], "usage"),
    ],
)
def test_conditions_that_are_none_are_refused(bitpact, arguments, code):
    ran = bitpact("probe", "sum 4x9xf32", "--backend", "numpy", *arguments)
    assert ran.code == 2 and f"error[{code}]" in ran.err
