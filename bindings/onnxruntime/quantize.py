"""Quantization with scales and zero points."""

from bitpact_worker import Refusal
from models import Built, node
from operator_table import Entry, attribute

GIVEN = {"values": "y", "scale": "y_scale", "zero_point": "y_zero_point"}


def _quantize(call):
    return Built([node("QuantizeLinear", ["x0", "x1", "x2"], ["y"])])


def _dynamic_quantize(call):
    give = attribute(call, "give", "values")
    if give not in GIVEN:
        raise Refusal("worker-refused", f"give={give}: one of {', '.join(GIVEN)} expected")
    return Built([node("DynamicQuantizeLinear", ["x0"], list(GIVEN.values()))], result=GIVEN[give])


def add_to(table):
    table["quantize"] = Entry(3, _quantize)
    table["dynamic_quantize"] = Entry(1, _dynamic_quantize)
