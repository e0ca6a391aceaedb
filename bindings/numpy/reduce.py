"""Reductions over one axis, and sums along one."""

import arrays
import numpy as np
from bitpact_worker import Refusal
from loops import by, loop_of
from operator_table import Entry, axis, flag


def _sum(call):
    over, options, tag = axis(call), {}, "numpy.sum"
    computed = call.operands[0].format
    if call.results[0].format != computed:
        computed = call.results[0].format
        options["dtype"] = arrays.dtype_of(computed)
        tag += f" dtype={options['dtype']}"
    return (lambda x: np.sum(x, axis=over, **options)), tag + by(call), loop_of(np.add, computed, computed)


def _mean(call):
    over, options, tag = axis(call), {}, "numpy.mean"
    if call.results[0].format != call.operands[0].format:
        options["dtype"] = arrays.dtype_of(call.results[0].format)
        tag += f" dtype={options['dtype']}"
    return (lambda x: np.mean(x, axis=over, **options)), tag + by(call), "unobserved"


def _cumsum(call):
    over, format = axis(call), call.operands[0].format
    if flag(call, "exclusive"):
        raise Refusal("backend-lacks-form", "numpy.cumsum has no sum without its own element")
    ran = loop_of(np.add, format, format)
    if not flag(call, "reverse"):
        return (lambda x: np.cumsum(x, axis=over)), "numpy.cumsum" + by(call), ran
    turned = "numpy.flip+numpy.cumsum+numpy.flip" + by(call)
    return (lambda x: np.flip(np.cumsum(np.flip(x, over), axis=over), over)), turned, ran


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
    table["mean"] = Entry(1, _mean)
    table["cumsum"] = Entry(1, _cumsum)
    table["max"] = Entry(1, _max)
    table["argmax"] = Entry(1, _argmax)
