"""tools/liars: what it counts as right, on a program that answers what it is told to; and the trees of its orders."""

import importlib.machinery
import importlib.util
import subprocess
import sys

import pytest
from order_trees import tree_of
from tree import ROOT

LIARS = ROOT / "tools/liars"


@pytest.fixture(scope="module")
def liars():
    loader = importlib.machinery.SourceFileLoader("liars", str(LIARS))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("liars", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("one", "other", "leaves"),
    [
        ("interleaved(8, pairwise(1))", "interleaved(8), lanes joined pairwise(1)", 257),
        (
            "pairwise(128, 8, interleaved(8, pairwise(1)))",
            "pairwise(128 by 8), each run (interleaved(8), lanes joined pairwise(1))",
            300,
        ),
        ("blocked(100)", "blocked(100), each block sequential, blocks joined sequential", 257),
        ("blocked(64, reversed, pairwise(1))", "blocked(64), each block sequential backwards, blocks joined pairwise(1)", 257),
        ("blocked(256)", "sequential", 100),
        ("reversed", "tree 4 + 3 + 2 + 1 + 0", 5),
        ("interleaved(2)", "tree(0+2 5+4 1+3 6+7)", 5),
        ("interleaved(2)", "tree 0..4/2 + 1..3/2", 5),
        ("pairwise(4, 4)", "tree 0..3 + (4..7 + (8 + 9))", 10),
        ("pairwise(1)", "tree 0 + 1 + (2 + (3 + 4))", 5),
        ("blocked(2, sequential, pairwise(1))", "tree 0..1 + (2..3 + 4)", 5),
        ("interleaved(4, interleaved(2))", "tree (0 + 2) + (1 + 3)", 4),
        ("tailed(4, apart)", "tree 0..3 + (4 + 5)", 6),
        ("tailed(4, interleaved(2), apart)", "tree 0..2/2 + 1..3/2 + (4 + 5)", 6),
        ("paired_tree(0+1 3+2)", "stepped_tree(0+1 3+2)", 3),
    ],
)
def test_two_spellings_of_one_tree(one, other, leaves):
    assert tree_of(one, leaves) == tree_of(other, leaves)
    assert len(tree_of(one, leaves)) == leaves - 1


def test_different_trees_differ():
    texts = [
        "sequential",
        "reversed",
        "interleaved(4)",
        "interleaved(4, pairwise(1))",
        "interleaved(4, interleaved(2))",
        "pairwise(1)",
    ]
    assert len({tree_of(text, 20) for text in texts}) == len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sequential(2)",
        "pairwise()",
        "interleaved(0)",
        "blocked(2",
        "tree 0 + 1",
        "tree 0 + 1 + 2 + 2",
        "tree 1 + 2 + 3 + 4",
        "sequential, then some",
    ],
)
def test_what_is_no_order(text):
    with pytest.raises(ValueError):
        tree_of(text, 4)


def test_every_expected_order_is_a_tree(liars):
    asked = liars.questions(liars.EXPECTED.read_text(encoding="utf-8"))
    assert len(asked) > 100
    for question in asked:
        if question.order != "-":
            tree_of(question.order, liars.summed(question.problem))


def test_how_many_terms(liars):
    assert liars.summed("sum 257x33xf32 axis=0") == 257
    assert liars.summed("sum 64x257xf32") == 257
    assert liars.summed("dot 9xf32,9xf32") == 9
    assert liars.summed("matmul 3x5x100xf32,3x100x7xf32") == 100
    assert liars.summed("matmul 100x5xf32,100x7xf32 transpose_a=true") == 100


def question(liars, verdicts="CONTRACT", order="interleaved(2)", facts=None):
    return liars.Question("k", "sum 4x5xf32", verdicts.split("/"), order, facts or {}, "words")


@pytest.mark.parametrize(
    ("asked", "answer", "right"),
    [
        ({}, ("CONTRACT", "interleaved(2)"), "yes"),
        ({}, ("CONTRACT", "tree(0+2 5+4 1+3 6+7)"), "yes"),
        ({}, ("CONTRACT", "sequential"), "no"),
        ({}, ("CONTRACT", "some order of its own"), "read"),
        ({}, ("UNKNOWN", ""), "no"),
        ({}, ("refused: unknown-operator", ""), "no"),
        ({"verdicts": "NOT_A_TREE/UNKNOWN", "order": "-"}, ("NOT_A_TREE", ""), "yes"),
        ({"verdicts": "NOT_A_TREE/UNKNOWN", "order": "-"}, ("UNKNOWN", ""), "also"),
        ({"verdicts": "NOT_A_TREE/UNKNOWN", "order": "-"}, ("CONTRACT", "sequential"), "no"),
        ({"facts": {"start": "first"}}, ("CONTRACT", "interleaved(2)", {"start": "first"}), "yes"),
        ({"facts": {"start": "first"}}, ("CONTRACT", "interleaved(2)", {"start": "zero"}), "no"),
        ({"facts": {"start": "first"}}, ("CONTRACT", "interleaved(2)", {"order": "interleaved(2)"}), "read"),
        ({"order": "-"}, ("CONTRACT", ""), "read"),
    ],
)
def test_what_is_right(liars, asked, answer, right):
    assert liars.judge(question(liars, **asked), liars.Answer(*answer))[0] == right


FAKE = """#!{python}
import json, re, sys
kernel = re.search(r"kernel=([a-z0-9-]+)", sys.argv[4]).group(1)
assert sys.argv[1] == "probe" and sys.argv[3] == "--backend" and sys.argv[5] == "--json"
if kernel == "skips-zeros":
    print(json.dumps({{"verdict": "unknown"}}))
elif kernel == "lanes-2":
    facts = {{"choices": {{"accumulator": "f32", "start": "first", "product": "rounded"}}}}
    print(json.dumps({{"verdict": "contract", "contract": "interleaved(2)", **facts}}))
elif kernel == "strassen":
    print("error[unknown-operator]: none", file=sys.stderr)
    sys.exit(3)
else:
    print(json.dumps({{"verdict": "contract", "contract": {{"order": "sequential", "note": "start=first"}}}}))
"""


def test_a_table_and_an_exit_code(tmp_path):
    program = tmp_path / "bitpact"
    program.write_text(FAKE.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)

    def run(*kernels):
        command = [sys.executable, str(LIARS), "--program", str(program), *kernels]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    ran = run("lanes-2", "skips-zeros")
    assert ran.returncode == 0, ran.stderr
    assert "lanes-2 | sum 64x257xf32 | CONTRACT interleaved(2) | CONTRACT interleaved(2) | yes" in ran.stdout
    assert "skips-zeros | dot 257xf32,257xf32 | NOT_A_TREE/UNKNOWN | UNKNOWN | also" in ran.stdout
    assert ran.stderr == "2 yes, 2 also, 0 read, 0 no\n"
    ran = run("strassen", "sequential")
    assert ran.returncode == 1
    assert ran.stdout.count("refused: unknown-operator | no (verdict)") == 2
    assert "CONTRACT sequential | CONTRACT sequential | read (not stated: accumulator)" in ran.stdout
    assert run("nobody").returncode == 2


def test_a_program_that_is_not_there(tmp_path):
    command = [sys.executable, str(LIARS), "--program", str(tmp_path / "none"), "int32"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "did not start" in ran.stdout
