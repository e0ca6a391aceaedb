"""Elements in other places; no bit changes."""

import jax
import jax.numpy as jnp
from operator_table import Entry, attribute, axis, numbers


def _reverse(call):
    along = axis(call)
    return (lambda x: jax.lax.rev(x, (along,))), "jax.lax.rev"


def _slice(call):
    start, limit, stride = numbers(call, "start", 0), numbers(call, "limit", 0), numbers(call, "stride", 1)
    return (lambda x: jax.lax.slice(x, start, limit, stride)), "jax.lax.slice"


def _pad(call):
    edges = [numbers(call, name, 0) for name in ("low", "high", "interior")]
    value = float(attribute(call, "value", "0"))
    return (lambda x: jax.lax.pad(x, x.dtype.type(value), list(zip(*edges, strict=True)))), "jax.lax.pad"


def _transpose(call):
    given = attribute(call, "permutation")
    permutation = None if given is None else [int(n) for n in given.split(",")]
    return (lambda x: jnp.transpose(x, permutation)), "jax.numpy.transpose"


def _reshape(call):
    shape = numbers(call, "shape", 0)
    return (lambda x: jnp.reshape(x, shape)), "jax.numpy.reshape"


def add_to(table):
    table["reverse"] = Entry(1, _reverse)
    table["slice"] = Entry(1, _slice)
    table["pad"] = Entry(1, _pad)
    table["transpose"] = Entry(1, _transpose)
    table["reshape"] = Entry(1, _reshape)
