"""What the program says about itself: its version, how it was built, and what a shell may complete."""

import subprocess

import jsonschema
import pytest
from conftest import PROGRAM


def test_version(bitpact, root):
    version = bitpact("--version").out.strip()
    assert f"project(bitpact VERSION {version.removeprefix('bitpact ')} " in (root / "CMakeLists.txt").read_text()


def test_build_info(bitpact, schema):
    ran = bitpact("--build-info", "--json")
    assert ran.code == 0, ran.err
    jsonschema.validate(ran.json, schema("build-info"))
    assert "-ffp-contract=off" in ran.json["flags"]
    text = bitpact("--build-info").out
    for name, value in ran.json.items():
        if name != "schema":
            assert f"{name} " in text and value in text


@pytest.mark.parametrize("arguments", [["--json"], [], ["compare"], ["completion", "tcsh"], ["completion"]])
def test_usage_is_refused(bitpact, arguments):
    ran = bitpact(*arguments)
    assert ran.code == 2
    assert "[usage]" in ran.err


def completed(script, *words):
    """What bash would offer for the last word."""
    call = f"""source /dev/stdin
compopt() {{ :; }}
COMP_WORDS=({" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}; _bitpact; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", call], input=script, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bash_completes_verbs_options_and_values(bitpact):
    script = bitpact("completion", "bash").out
    assert completed(script, "bitpact", "com") == ["compare", "completion"]
    assert completed(script, "bitpact", "compare", "--ref") == ["--reference"]
    assert completed(script, "bitpact", "compare", "--candidate", "ir") == ["iree"]
    assert completed(script, "bitpact", "operators", "mat") == ["matmul"]
    # Every verb that the help lists.
    listed = [line.split()[0] for line in bitpact("--help").out.split("Subcommands:")[1].splitlines() if line.startswith("  ")]
    assert set(listed) <= set(completed(script, "bitpact", ""))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_name_every_option(bitpact, shell):
    script = bitpact("completion", shell).out
    for option in ("candidate", "operand-files", "replace", "json"):
        assert option in script
    assert PROGRAM not in script


def test_traits_of_what_cannot_be_asked_are_said_to_be_none(bitpact):
    assert "traits   none: it compiles no StableHLO" in bitpact("backends", "native", "--traits").out
    assert "traits" not in bitpact("backends", "native").out
