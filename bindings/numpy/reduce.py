"""Reductions over one axis."""

import arrays
import numpy as np
from loops import by, loop_of
from operator_table import Entry, axis


def _sum(call):
    over, options, tag = axis(call), {}, "numpy.sum"
    computed = call.operands[0].format
    if call.results[0].format != computed:
        computed = call.results[0].format
        options["dtype"] = arrays.dtype_of(computed)
        tag += f" dtype={options['dtype']}"
    return (lambda x: np.sum(x, axis=over, **options)), tag + by(call), loop_of(np.add, computed, computed)


def _max(call):
    over, format = axis(call), call.operands[0].format
    return (lambda x: np.max(x, axis=over)), "numpy.max" + by(call), loop_of(np.maximum, format, format)


def _argmax(call):
    # argmax gives i64; an index in another integer format is a conversion that its user writes.
    over, wanted = axis(call), arrays.dtype_of(call.results[0].format)
    if call.results[0].format == "i64":
        return (lambda x: np.argmax(x, axis=over)), "numpy.argmax" + by(call), "unobserved"
    return (lambda x: np.argmax(x, axis=over).astype(wanted)), "numpy.argmax+numpy.astype" + by(call), "unobserved"


def add_to(table):
    table["sum"] = Entry(1, _sum)
    table["max"] = Entry(1, _max)
    table["argmax"] = Entry(1, _argmax)
