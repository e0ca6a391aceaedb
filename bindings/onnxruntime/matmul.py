"""Products of matrices; a transposed operand is a Transpose before the product, which the runtime may take into it."""

from models import Built, node
from operator_table import Entry, flag


def _product(call, op_type):
    nodes, names = [], ["x0", "x1"]
    rank = len(call.operands[0].shape)
    for i, attribute in enumerate(("transpose_a", "transpose_b")):
        if flag(call, attribute):
            names[i] = f"x{i}_turned"
            nodes.append(node("Transpose", [f"x{i}"], [names[i]], perm=[*range(rank - 2), rank - 1, rank - 2]))
    return Built([*nodes, node(op_type, names, ["y"])])


def add_to(table):
    table["matmul"] = Entry(2, lambda call: _product(call, "MatMul"))
    table["dot"] = Entry(2, lambda call: _product(call, "MatMul"))  # of two vectors
    table["integer_matmul"] = Entry(2, lambda call: _product(call, "MatMulInteger"))
