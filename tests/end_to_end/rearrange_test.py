"""Operators that only move elements: every bit pattern of the 16-bit formats, in MLX, NumPy, IREE and XLA, plain and emitted."""

import pytest

EVERY = "bitpact-operands/2 enumerate"
PROBLEMS = [
    "reverse 256x256x{} axis=0",
    "reverse 256x256x{}",
    "slice 256x256x{} limit=255,256 start=3,0 stride=1,7",
    "pad 256x256x{} high=0,2 low=1,3 value=-0",
    "transpose 16x64x64x{} permutation=1,2,0",
    "reshape 256x256x{} shape=64,4,16,16",
]
# MLX and NumPy put nothing between elements, and cut nothing off.
STABLEHLO_ONLY = ["pad 256x256x{} high=-1,0 interior=0,2 low=-2,1 value=inf"]


def compared(bitpact, problem, reference, candidate, *more):
    done = bitpact("compare", problem, "--reference", reference, "--candidate", candidate, "--operands", EVERY, *more, "--json")
    assert done.code == 0, done.out + done.err
    report = done.json
    assert report["verdict"] == "exact"
    assert report["outputs"]["different"] == 0
    assert report["outputs"]["compared"] > 9000
    assert report["outside_domain"]["compared"] == 0  # nothing is excluded, subnormals neither
    return report


@pytest.mark.parametrize("number_format", ["bf16", "f16"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_no_bit_changes_in_operator_calls(bitpact, problem, number_format):
    problem = problem.format(number_format)
    compared(bitpact, problem, "mlx", "native")
    compared(bitpact, problem, "mlx", "numpy", "--raw-nan")


# All of f16, too: tests/verdict/emitted_moves_test.cpp.
@pytest.mark.parametrize("problem", PROBLEMS)
def test_no_bit_changes_in_modules(bitpact, tmp_path, problem):
    problem = problem.format("bf16")
    contract = tmp_path / "contract.json"
    assert bitpact("contract", problem, "-o", contract).code == 0
    for candidate in ("iree", "xla"):
        compared(bitpact, problem, "mlx", candidate, "--contract", contract, "--raw-nan")
        compared(bitpact, problem, "native", candidate)


@pytest.mark.parametrize("problem", STABLEHLO_ONLY)
def test_what_stablehlo_alone_has(bitpact, tmp_path, problem):
    problem = problem.format("bf16")
    contract = tmp_path / "contract.json"
    assert bitpact("contract", problem, "-o", contract).code == 0
    for candidate in ("iree", "xla"):
        compared(bitpact, problem, "native", candidate, "--contract", contract)
    compared(bitpact, problem, "native", "xla")
    for reference in ("mlx", "numpy"):
        refused = bitpact("compare", problem, "--reference", reference, "--candidate", "xla")
        assert refused.code == 3
        assert "backend-lacks-form" in refused.err


def test_a_program_is_told_in_words_and_where_two_part(bitpact, tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    for path, stride in ((first, 2), (second, 3)):
        assert bitpact("contract", f"slice 9x9xf32 limit=9,9 start=1,0 stride={stride},1", "-o", path).code == 0
    shown = bitpact("show", first)
    assert shown.code == 0
    assert "x at [r0 * 2 + 1, r1]" in shown.out
    assert "nothing is rounded" in shown.out
    differs = bitpact("diff", first, second)
    assert differs.code == 1
    assert "read at: [r0 * 2 + 1, r1] in the first, [r0 * 3 + 1, r1] in the second" in differs.out
