"""The whole table of expected verdicts of MLX against XLA; tests/end_to_end runs a part of it."""

import os
import pathlib
import subprocess

from processor import verdicts_here

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build")) / "bitpact")


def test_every_verdict_of_the_table_on_xla(tmp_path):
    table = tmp_path / "table.txt"
    table.write_text(verdicts_here((ROOT / "tests/verdicts/mlx-xla.txt").read_text()))
    ran = subprocess.run(
        [PROGRAM, "compare", "--problems", table, "--candidate", "xla", "--no-cause", "--no-offers"],
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
