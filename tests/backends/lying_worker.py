"""IREE behind a liar: right modules, compiled and run, and answers that are changed on the way back. Option `lie`:

nothing        the truth
last-bit       the lowest bit of every element is flipped
last-element   the lowest bit of the last element is flipped
unsteady       two runs of one request do not agree
no-bf16        a module that holds bf16 does not compile
dies           the process ends when it is asked
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(ROOT / "bindings" / "iree")]

from adapter import Adapter  # noqa: E402
from bitpact_worker import BYTES, Refusal, serve  # noqa: E402


class Liar(Adapter):
    def hello(self, device, options):
        self.lie = options.pop("lie")
        answer = super().hello(device, options)
        answer["identity"]["backend"] = f"liar-{self.lie}"
        return answer

    def run_stablehlo(self, call):
        if self.lie == "dies":
            os._exit(3)
        if self.lie == "no-bf16" and "bf16" in call.module:
            raise Refusal("compile-failed", "no bf16 here")
        report = super().run_stablehlo(call)
        if self.lie == "unsteady":
            report.repeats_agree = False
        if self.lie in ("last-bit", "last-element"):
            changed = []
            for result, spec in zip(report.results, call.results):
                data = bytearray(memoryview(result).cast("B"))
                width = BYTES[spec.format]
                for at in range(0 if self.lie == "last-bit" else len(data) - width, len(data), width):
                    data[at] ^= 1
                changed.append(data)
            report.results = changed
        return report


serve(Liar())
