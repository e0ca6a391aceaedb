"""A worker that misbehaves as its first argument says, until a file named by the second exists; then it behaves.

The file lets a test see that the request after a fault works: the first process makes it. Every process that comes from here has
its path in its command line, so that a test can see whether one is left.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import bitpact_worker as protocol

FAULT, MARK = sys.argv[1], sys.argv[2]
BEHAVES = os.path.exists(MARK)
SLEEP = [sys.executable, "-c", "import time; time.sleep(1000)", MARK]


def raw(number, text, inline=b"", magic=protocol.MAGIC, version=protocol.VERSION, arena=0, json_bytes=None):
    size = len(text) if json_bytes is None else json_bytes
    os.write(protocol.SOCKET_FD, protocol.HEADER.pack(magic, version, 0, number, size, 0, len(inline), arena) + text + inline)


def raw_all(number, text):
    write_all(protocol.HEADER.pack(protocol.MAGIC, protocol.VERSION, 0, number, len(text), 0, 0, 0) + text)


def daemon():
    """A descendant that has left the group, the session, the environment and the family."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(SLEEP[0], SLEEP, {})
        os._exit(0)
    os.wait()


def write_all(data):
    view = memoryview(data)
    while view:
        view = view[os.write(protocol.SOCKET_FD, view) :]


class Doubler:
    def hello(self, device, options):
        if FAULT == "hangs-at-start" and not BEHAVES:
            open(MARK, "w").close()
            time.sleep(1000)
        if FAULT == "bad-hello":
            return {"name": "faulty"}
        target = f"process {os.getpid()}" if FAULT == "other-identity" else "python"
        identity = dict(backend="faulty", version="1", build="none", device="cpu", target=target, flags="none", threads="1", kernel="x")  # fmt: skip
        if FAULT == "says-host":
            identity["target"] = "host"
        hello = {"name": "faulty", "identity": identity, "ways": ["operator_call"]}
        return {**hello, "protocol": 2} if FAULT == "other-protocol" else hello

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
        if not os.path.exists(MARK) and FAULT != "changes":
            open(MARK, "w").close()
            self.misbehave(request)
        answer, results = super().answer_to(kind, request, payload)
        if not BEHAVES:
            change = {
                "wrong-rank": lambda a: a["results"][0].update(shape=[2, 4]),
                "more-results": lambda a: a.update(results=a["results"] * 2),
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
            if FAULT == "long-payload":
                results = [bytes(results[0]) + b"more"]
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
        if FAULT == "is-killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if FAULT == "crashes":
            ctypes.string_at(0)
        if FAULT == "leaves":
            os._exit(0)
        if FAULT == "dies-with-children":
            subprocess.Popen(SLEEP)
            daemon()
            os._exit(7)
        if FAULT == "hangs-up":
            os.close(protocol.SOCKET_FD)
            time.sleep(1000)
        if FAULT == "hangs":
            subprocess.Popen(SLEEP)  # a child of the worker must not outlive it either
            daemon()
            time.sleep(1000)
        if FAULT == "stops":
            os.kill(os.getpid(), signal.SIGSTOP)
        if FAULT == "drips":
            for _ in range(1000):
                os.write(protocol.SOCKET_FD, b"B")
                time.sleep(0.2)
        if FAULT == "floods-stderr":
            while True:
                os.write(2, b"x" * 4096)
        if FAULT == "floods-stdout":
            while True:
                os.write(1, b"x" * 4096)
        if FAULT == "floods-socket":
            while True:
                os.write(protocol.SOCKET_FD, b"x" * 4096)
        if FAULT == "allocates":
            self.kept = bytearray(4 << 30)
        if FAULT == "fills-memory":
            self.kept = b"x" * (4 << 30)
        if FAULT == "says-it-lacks-memory":
            raise MemoryError
        if FAULT == "ends-without-memory":
            print("terminate called after throwing an instance of 'std::bad_alloc'", file=sys.stderr, flush=True)
            os.abort()
        if FAULT == "shrinks-the-arena":
            os.ftruncate(protocol.ANSWER_ARENA_FD, 1 << 20)
            os.ftruncate(protocol.ANSWER_ARENA_FD, 0)
        if FAULT == "grows-the-arena":
            os.ftruncate(protocol.ANSWER_ARENA_FD, 1 << 40)
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
            if FAULT == "no-id":
                return raw(0, text, body)
            if FAULT == "answers-twice":
                answer = protocol.HEADER.pack(protocol.MAGIC, protocol.VERSION, 0, number, len(text), 0, len(body), 0)
                return write_all((answer + text + body) * 2)
            if FAULT == "long-json":
                return raw_all(number, b'{"ok": [' + b"0, " * (6 << 20) + b"0]}")
            if FAULT == "deep-json":
                return raw_all(number, b'{"ok": ' + b"[" * 500_000 + b"]" * 500_000 + b"}")
            if FAULT == "not-utf8":
                return raw(number, b'{"ok": "\xff"}')
            if FAULT == "two-payloads":
                return raw(number, text, body, arena=32)
            if FAULT == "long-inline":
                return raw(number, text, bytes(protocol.INLINE_LIMIT + 1))
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
        if FAULT == "talks-on":
            text = json.dumps(answer).encode()
            return write_all(
                protocol.HEADER.pack(protocol.MAGIC, protocol.VERSION, 0, number, len(text), 0, 0, 0) + text + b"more"
            )
        return super().send(number, answer, results)


server = Faulty(Doubler())
try:
    while server.serve_one():
        pass
except (EOFError, BrokenPipeError, ConnectionResetError):
    pass
