"""A worker whose answer changes from run to run."""

from array import array

from bitpact_worker import serve, timed_runs


class Changing:
    runs = 0

    def hello(self, device, options):
        identity = {
            "backend": "changing", "version": "1", "build": "none", "device": "cpu", "target": "CPython", "flags": "none",
            "threads": "1", "kernel": "a loop",
        }  # fmt: skip
        return {"name": "changing", "identity": identity, "ways": ["operator_call"]}

    def call_operator(self, call):
        def run():
            self.runs += 1
            return [array("f", [float(self.runs)] * len(call.operands[0].data.cast("f")))]

        return timed_runs(call, run, tag="changing.add")


serve(Changing())
