"""Every code of the registry can be provoked by a user, with its exit code, and the page lists them all."""

import io
import json
import os
import pathlib
import zipfile

import pytest

ADD = "add 4xf32,4xf32"
MATMUL = "contracts/mlx/matmul-f32.json"
TAILED = "worker:python3 tests/end_to_end/tailed_worker.py"


def compare(problem, *more, candidate="native", reference="native"):
    return ["compare", problem, "--reference", reference, "--candidate", candidate, *more]


def faulty(fault, place):
    return f"worker:python3 tests/backends/faulty_worker.py {fault} {place}/mark"


def liar(kernel, place):
    build = pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", place.root / "build"))
    return f"worker[kernel={kernel}]:{build / 'liars'}"


def changed_contract(place, change):
    """A copy of MLX's matmul contract with something wrong in it."""
    contract = json.loads((place.root / MATMUL).read_text())
    change(contract)
    path = place / "contract.json"
    path.write_text(json.dumps(contract))
    return ["show", path]


class Place(type(pathlib.Path())):
    root = pathlib.Path(__file__).resolve().parents[2]


def file_with(place, name, data):
    path = place / name
    path.write_bytes(data)
    return path


def npy(descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def two_operands(place, first, second):
    return f"{file_with(place, 'a.npy', first)},{file_with(place, 'b.npy', second)}"


GOOD = npy("<f4", "(4,)", bytes(16))


def safetensors(dtype, data):
    header = b'{"x":{"dtype":"%s","shape":[4],"data_offsets":[0,16]}}' % dtype
    return len(header).to_bytes(8, "little") + header + data


def dump_operands(place, name, data):
    path = file_with(place, name, data)
    return compare(ADD, "--operand-files", f"{path}:x,{path}:x")


def zipped(name):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr(name, GOOD)
    return memory.getvalue()


def two_npy(place):
    """A folder of two tensors, twice."""
    file_with(place, "a.npy", GOOD)
    file_with(place, "b.npy", GOOD)
    return place, place


def subnormals_only(place):
    """Operands whose every product is subnormal, so that no output lies in the domain that IREE carries."""
    tiny = npy("<f4", "(4,)", (1).to_bytes(4, "little") * 4)
    return compare(
        ADD, "--contract", "contracts/mlx/add-f32.json", "--operand-files", two_operands(place, tiny, tiny), candidate="iree"
    )


def long_pairwise(place):
    path = place / "pairwise.json"
    return ["contract", "sum 4xf32", "--set", "order=pairwise(1)", "-o", path], ["emit", path, "--problem", "sum 100000x5000xf32"]


def unlockable(place):
    """A sum whose order depends on the values, which no listed program is."""
    liars = pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", place.root / "build")) / "liars"
    lines = f"sum 8x64xf32 ; backend=worker[kernel=sorts-by-magnitude]:{liars}\n"
    return ["lock", file_with(place, "list.txt", lines.encode()), "-o", place / "bitpact.lock", "--one-length"]


PROVOKE = {
    "usage": lambda p: ["frobnicate"],
    "problem-syntax": lambda p: compare("add 4xf32 ,4xf32"),
    "unknown-operator": lambda p: compare("ad 4xf32,4xf32"),
    "unknown-format": lambda p: compare("add 4xf33,4xf33"),
    "unknown-attribute": lambda p: compare(ADD + " axis=1"),
    "bad-attribute": lambda p: compare("sum 4xf32 axis=first"),
    "clause-violated": lambda p: compare("add 4xf32,5xf32"),
    "too-large": lambda p: compare("add 1099511627776xf32,1099511627776xf32"),
    "file-unreadable": lambda p: ["show", p / "missing.json"],
    "file-unwritable": lambda p: ["contract", ADD, "-o", p / "missing" / "contract.json"],
    "npy-malformed": lambda p: compare(ADD, "--operand-files", two_operands(p, GOOD[:-1], GOOD)),
    "npy-unsupported": lambda p: compare(ADD, "--operand-files", two_operands(p, npy("<c8", "(4,)", bytes(32)), GOOD)),
    "safetensors-malformed": lambda p: dump_operands(p, "a.safetensors", safetensors(b"F32", bytes(15))),
    "safetensors-unsupported": lambda p: dump_operands(p, "a.safetensors", safetensors(b"C64", bytes(16))),
    "npz-malformed": lambda p: dump_operands(p, "a.npz", zipped("x.npy")[:-1]),
    "npz-unsupported": lambda p: dump_operands(p, "a.npz", zipped("x.txt")),
    "dump-unknown": lambda p: dump_operands(p, "a.bin", b"neither one nor the other"),
    "operand-mismatch": lambda p: compare(ADD, "--operand-files", two_operands(p, npy("<f4", "(5,)", bytes(20)), GOOD)),
    "name-collision": lambda p: ["compare", *two_npy(p), "--map", ".*=x"],
    "order-malformed": lambda p: ["compare", *two_npy(p), "--order", file_with(p, "order.txt", b"absent\n")],
    "json-malformed": lambda p: ["show", file_with(p, "c.json", b'{"schema":')],
    "contract-version": lambda p: changed_contract(p, lambda c: c.update(schema="bitpact.contract/99")),
    "contract-field": lambda p: changed_contract(p, lambda c: c.update(colour="red")),
    "contract-value": lambda p: changed_contract(p, lambda c: c["established"].update(strength="certain")),
    "contract-fingerprint": lambda p: changed_contract(p, lambda c: c["established"].update(note="changed")),
    "contract-program": lambda p: changed_contract(
        p, lambda c: c["pieces"][0]["program"]["nodes"][0]["input"].update(format="bf16")
    ),
    "contract-not-for-problem": lambda p: compare("matmul 4x4xf16,4x4xf16", "--contract", MATMUL),
    "contract-domain": subnormals_only,
    "lock-version": lambda p: ["check", file_with(p, "bitpact.lock", b'{"schema":"bitpact.lock/99"}')],
    "lock-malformed": lambda p: ["check", file_with(p, "bitpact.lock", b'{"schema":"bitpact.lock/1"}')],
    "lock-unknown": unlockable,
    "unknown-backend": lambda p: compare(ADD, candidate="abacus"),
    "backend-option": lambda p: compare(ADD, candidate="iree[target-cpu=abacus9000]"),
    "backend-absent": lambda p: compare(ADD, candidate="mlx:gpu"),
    "backend-lacks-operator": lambda p: compare("multiply 4xf32,4xf32", candidate="worker:python3 examples/worker.py"),
    "backend-lacks-format": lambda p: compare("add 4xf16,4xf16", candidate="worker:python3 examples/worker.py"),
    "backend-lacks-form": lambda p: compare(ADD, "--contract", "contracts/mlx/add-f32.json", candidate="mlx"),
    "worker-died": lambda p: compare(ADD, candidate=faulty("dies", p)),
    "worker-timeout": lambda p: compare(ADD, "--timeout", "2", candidate=faulty("hangs", p)),
    "worker-protocol": lambda p: compare(ADD, candidate=faulty("garbage", p)),
    "worker-missing": lambda p: compare(ADD, candidate="worker:./no-such-worker"),
    "worker-not-executable": lambda p: compare(ADD, candidate="worker:./README.md"),
    "worker-version": lambda p: compare(ADD, candidate="mlx[version=0.1]"),
    "worker-out-of-memory": lambda p: compare(ADD, "--worker-memory", "512MiB", candidate=faulty("allocates", p)),
    "worker-flood": lambda p: compare(ADD, "--worker-output", "1MiB", candidate=faulty("floods-stderr", p)),
    "worker-wrong-id": lambda p: compare(ADD, candidate=faulty("wrong-id", p)),
    "worker-wrong-result": lambda p: compare(ADD, candidate=faulty("wrong-shape", p)),
    "worker-refused": lambda p: compare(ADD, candidate=faulty("raises", p)),
    "compile-failed": lambda p: compare(ADD, candidate="worker:python3 tests/end_to_end/uncompiled_worker.py"),
    "emit-unsupported": lambda p: ["emit", "contracts/mlx/convert-f32-bf16.json", "--form", "dot_general"],
    "emit-too-large": long_pairwise,
    "probe-unknown": lambda p: ["probe", "tanh 4xf32", "--backend", "numpy"],
    "probe-position": lambda p: ["probe", "exp 10xbf16", "--backend", TAILED],
    "not-a-tree": lambda p: ["probe", "sum 64x257xf32", "--backend", liar("fused-4", p)],
    "probe-unsupported": lambda p: ["probe", "sum 4xf32", "--backend", "native"],
    "probe-no-truth": lambda p: ["probe", "gelu 4xf32", "--backend", "native", "--errors"],
    "nondeterministic": lambda p: compare(ADD, "--repeat", "3", candidate="worker:python3 tests/end_to_end/changing_worker.py"),
}

# A broken rule of Bitpact's own (tests/operators/operator_test.cpp breaks one on purpose), and what only a library call can ask for (tests/number).
NOT_FOR_USERS = {"internal", "arithmetic-unsupported"}


def test_the_registry_is_covered(bitpact):
    codes = {row["code"] for row in bitpact("diagnostics", "--json").json["diagnostics"]}
    assert codes == set(PROVOKE) | NOT_FOR_USERS


@pytest.mark.parametrize("code", PROVOKE)
def test_it_can_be_provoked(bitpact, tmp_path, code):
    exit_code = {row["code"]: row["exit"] for row in bitpact("diagnostics", "--json").json["diagnostics"]}[code]
    commands = PROVOKE[code](Place(tmp_path))
    if isinstance(commands, tuple):
        for command in commands[:-1]:
            assert bitpact(*command).code == 0
        commands = commands[-1]
    ran = bitpact(*commands)
    assert ran.code == exit_code, ran.out + ran.err
    assert f"[{code}]" in ran.out + ran.err
    assert not list(tmp_path.glob("*.part*")), "something half-written stays"
