"""docs/schemas/contract.schema.json takes the contracts of this repository, and nothing that has one field more, less or of another type."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/contract.schema.json").read_text(encoding="utf-8"))
CONTRACTS = sorted(ROOT.glob("contracts/*/*.json"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

# Objects whose members are the contract's own words.
FREE = {"attributes", "when"}


def places(value, path=()):
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", CONTRACTS, ids=lambda path: path.name)
def test_contracts_are_valid(path):
    VALIDATOR.validate(json.loads(path.read_text(encoding="utf-8")))


def test_there_are_contracts():
    assert len(CONTRACTS) >= 10


def rejected(document):
    return not VALIDATOR.is_valid(document)


def test_fields_are_exact():
    # One contract with an order, a policy, bounds, and every kind of node.
    original = json.loads(next(path for path in CONTRACTS if path.name == "matmul-bf16.json").read_text(encoding="utf-8"))
    program = original["pieces"][0]["program"]
    fold = next(node["fold"] for node in program["nodes"] if "fold" in node)
    fold["order"] = {"kind": "blocked", "block": 4, "inner": {"kind": "sequential", "reversed": True}}
    fold["step"]["code"][0]["rounding"] = "toward-zero"
    original["pieces"][0]["shapes"] = [{"axis": "k", "min": 1, "max": 4, "multiple": 1}]
    program["nodes"].append({"map": {"operands": [2], "body": fold["finish"], "axes": ["m"]}})
    VALIDATOR.validate(original)

    optional = {"max", "rounding", "inner", "merge", "reversed"}
    for path in places(original):
        if not path or any(key in FREE for key in path[:-1]):
            continue
        parent, key = at(original, path[:-1]), path[-1]
        if isinstance(parent, dict):
            changed = copy.deepcopy(original)
            at(changed, path[:-1])[f"{key}_"] = parent[key]
            assert rejected(changed), f"{path} twice, once under another name"
            del at(changed, path[:-1])[key]
            assert rejected(changed), f"{path} renamed"
            if key not in optional:
                changed = copy.deepcopy(original)
                del at(changed, path[:-1])[key]
                assert rejected(changed), f"without {path}"
        for other in (None, 1.5, {"x": 1}, [None]):
            changed = copy.deepcopy(original)
            at(changed, path[:-1])[key] = other
            assert rejected(changed), f"{path} = {other}"
