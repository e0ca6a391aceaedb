#!/usr/bin/env python3
"""Blocks encoded with ml_dtypes' casts, the rules written once more in Python.

Prints the golden file of block_test.cpp: block_reference.py > tests/number/block_golden.txt
"""

import math
import sys
from fractions import Fraction

import ml_dtypes
import numpy as np

FORMATS = {  # name: element, its emax, its largest value, block
    "mxfp8-e4m3": (ml_dtypes.float8_e4m3fn, 8, 448, 32),
    "mxfp8-e5m2": (ml_dtypes.float8_e5m2, 15, 57344, 32),
    "mxfp4": (ml_dtypes.float4_e2m1fn, 2, 6, 32),
    "nvfp4": (ml_dtypes.float4_e2m1fn, 2, 6, 16),
}


def sticky_f32(value):
    """A rational as an f32 rounded to odd, which a cast to a format of few bits rounds as it would the rational."""
    nearest = np.float32(float(value))
    if Fraction(float(nearest)) == value or value == 0:
        return nearest
    if abs(Fraction(float(nearest))) > abs(value):
        nearest = np.nextafter(nearest, np.float32(0))
    return (nearest.view(np.uint32) | np.uint32(1)).view(np.float32)


def cast(value, dtype, largest):
    clipped = max(min(value, Fraction(largest)), Fraction(-largest))
    return int(sticky_f32(clipped).astype(dtype).view(np.uint8))


def encode(name, values, whole):
    element, emax, largest, _ = FORMATS[name]
    exact = [Fraction(float(v)) for v in values]
    greatest = max(abs(v) for v in exact)
    if name == "nvfp4":
        bits = cast(greatest / (6 * Fraction(float(whole))), ml_dtypes.float8_e4m3fn, 448)
        scale = Fraction(float(np.uint8(bits).view(ml_dtypes.float8_e4m3fn))) * Fraction(float(whole))
    else:
        shared = math.frexp(float(greatest))[1] - 1 - emax if greatest else -127
        bits = max(-127, min(127, shared)) + 127
        scale = Fraction(2) ** (bits - 127)
    sign = 0x8 if element is ml_dtypes.float4_e2m1fn else 0x80
    elements = []
    for value, number in zip(values, exact, strict=True):
        code = cast(number / scale, element, largest) if scale else 0
        elements.append(code & (sign - 1) | (sign if np.signbit(value) else 0))
    return bits, elements


def main():
    random = np.random.default_rng(7)
    for i in range(400):
        name = list(FORMATS)[i % 4]
        size = FORMATS[name][3]
        middle = random.integers(-149, 127)
        values = np.ldexp(random.uniform(-1, 1, size), int(middle) - random.integers(0, 9, size)).astype(np.float32)
        if i % 3 == 0:  # few bits: ties
            values = (values.view(np.uint32) & np.uint32(0xFFE00000)).view(np.float32)
        values[random.integers(0, 12, size) == 0] = -0.0
        whole = np.float32(2.0 ** random.integers(-20, 20) * 1.37) if name == "nvfp4" and i % 8 == 3 else np.float32(1)
        bits, elements = encode(name, values, whole)
        print(
            name,
            f"{whole.view(np.uint32):x} {bits:x} {size}",
            *(f"{v:x}" for v in values.view(np.uint32)),
            *(f"{e:x}" for e in elements),
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
