"""Which trees the texts of orders stand for, so that two spellings of one tree are one answer. Not what src/ reads them with."""

import re
from collections.abc import Callable

# A node is the set of the leaves below it, as the bits of an integer. An order is a function that joins a row of nodes into one
# and notes every join.
Note = Callable[[int], None]
Order = Callable[[list[int], Note], int]


def sequential(nodes: list[int], note: Note) -> int:
    top = nodes[0]
    for node in nodes[1:]:
        top |= node
        note(top)
    return top


def backwards(nodes: list[int], note: Note) -> int:
    return sequential(nodes[::-1], note)


def interleaved(width: int, outer: Order) -> Order:
    def join(nodes: list[int], note: Note) -> int:
        lanes = min(width, len(nodes))
        return outer([sequential(nodes[lane::lanes], note) for lane in range(lanes)], note)

    return join


def blocked(block: int, inner: Order, outer: Order) -> Order:
    def join(nodes: list[int], note: Note) -> int:
        return outer([inner(nodes[at : at + block], note) for at in range(0, len(nodes), block)], note)

    return join


def sizes_of_blocks(block: int, count: int, ends: str) -> list[int]:
    whole, rest = divmod(count, block)
    if rest == 0 or whole == 0:
        return [block] * whole + ([rest] if rest else [])
    if ends == "short_first":
        return [rest] + [block] * whole
    if ends == "short_both":
        less = (block - rest) // 2
        return [block - less] + [block] * (whole - 1) + [rest + less]
    if ends == "even":
        return [block] * (whole - 1) + [(block + rest + 1) // 2, (block + rest) // 2]
    return [block] * whole + [rest]


def in_sizes(sizes: Callable[[int], list[int]], inner: Order, outer: Order) -> Order:
    def join(nodes: list[int], note: Note) -> int:
        blocks, at = [], 0
        for size in sizes(len(nodes)):
            blocks.append(inner(nodes[at : at + size], note))
            at += size
        if at != len(nodes):
            raise ValueError(f"parts for {at} leaves, given {len(nodes)}")
        return outer(blocks, note)

    return join


def tailed(width: int, head: Order, apart: bool) -> Order:
    def join(nodes: list[int], note: Note) -> int:
        rows = len(nodes) - len(nodes) % width
        rest = nodes[rows:]
        if rows == 0:
            return sequential(rest, note)
        top = head(nodes[:rows], note)
        if not rest:
            return top
        return sequential([top, sequential(rest, note)] if apart else [top, *rest], note)

    return join


def pairwise(cutoff: int, multiple: int, inner: Order) -> Order:
    def join(nodes: list[int], note: Note) -> int:
        if len(nodes) <= cutoff:
            return inner(nodes, note)
        half = len(nodes) // 2
        half = max(multiple, half - half % multiple)
        top = join(nodes[:half], note) | join(nodes[half:], note)
        note(top)
        return top

    return join


def explicit(merges: list[tuple[int, int]]) -> Order:
    def join(nodes: list[int], note: Note) -> int:
        row = list(nodes)
        if len(merges) != len(nodes) - 1:
            raise ValueError(f"a tree for {len(merges) + 1} leaves, given {len(nodes)}")
        for a, b in merges:
            row.append(row[a] | row[b])
            note(row[-1])
        return row[-1]

    return join


class _Reader:
    """Both texts of an order: as a choice ("interleaved(8, pairwise(1))") and in words ("interleaved(8), lanes joined pairwise(1)")."""

    def __init__(self, text: str) -> None:
        self.rest = text.strip()

    def take(self, pattern: str) -> str | None:
        found = re.match(pattern, self.rest)
        if not found:
            return None
        self.rest = self.rest[found.end() :]
        return found.group(0)

    def need(self, pattern: str) -> str:
        taken = self.take(pattern)
        if taken is None:
            raise ValueError(f"no order at {self.rest[:40]!r}")
        return taken

    def number(self) -> int:
        number = int(self.need(r"\d+"))
        if number < 1:
            raise ValueError("a width of 0")
        return number

    def nested(self, separator: str) -> Order | None:
        """What follows the separator, perhaps in parentheses; None where that does not follow."""
        if not self.take(separator):
            return None
        if not self.take(r"\("):
            return self.order()
        order = self.order()
        self.need(r"\)")
        return order

    def order(self) -> Order:
        kind = self.need(r"[a-z_]+")
        if kind == "reversed" or (kind == "sequential" and self.take(" backwards")):
            return backwards
        if kind in ("sequential", "from_start"):
            self.take(" from the start value")  # which is no leaf
            return sequential
        self.need(r"\(")
        if kind in ("tree", "stepped_tree", "paired_tree"):
            return self.merges()
        if kind == "parts":
            return self.parts()
        width = self.number()
        if kind == "tailed":
            head = self.nested(r", ?(?! |continued|joined|apart)") or sequential
            how = self.need(r", ?(continued|joined|apart)\)")
            return tailed(width, head, "apart" in how)
        if kind.startswith("blocked_"):
            inner = self.nested(", ?") or sequential
            outer = self.nested(", ?") or sequential
            self.need(r"\)")
            return in_sizes(lambda count: sizes_of_blocks(width, count, kind.removeprefix("blocked_")), inner, outer)
        multiple = 1
        if kind == "pairwise" and self.take(r" by |, ?(?=\d)"):
            multiple = self.number()
        arguments = []
        while (argument := self.nested(", ?")) is not None:
            arguments.append(argument)
        self.need(r"\)")
        most = {"interleaved": 1, "blocked": 2, "pairwise": 1}.get(kind)
        if most is None or len(arguments) > most:
            raise ValueError(f"{kind} with {len(arguments)} orders")
        arguments += [sequential] * (most - len(arguments))
        if kind == "interleaved":
            return interleaved(width, self.nested(", lanes joined ") or arguments[0])
        if kind == "blocked":
            inner = self.nested(", each block ") or arguments[0]
            return blocked(width, inner, self.nested(", blocks joined ") or arguments[1])
        return pairwise(width, multiple, self.nested(", each run ") or arguments[0])

    def parts(self) -> Order:
        sizes: list[int] = []
        while size := self.take(r"\d+(x\d+)? ?"):
            number, _, times = size.strip().partition("x")
            sizes += [int(number)] * int(times or 1)
        inner = self.nested(", ?") or sequential
        outer = self.nested(", ?") or sequential
        self.need(r"\)")
        return in_sizes(lambda _: sizes, inner, outer)

    def merges(self) -> Order:
        merges = []
        while not self.take(r"\)"):
            a, b = self.need(r"\d+\+\d+ ?").split("+")
            merges.append((int(a), int(b)))
        return explicit(merges)

    # tree = sum ; sum = item { "+" item } ; item = "(" sum ")" | first [ ".." last [ "/" stride ] ]
    def sum(self, note: Note) -> int:
        top = self.item(note)
        while self.take(r"\s*\+\s*"):
            top |= self.item(note)
            note(top)
        return top

    def item(self, note: Note) -> int:
        if self.take(r"\("):
            top = self.sum(note)
            self.need(r"\)")
            return top
        first = last = int(self.need(r"\d+"))
        stride = 1
        if self.take(r"\.\."):
            last = int(self.need(r"\d+"))
            stride = self.number() if self.take("/") else 1
        return sequential([1 << leaf for leaf in range(first, last + 1, stride)], note)


def tree_of(text: str, leaves: int) -> frozenset[int]:
    """Every join of the tree, as the bits of the leaves below it; ValueError where the text is no order of that many leaves."""
    reader = _Reader(text)
    joins: list[int] = []
    if reader.take(r"tree (?=[\d(])"):
        top = reader.sum(joins.append)
    else:
        top = reader.order()([1 << leaf for leaf in range(leaves)], joins.append)
    if reader.rest.strip():
        raise ValueError(f"{reader.rest[:40]!r} follows the order")
    tree = frozenset(joins)
    if top != (1 << leaves) - 1 or len(joins) != leaves - 1 or len(tree) != len(joins):
        raise ValueError(f"no tree of {leaves} leaves")
    return tree
