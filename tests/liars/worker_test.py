"""build/liars is a worker that is asked by its kernels' names."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build"))


def worker(options):
    return f"worker{options}:{BUILD / 'liars'}"


def compare(problem, reference, candidate, *more):
    command = [str(BUILD / "bitpact"), "compare", problem, "--reference", reference, "--candidate", candidate, "--json", *more]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("problem", ["sum 64x257xf32", "matmul 16x257xf32,257x24xf32"])
def test_kernels_are_told_apart(problem):
    ran = compare(problem, worker("[kernel=sequential]"), worker("[kernel=lanes-8-neighbours]"))
    assert ran.returncode == 1, ran.stderr
    assert "has interleaved(8, pairwise(1))" in json.loads(ran.stdout)["cause"]


def test_a_kernel_agrees_with_itself():
    assert compare("sum 64x257xf32", worker("[kernel=kahan]"), worker("[kernel=kahan]"), "--repeat", "3").returncode == 0


def test_a_random_order_is_seen_in_the_repeats():
    ran = compare("sum 64x257xf32", worker("[kernel=sequential]"), worker("[kernel=random-order]"), "--repeat", "5")
    assert ran.returncode == 4
    assert "nondeterministic" in ran.stdout


@pytest.mark.parametrize("options", ["", "[kernel=nobody]", "[kernel=kahan,threads=1]"])
def test_options_are_checked(options):
    ran = compare("sum 64x257xf32", worker("[kernel=kahan]"), worker(options))
    assert ran.returncode == 2
    assert "backend-option" in ran.stderr


def test_what_a_kernel_does_not_carry_is_refused():
    ran = compare("sum 64x257xf32", worker("[kernel=sequential]"), worker("[kernel=strassen]"))
    assert ran.returncode == 3
    assert "kernel strassen does not carry sum" in ran.stderr
