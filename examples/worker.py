"""A whole worker in Python: it adds f32 tensors.

Try it: bitpact compare "add 4xf32,4xf32" --reference mlx --candidate "worker:python3 examples/worker.py"
"""

from array import array

from bitpact_worker import Refusal, serve, timed_runs


class Adder:
    def hello(self, device, options):
        identity = dict(backend="adder", version="1", build="none", device="cpu", target="CPython", flags="none", threads="1",
                        kernel="a loop")  # fmt: skip
        return {"name": "adder", "identity": identity, "ways": ["operator_call"]}

    def call_operator(self, call):
        if call.operator != "add":
            raise Refusal("backend-lacks-operator", f"only add is carried, not {call.operator}")
        if call.operands[0].format != "f32":
            raise Refusal("backend-lacks-format", "only f32")
        a, b = (x.data.cast("f") for x in call.operands)

        def run():  # the sum of two f32, rounded to f64 and then to f32, is the rounded sum
            return [array("f", (p + q for p, q in zip(a, b)))]

        return timed_runs(call, run, tag="adder.add")


serve(Adder())
