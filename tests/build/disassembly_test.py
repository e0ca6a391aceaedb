"""The compiled code of src/ and bindings/ holds fused instructions only where a source asks for one; and the check can tell."""

import json
import os
import platform
from pathlib import Path

import pytest
from check_code import LIBM, findings, fused_functions, libm_calls
from check_flags import is_control, output_of
from tree import ROOT

BUILD = Path(os.environ.get("BITPACT_BINARY_DIR", "build"))


@pytest.fixture(scope="module")
def entries() -> list[dict]:
    return json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))


def kernel(entries: list[dict], control: bool) -> dict:
    (found,) = [entry for entry in entries if Path(entry["file"]).name == "kernel.cpp" and is_control(entry) == control]
    return found


def test_the_code_of_this_build(entries):
    looked, found = findings(entries, ROOT)
    assert found == []
    assert looked >= len(list((ROOT / "src").rglob("*.cpp")))  # none drops out, whatever is compiled as one


def test_the_kernel_as_built_has_none(entries):
    """This stands where a CPU without fused multiply-add cannot run contraction_test.cpp."""
    assert fused_functions(output_of(kernel(entries, control=False))) == {}


def test_the_contracted_kernel_has_one_in_each_function(entries):
    functions = fused_functions(output_of(kernel(entries, control=True)))
    assert len(functions) == 5, functions
    if platform.machine() == "x86_64":
        assert all(code.startswith("vf") for code in functions.values())


def test_a_contracted_object_in_a_library_is_found(entries):
    """The control, as if it were a source of src/number."""
    entry = {**kernel(entries, control=True), "file": str(ROOT / "src/number/kernel.cpp")}
    looked, found = findings([entry], ROOT)
    assert looked == 1
    assert len(found) == 5


def test_a_contracted_object_of_several_sources_is_found(entries, tmp_path):
    together = tmp_path / "Unity" / "unity_0_cxx.cxx"
    together.parent.mkdir()
    together.write_text("".join(f'#include "{ROOT}/src/number/{name}.cpp"\n' for name in "ab"), encoding="utf-8")
    looked, found = findings([{**kernel(entries, control=True), "file": str(together)}], ROOT)
    assert looked == 2
    assert len(found) == 5 and found[0].startswith("src/number/a.cpp src/number/b.cpp: ")


def test_an_object_that_is_not_there_is_found(entries):
    entry = {**entries[0], "file": str(ROOT / "src/number/a.cpp"), "output": "nowhere.o"}
    assert findings([entry], ROOT) == (0, ["src/number/a.cpp: not built"])


@pytest.mark.parametrize("name", ["exp", "expf", "sinl", "atan2f", "pow", "log1p", "tanhf", "erf", "tgamma"])
def test_functions_of_libm_are_known(name):
    assert LIBM.fullmatch(name)


@pytest.mark.parametrize("name", ["sqrtf", "fmaf", "memcpy", "_ZN3exp", "explicit_bzero", "logger", "pow5"])
def test_other_functions_are_not(name):
    assert not LIBM.fullmatch(name)


def test_a_call_of_libm_is_seen(tmp_path):
    import subprocess

    source = tmp_path / "a.cpp"
    source.write_text("#include <cmath>\nfloat f(float x) { return std::exp(x); }\n", encoding="utf-8")
    subprocess.run(["c++", "-c", str(source), "-o", str(tmp_path / "a.o")], check=True)
    assert libm_calls(tmp_path / "a.o") == ["expf"]
