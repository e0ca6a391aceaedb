"""The whole table of expected verdicts of MLX against XLA; tests/end_to_end runs a part of it."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build")) / "bitpact")


def test_every_verdict_of_the_table_on_xla():
    ran = subprocess.run(
        [PROGRAM, "compare", "--problems", "tests/verdicts/mlx-xla.txt", "--candidate", "xla", "--no-cause", "--no-offers"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    verdicts = ran.stdout.splitlines()
    assert len(verdicts) == 239
    assert sum("[contract]" in line and line.startswith("exact") for line in verdicts) == 122
