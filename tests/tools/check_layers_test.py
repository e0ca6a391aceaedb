"""check_layers.py accepts a tree that keeps the order and fails on each way to break it."""

import subprocess
import sys
from pathlib import Path

import pytest
from check_layers import layers_of, violations
from tree import ROOT

LAYERS = ["number", "tensor", "cli"]


def tree(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / "src" / name.replace("__", "/").replace("_h", ".h")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "src"


def test_own_and_earlier_layers_are_fine(tmp_path):
    src = tree(
        tmp_path,
        number__a_h="#include <vector>\n",
        tensor__a_h='#include "number/a.h"\n#include "tensor/b.h"\n',
        tensor__b_h="",
        cli__a_h='#include "tensor/a.h"\n',
    )
    assert violations(src, LAYERS) == []


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"number__a_h": '\n#include "tensor/a.h"\n'}, "src/number/a.h:2: number includes tensor/a.h, but tensor comes later"),
        (
            {"tensor__deep__a_h": '  #  include "cli/a.h"\n'},
            "src/tensor/deep/a.h:1: tensor includes cli/a.h, but cli comes later",
        ),
        ({"tensor__a_h": '#include "a.h"\n'}, "names no layer"),
        ({"tensor__a_h": '#include "../cli/a.h"\n'}, "names no layer"),
        ({"extra__a_h": ""}, "is in no layer"),
        ({"a_h": ""}, "is in no layer"),
    ],
)
def test_each_violation_is_found(tmp_path, files, message):
    found = violations(tree(tmp_path, **files), LAYERS)
    assert len(found) == 1
    assert message in found[0]


def test_the_order_is_read_from_cmake():
    assert layers_of("# one\nset(BITPACT_LAYERS number\n  tensor)\nset(other x)") == LAYERS
    with pytest.raises(ValueError, match="BITPACT_LAYERS"):
        layers_of("set(LAYERS number)")


def test_the_program_fails_on_a_violation(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("set(BITPACT_LAYERS number tensor)\n", encoding="utf-8")
    src = tree(tmp_path, number__a_h="")
    program = [sys.executable, str(ROOT / "tools/check_layers.py"), "--root", str(tmp_path)]
    assert subprocess.run(program, capture_output=True).returncode == 0
    (src / "number" / "a.h").write_text('#include "tensor/b.h"\n', encoding="utf-8")
    failed = subprocess.run(program, capture_output=True, text=True)
    assert failed.returncode == 1
    assert "tensor comes later" in failed.stderr


def test_this_tree_keeps_the_order():
    layers = layers_of((ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert len(layers) >= 11
    assert violations(ROOT / "src", layers) == []
