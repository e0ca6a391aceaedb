"""bitpact backends --traits: what the compilers here do, in words that a person can use; the JSON twin; the cache."""

import re

import jsonschema
import pytest
from processor import here


def answers(row):
    return {answer["question"]: answer for answer in row["traits"]["answers"]}


@pytest.fixture(name="asked", scope="module")
def asked_fixture():
    from conftest import bitpact

    ran = bitpact("backends", "iree", "xla", "--traits", "--json")
    assert ran.code == 0, ran.err
    return ran.json


def test_the_twin_follows_its_schema(asked, schema):
    jsonschema.validate(asked, schema("backends"))
    for row in asked["backends"]:
        assert len(row["traits"]["answers"]) >= 55
        for answer in row["traits"]["answers"]:
            assert answer["title"] and answer["words"]
            assert answer["seen"] or answer["answer"] not in ("unknown", "refused")


# Cases of people who do this job: what each compiler does, in the tool's words.
KNOWN = {
    "narrow_widen_bf16": ("kept", "kept"),  # 6: f32 to bf16 and back
    "multiply_add": ("fused", "fused"),
    "two_products": ("first-unrounded", "first-unrounded"),  # 7: a*x - a*x
    "multiply_subnormal_operand": ("flushed", "flushed"),  # 8: -inf * 1.4e-45
    "multiply_subnormal_result": ("flushed", "flushed"),
    "convert_f32_i8": (here("wraps", "smallest-saturates"), "saturates"),  # 19
    "convert_f32_i32": ("smallest", "saturates"),
    "native_chain_bf16": ("elided", "kept"),
    "reduce_rows_1100": ("sequential", "unknown"),
    "dot_1100": ("sequential", here("interleaved(4), neighbours", "interleaved(2), in order")),
    "dot_accumulator_f16": ("f16", "f32"),
    "dot_accumulator_bf16": ("f32-partials-bf16", "f32"),
    "divide_by_constant": ("rounded", "reciprocal"),
    "one_over_sqrt": ("root-then-divide", "rewritten-to-rsqrt"),
    "rsqrt": ("root-then-divide", "approximate"),
    "add_constant_zero": ("added", "folded-away"),
    "f64_inside": ("demoted", "kept"),
    "fma_through_f64": ("refused", "exact"),
}


@pytest.mark.parametrize("question", KNOWN)
def test_what_is_known_of_the_compilers_here(asked, question):
    seen = tuple(answers(row)[question]["answer"] for row in asked["backends"])
    assert seen == KNOWN[question]


def test_the_text_can_be_read(bitpact):
    ran = bitpact("backends", "iree", "--traits")
    assert ran.code == 0
    assert "traits   from the cache" in ran.out
    for part in (
        r"f32 to bf16 and back +kept: the narrow format's rounding is there",
        r"a\*x - b\*y, f32 +first-unrounded: the first product stays unrounded: equal ones do not cancel",
        r"multiply, a subnormal operand, f32 +flushed: the operand counts as a zero of its sign",
        r"multiply, a subnormal result, f32 +flushed: the result becomes a zero of its sign",
        rf"f32 to i8, out of range and NaN +{here('wraps', 'smallest-saturates')}",
    ):
        assert re.search(part, ran.out), part


def test_a_broken_entry_is_said_and_asked_again(bitpact, tmp_path):
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    compare = ["compare", "add 4xf32,4xf32", "--contract", "contracts/mlx/add-f32.json", "--candidate", "xla", "--no-offers"]
    assert bitpact(*compare, env=env).code == 0
    (entry,) = (tmp_path / "bitpact" / "traits").iterdir()
    whole = entry.read_bytes()
    assert bitpact(*compare, env=env).err == ""
    entry.write_bytes(whole.replace(b'"fused"', b'"rounded"', 1))
    ran = bitpact(*compare, env=env)
    assert ran.code == 0
    assert "traits are asked again" in ran.err
    assert "[contract-value]" in ran.err
    assert entry.read_bytes() == whole


def test_backends_without_stablehlo_have_none(bitpact):
    row = bitpact("backends", "native", "--traits", "--json").json["backends"][0]
    assert "traits" not in row


def test_fresh_goes_with_traits(bitpact):
    assert bitpact("backends", "iree", "--fresh").code == 2
