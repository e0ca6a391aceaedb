"""The contracts in contracts/ are what a probe finds today, and what their choices by hand say."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build")) / "bitpact")


def test_a_probe_finds_every_contract_of_mlx(tmp_path):
    ran = subprocess.run(
        [ROOT / "tools" / "write_mlx_contracts", "--program", PROGRAM, "--into", tmp_path],
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    kept = sorted((ROOT / "contracts" / "mlx").glob("*.json"))
    found = sorted((tmp_path / "contracts" / "mlx").glob("*.json"))
    assert [path.name for path in kept] == [path.name for path in found]
    for a, b in zip(kept, found, strict=True):
        one, other = json.loads(a.read_text()), json.loads(b.read_text())
        for field in ("operator", "pieces", "verified"):
            assert one[field] == other[field], a.name
        assert one["established"]["how"] == "probed"
