"""Dumps against the files that NumPy and safetensors write, and broken ones under a limit of memory."""

import hashlib
import json
import os
import pathlib
import resource
import struct
import subprocess
import zipfile

import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build"))
# Of address space: allocating by what a broken file says would end far beyond it.
LIMIT = 512 << 20
SANITIZED = "-fsanitize" in (BUILD / "build.ninja").read_text()

DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
FORMATS = {"f": "f", "i": "i", "u": "ui"}


def ran(program, *arguments, limit=None):
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run(
        [BUILD / program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limited if limit and not SANITIZED else None,
    )


def listed(path):
    done = ran("dump_tool", "list", path)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def row(name, array, form=None):
    form = form or ("i1" if array.dtype == bool else FORMATS[array.dtype.kind] + str(8 * array.dtype.itemsize))
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    return {
        "name": name,
        "tensor": "x".join([*map(str, array.shape), form]),
        "sha256": "sha256:" + hashlib.sha256(little).hexdigest(),
    }


def arrays():
    made = {}
    for dtype in DTYPES:
        ramp = np.arange(24).reshape(2, 3, 4)
        array = (ramp % 2 == 0) if dtype == "?" else ramp.astype(dtype)
        made[f"plain/{dtype[-2:]}"] = array
        made[f"fortran.{dtype}"] = np.asfortranarray(array)
        made[f"big {dtype}"] = np.asfortranarray(array).astype(array.dtype.newbyteorder(">"))
    made["scalar"] = np.array(1.5, "f8")
    made["empty é"] = np.zeros((0, 7), "i4")
    made["large"] = np.random.default_rng(1).standard_normal(1 << 19).astype("f4")
    return made


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_that_numpy_wrote(tmp_path, save):
    save(tmp_path / "t.npz", **arrays())
    assert listed(tmp_path / "t.npz") == [row(name, array) for name, array in arrays().items()]


def test_zip64_and_several_ways_to_store(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        for name, method in [("a", zipfile.ZIP_STORED), ("b", zipfile.ZIP_DEFLATED)]:
            info = zipfile.ZipInfo(name + ".npy")
            info.compress_type = method
            with archive.open(info, "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.arange(5, dtype="f4"), version=(2, 0))
    assert listed(tmp_path / "t.npz") == [row(name, np.arange(5, dtype="f4")) for name in "ab"]


def test_a_folder_that_numpy_wrote(tmp_path):
    for name, array in arrays().items():
        path = tmp_path / "d" / (name + ".npy")
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, array)
    wanted = sorted(arrays().items(), key=lambda item: item[0].encode())
    assert listed(tmp_path / "d") == [row(name, array) for name, array in wanted]


def test_safetensors_both_ways(tmp_path):
    plain = {name: np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<")) for name, a in arrays().items()}
    plain['escapes "\\\n\x01\x7f'] = np.arange(3, dtype="u1")
    bf16 = np.arange(4).astype(ml_dtypes.bfloat16)
    safetensors.numpy.save_file({**plain, "bf": bf16}, tmp_path / "t.safetensors")
    order = sorted(listed(tmp_path / "t.safetensors"), key=lambda line: line["name"])
    wanted = [row(name, a) for name, a in plain.items()] + [row("bf", bf16.view("u2"), "bf16")]
    assert order == sorted(wanted, key=lambda line: line["name"])
    # Written again it is the same file, byte for byte.
    done = ran("dump_tool", "copy", tmp_path / "t.safetensors", tmp_path / "u.safetensors")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "u.safetensors").read_bytes() == (tmp_path / "t.safetensors").read_bytes()


def test_numpy_and_the_reference_read_what_is_written(tmp_path):
    np.savez(tmp_path / "t.npz", bf=np.ones(3, ml_dtypes.bfloat16), **arrays())
    for name in ["u.npz", "u.safetensors"]:
        done = ran("dump_tool", "copy", tmp_path / "t.npz", tmp_path / name)
        assert done.returncode == 0, done.stderr
    from_npz, from_safetensors = np.load(tmp_path / "u.npz"), safetensors.numpy.load_file(tmp_path / "u.safetensors")
    assert list(from_npz) == ["bf", *arrays()]
    assert set(from_safetensors) == {"bf", *arrays()}
    for name, array in arrays().items():
        np.testing.assert_array_equal(from_npz[name], array, strict=False)
        np.testing.assert_array_equal(from_safetensors[name], array, strict=False)
    assert from_safetensors["bf"].dtype == ml_dtypes.bfloat16
    assert from_npz["bf"].tolist() == [0x3F80] * 3
    with zipfile.ZipFile(tmp_path / "u.npz") as archive:
        assert archive.testzip() is None


# ---- Case 20: a named input error, exit code 2, no large allocation; the last two load
def safetensors_of(header, data, length=None):
    return (len(header) if length is None else length).to_bytes(8, "little") + header + data


def f4(shape, begin, end, name="x"):
    return b'"%s":{"dtype":"F32","shape":%s,"data_offsets":[%d,%d]}' % (name.encode(), shape, begin, end)


def npy(shape, data, descr="<f4", fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


BROKEN = {
    "short.safetensors": safetensors_of(b"{" + f4(b"[4]", 0, 16) + b"}", bytes(4)),
    "size.safetensors": safetensors_of(b"{" + f4(b"[4]", 0, 4) + b"}", bytes(4)),
    "reversed.safetensors": safetensors_of(b"{" + f4(b"[4]", 4, 0) + b"}", bytes(4)),
    "length.safetensors": safetensors_of(b"{" + f4(b"[4]", 0, 16) + b"}", bytes(16), 1 << 40),
    "overlap.safetensors": safetensors_of(b"{" + f4(b"[1]", 0, 4) + b"," + f4(b"[1]", 0, 4, "y") + b"}", bytes(4)),
    "short.npy": npy("(2, 3)", bytes(8)),
    "negative.npy": npy("(-2, 3)", bytes(24)),
    "length.npy": b"\x93NUMPY\x02\x00"
    + struct.pack("<I", 0xFFFFFFF0)
    + b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("program", ["dump_tool", "bitpact"])
def test_case_20_what_is_broken(tmp_path, name, program):
    path = tmp_path / name
    path.write_bytes(BROKEN[name])
    code = "safetensors-malformed" if name.endswith("safetensors") else "npy-malformed"
    if program == "dump_tool":
        done = ran(program, "list", path, limit=LIMIT)
    else:
        argument = f"{path}:x" if name.endswith("safetensors") else str(path)
        done = ran(program, "run", ROOT / "contracts/mlx/add-f32.json", argument, argument, "-o", tmp_path / "c.npy", limit=LIMIT)
        assert not (tmp_path / "c.npy").exists()
    assert done.returncode == 2, done.stderr
    assert f"error[{code}]" in done.stderr and str(path) in done.stderr
    assert done.stdout == ""


def test_case_20_what_loads(tmp_path):
    (tmp_path / "fortran.npy").write_bytes(npy("(2, 3)", np.arange(6, dtype="<f4").tobytes(), fortran=True))
    (tmp_path / "big.npy").write_bytes(npy("(2, 3)", np.array([[0, 2, 4], [1, 3, 5]], dtype=">f4").tobytes(), ">f4"))
    wanted = np.array([[0, 2, 4], [1, 3, 5]], dtype="f4")
    np.savez(tmp_path / "zero.npz", z=np.zeros((2, 3), "f4"))
    for name in ["fortran.npy", "big.npy"]:
        assert listed(tmp_path / name) == [row("arr_0", wanted)]
        operands = [tmp_path / name, f"{tmp_path / 'zero.npz'}:z"]
        done = ran("bitpact", "run", ROOT / "contracts/mlx/add-f32.json", *operands, "-o", tmp_path / "c.npy", limit=LIMIT)
        assert done.returncode == 0, done.stderr
        np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), wanted)


def test_a_bomb_does_not_go_off(tmp_path):
    """The .npy header says 4 GB, the directory 1 MB: refused before either is allocated."""
    with zipfile.ZipFile(tmp_path / "t.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy("(1000000000,)", bytes(1 << 20)))
    done = ran("dump_tool", "list", tmp_path / "t.npz", limit=LIMIT)
    assert done.returncode == 2
    assert "error[npy-malformed]" in done.stderr


def test_a_million_tensors(tmp_path):
    count = 1_000_000
    header = bytearray(b"{")
    for i in range(count):
        header += b'%s"layer.%d":{"dtype":"F32","shape":[2],"data_offsets":[%d,%d]}' % (b"," if i else b"", i, 8 * i, 8 * i + 8)
    header += b"}"
    with open(tmp_path / "t.safetensors", "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + 8 * count)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = ran("bitpact", "run", ROOT / "contracts/mlx/add-f32.json", f"{tmp_path}/t.safetensors:layer.999999",
               f"{tmp_path}/t.safetensors:layer.7", "-o", tmp_path / "c.npy", limit=2 * LIMIT)  # fmt: skip
    assert done.returncode == 0, done.stderr
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    # Read twice. Loose: a machine may be slow and busy; a reader that is quadratic takes hours.
    assert seconds < 30
    assert np.load(tmp_path / "c.npy").tolist() == [0, 0]
