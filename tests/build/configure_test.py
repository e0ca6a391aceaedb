"""A configuration with flags that change bits is refused before anything is compiled."""

import subprocess

import pytest
from tree import ROOT


@pytest.mark.parametrize(
    "settings",
    [
        ["CMAKE_CXX_FLAGS=-ffast-math"],
        ["CMAKE_CXX_FLAGS=-ffp-contract=fast"],
        ["CMAKE_BUILD_TYPE=Debug", "CMAKE_CXX_FLAGS_DEBUG=-Ofast"],
        ["CMAKE_EXE_LINKER_FLAGS=-ffast-math"],
    ],
)
def test_it_is_refused(tmp_path, settings):
    command = ["cmake", "-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja", *[f"-D{setting}" for setting in settings]]
    configured = subprocess.run(command, capture_output=True, text=True)
    assert configured.returncode != 0
    assert "which changes bits" in configured.stderr


@pytest.mark.parametrize(
    "settings, words",
    [
        (["BITPACT_SANITIZE=memory"], "one of address and thread"),
        (["BITPACT_SANITIZE=address;thread"], "one of address and thread"),
        (["BITPACT_SANITIZE=thread", "CMAKE_CXX_FLAGS=-fsanitize=address"], "they conflict"),
        (["BITPACT_SANITIZE=address", "CMAKE_EXE_LINKER_FLAGS=-fsanitize=thread"], "they conflict"),
    ],
)
def test_features_that_conflict_are_refused(tmp_path, settings, words):
    command = ["cmake", "-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja", *[f"-D{setting}" for setting in settings]]
    configured = subprocess.run(command, capture_output=True, text=True)
    assert configured.returncode != 0
    assert words in " ".join(configured.stderr.split())


def test_fuzzing_needs_clang_by_name(tmp_path):
    settings = ["-DBITPACT_FUZZ=ON", "-DCMAKE_CXX_COMPILER=g++"]
    configured = subprocess.run(
        ["cmake", "-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja", *settings], capture_output=True, text=True
    )
    assert configured.returncode != 0
    assert "BITPACT_FUZZ needs clang" in configured.stderr
