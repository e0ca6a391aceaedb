"""Arithmetic by elements, and casts."""

from models import Built, element_type, node
from operator_table import Entry, attribute


def binary(op_type):
    return Entry(2, lambda call: Built([node(op_type, ["x0", "x1"], ["y"])]))


def _multiply_add(call):
    return Built([node("Mul", ["x0", "x1"], ["product"]), node("Add", ["product", "x2"], ["y"])])


def _multiply_subtract(call):
    return Built(
        [
            node("Mul", ["x0", "x1"], ["left"]),
            node("Mul", ["x2", "x3"], ["right"]),
            node("Sub", ["left", "right"], ["y"]),
        ]
    )


def _convert(call):
    to = element_type(call.results[0].format)
    via = attribute(call, "via")
    if via is None:
        return Built([node("Cast", ["x0"], ["y"], to=to)])
    return Built([node("Cast", ["x0"], ["between"], to=element_type(via)), node("Cast", ["between"], ["y"], to=to)])


def add_to(table):
    table["add"] = binary("Add")
    table["residual_add"] = binary("Add")
    table["multiply"] = binary("Mul")
    table["divide"] = binary("Div")
    table["reciprocal"] = Entry(1, lambda call: Built([node("Reciprocal", ["x0"], ["y"])]))
    table["sqrt"] = Entry(1, lambda call: Built([node("Sqrt", ["x0"], ["y"])]))
    table["multiply_add"] = Entry(3, _multiply_add)
    table["multiply_subtract"] = Entry(4, _multiply_subtract)
    table["convert"] = Entry(1, _convert)
