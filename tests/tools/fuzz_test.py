"""Every fuzz target has its line, its seeds and its words; what `make fuzz` says of a run is what the run said."""

import importlib.machinery
import importlib.util
import re
import subprocess
import sys

import pytest
from tree import ROOT

FUZZ = ROOT / "fuzz"
TARGETS = sorted(path.name.removesuffix("_fuzz.cpp") for path in FUZZ.glob("*_fuzz.cpp"))


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_is_whole(name):
    assert re.search(rf"^fuzz_target\({name} ", (FUZZ / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)
    seeds = list((FUZZ / "corpus" / name).iterdir())
    assert 0 < len(seeds) < 60
    assert all(seed.stat().st_size <= 64 * 1024 for seed in seeds)
    words = FUZZ / f"{name}.dict"
    if words.exists():
        for line in words.read_text(encoding="utf-8").splitlines():
            assert re.fullmatch(r'(#.*)?|"([^"\\]|\\["\\]|\\x[0-9a-f]{2})+"', line), line


def test_there_is_nothing_without_a_target():
    assert TARGETS
    assert {path.name for path in (FUZZ / "corpus").iterdir()} <= set(TARGETS)
    assert {path.stem for path in FUZZ.glob("*.dict")} <= set(TARGETS)


def test_an_unknown_target_is_refused_by_name():
    given = subprocess.run([sys.executable, str(ROOT / "tools/fuzz"), "nobody"], capture_output=True, text=True, check=False)
    assert given.returncode == 2
    assert "no target nobody" in given.stderr and TARGETS[0] in given.stderr


@pytest.fixture
def tool(tmp_path):
    loader = importlib.machinery.SourceFileLoader("fuzz_tool", str(ROOT / "tools/fuzz"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_tool", loader))
    loader.exec_module(module)
    module.BUILD = tmp_path
    return module


# What libFuzzer prints, with and without a finding; the last lines count.
STATS = "#2\\tINITED cov: 10 ft: 11 corp: 1/1b\\n#9\\tDONE   cov: 414 ft: 547 corp: 12/1407b\\nstat::number_of_executed_units: 20000\\n"


@pytest.mark.parametrize(("code", "says", "fine"), [(0, "none", True), (77, "/x/npy-crash-1", False), (71, "exit 71", False)])
def test_the_table_says_what_the_run_said(tool, tmp_path, code, says, fine):
    written = "echo 'Test unit written to /x/npy-crash-1'\n" if code == 77 else ""
    program = tmp_path / "fuzz_npy"
    program.write_text(f"#!/bin/sh\n{written}printf '{STATS}'\nexit {code}\n", encoding="utf-8")
    program.chmod(0o755)
    line, clean = tool.run("npy", 1)
    assert clean == fine
    assert line.split()[:4] == ["npy", "20000", "414", "12"]
    assert says in line
