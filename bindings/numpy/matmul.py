"""Products of matrices and vectors: BLAS for f32 and f64, a loop of NumPy's own otherwise."""

import arrays
import numpy as np
from loops import by, loop_of
from operator_table import Entry, flag


def _matmul(call):
    turn_a, turn_b = flag(call, "transpose_a"), flag(call, "transpose_b")
    given, wanted = call.operands[0].format, call.results[0].format
    ran, options, tag = loop_of(np.matmul, given, given), {}, "numpy.matmul"
    if not ran.endswith(f"->{arrays.dtype_of(wanted)}"):
        options["dtype"] = arrays.dtype_of(wanted)
        tag += f" dtype={options['dtype']} (the operands are converted to it first)"
        ran = loop_of(np.matmul, wanted, wanted)

    def matmul(a, b):
        # A transposed operand is the view that a user writes.
        return np.matmul(np.swapaxes(a, -1, -2) if turn_a else a, np.swapaxes(b, -1, -2) if turn_b else b, **options)

    return matmul, tag + by(call), ran


def _dot(call):
    format = call.operands[0].format
    return np.dot, "numpy.dot" + by(call), f"loop dot {arrays.dtype_of(format)}"


def add_to(table):
    table["dot"] = Entry(2, _dot)
    table["integer_matmul"] = Entry(2, _matmul)
    table["matmul"] = Entry(2, _matmul)
