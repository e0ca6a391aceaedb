"""Every compile line of this build leaves contraction off and lets no compiler change bits; and the check can tell."""

import json
import os
from pathlib import Path

import pytest
from check_flags import arguments_of, faults, findings, is_control

BUILD = Path(os.environ.get("BITPACT_BINARY_DIR", "build"))
GOOD = ["g++", "-O2", "-ffp-contract=off", "-fno-fast-math", "-c", "a.cpp", "-o", "a.o"]


@pytest.fixture(scope="module")
def entries() -> list[dict]:
    return json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))


def test_this_build(entries):
    assert len(entries) > 20
    assert findings(entries) == []


def test_only_the_one_control_is_exempt(entries):
    assert [Path(entry["file"]).name for entry in entries if is_control(entry)] == ["kernel.cpp"]


def test_a_good_line_is_good():
    assert faults(GOOD) == []


@pytest.mark.parametrize(
    "flag",
    [
        "-ffast-math",
        "-Ofast",
        "-funsafe-math-optimizations",
        "-fassociative-math",
        "-freciprocal-math",
        "-ffinite-math-only",
        "-fno-signed-zeros",
        "-fexcess-precision=fast",
        "-ffp-model=fast",
        "-fdenormal-fp-math=preserve-sign",
        "-mrecip=all",
        "-mdaz-ftz",
        "-mfpmath=387",
        "-ffp-contract=fast",
        "-ffp-contract=on",
        "@flags",
    ],
)
def test_a_bad_flag_is_found_wherever_it_stands(flag):
    assert faults([*GOOD, flag])
    if not flag.startswith("-ffp-contract"):
        assert faults([GOOD[0], flag, *GOOD[1:]])  # a later flag does not excuse it


def test_for_contraction_the_last_flag_counts():
    assert faults(["g++", "-c", "a.cpp"])  # the compiler's default
    assert faults(["g++", "-ffp-contract=off", "-ffp-contract=fast", "-c", "a.cpp"])
    assert faults(["g++", "-ffp-contract=fast", "-ffp-contract=off", "-c", "a.cpp"]) == []


@pytest.mark.parametrize(
    "flag", ["-fno-math-errno", "-fno-trapping-math", "-mfpmath=sse", "-ffp-model=strict", "-mavx2", "-mfma"]
)
def test_flags_that_change_no_bits_are_fine(flag):
    assert faults([*GOOD, flag]) == []


def test_a_control_must_contract():
    assert faults(GOOD, control=True)
    assert faults([*GOOD, "-ffp-contract=fast"], control=True) == []


def test_each_real_line_with_contraction_turned_on_is_found(entries):
    for entry in entries:
        changed = {**entry, "command": None, "arguments": [*arguments_of(entry), "-ffp-contract=on"]}
        assert findings([changed])
