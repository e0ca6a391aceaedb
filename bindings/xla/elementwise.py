"""add, subtract's relatives, divide, convert: as a JAX user writes them."""

import arrays
import jax
import jax.numpy as jnp
from operator_table import Entry, attribute


def fixed(function, tag):
    return lambda call: (function, tag)


def _convert(call):
    wanted = arrays.dtype_of(call.results[0].format)
    via = attribute(call, "via")
    if via is None:
        return (lambda x: x.astype(wanted)), "jax.numpy.astype"
    between = arrays.dtype_of(via)
    return (lambda x: x.astype(between).astype(wanted)), "jax.numpy.astype+jax.numpy.astype"


def add_to(table):
    table["add"] = Entry(2, fixed(jnp.add, "jax.numpy.add"))
    table["residual_add"] = Entry(2, fixed(jnp.add, "jax.numpy.add"))
    table["multiply"] = Entry(2, fixed(jnp.multiply, "jax.numpy.multiply"))
    table["divide"] = Entry(2, fixed(jnp.divide, "jax.numpy.divide"))
    table["reciprocal"] = Entry(1, fixed(jnp.reciprocal, "jax.numpy.reciprocal"))
    table["sqrt"] = Entry(1, fixed(jnp.sqrt, "jax.numpy.sqrt"))
    table["rsqrt"] = Entry(1, fixed(jax.lax.rsqrt, "jax.lax.rsqrt"))
    table["multiply_add"] = Entry(3, fixed(lambda a, b, c: a * b + c, "jax.numpy.multiply+jax.numpy.add"))
    table["multiply_subtract"] = Entry(
        4, fixed(lambda a, b, c, d: a * b - c * d, "jax.numpy.multiply+jax.numpy.multiply+jax.numpy.subtract")
    )
    table["convert"] = Entry(1, _convert)
