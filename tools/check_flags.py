#!/usr/bin/env python3
"""Checks every line of a compile_commands.json: floating-point contraction off, and nothing that lets the compiler change bits.

Contraction is what the last -ffp-contract says, so that one must say off. The other flags are refused wherever they stand: a
later -fno-fast-math undoes them in some compilers only. Lines whose object lies under a name in CONTRACTED are the control of
the tests, and must contract.
"""

import argparse
import json
import re
import shlex
import sys
from pathlib import Path

from tree import ROOT

CHANGES_BITS = re.compile(
    r"-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-ffinite-math-only|-fno-signed-zeros"
    r"|-fno-honor-(nans|infinities)|-fapprox-func|-fcx-limited-range|-fcx-fortran-rules|-fsingle-precision-constant"
    r"|-fexcess-precision=(?!standard$).*|-ffp-model=(?!strict$|precise$).*|-fdenormal-fp-math(-f32)?=(?!ieee$).*"
    r"|-mrecip.*|-mdaz-ftz|-mfpmath=(?!sse$).*|-mpc(32|64)"
)
CONTRACTED = ("contracted_on_purpose",)


def arguments_of(entry: dict) -> list[str]:
    return entry["arguments"] if "arguments" in entry else shlex.split(entry["command"])


def output_of(entry: dict) -> Path:
    """The object file an entry makes."""
    if "output" in entry:
        return Path(entry["directory"]) / entry["output"]
    arguments = arguments_of(entry)
    return Path(entry["directory"]) / arguments[arguments.index("-o") + 1]


def is_control(entry: dict) -> bool:
    return any(name in str(output_of(entry)) for name in CONTRACTED)


def faults(arguments: list[str], control: bool = False) -> list[str]:
    """What is wrong with one compile line."""
    found = [f"{flag} changes bits" for flag in arguments if CHANGES_BITS.fullmatch(flag)]
    found += [f"{flag} hides flags from this check" for flag in arguments if flag.startswith("@")]
    contract = next(
        (flag for flag in reversed(arguments) if flag.startswith("-ffp-contract")), "the compiler's default contraction"
    )
    wanted = "-ffp-contract=fast" if control else "-ffp-contract=off"
    if contract != wanted:
        found.append(f"{contract} is in force, not {wanted}")
    return found


def findings(entries: list[dict]) -> list[str]:
    return [f"{entry['file']}: {fault}" for entry in entries for fault in faults(arguments_of(entry), is_control(entry))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    entries = json.loads((parser.parse_args().build / "compile_commands.json").read_text(encoding="utf-8"))
    found = findings(entries)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
