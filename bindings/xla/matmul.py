"""Products of matrices and vectors."""

import arrays
import jax.numpy as jnp
from operator_table import Entry, flag


def _matmul(call):
    turn_a, turn_b = flag(call, "transpose_a"), flag(call, "transpose_b")
    options, tag = {}, "jax.numpy.matmul"
    if call.results[0].format != call.operands[0].format:
        options["preferred_element_type"] = arrays.dtype_of(call.results[0].format)
        tag += f" preferred_element_type={options['preferred_element_type']}"

    def matmul(a, b):
        # A transposed operand is the view that a user writes.
        return jnp.matmul(jnp.swapaxes(a, -1, -2) if turn_a else a, jnp.swapaxes(b, -1, -2) if turn_b else b, **options)

    return matmul, tag


def _dot(call):
    options, tag = {}, "jax.numpy.dot"
    if call.results[0].format != call.operands[0].format:
        options["preferred_element_type"] = arrays.dtype_of(call.results[0].format)
        tag += f" preferred_element_type={options['preferred_element_type']}"
    return (lambda a, b: jnp.dot(a, b, **options)), tag


def add_to(table):
    table["dot"] = Entry(2, _dot)
    table["integer_matmul"] = Entry(2, _matmul)
    table["matmul"] = Entry(2, _matmul)
