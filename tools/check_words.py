#!/usr/bin/env python3
"""Checks the house rules that a search can find: unfinished words, paths of one machine, pragmas that change bits, long files.

Prints one line a finding to stderr; exit 1 where there is one.
"""

import argparse
import re
import sys
from pathlib import Path

from tree import ROOT, files_of

MOST_LINES = 600
COUNTED = {".cpp", ".h", ".inl", ".py"}

# This file and its test have to spell the words; LICENSE is not ours to word.
EXEMPT = {Path("tools/check_words.py"), Path("tests/tools/check_words_test.py"), Path("LICENSE")}

RULES = [
    ("an unfinished word", re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")),
    ("an unfinished word", re.compile(r"\b(stub|placeholder|not implemented)\b", re.IGNORECASE)),
    # Not part of a longer path or of an address: "a/root" and "../work" are fine.
    ("a path of one machine", re.compile(r"(?<![\w./-])/(work|root|farm|home/\w+|tmp/x)(?![\w-])")),
]
# Flags are checked on the compile lines (check_flags.py); these change bits from inside a source.
BITS = "a pragma, attribute or call that changes bits"
SOURCE_RULES = [
    (BITS, re.compile(r"FP_CONTRACT\s+(ON|DEFAULT)|fp\s+contract\s*\(\s*(on|fast)|float_control\s*\(")),
    (BITS, re.compile(r"optimize\s*\(.*(fast|unsafe-math|associative|reciprocal|finite-math|signed-zeros|contract)")),
]
# In src/ and bindings/, and there only in the one file that puts the default environment in force; tests may change it to see that.
ENVIRONMENT_RULE = (BITS, re.compile(r"_mm_setcsr|_MM_SET_(FLUSH|DENORMALS|ROUNDING)|\bfesetround\b|\bfesetenv\b"))
ENVIRONMENT_GUARD = Path("src/interpret/float_modes.cpp")
SOURCES = {".cpp", ".h", ".def", ".inl"}


def rules_for(path: Path) -> list[tuple[str, re.Pattern]]:
    if path.suffix not in SOURCES:
        return RULES
    if path.parts[0] in ("src", "bindings") and path != ENVIRONMENT_GUARD:
        return [*RULES, *SOURCE_RULES, ENVIRONMENT_RULE]
    return RULES + SOURCE_RULES


def findings(root: Path) -> list[str]:
    found = []
    for path in files_of(root):
        if path in EXEMPT:
            continue
        try:
            lines = (root / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # binary
        for number, line in enumerate(lines, start=1):
            for what, pattern in rules_for(path):
                hit = pattern.search(line)
                if hit:
                    found.append(f"{path}:{number}: {what}: {hit.group(0)}")
        if path.suffix in COUNTED and len(lines) > MOST_LINES:
            found.append(f"{path}: {len(lines)} lines, more than {MOST_LINES}: split it")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT)
    found = findings(parser.parse_args().root)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
