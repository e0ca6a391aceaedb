#!/usr/bin/env python3
"""Checks the compiled code of src/ and bindings/: fused multiply-adds only where a source asks for one, no function of libm.

A fused instruction elsewhere means that the compiler contracted. libm's functions differ from one version of it to the next,
so nothing that defines bits may call them (sqrt and fma are exact by IEEE 754).
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from check_flags import output_of
from tree import ROOT

# x86 (FMA3, FMA4) and AArch64.
FUSED = re.compile(r"\b(vfn?m(add|sub|addsub|subadd)(132|213|231)?[ps][sdh]|fn?madd|fn?msub|fml[as]l?2?)\b")
LIBM = re.compile(
    r"(a?(sin|cos|tan)h?|atan2|exp(2|10|m1)?|log(2|10|1p|b)?|pow|cbrt|hypot|erfc?|[lt]gamma|fmod|remainder|fmin|fmax|fdim)(f|l)?"
)
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")

# (object, function, why): regular expressions of what may hold fused instructions. Functions are demangled.
ALLOWED_FUSED: list[tuple[str, str, str]] = [
    (r"src/interpret/kernels_v[34]\.cpp", r".*\bFused<.*", "the kernels of the operation fma itself"),
]


def tool(*command: str, text: str | None = None) -> str:
    return subprocess.run(command, check=True, input=text, capture_output=True, text=True).stdout


def disassembly(path: Path) -> list[str]:
    """Only the lines that matter: grep leaves out the rest (megabytes of it) faster than Python reads it."""
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", str(path)], stdout=subprocess.PIPE) as dump:
        kept = subprocess.run(
            ["grep", "-aE", ">:$|vfn?m|f(n?m(add|sub)|ml[as])"], stdin=dump.stdout, capture_output=True, text=True
        )
    if dump.returncode != 0:
        raise RuntimeError(f"objdump cannot read {path}")
    return kept.stdout.splitlines()


def fused_functions(path: Path) -> dict[str, str]:
    """Function -> the first fused instruction in it."""
    found: dict[str, str] = {}
    function = "?"
    for line in disassembly(path):
        start = FUNCTION.match(line)
        if start:
            function = start.group(1)
        elif FUSED.search(line):
            found.setdefault(function, line.split(":", 1)[-1].strip())
    names = tool("c++filt", text="\n".join(found)).splitlines() if found else []
    return dict(zip(names, found.values(), strict=True))


def libm_calls(path: Path) -> list[str]:
    names = [line.split()[-1] for line in tool("nm", "--undefined-only", str(path)).splitlines() if line.strip()]
    return sorted(name for name in names if LIBM.fullmatch(name))


def allowed(source: str, function: str) -> bool:
    return any(re.fullmatch(where, source) and re.fullmatch(what, function) for where, what, _ in ALLOWED_FUSED)


def sources_of(entry: dict) -> list[Path]:
    """What is compiled: the file itself, or the files that CMake compiles as one (a unity build)."""
    file = Path(entry["file"])
    if file.parent.name != "Unity":
        return [file]
    return [Path(name) for name in re.findall(r'^#include "(.*)"$', file.read_text(encoding="utf-8"), re.MULTILINE)]


def ours(source: Path, root: Path) -> bool:
    return source.is_relative_to(root) and source.relative_to(root).parts[0] in ("src", "bindings")


def findings(entries: list[dict], root: Path) -> tuple[int, list[str]]:
    """How many sources were looked at, and what is wrong."""
    found, looked = [], 0
    for entry in entries:
        sources = [source for source in sources_of(entry) if ours(source, root)]
        if not sources:
            continue
        name = " ".join(str(source.relative_to(root)) for source in sources)
        built = output_of(entry)
        if not built.exists():
            found.append(f"{name}: not built")
            continue
        looked += len(sources)
        found += [
            f"{name}: {function}: {code}" for function, code in fused_functions(built).items() if not allowed(name, function)
        ]
        found += [f"{name}: calls {call} of libm" for call in libm_calls(built)]
    return looked, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    entries = json.loads((parser.parse_args().build / "compile_commands.json").read_text(encoding="utf-8"))
    looked, found = findings(entries, ROOT)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found or not looked else 0


if __name__ == "__main__":
    sys.exit(main())
