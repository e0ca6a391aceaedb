"""Operators against references of their own, choice by choice: exact rationals, Python's integers, NumPy's element arithmetic."""

import fractions
import itertools
import math

import ml_dtypes
import mpmath
import numpy
import pytest

EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    -2.5,
    0.1,
    3.0,
    1e-38,
    -1e-45,
    1.4e-45,
    3.4e38,
    -3.4e38,
    16777217.0,
    math.inf,
    -math.inf,
    math.nan,
]
FRACTION = fractions.Fraction


@pytest.fixture
def run(bitpact, tmp_path):
    def once(problem, operands, *choices):
        settings = [word for choice in choices for word in ("--set", choice)]
        made = bitpact("contract", problem, *settings, "-o", tmp_path / "contract.json")
        assert made.code == 0, made.err
        paths = []
        for i, operand in enumerate(operands):
            paths.append(tmp_path / f"{i}.npy")
            numpy.save(paths[-1], operand)
        attributes = [word for attribute in problem.split(" ")[2:] for word in ("--attribute", attribute)]
        ran = bitpact("run", tmp_path / "contract.json", *paths, *attributes, "-o", tmp_path / "result.npy")
        assert ran.code == 0, ran.err
        return numpy.load(tmp_path / "result.npy")

    return once


def same(got, wanted):
    wanted = numpy.asarray(wanted, dtype=got.dtype)
    if got.dtype.kind == "f":
        both_nan = numpy.isnan(got) & numpy.isnan(wanted)
        equal = both_nan | ((got == wanted) & (numpy.signbit(got) == numpy.signbit(wanted)))
    else:
        equal = got == wanted
    assert equal.all(), [(i, got.flat[i], wanted.flat[i]) for i in numpy.flatnonzero(~equal)[:5]]


def rounded(value, zero_sign=0.0):
    """The nearest f32 of a rational, ties to even."""
    if value == 0:
        return numpy.float32(zero_sign)
    sign, value = (-1 if value < 0 else 1), abs(value)
    exponent = max(math.floor(math.log2(value)) if value > FRACTION(1, 2**200) else -200, -126)
    while value >= FRACTION(2) ** (exponent + 1):
        exponent += 1
    while exponent > -126 and value < FRACTION(2) ** exponent:
        exponent -= 1
    unit = FRACTION(2) ** (exponent - 23)
    scaled = value / unit
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    whole += rest > FRACTION(1, 2) or (rest == FRACTION(1, 2) and whole % 2 == 1)
    result = float(whole * unit)
    return numpy.float32(sign * (result if result < 2.0**128 else math.inf))


def pairs():
    a, b = zip(*itertools.product(EDGES, EDGES))
    return numpy.array(a, dtype=numpy.float32), numpy.array(b, dtype=numpy.float32)


@pytest.mark.parametrize("quotient", ["divided", "reciprocal"])
def test_divide(run, quotient):
    a, b = pairs()
    with numpy.errstate(all="ignore"):
        wanted = a / b if quotient == "divided" else a * (numpy.float32(1) / b)
    same(run(f"divide {a.size}xf32,{a.size}xf32", [a, b], f"quotient={quotient}"), wanted)


@pytest.mark.parametrize("product", ["rounded", "first-fused", "second-fused"])
def test_multiply_subtract(run, product):
    random = numpy.random.default_rng(4)
    a, b, d = (random.standard_normal(512).astype(numpy.float32) for _ in range(3))
    c = (a * b / d).astype(numpy.float32)  # so that the products cancel

    def one(a, b, c, d):
        exact, other = FRACTION(float(a)) * FRACTION(float(b)), FRACTION(float(c)) * FRACTION(float(d))
        if product != "first-fused":
            exact = FRACTION(float(rounded(exact)))
        if product != "second-fused":
            other = FRACTION(float(rounded(other)))
        return rounded(exact - other)

    same(run("multiply_subtract " + ",".join(["512xf32"] * 4), [a, b, c, d], f"product={product}"), list(map(one, a, b, c, d)))


@pytest.mark.parametrize("tail", ["fused", "f64-storage"])
def test_a_last_product_that_is_added_otherwise(run, tail):
    """Fused: the sum of the rows and the exact product are rounded once. In f64: the product is rounded to f32 first."""
    random = numpy.random.default_rng(5)
    a, b = (random.standard_normal(shape).astype(numpy.float32) for shape in ((97, 3), (3, 5)))
    a[:, 0] = a[:, 1] * numpy.float32(-1.000001)  # so that the rows cancel, and the product decides
    b[0] = b[1]

    def one(i, j):
        rows = rounded(FRACTION(float(a[i, 0] * b[0, j])) + FRACTION(float(a[i, 1] * b[1, j])))
        last = FRACTION(float(a[i, 2])) * FRACTION(float(b[2, j]))
        if tail == "fused":
            return rounded(FRACTION(float(rows)) + last)
        return numpy.float32(float(rows) + float(a[i, 2] * b[2, j]))

    wanted = numpy.array([[one(i, j) for j in range(5)] for i in range(97)], dtype=numpy.float32)
    same(run("matmul 97x3xf32,3x5xf32", [a, b], "order=tailed(2, apart)", f"tail={tail}"), wanted)


@pytest.mark.parametrize("boundary", ["kept", "elided"])
@pytest.mark.parametrize("via", ["bf16", "f16"])
def test_convert_by_way_of(run, boundary, via):
    x = numpy.array([*EDGES, 1.00390625, 1.01, 3.1415927, 65520.0, 6e-8], dtype=numpy.float32)
    between = ml_dtypes.bfloat16 if via == "bf16" else numpy.float16
    with numpy.errstate(all="ignore"):
        wanted = x.astype(between).astype(numpy.float32) if boundary == "kept" else x
    same(run(f"convert {x.size}xf32 via={via}", [x], f"boundary={boundary}"), wanted)


@pytest.mark.parametrize("overflow", ["saturate", "wrap", "indefinite-i32", "indefinite-i32-saturated", "indefinite-i64"])
@pytest.mark.parametrize(("out", "bits", "signed"), [("i8", 8, True), ("ui8", 8, False), ("i32", 32, True), ("ui32", 32, False)])
def test_float_to_integer(run, overflow, out, bits, signed):
    beyond = [127.9, -128.9, 128.0, 200.0, 255.9, 256.0, 300.5, 2147483520.0, 2147483648.0, -2147483648.0, -2147484000.0, 3e9]
    beyond += [1e10, 9.2e18, 9.3e18, -9.3e18, 4294967040.0, 4294967296.0]
    if overflow.endswith("saturated") and bits == 32:
        pytest.skip("no choice of it")
    x = numpy.array([*EDGES, *beyond], dtype=numpy.float32)
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)

    def one(value):
        value = float(value)
        finite = math.isfinite(value)
        whole = math.trunc(value) if finite else 0
        if overflow == "saturate":
            return 0 if math.isnan(value) else high if value > high else low if value < low else whole
        if overflow.startswith("indefinite"):
            width = int(overflow.split("-")[1][1:])
            if not finite or not -(2 ** (width - 1)) <= whole < 2 ** (width - 1):
                whole = -(2 ** (width - 1))
        if overflow.endswith("saturated"):
            return min(max(whole, low), high)
        whole %= 2**bits
        return whole - 2**bits if signed and whole > high else whole

    same(run(f"convert {x.size}xf32 out={out}", [x], f"overflow={overflow}"), [one(value) for value in x])


def rows():
    values = [math.nan, -0.0, 0.0, 1.0, 5.0, -math.inf, math.inf]
    return numpy.array(list(itertools.product(values, repeat=3)), dtype=numpy.float32)


def takes(m, x, nan, zeros):
    """Whether x, the later, is taken over m."""
    m_nan, x_nan = math.isnan(m), math.isnan(x)
    if m_nan or x_nan:
        return {"propagates": x_nan and not m_nan, "ignored": m_nan, "leading": False, "trailing": True}[nan]
    if m == x == 0:
        return {"ordered": math.copysign(1, x) > math.copysign(1, m), "earlier": False, "later": True}[zeros]
    return x > m or (x == m and zeros == "later")


@pytest.mark.parametrize("nan", ["propagates", "ignored", "leading", "trailing"])
@pytest.mark.parametrize("zeros", ["ordered", "earlier", "later"])
@pytest.mark.parametrize("start", ["first", "lowest"])
def test_max(run, nan, zeros, start):
    if start == "lowest" and nan not in ("ignored", "leading"):
        return
    x = rows()

    def one(row):
        chain = list(row) if start == "first" else [-math.inf, *row]
        m = chain[0]
        for value in chain[1:]:
            if takes(m, value, nan, zeros):
                m = value
        return m

    same(run(f"max {len(x)}x3xf32 axis=1", [x], f"nan={nan}", f"zeros={zeros}", f"start={start}"), [one(row) for row in x])


@pytest.mark.parametrize("nan", ["propagates", "ignored", "leading", "skipped"])
@pytest.mark.parametrize("ties", ["first", "last"])
def test_argmax(run, nan, ties):
    x = rows()

    def one(row):
        numbers = [v for v in row if not math.isnan(v)]
        nans = [i for i, v in enumerate(row) if math.isnan(v)]
        if nan == "propagates" and nans:
            return nans[0] if ties == "first" else nans[-1]
        if nan == "leading" and nans and nans[0] == 0:
            return 0
        if not numbers:
            return 0
        best = max(numbers)
        if nan == "skipped" and best == -math.inf and ties == "first":
            return 0  # nothing is above -inf
        places = [i for i, v in enumerate(row) if v == best]
        return places[0] if ties == "first" else places[-1]

    same(run(f"argmax {len(x)}x3xf32 axis=1", [x], f"nan={nan}", f"ties={ties}"), [one(row) for row in x])


ARRAYS = {"f32": numpy.float32, "f16": numpy.float16}


def awkward_rows(format, count=24, n=37):
    """Rows whose sums round at nearly every step, some that cancel."""
    random = numpy.random.default_rng(7)
    x = random.standard_normal((count, n)) * 2.0 ** random.integers(-6, 7, (count, n))
    x[::3, n // 2 :] = -x[::3, : n - n // 2]
    return x.astype(ARRAYS[format])


def chain(row, carry, first):
    """The running sums of a row, each rounded to `carry`."""
    sums, total = [], None if first else carry(0)
    for value in row:
        total = carry(value) if total is None else carry(carry(value) + total)
        sums.append(total)
    return sums


@pytest.mark.parametrize("format", ["f32", "f16"])
@pytest.mark.parametrize("sum_is", ["kept", "rounded"])
@pytest.mark.parametrize("epilogue", ["divided", "reciprocal"])
def test_mean(run, format, sum_is, epilogue):
    x = awkward_rows(format)
    n, result = x.shape[1], ARRAYS[format]

    def one(row):
        total = chain(row, numpy.float32, False)[-1]
        computed = numpy.float32 if sum_is == "kept" else result
        total = computed(total)
        factor = computed(n) if epilogue == "divided" else computed(numpy.float32(1.0 / n))
        return result(total / factor if epilogue == "divided" else total * factor)

    choices = [f"sum={sum_is}", f"epilogue={epilogue}"]
    same(run(f"mean {x.shape[0]}x{n}x{format} axis=1", [x], *choices), [one(row) for row in x])


def test_the_reciprocal_of_n_is_rounded_by_way_of_f32(run):
    """8283 is the first n whose 1/n is another f16 then."""
    n = 8283
    assert numpy.float16(numpy.float32(1 / n)) != numpy.float16(1 / n)
    x = numpy.ones((1, n), dtype=numpy.float16)
    got = run(f"mean 1x{n}xf16 axis=1", [x], "sum=rounded", "epilogue=reciprocal")
    same(got, [numpy.float16(n) * numpy.float16(numpy.float32(1 / n))])
    assert got[0] != numpy.float16(n) * numpy.float16(1 / n)


@pytest.mark.parametrize("accumulator", ["f32", "f16"])
@pytest.mark.parametrize("start", ["zero", "first"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
def test_cumsum(run, accumulator, start, reverse, exclusive):
    x = awkward_rows("f16")
    x[0, :3] = x[1, -3:] = -0.0

    def one(row):
        row = row[::-1] if reverse else row
        sums = [numpy.float16(v) for v in chain(row, ARRAYS[accumulator], start == "first")]
        if exclusive:
            sums = [numpy.float16(0), *sums[:-1]]
        return sums[::-1] if reverse else sums

    turned = f"exclusive={str(exclusive).lower()} reverse={str(reverse).lower()}"
    choices = [f"accumulator={accumulator}", f"start={start}"]
    same(run(f"cumsum {x.shape[0]}x{x.shape[1]}xf16 axis=1 {turned}", [x], *choices), [one(row) for row in x])
    # The same along the other axis.
    got = run(f"cumsum {x.shape[1]}x{x.shape[0]}xf16 axis=0 {turned}", [numpy.ascontiguousarray(x.T)], *choices)
    same(got.T, [one(row) for row in x])


@pytest.mark.parametrize("product", ["rounded", "fused"])
def test_dot(run, product):
    x, y = awkward_rows("f32", 1, 300)[0], awkward_rows("f32", 2, 300)[1]
    total = FRACTION(0)
    for a, b in zip(x, y, strict=True):
        exact = FRACTION(float(a)) * FRACTION(float(b))
        total = FRACTION(float(rounded(total + (exact if product == "fused" else FRACTION(float(rounded(exact)))))))
    same(run("dot 300xf32,300xf32", [x, y], f"product={product}"), float(total))


BYTES = {"ui8": numpy.uint8, "i8": numpy.int8}


@pytest.mark.parametrize("accumulator", ["i32", "i16-pairs"])
@pytest.mark.parametrize("unsigned", ["kept", "read-as-signed"])
@pytest.mark.parametrize(("a", "b"), [("ui8", "i8"), ("i8", "ui8"), ("ui8", "ui8"), ("i8", "i8")])
@pytest.mark.parametrize("k", [6, 7])
def test_integer_matmul(run, accumulator, unsigned, a, b, k):
    if unsigned == "read-as-signed" and (a, b) == ("i8", "i8"):
        return
    random = numpy.random.default_rng(11)
    x, y = random.integers(0, 256, (5, k)).astype(numpy.uint8), random.integers(0, 256, (k, 4)).astype(numpy.uint8)
    x[0], y[:, 0] = 255, 127
    x, y = x.view(BYTES[a]), y.view(BYTES[b])

    def value(element):
        element = int(element)
        return element - 256 if unsigned == "read-as-signed" and element > 127 else element

    def one(row, column):
        products = [value(p) * value(q) for p, q in zip(row, column, strict=True)]
        if accumulator == "i16-pairs":
            products = [min(max(sum(products[i : i + 2]), -(2**15)), 2**15 - 1) for i in range(0, k, 2)]
        return sum(products)

    choices = [f"accumulator={accumulator}", f"unsigned={unsigned}"]
    wanted = [[one(row, column) for column in y.T] for row in x]
    same(run(f"integer_matmul 5x{k}x{a},{k}x4x{b}", [x, y], *choices), wanted)


def test_a_sum_of_integers_wraps(run):
    n = 2**31 // (255 * 127) + 1
    x, y = numpy.full((1, n), 255, numpy.uint8), numpy.full((n, 1), 127, numpy.int8)
    same(run(f"integer_matmul 1x{n}xui8,{n}x1xi8", [x, y]), [[n * 255 * 127 - 2**32]])


@pytest.mark.parametrize("operator", ["reciprocal", "sqrt"])
def test_one_operation(run, operator):
    every = numpy.arange(65536, dtype=numpy.uint16).view(numpy.float16)
    with numpy.errstate(all="ignore"):
        wide = every.astype(numpy.float32)
        wanted = (numpy.float32(1) / wide if operator == "reciprocal" else numpy.sqrt(wide)).astype(numpy.float16)
        # Twice rounded is once rounded here: f32 has more than twice the bits of f16, and two.
        for result in ("once", "f32-first"):
            same(run(f"{operator} 65536xf16", [every], f"result={result}"), wanted)
        x = numpy.array(EDGES, dtype=numpy.float32)
        same(run(f"{operator} {x.size}xf32", [x]), 1 / x if operator == "reciprocal" else numpy.sqrt(x))


@pytest.mark.parametrize("root", ["unrounded", "rounded", "f32-rounded"])
def test_rsqrt(run, root):
    every = numpy.arange(65536, dtype=numpy.uint16).view(numpy.float16)
    with numpy.errstate(all="ignore"):
        computed = {"unrounded": numpy.float64, "rounded": numpy.float16, "f32-rounded": numpy.float32}[root]
        wanted = (computed(1) / numpy.sqrt(every.astype(computed))).astype(numpy.float16)
    same(run("rsqrt 65536xf16", [every], f"root={root}"), wanted)


ROUND = {
    "even": lambda q: round(q),
    "away": lambda q: math.floor(q + FRACTION(1, 2)) if q >= 0 else math.ceil(q - FRACTION(1, 2)),
    "toward-zero": lambda q: math.ceil(q - FRACTION(1, 2)) if q >= 0 else math.floor(q + FRACTION(1, 2)),
    "up": lambda q: math.floor(q + FRACTION(1, 2)),
    "cut": lambda q: math.trunc(q),
}


@pytest.mark.parametrize("ties", list(ROUND))
@pytest.mark.parametrize(("out", "zero_point", "low", "high"), [("ui8", 3, 0, 255), ("i8", -5, -128, 127)])
def test_quantize(run, ties, out, zero_point, low, high):
    x = numpy.arange(-300, 300, dtype=numpy.float32) / 8
    scale = numpy.float32(0.25)
    zero = numpy.array(zero_point, dtype=out.replace("ui", "uint") if out == "ui8" else "int8")
    wanted = [min(max(ROUND[ties](FRACTION(float(v)) / FRACTION(0.25)) + zero_point, low), high) for v in x]
    same(run(f"quantize 600xf32,f32,{out}", [x, numpy.array(scale), zero], f"ties={ties}"), wanted)
    special = numpy.array([math.nan, math.inf, -math.inf, 3e38], dtype=numpy.float32)
    same(run(f"quantize 4xf32,f32,{out}", [special, numpy.array(scale), zero], f"ties={ties}"), [zero_point, high, low, high])


@pytest.mark.parametrize("x", [[-2.5, 2.5, 0], [1, 2, 3], [-3, -1, -2], [0, 0, 0], [-1e30, 3e38, 5]])
def test_dynamic_quantize(run, x):
    x = numpy.array(x, dtype=numpy.float32)
    low, high = min(numpy.float32(0), x.min()), max(numpy.float32(0), x.max())
    scale = (high - low) / numpy.float32(255) if high > low else numpy.float32(1)
    zero_point = min(max(round(float(numpy.float32(0) - low / scale)), 0), 255)
    values = [min(max(round(float(v / scale)) + zero_point, 0), 255) for v in x]
    same(run("dynamic_quantize 3xf32 give=scale", [x]), scale)
    same(run("dynamic_quantize 3xf32 give=zero_point", [x]), zero_point)
    same(run("dynamic_quantize 3xf32", [x]), values)


@pytest.mark.parametrize("formula", ["erf", "tanh", "quick"])
def test_gelu(run, formula):
    x = numpy.concatenate([numpy.linspace(-6, 6, 241), [0.0, -0.0, 40.0, 1e-40]]).astype(numpy.float32)

    def one(value):
        v = mpmath.mpf(float(value))
        if formula == "erf":
            return v / 2 * (1 + mpmath.erf(v / mpmath.sqrt(2)))
        if formula == "tanh":
            return v / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (v + mpmath.mpf("0.044715") * v**3)))
        return v / (1 + mpmath.exp(mpmath.mpf("-1.702") * v))

    with mpmath.workdps(40):
        wanted = numpy.array([float(one(value)) for value in x])
    # Computed in f64 and rounded once: what 1 + erf and 1 + tanh lose where they cancel is an ulp or two of 1, times x / 2.
    got = run(f"gelu {x.size}xf32", [x], f"formula={formula}", "intermediates=f64")
    spacing = numpy.spacing(numpy.abs(wanted).astype(numpy.float32)).astype(numpy.float64)
    assert (numpy.abs(got - wanted) <= 0.5001 * spacing + numpy.abs(x) * 2.0**-52).all()
    coarse = run(f"gelu {x.size}xf32", [x], f"formula={formula}", "intermediates=f32")
    assert (coarse != got).any()
    numpy.testing.assert_allclose(coarse, wanted, atol=1e-6)
