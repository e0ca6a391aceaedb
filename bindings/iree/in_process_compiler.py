"""IREE's compiler, in this process: text in, bytes out, its own words where it refuses."""

import ctypes
import re
import subprocess
import sys

import iree.compiler.api as api
from iree.compiler.api import ctypes_dl

# The embedding C API (iree/compiler/embedding_api.h) has two entries that the Python classes do not wrap.
_dylib = ctypes_dl._dylib
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t, ctypes.c_void_p)
_dylib.ireeCompilerInvocationEnableCallbackDiagnostics.argtypes = [ctypes.c_void_p, ctypes.c_int, _CALLBACK, ctypes.c_void_p]
_dylib.ireeCompilerInvocationEnableCallbackDiagnostics.restype = None
_dylib.ireeCompilerInvocationSetCompileToPhase.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_dylib.ireeCompilerInvocationSetCompileToPhase.restype = None

_ERROR = 2  # IREE_COMPILER_DIAGNOSTIC_SEVERITY_ERROR
_PROBE = "func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.add %a, %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"  # fmt: skip


class CompileError(Exception):
    """The compiler's first error line."""


def compile_text(text, flags, to_phase=None):
    """VM bytecode, or with `to_phase` the IR after that phase as text. Raises CompileError, or ValueError for a bad flag."""
    said = []

    def note(severity, message, size, _):
        if severity == _ERROR:
            said.append(ctypes.string_at(message, size).decode(errors="replace"))

    callback = _CALLBACK(note)  # must outlive the invocation
    session = api.Session()
    try:
        session.set_flags(*flags)
        invocation = session.invocation()
        try:
            _dylib.ireeCompilerInvocationEnableCallbackDiagnostics(invocation._inv_p, 0, callback, None)
            source = api.Source.wrap_buffer(session, text.encode() + b"\0")
            done = invocation.parse_source(source)
            if done and to_phase:
                _dylib.ireeCompilerInvocationSetCompileToPhase(invocation._inv_p, to_phase.encode())
            if not done or not invocation.execute():
                lines = [line for message in said for line in message.splitlines() if line.strip()]
                raise CompileError(lines[0] if lines else "the compiler failed and said nothing")
            output = api.Output.open_membuffer()
            try:
                invocation.output_ir(output) if to_phase else invocation.output_vm_bytecode(output)
                return bytes(output.map_memory())
            finally:
                output.close()
        finally:
            invocation.close()
    finally:
        session.close()


def resolved_target(flags):
    """(CPU, feature text, target triple) that the flags come to, read from the attribute that the compiler itself makes."""
    ir = compile_text(_PROBE, flags, to_phase="preprocessing").decode()
    attribute = re.search(r"#hal\.executable\.target<[^{]*\{([^}]*)\}", ir)
    if not attribute:
        raise CompileError("the compiler names no executable target")

    def field(name):
        found = re.search(rf'\b{name} = "([^"]*)"', attribute.group(1))
        return found.group(1) if found else ""

    return field("cpu"), field("cpu_features"), field("target_triple")


def enabled(features):
    """The features that a feature text leaves on: the last mention counts."""
    state = {}
    for feature in filter(None, features.split(",")):
        state[feature[1:]] = feature[0] == "+"
    return sorted(name for name, on in state.items() if on)


def complaint_about(flags):
    """What LLVM says about a CPU or feature that it does not know, or "". It then aborts or goes on without it, so another process
    asks. (Not a fork of this one: the compiler has threads.)"""
    asked = subprocess.run([sys.executable, "-P", __file__, *flags], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    lines = [line for line in asked.stderr.decode(errors="replace").splitlines() if line.strip()]
    ignored = [line for line in lines if "not a recognized" in line or "Unknown CPU" in line]
    if asked.returncode == 0 and not ignored:
        return ""
    known = [line for line in lines if line.startswith("List of accepted")]
    return "; ".join((ignored or lines or ["the compiler failed"])[:1] + known[:1])


if __name__ == "__main__":
    compile_text(_PROBE, sys.argv[1:])
