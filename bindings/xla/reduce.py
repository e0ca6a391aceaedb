"""Reductions over one axis."""

import arrays
import jax.numpy as jnp
from operator_table import Entry, axis


def _sum(call):
    over, options, tag = axis(call), {}, "jax.numpy.sum"
    if call.results[0].format != call.operands[0].format:
        options["dtype"] = arrays.dtype_of(call.results[0].format)
        tag += f" dtype={options['dtype']}"
    return (lambda x: jnp.sum(x, axis=over, **options)), tag


def _max(call):
    over = axis(call)
    return (lambda x: jnp.max(x, axis=over)), "jax.numpy.max"


def _argmax(call):
    over = axis(call)
    return (lambda x: jnp.argmax(x, axis=over)), "jax.numpy.argmax"


def add_to(table):
    table["sum"] = Entry(1, _sum)
    table["max"] = Entry(1, _max)
    table["argmax"] = Entry(1, _argmax)
