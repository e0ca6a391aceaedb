"""What the processor here has: which of a runtime's kernels runs, and so which bits come out, depends on it."""

import pathlib

_WORDS = pathlib.Path("/proc/cpuinfo").read_text().split() if pathlib.Path("/proc/cpuinfo").exists() else []
FLAGS = frozenset(_WORDS)
# Kernels of sixteen f32, and byte products that are added in 32 bits at once.
WIDE = "avx512f" in FLAGS
# f16 is computed in registers of f16, and a compiler contracts there.
FP16 = "avx512_fp16" in FLAGS
VNNI = bool(FLAGS & {"avx512_vnni", "avx_vnni"})


def here(wide, narrow):
    """What was seen on processors with AVX-512 (Zen 4), and on those without (Zen 3)."""
    return wide if WIDE else narrow


def verdicts_here(table):
    """A table of verdicts as it is here: it was written on processors that compute f16 in f32. Without a contract compilers fuse where they do not."""

    def row_here(row):
        fuses = FP16 and row.startswith(("multiply_add ", "multiply_subtract ")) and "xf16" in row and "contract=" not in row
        return row.replace("expect=exact", "expect=differs") if fuses else row

    return "".join(row_here(row) + "\n" for row in table.splitlines())
