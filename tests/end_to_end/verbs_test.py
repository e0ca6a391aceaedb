"""The smaller verbs: what they print, their JSON twins, their exit codes."""

import json
import runpy

import jsonschema
import pytest


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("backends", ["backends"]),
        ("operators", ["operators"]),
        ("diagnostics", ["diagnostics"]),
        ("show", ["show", "contracts/mlx/matmul-bf16.json"]),
        ("diff", ["diff", "contracts/mlx/matmul-bf16.json", "contracts/mlx/matmul-bf16.json"]),
        ("emission", ["emit", "contracts/mlx/matmul-bf16.json"]),
    ],
)
def test_json_twins_follow_their_schemas(bitpact, schema, name, arguments):
    ran = bitpact(*arguments, "--json")
    assert ran.code == 0, ran.err
    jsonschema.validate(ran.json, schema(name))
    assert ran.json["schema"] == f"bitpact.{name}/1"


def test_contracts_follow_their_schema(schema, root):
    paths = sorted((root / "contracts" / "mlx").glob("*.json"))
    assert len(paths) >= 105
    for path in paths:
        jsonschema.validate(json.loads(path.read_text()), schema("contract"))


def test_backends_says_what_is_here_and_what_is_not(bitpact):
    rows = {row["spec"]: row for row in bitpact("backends", "--json").json["backends"]}
    assert rows["mlx"]["identity"]["version"].startswith("0.32.4")
    assert rows["iree"]["identity"]["version"].startswith("3.13.0")
    for name in ("native", "mlx", "iree"):
        assert rows[name]["available"]
        assert "host" not in rows[name]["identity"]["target"]
    assert not rows["mlx:gpu"]["available"]
    assert rows["mlx:gpu"]["diagnostic"]["code"] == "backend-absent"


def test_show_says_what_matters(bitpact):
    text = bitpact("show", "contracts/mlx/matmul-bf16.json").out
    for part in ("f32", "bf16", "in order", "rounded", "verified on", "predicted"):
        assert part in text


def test_diff_names_the_accumulator(bitpact, tmp_path):
    other = tmp_path / "other.json"
    assert bitpact("contract", "matmul 8x8xbf16,8x8xbf16", "--set", "accumulator=bf16", "-o", other).code == 0
    ran = bitpact("diff", "contracts/mlx/matmul-bf16.json", other)
    assert ran.code == 1
    assert "accumulator" in ran.out


def test_hand_written_contracts_have_the_arithmetic_of_the_checked_in_ones(bitpact, root, tmp_path):
    choices = runpy.run_path(str(root / "tools" / "write_mlx_contracts"))["CHOICES"]
    for path in sorted((root / "contracts" / "mlx").glob("*.json")):
        contract = json.loads(path.read_text())
        again = tmp_path / path.name
        changes = [word for choice in choices.get(path.stem, []) for word in ("--set", choice)]
        ran = bitpact("contract", contract["verified"][0], *changes, "-o", again)
        assert ran.code == 0, ran.err
        assert json.loads(again.read_text())["fingerprints"]["arithmetic"] == contract["fingerprints"]["arithmetic"]


def test_the_worker_examples_compute(bitpact):
    ran = bitpact("compare", "add 64xf32,64xf32", "--reference", "native", "--candidate", "worker:python3 examples/worker.py")
    assert ran.code == 0, ran.out + ran.err


def test_usage_is_refused_with_code_2(bitpact):
    for arguments in (
        [],
        ["compare"],
        ["frobnicate"],
        ["compare", "add 4xf32,4xf32"],
        ["show"],
        ["compare", "--candidate", "iree"],
    ):
        ran = bitpact(*arguments)
        assert ran.code == 2, arguments
        assert "error[usage]" in ran.err
        assert ran.out == ""


def test_version(bitpact):
    assert bitpact("--version").out == "bitpact 0.1.0\n"
