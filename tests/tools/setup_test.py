"""The lists that `make setup` installs from are exact and whole."""

import re
import subprocess
import sys

import pytest
from tree import ROOT


def lines_of(name: str) -> list[str]:
    lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line]


def test_every_python_package_is_pinned():
    for line in lines_of("requirements.txt"):
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*", line), line


def test_the_environment_is_the_list_and_nothing_else():
    def canonical(line: str) -> str:
        name, version = line.split("==")
        return re.sub(r"[-_.]+", "-", name).lower() + "==" + version

    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    frozen = subprocess.run([*pip, "freeze"], capture_output=True, text=True, check=True)
    assert sorted(map(canonical, frozen.stdout.split())) == sorted(map(canonical, lines_of("requirements.txt")))
    subprocess.run([*pip, "check"], check=True)


@pytest.mark.parametrize("name", ["packages.txt", "packages-long.txt"])
def test_debian_packages_are_one_a_line(name):
    listed = lines_of(name)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", package) for package in listed)
    assert len(set(listed)) == len(listed)


def test_ci_runs_lint_and_test():
    script = lines_of(".ci/run")
    assert script[-2:] == ["make lint", "make test"]
    assert "set -euo pipefail" in script
