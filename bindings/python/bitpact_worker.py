"""The worker's side of Bitpact's protocol (docs/protocol.md) in Python. Needs nothing but the standard library.

A worker is an object with `hello(device, options)` and `call_operator(call)` and/or `run_stablehlo(call)`; `serve(worker)` does
the rest. A call's operands are Tensors; what it returns comes from `timed_runs`. A worker whose runtime reads operands where they lie
adds `"align": True` to what `hello` gives.
"""

import errno
import json
import math
import mmap
import os
import resource
import socket
import struct
import sys
import time

VERSION = 1
MAGIC = 0x31575042
SOCKET_FD, REQUEST_ARENA_FD, ANSWER_ARENA_FD = 3, 4, 5
INLINE_LIMIT = 64 * 1024
ALIGNMENT = 64
HEADER = struct.Struct("<IHHQIIQQ")
BYTES = {
    "f64": 8, "f32": 4, "tf32": 4, "bf16": 2, "f16": 2,
    "f8E5M2": 1, "f8E4M3FN": 1, "f8E5M2FNUZ": 1, "f8E4M3FNUZ": 1, "f4E2M1FN": 1, "f8E8M0FNU": 1,
    "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i4": 1, "ui64": 8, "ui32": 4, "ui16": 2, "ui8": 1, "ui4": 1, "i1": 1,
}  # fmt: skip


class Refusal(Exception):
    """A request that this worker does not run. `code` is one of those that docs/protocol.md lists."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Tensor:
    """A format (StableHLO's spelling), a shape, and row-major little-endian bytes (a memoryview of unsigned bytes)."""

    __slots__ = ("format", "shape", "data")

    def __init__(self, format, shape, data=None):
        self.format, self.shape, self.data = format, tuple(shape), data

    @property
    def nbytes(self):
        if self.format not in BYTES:
            raise Refusal("backend-lacks-format", f"unknown format {self.format}")
        return math.prod(self.shape) * BYTES[self.format]

    def spec(self):
        return {"format": self.format, "shape": list(self.shape)}


class Call:
    """What is asked: `operator` and `attributes`, or `module`; `operands` with their data, `results` without."""

    def __init__(self, request, operands):
        self.operator = request.get("operator")
        self.attributes = request.get("attributes")
        self.module = request.get("module")
        self.operands = operands
        self.results = [Tensor(**spec) for spec in request["results"]]
        self.repeat = request["repeat"]
        self.warmup = request["warmup"]


class Report:
    """What a run gave. `results` are bytes-like, in the order and of the sizes that were asked for."""

    def __init__(self, results, run_ms, tag, kernel="unobserved", compile_ms=0.0, repeats_agree=True):
        self.results, self.run_ms, self.tag = results, run_ms, tag
        self.kernel, self.compile_ms, self.repeats_agree = kernel, compile_ms, repeats_agree


def timed_runs(call, run, read=lambda outputs: outputs, **about):
    """Calls `run()` warmup + repeat times, timing the repeats; `read(outputs)` turns its outputs into bytes-like objects. Every
    repeat's bytes are compared with the first's. `about` goes into the Report."""
    for _ in range(call.warmup):
        run()
    first, agree, times = None, True, []
    for _ in range(call.repeat):
        begin = time.perf_counter()
        outputs = run()
        times.append((time.perf_counter() - begin) * 1e3)
        results = read(outputs)
        if call.repeat > 1:
            raw = [bytes(result) for result in results]
            first = first or raw
            agree = agree and raw == first
    return Report(results, times, repeats_agree=agree, **about)


def layout(sizes, align=ALIGNMENT):
    """Where tensors lie in a payload: each at the next multiple of ALIGNMENT, and `align` bytes further where that is not
    ALIGNMENT itself. Gives offsets and the end of the last."""
    offsets, end = [], 0
    for size in sizes:
        begin = -(-end // ALIGNMENT) * ALIGNMENT + align % ALIGNMENT
        offsets.append(begin)
        end = begin + size
    return offsets, end


def peak_rss_bytes():
    try:
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Arena:
    """One of the two shared memories; mapped again only where the parent has made it larger."""

    def __init__(self, fd):
        os.set_inheritable(fd, False)
        self.fd, self.map, self.view = fd, None, memoryview(b"")

    def at_least(self, size):
        if size > len(self.view):
            there = os.fstat(self.fd).st_size
            if there < size:
                raise ValueError(f"the arena has {there} bytes, {size} are needed")
            # The old mapping goes when the last view of it does.
            self.map = mmap.mmap(self.fd, there)
            self.view = memoryview(self.map)
        return self.view


class Server:
    def __init__(self, worker):
        self.worker = worker
        self.socket = socket.socket(fileno=SOCKET_FD)
        os.set_inheritable(SOCKET_FD, False)
        self.request_arena, self.answer_arena = Arena(REQUEST_ARENA_FD), Arena(ANSWER_ARENA_FD)
        self.header = bytearray(HEADER.size)
        # A page's address: small tensors begin at the same addresses modulo ALIGNMENT as those in the arena.
        self.inline = memoryview(mmap.mmap(-1, INLINE_LIMIT))
        self.align = False  # what the worker said of itself

    def receive(self, size):
        buffer = bytearray(size)
        self.fill(buffer)
        return buffer

    def fill(self, buffer):
        view, got = memoryview(buffer), 0
        while got < len(view):
            count = self.socket.recv_into(view[got:])
            if count == 0:
                raise EOFError
            got += count

    def serve_one(self):
        """Answers one request; False after `shutdown`."""
        self.fill(self.header)
        magic, version, reserved, number, json_bytes, more, inline_bytes, arena_bytes = HEADER.unpack(self.header)
        if magic == MAGIC and version != VERSION:
            # Says which version it speaks: a frame of its own, which the parent refuses by that.
            self.socket.sendall(HEADER.pack(MAGIC, VERSION, 0, 0, 0, 0, 0, 0))
            raise ValueError(f"a request of protocol version {version}; this worker speaks {VERSION}")
        if (magic, reserved, more) != (MAGIC, 0, 0):
            raise ValueError("a request that does not follow the protocol")
        request = json.loads(self.receive(json_bytes))
        if inline_bytes > INLINE_LIMIT:
            raise ValueError("a request that does not follow the protocol")
        payload = self.inline[:inline_bytes]
        self.fill(payload)
        kind = request["request"]
        results = []
        try:
            if arena_bytes:
                payload = self.request_arena.at_least(arena_bytes)[:arena_bytes]
            answer, results = self.answer_to(kind, request, memoryview(payload))
            self.make_room(results)
        except Refusal as refusal:
            answer = {"ok": False, "error": {"code": refusal.code, "message": str(refusal)}}
        except MemoryError as error:
            answer, results = self.out_of_memory(error), []
        except Exception as error:  # a worker's own failure is an answer, too
            text = f"{type(error).__name__}: {error}"
            answer = {"ok": False, "error": {"code": "worker-refused", "message": text}}
            threadless = (
                "can't start new thread" in text and resource.getrlimit(resource.RLIMIT_DATA)[0] != resource.RLIM_INFINITY
            )
            if getattr(error, "errno", None) == errno.ENOMEM or "RESOURCE_EXHAUSTED" in text or threadless:
                answer = self.out_of_memory(text)
            results = []
        self.send(number, answer, results)
        return kind != "shutdown"

    @staticmethod
    def out_of_memory(words):
        return {"ok": False, "error": {"code": "worker-out-of-memory", "message": str(words) or "an allocation failed"}}

    def make_room(self, results):
        """Where there is no room for the answer, that is the answer."""
        _, total = layout([len(result) for result in results])
        if total > INLINE_LIMIT:
            self.answer_arena.at_least(total)

    def operands_of(self, request, payload):
        operands = [Tensor(**spec) for spec in request["operands"]]
        align = request.get("align", ALIGNMENT)
        if align != ALIGNMENT and not self.align:
            raise Refusal("backend-lacks-form", f"align={align}: it did not say that it takes it")
        offsets, _ = layout([operand.nbytes for operand in operands], align)
        for operand, offset in zip(operands, offsets):
            operand.data = payload[offset : offset + operand.nbytes]
        return operands

    def answer_to(self, kind, request, payload):
        if kind in ("ping", "shutdown"):
            return {"ok": True}, []
        if kind == "release":
            getattr(self.worker, "release", lambda: None)()
            return {"ok": True}, []
        if kind == "hello":
            said = self.worker.hello(request["device"], request["options"])
            self.align = said.get("align", False)
            return {"ok": True, "protocol": VERSION, **said}, []
        if kind == "echo":
            operands = self.operands_of(request, payload)
            return {"ok": True, "results": request["operands"]}, [operand.data for operand in operands]
        run = getattr(self.worker, kind, None) if kind in ("call_operator", "run_stablehlo") else None
        if run is None:
            raise Refusal("backend-lacks-form", f"it takes no `{kind}`")
        call = Call(request, self.operands_of(request, payload))
        report = run(call)
        results = [memoryview(result).cast("B") for result in report.results]
        moved = sum(len(result) for result in results) + sum(operand.nbytes for operand in call.operands)
        answer = {
            "ok": True,
            "results": request["results"],
            "run_ms": report.run_ms,
            "compile_ms": report.compile_ms,
            "peak_rss_bytes": peak_rss_bytes(),
            "transfer_bytes": moved,
            "tag": report.tag,
            "kernel": report.kernel,
            "repeats_agree": report.repeats_agree,
        }
        if [len(result) for result in results] != [wanted.nbytes for wanted in call.results]:
            raise Refusal("worker-refused", "the results have other sizes than those asked for")
        return answer, results

    def send(self, number, answer, results):
        text = json.dumps(answer).encode()
        offsets, total = layout([len(result) for result in results])
        in_arena = total > INLINE_LIMIT
        room = self.answer_arena.at_least(total) if in_arena else memoryview(bytearray(total))
        for offset, result in zip(offsets, results):
            room[offset : offset + len(result)] = result
        header = HEADER.pack(MAGIC, VERSION, 0, number, len(text), 0, 0 if in_arena else total, total if in_arena else 0)
        self.socket.sendall(header + text if in_arena or total == 0 else header + text + bytes(room))


def serve(worker):
    """Answers requests until the parent goes or asks the worker to stop."""
    try:
        os.fstat(SOCKET_FD)
    except OSError:
        sys.exit("this program is a worker: Bitpact starts it (docs/protocol.md)")
    server = Server(worker)
    try:
        while server.serve_one():
            pass
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent is gone: nobody is left to tell
