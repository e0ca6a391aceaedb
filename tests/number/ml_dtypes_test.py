"""Conversions into the small formats, against ml_dtypes' casts: equal under the policies that docs/formats.md names."""

import os
import pathlib
import subprocess

import ml_dtypes
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build")) / "bitpact")
DTYPES = {
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "i4": ml_dtypes.int4,
    "ui4": ml_dtypes.uint4,
}


def documented():
    """{format: (policy, what no policy explains)} of the page's table."""
    text = (ROOT / "docs" / "formats.md").read_text()
    table = text.split("<!-- begin ml_dtypes -->")[1].split("<!-- end ml_dtypes -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[2:]]
    return {row[0]: (row[1], row[3]) for row in rows}


def weighted_f32():
    """All f32 with few fraction bits, their neighbours, and random ones."""
    few = (np.arange(1 << 16, dtype=np.uint32) << 16)[:, None] + np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    random = np.random.default_rng(3).integers(0, 1 << 32, 200_000, dtype=np.uint32)
    return np.concatenate([few.ravel(), random]).view(np.float32)


INPUTS = {
    "f16": (np.arange(1 << 16, dtype=np.uint16).view(np.float16), "<f2"),
    "bf16": (np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16), "<u2"),
    "f32": (weighted_f32(), "<f4"),
}


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("target", DTYPES)
def test_casts_are_equal_under_the_documented_policy(source, target, tmp_path):
    values, stored = INPUTS[source]
    np.save(tmp_path / "x.npy", values.view(stored))
    problem = f"convert {values.size}x{source} out={target}"
    choices = ["--set", "overflow=wrap"] if target in ("i4", "ui4") else []
    run("contract", problem, *choices, "--verified", problem, "-o", tmp_path / "c.json")
    run("run", tmp_path / "c.json", tmp_path / "x.npy", "-o", tmp_path / "y.npy")
    got = np.load(tmp_path / "y.npy")
    assert got.dtype == np.uint8
    with np.errstate(all="ignore"):
        want = values.astype(DTYPES[target]).view(np.uint8)
    number = np.array([False] * 256)
    if not target.endswith("4"):
        every = np.arange(16 if target == "f4E2M1FN" else 256, dtype=np.uint8)
        number[: every.size] = np.isnan(every.view(DTYPES[target]).astype(np.float32))
    same = (got == want) | (number[got] & number[want])
    policy, exception = documented()[target]
    assert policy == "ieee"
    unexplained = ~same
    if exception == "nan-sign":
        nan = np.isnan(values.astype(np.float32))
        assert (want[nan] == np.where(np.signbit(values[nan]), 0x0, 0x8)).all() and (got[nan] == 0).all()
        unexplained &= ~nan
    if exception == "subnormal-up":
        with np.errstate(all="ignore"):
            exact = values.astype(np.float64)
        between = (exact > 2.0**-127) & (exact < 2.0**-126)
        assert (want[between] == 1).all()
        unexplained &= ~between
        assert source == "f16" or (~same).any()
    bad = np.flatnonzero(unexplained)
    assert not bad.size, [(hex(values.view(f"u{values.itemsize}")[i]), hex(got[i]), hex(want[i])) for i in bad[:5]]


def test_the_page_names_each_format():
    assert documented().keys() == DTYPES.keys()
