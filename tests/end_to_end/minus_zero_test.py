"""Emitted sums of -0: x + 0 is not x, which a compiler may think."""

import pytest

MINUS_ZERO = {"f32": "0x80000000", "f16": "0x8000", "bf16": "0x8000"}


@pytest.mark.parametrize("candidate", ["xla", "iree"])
@pytest.mark.parametrize("number_format", MINUS_ZERO)
@pytest.mark.parametrize("terms", [1, 2, 40])
@pytest.mark.parametrize("choices", [["start=zero"], ["start=first", "result=plus-zero"]])
def test_a_sum_of_minus_zeros_is_plus_zero(bitpact, tmp_path, candidate, number_format, terms, choices):
    problem = f"sum 4x{terms}x{number_format} axis=1"
    contract = tmp_path / "c.json"
    made = bitpact("contract", problem, *[word for choice in choices for word in ("--set", choice)], "-o", contract)
    assert made.code == 0, made.err
    operands = f"bitpact-operands/2 bits={MINUS_ZERO[number_format]}"
    ran = bitpact(
        "compare",
        problem,
        "--reference",
        "native",
        "--candidate",
        candidate,
        "--contract",
        contract,
        "--operands",
        operands,
        "--json",
    )
    assert ran.json["verdict"] == "exact", ran.out
