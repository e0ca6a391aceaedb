"""bitpact probe on sums: real backends, and kernels whose arithmetic is known."""

import json

import jsonschema
import pytest
from processor import WIDE, here

FEW = ["--replay-outputs", "3000", "--replay-seconds", "1", "--one-length"]
KNOWN = [
    ("mlx", "matmul 64x64xf32,64x64xf32", "sequential", {"product": "rounded", "accumulator": "f32"}),
    # Without AVX-512 tiles of six rows and eight columns at two edges are added in two lanes: two programs.
    ("numpy", "matmul 64x64xf32,64x64xf32", here(["sequential"], ["interleaved(2)", "sequential"]), {"product": "fused"}),
    ("onnxruntime", "matmul 64x64xf32,64x64xf32", "sequential", {"product": "fused"}),
    ("xla", "sum 400xf32", "blocked_short_both(32, sequential, from_start)", {"accumulator": "f32", "result": "kept"}),
    (
        "xla",
        "sum 4096xf32",
        "interleaved(16, interleaved(8, interleaved(4, interleaved(2))))",
        {"accumulator": "f32/kahan@4x4x4"},
    ),
    ("iree", "sum 100xbf16", "sequential", {"accumulator": here("f32/bf16@32", "f32/bf16@16")}),
    (
        ("iree", "dot 33xbf16,33xbf16", "sequential", {"accumulator": "f32/bf16@11", "product": "rounded"})
        if WIDE
        else ("iree", "dot 33xbf16,33xbf16", "tailed(32, apart)", {"accumulator": "f32/bf16@16", "tail": "storage"})
    ),
    *([] if WIDE else [("iree", "dot 1025xf32,1025xf32", "tailed(1024, apart)", {"product": "rounded", "tail": "fused"})]),
    ("iree", "matmul 17x31xbf16,31x33xbf16", "sequential", {"accumulator": here("f32/bf16@1", "f32")}),
    ("mlx", "sum 8x100xbf16", "sequential", {"accumulator": "f32"}),
    ("numpy", "sum 8x100xbf16", "sequential", {"accumulator": "bf16"}),
]


@pytest.mark.parametrize(("backend", "problem", "order", "choices"), KNOWN)
def test_what_is_known_of_them_is_found(bitpact, schema, tmp_path, backend, problem, order, choices):
    ran = bitpact("probe", problem, "--backend", backend, "--json", "-o", tmp_path / "c.json", *FEW)
    assert ran.code == 0, ran.out + ran.err
    jsonschema.validate(ran.json, schema("probe"))
    assert ran.json["verdict"] == "contract"
    assert [part["order"] for part in ran.json["parts"]] == (order if isinstance(order, list) else [order])
    for point, value in choices.items():
        assert ran.json["parts"][0]["choices"][point] == value
    compared = bitpact(
        "compare", problem, "--reference", backend, "--candidate", "native", "--contract", tmp_path / "c.json", "--json"
    )
    assert compared.code == 0 and compared.json["verdict"] == "exact", compared.out
    assert compared.json["contract"]["shape"] == "verified"


# Below 32 terms, and behind the last row of 32, NumPy's dot (OpenBLAS) rounds products to f32 and adds them up in f64.
@pytest.mark.parametrize("terms", [1, 7, 33, 63, 100])
def test_tails_in_double_are_found(bitpact, tmp_path, terms):
    problem = f"dot {terms}xf32,{terms}xf32"
    ran = bitpact("probe", problem, "--backend", "numpy", "--json", "-o", tmp_path / "c.json", *FEW)
    assert ran.code == 0, ran.out + ran.err
    compared = bitpact(
        "compare", problem, "--reference", "numpy", "--candidate", "native", "--contract", tmp_path / "c.json", "--json"
    )
    assert compared.code == 0 and compared.json["verdict"] == "exact", compared.out
    assert compared.json["operands"]["sets"] == 128


LIARS = [
    ("sorts-by-magnitude", "sum 64x257xf32", {"not-a-tree", "unknown"}),
    ("kahan", "sum 64x257xf32", {"contract"}),
    ("neumaier", "sum 64x257xf32", {"contract"}),
    ("kahan-across-blocks", "sum 64x257xf32", {"contract"}),
    ("random-order", "sum 64x257xf32", {"nondeterministic"}),
    ("reversed", "sum 64x257xf32", {"contract"}),
    ("tail-in-double", "sum 64x287xf32", {"contract"}),
]


@pytest.mark.parametrize(("kernel", "problem", "verdicts"), LIARS)
def test_a_verdict_is_the_truth(bitpact, tmp_path, liars, kernel, problem, verdicts):
    out = tmp_path / "c.json"
    ran = bitpact("probe", problem, "--backend", f"worker[kernel={kernel}]:{liars}", "--json", "-o", out, *FEW)
    assert ran.json["verdict"] in verdicts, ran.out
    assert ran.code == (0 if ran.json["verdict"] == "contract" else 4)
    assert out.exists() == (ran.json["verdict"] == "contract")
    if ran.json["verdict"] in {"not-a-tree", "unknown"}:
        assert ran.json["reproducer"]["backend"] != ran.json["reproducer"]["program"]


def test_regions_are_found_and_run(bitpact, tmp_path):
    problem = "matmul 33x257xf32,257x17xf32"
    ran = bitpact("probe", problem, "--backend", "numpy", "--json", "-o", tmp_path / "c.json", *FEW)
    assert ran.code == 0, ran.out + ran.err
    assert len(ran.json["parts"]) > 1
    compared = bitpact(
        "compare", problem, "--reference", "numpy", "--candidate", "native", "--contract", tmp_path / "c.json", "--json"
    )
    assert compared.json["verdict"] == "exact"
    emitted = bitpact(
        "compare", problem, "--reference", "numpy", "--candidate", "xla", "--contract", tmp_path / "c.json", "--json"
    )
    assert emitted.json["verdict"] == "exact", emitted.out


def test_wrong_use_is_refused(bitpact):
    assert "usage" in bitpact("probe", "sum 8xf32", "--backend", "mlx", "--errors").err
    native = bitpact("probe", "sum 8xf32", "--backend", "native")
    assert native.code == 3 and "probe-unsupported" in native.err
    assert bitpact("probe", "sum 0xf32", "--backend", "mlx").code == 2


def test_a_contract_is_replayed_at_other_problems(bitpact, tmp_path, liars):
    backend = f"worker[kernel=two-switches]:{liars}"
    out = tmp_path / "c.json"
    ran = bitpact("probe", "sum 4x999xf32", "--backend", backend, "--verify", "sum 3x1010xf32", "-o", out, *FEW)
    assert ran.code == 0, ran.err
    assert "sum 3x1010xf32 axis=1" in json.loads(out.read_text())["verified"]
    out.unlink()
    ran = bitpact("probe", "sum 4x999xf32", "--backend", backend, "--verify", "sum 3x1005xf32", "-o", out, *FEW)
    assert ran.code == 4 and "probe-unknown" in ran.err and "sum 3x1005xf32" in ran.err
    assert not out.exists()


def test_where_another_program_takes_over(bitpact, schema, tmp_path, liars):
    backend = f"worker[kernel=two-switches]:{liars}"
    problem = "sum 4x1005xf32"
    ran = bitpact("probe", problem, "--backend", backend, "--switches", "n=900..1200", "--json", "-o", tmp_path / "c.json", *FEW)
    assert ran.code == 0, ran.out + ran.err
    jsonschema.validate(ran.json, schema("switches"))
    assert [(r["from"], r["to"]) for r in ran.json["ranges"]] == [(900, 999), (1000, 1009), (1010, 1200)]
    assert ran.json["complete"] and ran.json["ranges"][0]["program"] == ran.json["ranges"][2]["program"]
    pieces = json.loads((tmp_path / "c.json").read_text())["pieces"]
    assert [piece["shapes"] for piece in pieces] == [
        [{"axis": "n", "min": low, "max": high, "multiple": 1}] for low, high in [(900, 999), (1000, 1009), (1010, 1200)]
    ]
    for extent, code in [(999, 0), (1003, 0), (1011, 0), (1201, 3)]:
        compared = bitpact(
            "compare",
            f"sum 4x{extent}xf32",
            "--reference",
            backend,
            "--candidate",
            "native",
            "--contract",
            tmp_path / "c.json",
        )
        assert compared.code == code, compared.out + compared.err


@pytest.mark.parametrize(
    ("switches", "code"),
    [("n", "usage"), ("n=1", "usage"), ("n=1..x", "usage"), ("k=1..9", "bad-attribute"), ("n=9..1", "bad-attribute")],
)
def test_switches_that_are_none_are_refused(bitpact, switches, code):
    ran = bitpact("probe", "sum 4x9xf32", "--backend", "numpy", "--switches", switches)
    assert ran.code == 2 and f"error[{code}]" in ran.err
