"""A worker that gives the addresses of its operands modulo 64, and how many attributes it was given. With the argument `silent` it does
not say that it reads operands where they lie."""

import ctypes
import struct
import sys

from bitpact_worker import serve, timed_runs

FIELDS = ("backend", "version", "build", "device", "target", "flags", "threads", "kernel")


class Addresses:
    def hello(self, device, options):
        said = {"name": "addresses", "identity": dict.fromkeys(FIELDS, "none"), "ways": ["operator_call", "stablehlo"]}
        return said if "silent" in sys.argv else {**said, "align": True}

    def call_operator(self, call):
        seen = [ctypes.addressof(ctypes.c_char.from_buffer(operand.data)) % 64 for operand in call.operands]
        seen.append(len(call.attributes or {}))
        return timed_runs(call, lambda: [struct.pack(f"<{len(seen)}i", *seen)], tag="addresses")

    run_stablehlo = call_operator


serve(Addresses())
