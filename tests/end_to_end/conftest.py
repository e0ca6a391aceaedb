"""The program, as a user calls it."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build")) / "bitpact")


class Ran:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def json(self):
        return json.loads(self.out)


def bitpact(*arguments, cwd=ROOT, env=None):
    return Ran(
        subprocess.run(
            [PROGRAM, *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=540,
            check=False,
        )
    )


@pytest.fixture(name="bitpact")
def bitpact_fixture():
    return bitpact


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def liars():
    """The worker of kernels whose arithmetic is known."""
    return pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build")) / "liars"


@pytest.fixture
def schema():
    def load(name):
        return json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text())

    return load
