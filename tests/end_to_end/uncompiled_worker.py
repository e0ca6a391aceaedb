"""A worker whose compiler takes no module."""

from bitpact_worker import Refusal, serve


class Uncompiled:
    def hello(self, device, options):
        identity = {
            "backend": "uncompiled", "version": "1", "build": "none", "device": "cpu", "target": "CPython", "flags": "none",
            "threads": "1", "kernel": "none",
        }  # fmt: skip
        return {"name": "uncompiled", "identity": identity, "ways": ["operator_call"]}

    def call_operator(self, call):
        raise Refusal("compile-failed", "line 3: no such operation")


serve(Uncompiled())
