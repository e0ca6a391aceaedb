#!/usr/bin/env python3
"""Checks that a folder of src/ includes only from itself and from folders earlier in CMakeLists.txt's BITPACT_LAYERS.

`cli` is the last. Prints one line a violation to stderr; exit 1 where there is one, 2 where the order cannot be read.
"""

import argparse
import re
import sys
from pathlib import Path

from tree import ROOT

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def layers_of(cmake: str) -> list[str]:
    """The order, from the one place that has it."""
    found = re.search(r"set\(\s*BITPACT_LAYERS\s+([^)]*)\)", cmake)
    if not found:
        raise ValueError("CMakeLists.txt sets no BITPACT_LAYERS")
    return [*found.group(1).split(), "cli"]


def violations(src: Path, layers: list[str]) -> list[str]:
    rank = {layer: at for at, layer in enumerate(layers)}
    found = []
    for path in sorted(path for path in src.rglob("*") if path.is_file()):
        name = path.relative_to(src)
        own = name.parts[0]
        if own not in rank or len(name.parts) == 1:
            found.append(f"src/{name}: is in no layer; the layers are {' '.join(layers)}")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            include = INCLUDE.match(line)
            if not include:
                continue
            target = include.group(1)
            layer = Path(target).parts[0]
            if "/" not in target or layer not in rank:
                found.append(f'src/{name}:{number}: "{target}" names no layer: write "layer/file.h"')
            elif rank[layer] > rank[own]:
                found.append(f"src/{name}:{number}: {own} includes {target}, but {layer} comes later")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT)
    root = parser.parse_args().root
    try:
        layers = layers_of((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"check_layers: {error}", file=sys.stderr)
        return 2
    found = violations(root / "src", layers)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
