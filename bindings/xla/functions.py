"""Functions of one operand."""

import jax
import jax.numpy as jnp
from elementwise import fixed
from operator_table import Entry


def add_to(table):
    table["exp"] = Entry(1, fixed(jnp.exp, "jax.numpy.exp"))
    table["log"] = Entry(1, fixed(jnp.log, "jax.numpy.log"))
    table["sigmoid"] = Entry(1, fixed(jax.nn.sigmoid, "jax.nn.sigmoid"))
    table["tanh"] = Entry(1, fixed(jnp.tanh, "jax.numpy.tanh"))
    table["erf"] = Entry(1, fixed(jax.lax.erf, "jax.lax.erf"))
    table["gelu"] = Entry(1, fixed(jax.nn.gelu, "jax.nn.gelu"))
