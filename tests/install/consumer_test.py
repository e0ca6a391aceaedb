"""What `cmake --install` lays down works elsewhere: a program on the libraries, and the program itself with its workers."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build"))
PROBLEM = "matmul 8x16xbf16,16x8xbf16"
CONTRACT = ROOT / "contracts" / "mlx" / "matmul-bf16.json"


def run(*command, **settings):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    return prefix


def test_a_consumer_finds_builds_and_runs(installed, tmp_path):
    run("cmake", "-S", ROOT / "examples" / "consumer", "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}")
    run("cmake", "--build", tmp_path)
    printed = run(tmp_path / "consumer", CONTRACT, PROBLEM)
    shown = run(installed / "bin" / "bitpact", "show", CONTRACT)
    (fingerprint,) = re.findall(r"arithmetic\s+(\S+)", printed)
    assert fingerprint in shown
    assert re.search(r"^result +sha256:[0-9a-f]{64}$", printed, re.M)


def test_another_minor_version_is_not_taken(installed, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    text = (ROOT / "examples" / "consumer" / "CMakeLists.txt").read_text()
    (source / "CMakeLists.txt").write_text(text.replace("bitpact 0.1", "bitpact 0.2"))
    (source / "main.cpp").write_text("int main() {}\n")
    done = subprocess.run(
        ["cmake", "-S", source, "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "0.2" in done.stderr


def test_the_installed_program_finds_its_workers(installed):
    environment = {**os.environ, "BITPACT_PYTHON": str(ROOT / ".venv" / "bin" / "python")}
    run(installed / "bin" / "bitpact", "compare", "add 4xf16,4xf16", "--reference", "mlx", "--candidate", "iree", env=environment)
