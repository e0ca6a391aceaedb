"""A worker that misbehaves as its first argument says, until a file named by the second exists; then it behaves.

The file lets a test see that the request after a fault works: the first process makes it.
"""

import json
import os
import subprocess
import sys
import time

import bitpact_worker as protocol

FAULT, MARK = sys.argv[1], sys.argv[2]
BEHAVES = os.path.exists(MARK)


def raw(number, text, inline=b"", magic=protocol.MAGIC, version=protocol.VERSION, arena=0, json_bytes=None):
    size = len(text) if json_bytes is None else json_bytes
    os.write(protocol.SOCKET_FD, protocol.HEADER.pack(magic, version, 0, number, size, 0, len(inline), arena) + text + inline)


class Doubler:
    def hello(self, device, options):
        if FAULT == "bad-hello":
            return {"name": "faulty"}
        target = f"process {os.getpid()}" if FAULT == "other-identity" else "python"
        identity = dict(backend="faulty", version="1", build="none", device="cpu", target=target, flags="none", threads="1", kernel="x")  # fmt: skip
        if FAULT == "says-host":
            identity["target"] = "host"
        return {"name": "faulty", "identity": identity, "ways": ["operator_call"]}

    def call_operator(self, call):
        if FAULT == "refuses":
            raise protocol.Refusal("backend-lacks-operator", "not this one")
        if FAULT == "raises":
            raise RuntimeError("out of luck")
        if FAULT == "changes":
            return protocol.timed_runs(call, lambda: [os.urandom(call.results[0].nbytes)], tag="faulty.random")
        return protocol.timed_runs(call, lambda: [bytes(call.operands[0].data)], tag="faulty.copy")


class Faulty(protocol.Server):
    def answer_to(self, kind, request, payload):
        if kind in ("hello", "shutdown") and FAULT != "hangs-always":
            return super().answer_to(kind, request, payload)
        if not BEHAVES and FAULT != "changes":
            open(MARK, "w").close()
            self.misbehave(request)
        answer, results = super().answer_to(kind, request, payload)
        if not BEHAVES:
            change = {
                "wrong-shape": lambda a: a["results"][0].update(shape=[3]),
                "wrong-format": lambda a: a["results"][0].update(format="i32"),
                "no-results": lambda a: a.update(results=[]),
                "extra-field": lambda a: a.update(note="hello"),
                "missing-field": lambda a: a.pop("tag"),
                "wrong-times": lambda a: a.update(run_ms=[]),
                "negative-time": lambda a: a.update(run_ms=[-1.0]),
                "unknown-code": lambda a: (a.clear(), a.update(ok=False, error={"code": "internal", "message": "x"})),
            }.get(FAULT)
            if change:
                change(answer)
            if FAULT == "short-payload":
                results = [results[0][:-4]]
            if FAULT == "unknown-code":
                results = []
        return answer, results

    def misbehave(self, request):
        if FAULT == "dies":
            print("goodbye, cruel world", file=sys.stderr, flush=True)
            os._exit(7)
        if FAULT == "aborts":
            os.abort()
        if FAULT == "hangs":
            subprocess.Popen(["sleep", "1000"])  # a child of the worker must not outlive it either
            time.sleep(1000)
        if FAULT == "floods":
            for _ in range(2000):
                sys.stderr.write("x" * 999 + "\n")
            print("printed to stdout", flush=True)
            sys.stderr.flush()
            os._exit(9)
        if FAULT == "floods-and-answers":
            for _ in range(2000):
                sys.stderr.write("y" * 999 + "\n")
                print("z" * 99)
            sys.stderr.flush()

    def send(self, number, answer, results):
        if not BEHAVES and "name" not in answer:
            text = json.dumps(answer).encode()
            body = b"".join(bytes(result) for result in results)
            if FAULT == "wrong-id":
                return raw(number + 1, text, body)
            if FAULT == "wrong-magic":
                return raw(number, text, body, magic=0x12345678)
            if FAULT == "wrong-version":
                return raw(number, text, body, version=99)
            if FAULT == "garbage":
                return os.write(protocol.SOCKET_FD, b"this is no frame at all, but it is long enough to be read as one")
            if FAULT == "not-json":
                return raw(number, b"{" + text, body)
            if FAULT == "not-an-object":
                return raw(number, b"[1]")
            if FAULT == "duplicate-key":
                return raw(number, b'{"ok": true, "ok": true}')
            if FAULT == "huge-json":
                return raw(number, text, body, json_bytes=1 << 31)
            if FAULT == "bad-arena":
                return raw(number, text, arena=1 << 40)
            if FAULT == "truncated":
                raw(number, text[:-3], json_bytes=len(text))
                os._exit(0)
        return super().send(number, answer, results)


server = Faulty(Doubler())
try:
    while server.serve_one():
        pass
except (EOFError, BrokenPipeError, ConnectionResetError):
    pass
