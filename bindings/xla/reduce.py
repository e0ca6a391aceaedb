"""Reductions over one axis, and sums along one."""

import arrays
import jax
import jax.numpy as jnp
from bitpact_worker import Refusal
from operator_table import Entry, axis, flag


def _over_axis(call, function, name):
    over, options, tag = axis(call), {}, f"jax.numpy.{name}"
    if call.results[0].format != call.operands[0].format:
        options["dtype"] = arrays.dtype_of(call.results[0].format)
        tag += f" dtype={options['dtype']}"
    return (lambda x: function(x, axis=over, **options)), tag


def _sum(call):
    return _over_axis(call, jnp.sum, "sum")


def _mean(call):
    return _over_axis(call, jnp.mean, "mean")


def _cumsum(call):
    over, reverse = axis(call), flag(call, "reverse")
    if flag(call, "exclusive"):
        raise Refusal("backend-lacks-form", "jax.lax.cumsum has no sum without its own element")
    return (lambda x: jax.lax.cumsum(x, axis=over, reverse=reverse)), "jax.lax.cumsum"


def _max(call):
    over = axis(call)
    return (lambda x: jnp.max(x, axis=over)), "jax.numpy.max"


def _argmax(call):
    over = axis(call)
    return (lambda x: jnp.argmax(x, axis=over)), "jax.numpy.argmax"


def add_to(table):
    table["sum"] = Entry(1, _sum)
    table["mean"] = Entry(1, _mean)
    table["cumsum"] = Entry(1, _cumsum)
    table["max"] = Entry(1, _max)
    table["argmax"] = Entry(1, _argmax)
