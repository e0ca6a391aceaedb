"""Reductions over one axis, and sums along one."""

from models import Built, element_type, integers, node
from operator_table import Entry, axis, flag


def _over_axis(op_type):
    return lambda call: Built([node(op_type, ["x0", "axes"], ["y"], keepdims=0)], [integers("axes", [axis(call)])])


def _cumsum(call):
    turned = {name: int(flag(call, name)) for name in ("exclusive", "reverse")}
    return Built([node("CumSum", ["x0", "axis"], ["y"], **turned)], [integers("axis", [axis(call)])])


def _argmax(call):
    # ArgMax gives i64; an index in another integer format is a Cast that its user writes.
    argmax = node("ArgMax", ["x0"], ["y"], axis=axis(call), keepdims=0)
    if call.results[0].format == "i64":
        return Built([argmax])
    argmax.output[0] = "index"
    return Built([argmax, node("Cast", ["index"], ["y"], to=element_type(call.results[0].format))])


def add_to(table):
    table["sum"] = Entry(1, _over_axis("ReduceSum"))
    table["mean"] = Entry(1, _over_axis("ReduceMean"))
    table["cumsum"] = Entry(1, _cumsum)
    table["max"] = Entry(1, _over_axis("ReduceMax"))
    table["argmax"] = Entry(1, _argmax)
