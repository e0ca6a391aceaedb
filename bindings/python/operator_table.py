"""The operators that an adapter carries: a table from canonical names to entries, one file a family adding to it."""

import dataclasses
from collections.abc import Callable

from bitpact_worker import Refusal


@dataclasses.dataclass(frozen=True)
class Entry:
    """An operator as a runtime's user writes it. What `build(call)` gives is the adapter's own affair."""

    operands: int
    build: Callable


def entry_for(table, call, runtime):
    """Refuses `backend-lacks-operator`, or a call of another arity."""
    if call.operator not in table:
        raise Refusal("backend-lacks-operator", f"{runtime}'s worker has no `{call.operator}`")
    entry = table[call.operator]
    if len(call.operands) != entry.operands or len(call.results) != 1:
        raise Refusal("worker-refused", f"`{call.operator}` takes {entry.operands} operands and gives one result")
    return entry


def flag(call, name):
    return (call.attributes or {}).get(name) == "true"


def attribute(call, name, default=None):
    return (call.attributes or {}).get(name, default)


def numbers(call, name, usual):
    """One number a dimension of the operand."""
    text = attribute(call, name)
    return [usual] * len(call.operands[0].shape) if text is None else [int(n) for n in text.split(",")]


def axis(call):
    """The attribute `axis`, counted from the first dimension."""
    given = int(attribute(call, "axis", "-1"))
    return given + len(call.operands[0].shape) if given < 0 else given


def key_of(call):
    """What a compiled or built call may be kept under."""
    specs = tuple((tensor.format, tensor.shape) for tensor in (*call.operands, *call.results))
    return call.operator, tuple(sorted((call.attributes or {}).items())), specs
