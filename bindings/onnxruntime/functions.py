"""Functions of one operand; Gelu with its own default formula. ONNX has no exp2, expm1, log1p and round_nearest_afz."""

from models import Built, node
from operator_table import Entry


def unary(op_type):
    return Entry(1, lambda call: Built([node(op_type, ["x0"], ["y"])]))


def add_to(table):
    names = {
        "exp": "Exp",
        "log": "Log",
        "sigmoid": "Sigmoid",
        "sin": "Sin",
        "cos": "Cos",
        "tanh": "Tanh",
        "erf": "Erf",
        "gelu": "Gelu",
    }
    names |= {"floor": "Floor", "ceil": "Ceil", "round_nearest_even": "Round"}
    for name, op_type in names.items():
        table[name] = unary(op_type)
