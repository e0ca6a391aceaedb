#!/usr/bin/env python3
"""The operand recipe, written from docs/operands.md alone, in plain Python integers.

Prints the golden file of the C++ test: python3 tests/operators/recipe_reference.py > tests/operators/recipe_golden.json
"""

import hashlib
import json
import sys

MASK64 = (1 << 64) - 1
CLASSES = ["normal", "wide", "cancellation", "ties", "subnormal", "special"]
SEQUENCE = (
    "normal wide cancellation normal ties normal wide subnormal normal cancellation special normal wide ties normal cancellation"
).split()
# name: (width, fraction bits, bias)
FLOATS = {"f64": (64, 52, 1023), "f32": (32, 23, 127), "tf32": (19, 10, 127), "bf16": (16, 7, 127), "f16": (16, 10, 15)}
FLOATS |= {"f8E5M2": (8, 2, 15), "f8E5M2FNUZ": (8, 2, 16), "f8E4M3FN": (8, 3, 7), "f8E4M3FNUZ": (8, 3, 8)}
FLOATS |= {"f4E2M1FN": (4, 1, 1), "f8E8M0FNU": (8, 0, 127)}
STORED = {"tf32": 4}
# name: exponents of wide, LARGE, exponents of MIDDLE, of normal, of the powers of two
RANGES = {
    "f64": ((-250, 250), 26, (-2, 2), (-2, 2), (-1, 1)),
    "f16": ((-7, 3), 5, (3, 7), (-2, 2), (-1, 1)),
    "f8E5M2": ((-7, 3), 5, (-2, 2), (-2, 2), (-1, 1)),
    "f8E5M2FNUZ": ((-7, 3), 5, (-2, 2), (-2, 2), (-1, 1)),
    "f8E4M3FN": ((-3, 3), 5, (-1, 3), (-2, 2), (-1, 1)),
    "f8E4M3FNUZ": ((-3, 3), 5, (-1, 3), (-2, 2), (-1, 1)),
    "f4E2M1FN": ((0, 2), 2, (0, 1), (0, 2), (0, 2)),
}
for name in ("f32", "tf32", "bf16", "f8E8M0FNU"):
    RANGES[name] = ((-30, 30), 12, (-2, 2), (-2, 2), (-1, 1))


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
    return z ^ z >> 31


def S(seed, n):
    return mix(seed + (n + 1) * 0x9E3779B97F4A7C15 & MASK64)


class Element:
    """One element: its words, and where it stands."""

    def __init__(self, seed, o, operands, contracted, c, k, K, L):
        self.base = S(seed, 0)
        self.o, self.operands, self.contracted, self.c, self.k, self.K, self.L = o, operands, contracted, c, k, K, L
        self.e = c * K + k
        self.w0, self.w1 = self.W(o, self.e, 0), self.W(o, self.e, 1)
        self.r0 = S(S(self.base, 2 * o + 1), 2 * c)
        self.r1 = S(S(self.base, 2 * o + 1), 2 * c + 1)
        self.sign = self.w0 >> 63
        self.theme = c // L + 2 * o + mix(S(self.base, 2 * o + 1))

    def W(self, o, e, which):
        return S(S(self.base, 2 * o), 2 * e + which)


class Float:
    def __init__(self, name):
        self.name = name
        self.width, self.M, self.bias = FLOATS[name]
        self.stored = STORED.get(name, max(self.width, 8) // 8)
        self.wide_exponents, self.LARGE, self.MIDDLE, self.normal_exponents, self.powers = RANGES[name]
        self.signed = name != "f8E8M0FNU"
        self.minus_zero = not name.endswith("UZ") and self.signed
        magnitudes = 1 << (self.width - self.signed)
        self.least = 1 if self.signed else 0
        self.smallest_normal = 1 << self.M if self.signed else 0
        if name.endswith("FNUZ"):
            self.largest, self.nan = magnitudes - 1, magnitudes
        elif name == "f4E2M1FN":
            self.largest = self.nan = magnitudes - 1
        elif name in ("f8E4M3FN", "f8E8M0FNU"):
            self.largest, self.nan = magnitudes - 2, magnitudes - 1
        else:
            self.inf = magnitudes - (1 << self.M)
            self.nan = self.inf | 1 << (self.M - 1)
            self.largest = self.inf - 1
        if not hasattr(self, "inf"):
            self.inf = self.largest

    def raw(self, sign, magnitude):
        if not self.signed or (magnitude == 0 and not self.minus_zero):
            sign = 0
        return sign << (self.width - 1) | magnitude

    def pick(self, exponents, word):
        low, high = exponents
        return low + word % (high - low + 1)

    def F(self, sign, e, f):
        return self.raw(sign, (e + self.bias) << self.M | f % (1 << self.M))

    def I(self, sign, n, e):
        top = n.bit_length() - 1
        assert top <= self.M
        return self.F(sign, top + e, n << (self.M - top))

    def normal(self, x):
        return self.F(x.sign, self.pick(self.normal_exponents, x.w1), x.w0)

    def wide(self, x):
        return self.F(x.sign, self.pick(self.wide_exponents, x.w1), x.w0)

    def cancellation(self, x):
        if not self.signed:
            return self.normal(x)
        if x.contracted:
            j = x.k % 4
            g = x.k - j
            if j % 2 == 1 or g + 2 >= x.K:
                return self.normal(x)
            v0, v1 = x.W(x.o, x.c * x.K + g, 0), x.W(x.o, x.c * x.K + g, 1)
            if x.o == 0:
                return self.F(v0 >> 63 ^ (j == 2), self.LARGE, v0)
            return self.F(0, self.pick(self.powers, v1), 0)
        m = self.M - (self.M + 2) // 2
        p = self.pick(self.MIDDLE, x.W(0, x.e, 1))
        f = [x.W(i, x.e, 0) % (1 << m) | 1 for i in (0, 1)]
        return [self.F(0, p, f[0]), self.F(1, p, f[1]), self.F(0, 2 * p, f[0] + f[1])][min(x.o, 2)]

    def ties(self, x):
        M = self.M
        if not self.signed or (M == 1 and (x.contracted or x.operands > 1)):
            return self.normal(x)
        if x.contracted:
            P = M + 1 if M + 1 >= 24 or x.r0 % 2 == 1 or M == 3 else 24
            h = P // 2 + 1
            odd = 1 + 2 * (x.w1 % 4)
            if x.o == 0:
                return self.I(x.r0 >> 1 & 1, 5, P - 2 - h) if x.k == 0 else self.I(x.sign, odd, -h)
            return self.F(0, 0, 0) if x.k == 0 else self.I(x.sign, odd, 0)
        if x.operands == 1:
            lengths = [n for n in (9, 12, 25) if n <= M + 1] or [M + 1]
            n = lengths[x.w1 % len(lengths)]
            return self.I(x.sign, 1 << (n - 1) | x.w0 % (1 << (n - 1)) | 1, -1)
        if M == 2:
            return self.I(x.sign, 3, 0 if x.o == 0 else -2)
        if M == 3:
            even = x.W(0, x.e, 1) % 2 == 0
            if x.o == 0:
                return self.I(x.sign, 7, -1) if even else self.I(x.sign, 3, 0)
            return self.I(x.sign, 3 if even else 7, -3)
        p, q = (M + 4) // 2, (M + 3) // 2
        u = M + 1 - (M + 2 - q) // 2
        if x.o == 0:
            return self.I(x.sign, (1 << (p - 1)) + (x.w0 % (1 << (p - 3)) | 3), M + 2 - p - u)
        return self.I(x.sign, (1 << (q - 1)) + (x.w0 % (1 << (q - 3)) | 1), -u)

    def subnormal(self, x):
        v = x.w1 >> 8
        if not self.signed:
            return v % 4
        if (x.r0 % 2 == 1 and x.k % 4 == 0) if x.contracted else x.w1 % 4 == 0:
            return self.F(x.sign, 0, 0)
        if (x.w1 >> 2) % 4 == 3:
            return self.F(x.sign, 1 - self.bias + v % 2, x.w0)
        return self.raw(x.sign, (x.w0 % (1 << self.M) >> v % self.M) or 1)

    def special(self, x):
        smallest_normal = self.smallest_normal
        if not x.contracted:
            one = self.bias << self.M
            values = [
                (0, 0),
                (1, 0),
                (0, self.inf),
                (1, self.inf),
                (0, self.nan),
                (0, self.largest),
                (1, self.largest),
                (0, smallest_normal),
                (1, smallest_normal),
                (0, self.least),
                (1, self.least),
                (0, one),
            ]
            pick = x.w1 % 16
            return self.raw(*values[pick]) if pick < len(values) else self.normal(x)
        A, B = x.r0 % x.K, x.r1 % x.K
        theme = x.theme % 8
        if theme == 0 and x.k == A:
            return self.raw(x.r1 >> 63, self.inf)
        if theme == 1 and x.k == A:
            return self.nan
        if theme == 2 and x.k in (A, B):
            return self.raw(0 if x.k == A else 1, self.inf)
        if theme == 3:
            return self.raw(x.sign, 0)
        if theme == 4:
            return self.raw(1, 0)
        if theme == 5 and x.k in (A, B):
            return self.raw(x.sign, self.largest)
        if theme == 6:
            return self.raw(x.sign, (smallest_normal, self.least, 0)[x.w1 % 3])
        if theme == 7 and x.w1 % 4 == 0:
            return self.raw(x.sign, 0)
        return self.normal(x)


class Integer:
    def __init__(self, name):
        self.signed = not name.startswith("ui")
        self.width = int(name.lstrip("ui"))
        self.stored = max(self.width, 8) // 8

    def normal(self, x):
        return (x.w0 >> 60) - (8 if self.signed else 0)

    def wide(self, x):
        return x.w0

    def cancellation(self, x):
        if not x.contracted:
            return x.w1 % 3 - 1 - x.W(0, x.e, 0) if x.o == 1 else x.w0
        j = x.k % 4
        g = x.k - j
        if j % 2 == 1 or g + 2 >= x.K:
            return self.normal(x)
        if x.o > 0:
            return 1 + x.W(x.o, x.c * x.K + g, 1) % 2
        return x.W(0, x.c * x.K + g, 0) * (-1 if j == 2 else 1)

    def ties(self, x):
        sign = -1 if self.signed and x.sign else 1
        lengths = [n for n in (9, 12, 25, 54) if n <= self.width - self.signed]
        if x.contracted or not lengths:
            return sign * (1 + 2 * (x.w1 % 4))
        n = lengths[x.w1 % len(lengths)]
        return sign * (1 << (n - 1) | x.w0 % (1 << (n - 1)) | 1)

    def subnormal(self, x):
        return x.w1 % 3 - 1 if self.signed else x.w1 % 2

    def special(self, x):
        least = -(1 << (self.width - 1)) if self.signed else 0
        greatest = least + (1 << self.width) - 1
        if x.contracted and x.theme % 4 < 3:
            return greatest if (0, 1, x.k % 2)[x.theme % 4] == 0 else least
        return [least, greatest, least + 1, greatest - 1, 0, 1, -1, 0x5555555555555555][x.w1 % 8]


class Boolean:
    width, stored = 8, 1

    def __getattr__(self, name):
        return lambda x: x.w0 >> 63


def parse(recipe):
    words = recipe.split(" ")
    assert words[0] == "bitpact-operands/2"
    settings = dict(word.split("=") for word in words[1:])
    return int(settings.get("seed", "1")), settings.get("classes", ",".join(CLASSES)).split(",")


def row_major(shape):
    index = [0] * len(shape)
    count = 1
    for extent in shape:
        count *= extent
    for _ in range(count):
        yield index
        for axis in reversed(range(len(shape))):
            index[axis] += 1
            if index[axis] < shape[axis]:
                break
            index[axis] = 0


def flat(order, axes, index, shape):
    value, total = 0, 1
    for axis in order:
        if axis in axes:
            at = axes.index(axis)
            value = value * shape[at] + index[at]
            total *= shape[at]
    return value, total


def operands(recipe, specs, result_axes):
    if recipe.endswith(" enumerate"):
        (spec,) = specs
        name = spec["format"]
        width = 1 if name == "i1" else FLOATS[name][0] if name in FLOATS else int(name.lstrip("ui"))
        stored = max(width, 8) // 8
        count = sum(1 for _ in row_major(spec["shape"]))
        return [b"".join((i % (1 << width)).to_bytes(stored, "little") for i in range(count))]
    if " bits=" in recipe:
        given = [int(word, 16) for word in recipe.split(" bits=")[1].split(",")]
        made = []
        for spec in specs:
            stored = max(FLOATS[spec["format"]][0] if spec["format"] in FLOATS else int(spec["format"].lstrip("ui")), 8) // 8
            count = sum(1 for _ in row_major(spec["shape"]))
            made.append(b"".join(given[i % len(given)].to_bytes(stored, "little") for i in range(count)))
        return made
    seed, classes = parse(recipe)
    sequence = [name for name in SEQUENCE if name in classes]
    L = len(sequence)
    contracted_axes = []
    for spec in specs:
        contracted_axes += [a for a in spec["axes"] if a not in result_axes and a not in contracted_axes]
    result = []
    for o, spec in enumerate(specs):
        name, shape, axes = spec["format"], spec["shape"], spec["axes"]
        values = Boolean() if name == "i1" else Float(name) if name in FLOATS else Integer(name)
        contracted = any(a in contracted_axes for a in axes)
        data = bytearray()
        for index in row_major(shape):
            c, _ = flat(result_axes, axes, index, shape)
            k, K = flat(contracted_axes, axes, index, shape)
            position = c % L if o == 0 else (c + c // L**o) % L
            x = Element(seed, o, len(specs), contracted, c, k, K, L)
            bits = getattr(values, sequence[position])(x) % (1 << values.width)
            data += bits.to_bytes(values.stored, "little")
        result.append(bytes(data))
    return result


def operand(fmt, shape, axes):
    return {"format": fmt, "shape": shape, "axes": axes.split()}


DEFAULT = "bitpact-operands/2 seed=1 classes=" + ",".join(CLASSES)
PROBLEMS = [
    (DEFAULT, [operand("f32", [48, 37], "m k"), operand("f32", [37, 33], "k n")], "m n"),
    (DEFAULT, [operand("bf16", [37, 48], "k m"), operand("bf16", [33, 37], "n k")], "m n"),
    (
        "bitpact-operands/2 seed=18446744073709551615 classes=" + ",".join(CLASSES),
        [operand("f16", [3, 160, 9], "b0 m k"), operand("f16", [3, 9, 50], "b0 k n")],
        "b0 m n",
    ),
    (DEFAULT, [operand("f64", [130, 6], "o k")], "o"),
    (DEFAULT, [operand("f16", [40, 11, 13], "o k0 k1")], "o"),
    (DEFAULT, [operand("f32", [17, 33], "d0 d1")] * 3, "d0 d1"),
    (DEFAULT, [operand("bf16", [20, 30], "d0 d1")] * 2, "d0 d1"),
    (DEFAULT, [operand("f16", [20, 30], "d0 d1")] * 2, "d0 d1"),
    (DEFAULT, [operand("f64", [600], "d0")] * 2, "d0"),
    ("bitpact-operands/2 seed=7 classes=wide,ties,special", [operand("f32", [2000], "d0")], "d0"),
    ("bitpact-operands/2 seed=7 classes=ties,special", [operand("bf16", [500], "d0")], "d0"),
    ("bitpact-operands/2 seed=7 classes=ties,special", [operand("f16", [500], "d0")], "d0"),
    ("bitpact-operands/2 seed=7 classes=subnormal,ties", [operand("f64", [500], "d0")], "d0"),
    (DEFAULT, [operand("i8", [40, 9], "m k"), operand("ui8", [9, 40], "k n")], "m n"),
    (DEFAULT, [operand("i32", [300], "d0"), operand("i32", [300], "d0"), operand("ui64", [300], "d0")], "d0"),
    (DEFAULT, [operand("i64", [300], "d0"), operand("ui16", [300], "d0"), operand("i1", [300], "d0")], "d0"),
    (DEFAULT, [operand("i16", [300], "d0"), operand("ui32", [300], "d0")], "d0"),
    (DEFAULT, [operand("f32", [5, 6], "d0 d1"), operand("f32", [], "")], "d0 d1"),
    (DEFAULT, [operand("tf32", [40, 37], "m k"), operand("tf32", [37, 33], "k n")], "m n"),
    (DEFAULT, [operand("f8E5M2", [150, 37], "m k"), operand("f8E4M3FN", [37, 150], "k n")], "m n"),
    (DEFAULT, [operand("f8E4M3FNUZ", [150, 37], "m k"), operand("f8E5M2FNUZ", [37, 150], "k n")], "m n"),
    (DEFAULT, [operand("f4E2M1FN", [150, 64], "m k"), operand("f8E8M0FNU", [64, 150], "k n")], "m n"),
    *[
        (DEFAULT, [operand(name, [20, 50], "d0 d1")] * 3, "d0 d1")
        for name in ("tf32", "f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "f4E2M1FN", "f8E8M0FNU", "i4", "ui4")
    ],
    *[
        (DEFAULT, [operand(name, [700], "d0")], "d0")
        for name in ("tf32", "f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "f4E2M1FN", "f8E8M0FNU")
    ],
    (DEFAULT, [operand("i4", [40, 9], "m k"), operand("ui4", [9, 40], "k n")], "m n"),
    ("bitpact-operands/2 enumerate", [operand("f8E4M3FN", [300], "d0")], "d0"),
    ("bitpact-operands/2 enumerate", [operand("ui4", [40], "d0")], "d0"),
    ("bitpact-operands/2 enumerate", [operand("bf16", [256, 256], "d0 d1")], "d0 d1"),
    ("bitpact-operands/2 enumerate", [operand("i8", [700], "d0")], "d0"),
    ("bitpact-operands/2 bits=0x42b00001,0x1,0xff800000", [operand("f32", [2, 5], "d0 d1"), operand("i64", [7], "d0")], "d0 d1"),
]


def main():
    golden = []
    for recipe, specs, result_axes in PROBLEMS:
        digest = hashlib.sha256()
        for data in operands(recipe, specs, result_axes.split()):
            digest.update(data)
        golden.append(
            {"recipe": recipe, "operands": specs, "result_axes": result_axes.split(), "sha256": "sha256:" + digest.hexdigest()}
        )
    print("[\n" + ",\n".join(json.dumps(entry) for entry in golden) + "\n]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
