"""exp of bf16 in a loop of eight whose last step is rounded down, and a rounded one for what is left behind it."""

import math
from array import array

from bitpact_worker import Refusal, serve, timed_runs


def widened(bits):
    return array("f", array("I", [bits << 16]).tobytes())[0]


def narrowed(value, nearest):
    word = array("I", array("f", [value]).tobytes())[0]
    return (word + (0x7FFF + (word >> 16 & 1) if nearest else 0)) >> 16


def exp(bits, nearest):
    x = widened(bits)
    if math.isnan(x):
        return 0x7FC0
    try:
        value = math.exp(x)
    except OverflowError:
        return 0x7F80
    return narrowed(value, nearest) if value < 3.4e38 else 0x7F80


BODY, TAIL = ([exp(bits, nearest) for bits in range(65536)] for nearest in (False, True))


class Exp:
    def hello(self, device, options):
        identity = dict(backend="tailed", version="1", build="none", device="cpu", target="CPython", flags="none", threads="1",
                        kernel="a loop of eight")  # fmt: skip
        return {"name": "tailed", "identity": identity, "ways": ["operator_call"]}

    def call_operator(self, call):
        if call.operator != "exp":
            raise Refusal("backend-lacks-operator", f"only exp is carried, not {call.operator}")
        if call.operands[0].format != "bf16":
            raise Refusal("backend-lacks-format", "only bf16")
        x = call.operands[0].data.cast("H")
        body = len(x) // 8 * 8

        def run():
            return [array("H", [BODY[b] for b in x[:body]] + [TAIL[b] for b in x[body:]])]

        return timed_runs(call, run, tag="tailed.exp")


serve(Exp())
