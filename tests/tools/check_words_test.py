"""check_words.py finds each thing that it is for, and nothing in what only looks like one."""

import subprocess

import pytest
from check_words import MOST_LINES, findings


def found_in(root, name: str, text: str) -> list[str]:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return findings(root)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.cpp", "int a;  // TODO: more\n"),
        ("a.py", "# FIXME\n"),
        ("a.md", "XXX\n"),
        ("a.h", "// a Stub\n"),
        ("a.md", "not implemented\n"),
        ("a.md", "a placeholder\n"),
        ("a.txt", "cd /work/main\n"),
        ("a.txt", "see /root\n"),
        ("a.json", '"/home/someone/x"\n'),
        ("a.txt", "/tmp/x/y\n"),
        ("a.cpp", "#pragma STDC FP_CONTRACT ON\n"),
        ("a.cpp", '__attribute__((optimize("fast-math"))) void f();\n'),
        ("a.h", '#pragma GCC optimize("Ofast")\n'),
        ("src/a/a.cpp", "_MM_SET_FLUSH_ZERO_MODE(1);\n"),
        ("bindings/a/a.cpp", "std::fesetround(FE_UPWARD);\n"),
        ("a.cpp", "\n" * (MOST_LINES + 1)),
    ],
)
def test_each_rule_finds(tmp_path, name, text):
    assert len(found_in(tmp_path, name, text)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.cpp", "// stubborn, HACKING.md, mktemp -d a.XXXXXX, implemented\n"),
        ("a.md", "a/root, network/work, ../work/x, /workers, https://example.org/root, /tmp/y\n"),
        ("a.cpp", '#pragma STDC FP_CONTRACT OFF\n__attribute__((target("avx2,fma"))) void f();\n'),
        ("a.md", "`-ffast-math` is refused\n"),
        ("src/interpret/float_modes.cpp", "_mm_setcsr(0x1f80);\n"),
        ("tests/a/a_test.cpp", "_mm_setcsr(0x9fc0);\n"),
        ("a.cpp", "\n" * MOST_LINES),
        ("a.md", "\n" * (MOST_LINES + 1)),
    ],
)
def test_what_only_looks_like_one_is_left_alone(tmp_path, name, text):
    assert found_in(tmp_path, name, text) == []


def test_what_git_ignores_is_not_read(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("/build/\n", encoding="utf-8")
    assert found_in(tmp_path, "build/a.txt", "TODO\n") == []
    assert len(found_in(tmp_path, "b.txt", "TODO\n")) == 1  # not yet added, but it would be
