"""What a Python adapter says of its process: the processor, the libraries that are loaded, the environment it cleared."""

import contextlib
import hashlib
import os
import pathlib
import platform
import re
import sys

from bitpact_worker import Refusal

# Those that arithmetic can depend on, in /proc/cpuinfo's spellings (the list of src/backends/cpu.cpp).
ARITHMETIC_FEATURES = frozenset(
    "sse2 ssse3 sse4_1 sse4_2 avx avx2 fma fma4 f16c avx512f avx512dq avx512bw avx512vl avx512cd avx512ifma avx512_vnni "
    "avx512_bf16 avx512_fp16 avx512_vbmi avx512vbmi avx_vnni avx_ifma amx_tile amx_bf16 amx_int8 amx_fp16 avx10 fphp asimd "
    "asimdhp asimdfhm asimddp bf16 i8mm sve sve2 svebf16 sme sme2 fcma".split()
)


@contextlib.contextmanager
def importing(package):
    """Turns a package that cannot be imported into the refusal that a person can read."""
    try:
        yield
    except ImportError as error:
        raise Refusal("backend-absent", f"{sys.executable} cannot import {package}: {error}") from None


def forget(*patterns):
    """Takes variables out of this process's environment, before a runtime that would read them is imported."""
    for name in list(os.environ):
        if any(re.fullmatch(pattern, name) for pattern in patterns):
            del os.environ[name]


def digest(path):
    with open(path, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def loaded(pattern):
    """Paths of the loaded libraries whose file names match, sorted; empty where the system does not say (macOS)."""
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}
    except OSError:
        return []
    return sorted(path for path in paths if re.search(pattern, path.rsplit("/", 1)[-1]))


def beside(module_file, pattern):
    """The one file in a package's folder whose name matches; no import is needed to ask."""
    folder = pathlib.Path(module_file).parent
    found = [path for path in folder.iterdir() if re.search(pattern, path.name)]
    if len(found) != 1:
        raise Refusal("backend-absent", f"{len(found)} files in {folder} match {pattern}; one is expected")
    return str(found[0])


def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def thread_count(options, default):
    """The option `threads`, or `default`."""
    text = options.get("threads", str(default))
    if not re.fullmatch(r"[1-9][0-9]{0,3}", text):
        raise Refusal("backend-option", f"threads={text}: a number from 1 to 9999 expected")
    return int(text)


def processor():
    """The processor by name, with the features that arithmetic can depend on: the target in an identity."""
    fields = {}
    try:
        with open("/proc/cpuinfo") as cpuinfo:
            for line in cpuinfo:
                if not line.strip():
                    break
                key, _, value = line.partition(":")
                fields[key.strip()] = value.strip()
    except OSError:
        return f"{platform.machine()} {platform.processor() or 'unobserved'}"
    text = platform.machine()
    if "model name" in fields:
        text += f" {fields['model name']} (family {fields['cpu family']}, model {fields['model']}, stepping {fields['stepping']})"
    elif "CPU part" in fields:
        text += f" implementer {fields['CPU implementer']} part {fields['CPU part']} variant {fields['CPU variant']}"
    else:
        return text + " unobserved"
    features = set(fields.get("flags", fields.get("Features", "")).split()) & ARITHMETIC_FEATURES
    return " ".join([text, *("+" + feature for feature in sorted(features))])
