"""Probes of functions, as a user asks for them: tables, places, the program that gives them, errors."""

import json
import os
import signal
import subprocess
import time

import jsonschema
import numpy
import pytest
from conftest import PROGRAM, ROOT

TAILED = "worker:python3 tests/end_to_end/tailed_worker.py"


def edges(report, arguments, whose):
    (side,) = (side for side in report["range"] if side["arguments"] == arguments)
    return [(edge["x"]["bits"], edge["to"]) for edge in side[whose]["edges"]]


def test_a_contract_is_written_and_runs(bitpact, schema, tmp_path):
    path = tmp_path / "exp.json"
    ran = bitpact("probe", "exp 100xbf16", "--backend", "xla", "-o", path, "--json")
    assert ran.code == 0, ran.err
    jsonschema.validate(ran.json, schema("function"))
    assert ran.json["verdict"] == "contract"
    assert ran.json["strength"] == "exhaustive"
    contract = json.loads(path.read_text())
    assert contract == ran.json["contract"]
    jsonschema.validate(contract, schema("contract"))
    assert contract["established"]["strength"] == "exhaustive"
    assert "exp 100xbf16" in contract["verified"]
    # What XLA gives, its flushed subnormals too.
    compared = bitpact("compare", "exp 65536xbf16", "--reference", "xla", "--candidate", "native", "--contract", path,
                       "--operands", "bitpact-operands/2 enumerate", "--json")  # fmt: skip
    assert compared.code == 0, compared.out
    assert compared.json["outputs"]["compared"] == 65536


def test_a_few_values_one_by_one(bitpact, tmp_path):
    """NumPy's exp of f16 is correctly rounded but for four values: no library of functions has that program."""
    path = tmp_path / "exp.json"
    ran = bitpact("probe", "exp 100xf16", "--backend", "numpy", "-o", path, "--json")
    assert ran.code == 0, ran.err
    *listed, exact = ran.json["tables"][0]["programs"]
    assert all(program["different"] > 0 and program["exceptions"] == 0 for program in listed)
    assert exact["exceptions"] == 4
    assert exact["flush"] == ""
    compared = bitpact("compare", "exp 65536xf16", "--reference", "numpy", "--candidate", "native", "--contract", path,
                       "--operands", "bitpact-operands/2 enumerate", "--json")  # fmt: skip
    assert compared.code == 0, compared.out


@pytest.mark.parametrize("number_format", ["bf16", "f16"])
def test_what_no_program_gives_is_a_table(bitpact, schema, tmp_path, number_format):
    """gelu as MLX has it rounds five times: its values are looked up, on compilers that flush subnormals too."""
    path = tmp_path / "gelu.json"
    ran = bitpact("probe", f"gelu 100x{number_format}", "--backend", "mlx", "-o", path, "--json")
    assert ran.code == 0, ran.err
    jsonschema.validate(ran.json, schema("function"))
    *listed, last = ran.json["tables"][0]["programs"]
    assert last["tabulated"]
    assert all(program["different"] > 0 and not program["tabulated"] for program in listed)
    contract = json.loads(path.read_text())
    jsonschema.validate(contract, schema("contract"))
    assert [next(iter(node)) for node in contract["pieces"][0]["program"]["nodes"]] == ["input", "table"]
    shown = bitpact("show", path)
    assert f"by a table of 65536 values, {ran.json['tables'][0]['sha256']}" in shown.out
    for candidate in ("iree", "xla"):
        compared = bitpact("compare", f"gelu 256x256x{number_format}", "--reference", "mlx", "--candidate", candidate, "--contract", path,
                           "--operands", "bitpact-operands/2 enumerate", "--json")  # fmt: skip
        assert compared.code == 0, compared.out
        assert compared.json["outputs"]["compared"] == 65536  # subnormal ones too: nothing is outside of the domain


@pytest.mark.parametrize(
    ("line", "backend", "algorithm", "flush"),
    [
        ("exp 64xf32", "mlx", "cephes-exp2f", ""),
        ("exp 64xf32", "xla", "cephes-expf", "value"),
        ("exp 64xbf16", "mlx", "cephes-exp2f", ""),
        ("erf 64xf16", "mlx", "abramowitz-stegun", ""),
        ("sigmoid 64xf32", "iree", "exp-of-negative", "value"),
        ("sigmoid 64xbf16", "mlx", "exp-of-magnitude", ""),
        ("sin 64xf32", "mlx", "cephes-arm-sinf", ""),
        ("cos 64xf32", "mlx", "cephes-arm-cosf", ""),
        ("tanh 64xf32", "mlx", "fdlibm-tanhf", ""),
        ("log 64xf32", "mlx", "arm-logf", ""),
        ("log1p 64xf32", "mlx", "fdlibm-log1pf", ""),
        ("expm1 64xf32", "mlx", "fdlibm-expm1f", ""),
        ("exp2 64xf32", "mlx", "arm-exp2f", ""),
    ],
)
def test_an_algorithm_is_named(bitpact, line, backend, algorithm, flush):
    ran = bitpact("probe", line, "--backend", backend, "--json")
    assert ran.code == 0, ran.err
    found = next(program for program in ran.json["tables"][0]["programs"] if program["different"] == 0)
    assert found["choices"]["algorithm"] == algorithm
    assert found["flush"] == flush


def test_unknown_names_the_nearest_and_how_to_see_it(bitpact, schema, tmp_path):
    path = tmp_path / "exp.json"
    ran = bitpact("probe", "tanh 100xf32", "--backend", "xla", "-o", path, "--json")
    assert ran.code == 4
    assert "[probe-unknown]" in ran.err
    jsonschema.validate(ran.json, schema("function"))
    assert not path.exists()
    (table,) = ran.json["tables"]
    nearest = min(table["programs"], key=lambda program: program["different"])
    assert nearest["flush"] == ""
    assert nearest["different"] > 10000
    # The line in the report, as a shell takes it.
    shown = subprocess.run(
        ran.json["reproduce"].replace("bitpact", PROGRAM, 1), shell=True, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert nearest["first"]["seen"]["bits"] in shown.stdout
    assert nearest["first"]["program"]["bits"] in shown.stdout


def test_a_body_and_a_tail(bitpact, schema):
    """Case 9: two algorithms in one function, told apart by where an argument stands."""
    ran = bitpact("probe", "exp 10xbf16", "--backend", TAILED, "--json")
    assert ran.code == 4, ran.err
    assert "[probe-position]" in ran.err
    jsonschema.validate(ran.json, schema("function"))
    assert [table["where"] for table in ran.json["tables"]] == ["vector body", "tail"]
    body, tail = ([p["different"] == 0 for p in table["programs"]] for table in ran.json["tables"])
    assert not any(body)
    assert any(tail)
    lanes, tails, own = ran.json["positions"]
    assert lanes["different"] == 0
    assert tails["arguments"] == 65536
    assert tails["pattern"] == "at index 0 to 63 it is the table's value, from 64 on another"
    assert own["pattern"] == "at index 0 to 7 it is the table's value, from 8 on another"


def test_a_runtime_with_a_body_and_a_tail(bitpact):
    """Case 9, for real: ONNX Runtime's log is another algorithm for what its vectors leave over."""
    ran = bitpact("probe", "log 10xf16", "--backend", "onnxruntime", "--json")
    assert ran.code == 4, ran.err
    body, tail = ran.json["tables"]
    assert min(program["different"] for program in body["programs"]) == 1
    assert min(program["different"] for program in tail["programs"]) == 0
    _, tails, own = ran.json["positions"]
    assert tails["first"]["x"]["bits"] == "0x1935"
    assert own["pattern"] == "at index 0 to 7 it is the table's value, from 8 on another"


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_no_errors_where_there_are_none(bitpact, schema, backend):
    ran = bitpact("probe", "log 10xbf16", "--backend", backend, "--errors", "--json")
    assert ran.code == 0, ran.err
    jsonschema.validate(ran.json, schema("function-errors"))
    assert ran.json["not_correctly_rounded"] == 0
    assert ran.json["monotone"]
    assert ran.json["greatest"] is None


def test_where_mlx_exp_ends(bitpact, schema):
    """Case 10: exp(88.0000076) is inf, exp(-87.69) zero, and the greatest error is near the end."""
    ran = bitpact("probe", "exp 10xf32", "--backend", "mlx", "--errors", "--json")
    assert ran.code == 0, ran.err
    report = ran.json
    jsonschema.validate(report, schema("function-errors"))
    assert report["strength"] == "sampled"
    assert edges(report, "positive", "seen")[0] == ("0x42b00001", "infinite")
    assert edges(report, "positive", "right")[0] == ("0x42b17218", "infinite")
    assert report["wrong_kinds"]["infinite"]["first"]["x"]["bits"] == "0x42b00001"
    assert edges(report, "negative", "right")[:2] == [("0xc2aeac50", "subnormal"), ("0xc2cff1b5", "zero")]
    assert edges(report, "negative", "seen")[1][1] == "zero"
    assert 40 <= report["greatest_ulps"] <= 200
    assert 64 < abs(float(report["greatest"]["x"]["value"])) < 88
    x = numpy.float64(numpy.float32(report["greatest"]["x"]["value"]))
    assert numpy.float32(report["greatest"]["right"]["value"]) == numpy.float32(numpy.exp(x))


@pytest.mark.parametrize("backend", ["iree", "xla"])
def test_who_flushes(bitpact, backend):
    """Case 8: exp(-87.5) is 0, log(1e-40) is -inf."""
    exp = bitpact("probe", "exp 10xf32", "--backend", backend, "--errors", "--json").json
    assert edges(exp, "negative", "seen")[0] == ("0xc2aeac50", "zero")
    assert edges(exp, "negative", "right")[0] == ("0xc2aeac50", "subnormal")
    log = bitpact("probe", "log 10xf32", "--backend", backend, "--errors", "--json").json
    assert log["wrong_kinds"]["infinite"]["first"]["x"]["bits"] == "0x00000001"
    assert log["wrong_kinds"]["infinite"]["first"]["seen"]["value"] == "-inf"


def test_errors_write_no_contract(bitpact, tmp_path):
    ran = bitpact("probe", "exp 10xf32", "--backend", "native", "--errors", "-o", tmp_path / "exp.json")
    assert ran.code == 2
    assert "[usage]" in ran.err


@pytest.mark.parametrize("what", [[], ["--errors"]])
def test_killed_and_started_again(tmp_path, what):
    """All 2^32 arguments: what was done before it was killed is not done again."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [PROGRAM, "probe", "exp 10xf32", "--backend", "numpy", "--exhaustive", *what]
    first = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 240
    while not list(tmp_path.glob("bitpact/functions/*.json")):
        assert first.poll() is None
        assert time.monotonic() < until, "no progress was kept"
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait()
    second = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    line = second.stderr.readline()
    second.send_signal(signal.SIGKILL)
    second.wait()
    second.stderr.close()
    assert line.startswith("goes on after "), line
    assert int(line.split()[3]) >= 1
