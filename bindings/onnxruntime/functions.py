"""Functions of one operand; Gelu with its own default formula."""

from models import Built, node
from operator_table import Entry


def unary(op_type):
    return Entry(1, lambda call: Built([node(op_type, ["x0"], ["y"])]))


def add_to(table):
    for name, op_type in {"exp": "Exp", "log": "Log", "tanh": "Tanh", "erf": "Erf", "gelu": "Gelu"}.items():
        table[name] = unary(op_type)
