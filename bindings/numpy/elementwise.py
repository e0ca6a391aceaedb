"""Arithmetic by elements, and conversions."""

import arrays
import numpy as np
from loops import by, composed, fixed
from operator_table import Entry, attribute


def _convert(call):
    wanted = arrays.dtype_of(call.results[0].format)
    via = attribute(call, "via")
    if via is None:
        return (lambda x: x.astype(wanted)), "numpy.astype" + by(call), "unobserved"
    between = arrays.dtype_of(via)
    return (lambda x: x.astype(between).astype(wanted)), "numpy.astype+numpy.astype" + by(call), "unobserved"


def add_to(table):
    table["add"] = Entry(2, fixed(np.add))
    table["residual_add"] = Entry(2, fixed(np.add))
    table["multiply"] = Entry(2, fixed(np.multiply))
    table["divide"] = Entry(2, fixed(np.divide))
    table["reciprocal"] = Entry(1, fixed(np.reciprocal))
    table["sqrt"] = Entry(1, fixed(np.sqrt))
    table["multiply_add"] = Entry(3, composed(lambda a, b, c: a * b + c, np.multiply, np.add))
    table["multiply_subtract"] = Entry(4, composed(lambda a, b, c, d: a * b - c * d, np.multiply, np.multiply, np.subtract))
    table["convert"] = Entry(1, _convert)
