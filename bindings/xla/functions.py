"""Functions of one operand."""

import functools

import jax
import jax.numpy as jnp
from elementwise import fixed
from operator_table import Entry


def add_to(table):
    table["exp"] = Entry(1, fixed(jnp.exp, "jax.numpy.exp"))
    table["exp2"] = Entry(1, fixed(jnp.exp2, "jax.numpy.exp2"))
    table["expm1"] = Entry(1, fixed(jnp.expm1, "jax.numpy.expm1"))
    table["log1p"] = Entry(1, fixed(jnp.log1p, "jax.numpy.log1p"))
    table["log"] = Entry(1, fixed(jnp.log, "jax.numpy.log"))
    table["sigmoid"] = Entry(1, fixed(jax.nn.sigmoid, "jax.nn.sigmoid"))
    table["sin"] = Entry(1, fixed(jnp.sin, "jax.numpy.sin"))
    table["cos"] = Entry(1, fixed(jnp.cos, "jax.numpy.cos"))
    table["tanh"] = Entry(1, fixed(jnp.tanh, "jax.numpy.tanh"))
    table["erf"] = Entry(1, fixed(jax.lax.erf, "jax.lax.erf"))
    table["floor"] = Entry(1, fixed(jnp.floor, "jax.numpy.floor"))
    table["ceil"] = Entry(1, fixed(jnp.ceil, "jax.numpy.ceil"))
    for name, method in (("even", "TO_NEAREST_EVEN"), ("afz", "AWAY_FROM_ZERO")):
        rounded = functools.partial(jax.lax.round, rounding_method=jax.lax.RoundingMethod[method])
        table[f"round_nearest_{name}"] = Entry(1, fixed(rounded, f"jax.lax.round({method})"))
    table["gelu"] = Entry(1, fixed(jax.nn.gelu, "jax.nn.gelu"))
