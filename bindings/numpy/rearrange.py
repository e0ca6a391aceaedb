"""Elements in other places; no bit changes."""

import numpy as np
from bitpact_worker import Refusal
from operator_table import Entry, attribute, axis, numbers


def _reverse(call):
    along = axis(call)
    return (lambda x: np.flip(x, along)), "numpy.flip", "unobserved"


def _slice(call):
    ranges = zip(numbers(call, "start", 0), numbers(call, "limit", 0), numbers(call, "stride", 1), strict=True)
    index = tuple(slice(*each) for each in ranges)
    return (lambda x: x[index]), "numpy indexing", "unobserved"


def _pad(call):
    if any(numbers(call, "interior", 0)):
        raise Refusal("backend-lacks-form", "numpy.pad puts nothing between elements")
    widths = list(zip(numbers(call, "low", 0), numbers(call, "high", 0), strict=True))
    if any(width < 0 for pair in widths for width in pair):
        raise Refusal("backend-lacks-form", "numpy.pad cuts nothing off")
    value = float(attribute(call, "value", "0"))
    return (lambda x: np.pad(x, widths, constant_values=x.dtype.type(value))), "numpy.pad", "unobserved"


def _transpose(call):
    given = attribute(call, "permutation")
    permutation = None if given is None else [int(n) for n in given.split(",")]
    return (lambda x: np.transpose(x, permutation)), "numpy.transpose", "unobserved"


def _reshape(call):
    shape = numbers(call, "shape", 0)
    return (lambda x: np.reshape(x, shape)), "numpy.reshape", "unobserved"


def add_to(table):
    table["reverse"] = Entry(1, _reverse)
    table["slice"] = Entry(1, _slice)
    table["pad"] = Entry(1, _pad)
    table["transpose"] = Entry(1, _transpose)
    table["reshape"] = Entry(1, _reshape)
