"""Cases of people who port models, with the right value written in: the cause that the tool must name, backend by backend.

The right value is what `native` computes from the canonical program. A backend that gives it is `exact`; for every other one the row
holds words of the cause.
"""

import ml_dtypes
import numpy
import pytest
from processor import VNNI, here

NAN, INF = numpy.nan, numpy.inf


def f32(*values):
    return numpy.array(values, dtype=numpy.float32)


def i8(*values):
    return numpy.array(values, dtype=numpy.int8)


def ui8(*values):
    return numpy.array(values, dtype=numpy.uint8)


def bf16(values):
    """As it is written to a file: its bits."""
    return numpy.asarray(values).astype(ml_dtypes.bfloat16).view(numpy.uint16)


def f16(values):
    return numpy.asarray(values).astype(numpy.float16)


def ones(*shape):
    return numpy.ones(shape, dtype=numpy.float32)


UP_TO_5000 = numpy.arange(1, 5001, dtype=numpy.float32)
GREATEST = (numpy.full((1, 64), 255, numpy.uint8), numpy.full((64, 1), 127, numpy.int8))
THREE = (f32(1e20, 1.1, 3.3), f32(1e10, 1.3, 7.7))
ROWS = numpy.array([[NAN, 1, 2], [1, NAN, 2], [1, 2, NAN]], dtype=numpy.float32)
BYTES = f32(200, -200, 0, 127, -128, 1e10, -1e10, NAN, INF)

# name: (problem, operands, right value)
CASES = {
    "2 f16": ("matmul 1x4096xf16,4096x1xf16", [f16(ones(1, 4096)), f16(ones(4096, 1))], f16([[4096]])),
    "2 f16, vectors": ("dot 4096xf16,4096xf16", [f16(ones(4096)), f16(ones(4096))], f16(4096)),
    "2 bf16": ("matmul 1x512xbf16,512x1xbf16", [bf16(ones(1, 512)), bf16(ones(512, 1))], bf16([[512]])),
    "4 f16": ("cumsum 5000xf16", [f16(ones(5000))], f16(UP_TO_5000)),
    "4 bf16": ("cumsum 5000xbf16", [bf16(ones(5000))], bf16(UP_TO_5000)),
    "6 rounding boundary": ("convert 3xf32 via=bf16", [f32(1.00390625, 1.01, 3.1415927)], f32(1.0, 1.0078125, 3.140625)),
    "7 contraction": ("multiply_subtract 3xf32,3xf32,3xf32,3xf32", [*THREE, *THREE], f32(0, 0, 0)),
    "8 multiply": ("multiply 1xf32,1xf32", [f32(-INF), f32(1.4e-45)], f32(-INF)),
    "8 log": ("log 1xf32", [f32(1e-40)], f32(-92.1034)),
    "8 exp": ("exp 1xf32", [f32(-87.5)], f32(9.982351e-39)),
    "9": ("reciprocal 10xf32", [ones(10)], ones(10)),
    "11 argmax": ("argmax 4xf32", [f32(3, NAN, 1, 5)], numpy.array(1, dtype=numpy.int32)),
    "11 max": ("max 3x3xf32 axis=1", [ROWS], f32(NAN, NAN, NAN)),
    "16 gelu": ("gelu 2xf32", [f32(-1, -3)], f32(-0.15865525, -0.00404969)),
    "17 ties": ("quantize 4xf32,f32,ui8", [f32(0.25, 0.75, 1.25, 1.75), numpy.float32(0.5), numpy.uint8(0)], ui8(0, 2, 2, 4)),
    "17 ties, i8": ("quantize 4xf32,f32,i8", [f32(0.25, 0.75, 1.25, -1.25), numpy.float32(0.5), numpy.int8(0)], i8(0, 2, 2, -2)),
    "17 zero point": ("dynamic_quantize 3xf32 give=zero_point", [f32(-2.5, 2.5, 0)], numpy.array(127, dtype=numpy.uint8)),
    "17 scale": ("dynamic_quantize 3xf32 give=scale", [f32(-2.5, 2.5, 0)], numpy.array(5 / 255, dtype=numpy.float32)),
    "18": ("integer_matmul 1x64xui8,64x1xi8", GREATEST, numpy.array([[2072640]], dtype=numpy.int32)),
    "18, a pair": (
        "integer_matmul 1x2xui8,2x1xi8",
        [GREATEST[0][:, :2], GREATEST[1][:2]],
        numpy.array([[64770]], dtype=numpy.int32),
    ),
    "19 i8": ("convert 9xf32 out=i8", [BYTES], i8(127, -128, 0, 127, -128, 127, -128, 0, 127)),
    "19 i32": ("convert 2xf32 out=i32", [f32(3e9, NAN)], numpy.array([2**31 - 1, 0], dtype=numpy.int32)),
}

EXACT = ("exact",)
NO_FORMAT = ("refused", "backend-lacks-format")
NO_OPERATOR = ("refused", "backend-lacks-operator")
CONTRACTED = ("differs", "has first-fused (a * b stays unrounded, c * d is rounded)")
PAIRS = ("differs", "accumulator: native has i32", "onnxruntime has i16-pairs")
INPUTS_FLUSHED = ("differs", "flushes subnormal inputs to zero")
F16_ACCUMULATOR = ("differs", "accumulator from f32 to f16")
# A compiler that lost on the way that the operand was unsigned: 255 is -1.
UNSIGNED_LOST = ("differs", "unsigned: native has kept", "iree has read-as-signed")
RESULTS_FLUSHED = ("differs", "flushes subnormal results to zero")

# backend: {case: (verdict, words of the cause or the diagnostic's code)}
SEEN = {
    "mlx": {
        "2 f16": EXACT,
        "2 f16, vectors": EXACT,
        "2 bf16": EXACT,
        "4 f16": ("differs", "accumulator: native has f32 or f64 (not told apart here), mlx has f16"),
        "4 bf16": ("differs", "accumulator: native has f32 or f64 (not told apart here), mlx has bf16"),
        "9": EXACT,
        "6 rounding boundary": EXACT,
        "7 contraction": EXACT,
        "8 multiply": EXACT,
        "8 exp": ("differs", "algorithm: native has correctly-rounded", "mlx has cephes-exp2f"),
        "11 argmax": EXACT,
        "11 max": EXACT,
        "16 gelu": ("differs", "not known", "nearest: formula=erf", "formula: next is tanh"),
        "17 ties": NO_OPERATOR,
        "18": NO_OPERATOR,
        "19 i8": ("differs", "overflow: native has saturate", "mlx has wrap"),
        "19 i32": ("differs", "overflow: native has saturate", "mlx has indefinite-i32"),
    },
    "iree": {
        "2 f16": F16_ACCUMULATOR,
        "2 f16, vectors": F16_ACCUMULATOR,
        "2 bf16": EXACT,
        "4 f16": ("differs", "accumulator: native has f32 or f64 (not told apart here), iree has f16"),
        "4 bf16": ("differs", "accumulator: native has f32 or f64 (not told apart here), iree has bf16"),
        "9": EXACT,
        "6 rounding boundary": EXACT,
        "7 contraction": CONTRACTED,
        "8 multiply": INPUTS_FLUSHED,
        "8 log": INPUTS_FLUSHED,
        "8 exp": RESULTS_FLUSHED,
        "11 argmax": EXACT,
        "11 max": EXACT,
        "16 gelu": ("differs", "formula: native has erf", "iree is nearest to tanh"),
        "17 ties": EXACT,
        "17 ties, i8": EXACT,
        "17 zero point": EXACT,
        "17 scale": EXACT,
        "18": UNSIGNED_LOST,
        "18, a pair": UNSIGNED_LOST,
        "19 i8": (
            "differs",
            "overflow: native has saturate",
            f"iree has {here('wrap', 'indefinite-i32-saturated')}",
        ),
        "19 i32": ("differs", "overflow: native has saturate", "iree has indefinite-i32"),
    },
    "xla": {
        "2 f16": EXACT,
        "2 f16, vectors": EXACT,
        "2 bf16": EXACT,
        "4 f16": EXACT,
        "4 bf16": ("differs", "not known"),
        "9": EXACT,
        "6 rounding boundary": EXACT,
        "7 contraction": CONTRACTED,
        "8 multiply": INPUTS_FLUSHED,
        "8 log": INPUTS_FLUSHED,
        "8 exp": RESULTS_FLUSHED,
        "11 argmax": EXACT,
        "11 max": EXACT,
        "16 gelu": ("differs", "formula: native has erf", "xla is nearest to tanh"),
        "17 ties": NO_OPERATOR,
        "18": EXACT,
        "18, a pair": EXACT,
        "19 i8": EXACT,
        "19 i32": EXACT,
    },
    "onnxruntime": {
        "2 f16": EXACT,
        "2 f16, vectors": EXACT,
        "2 bf16": NO_FORMAT,
        "4 f16": EXACT,
        "4 bf16": NO_FORMAT,
        "9": EXACT,
        "6 rounding boundary": EXACT,
        "7 contraction": EXACT,
        "8 multiply": EXACT,
        "8 log": EXACT,
        "8 exp": EXACT,
        "11 argmax": ("differs", "nan: native has propagates", "onnxruntime has ignored or leading or skipped"),
        "11 max": ("differs", "onnxruntime has leading", "only a NaN that a chain begins with survives"),
        "16 gelu": ("differs", "intermediates: native has f64, onnxruntime has f32"),
        "17 ties": EXACT,
        "17 ties, i8": EXACT,
        "17 zero point": EXACT,
        "17 scale": EXACT,
        "18": EXACT if VNNI else PAIRS,
        "18, a pair": EXACT if VNNI else PAIRS,
        "19 i8": ("differs", "overflow: native has saturate", "onnxruntime has wrap"),
        "19 i32": ("differs", "overflow: native has saturate", "onnxruntime has indefinite-i32"),
    },
    "numpy": {
        "2 f16": EXACT,
        "2 f16, vectors": EXACT,
        "2 bf16": NO_FORMAT,
        "4 f16": ("differs", "accumulator: native has f32 or f64 (not told apart here), numpy has f16"),
        "4 bf16": ("differs", "accumulator: native has f32 or f64 (not told apart here), numpy has bf16"),
        "9": EXACT,
        "6 rounding boundary": EXACT,
        "7 contraction": EXACT,
        "8 multiply": EXACT,
        "8 log": EXACT,
        "8 exp": EXACT,
        "11 argmax": EXACT,
        "11 max": EXACT,
        "17 ties": NO_OPERATOR,
        "18": EXACT,
        "18, a pair": EXACT,
        "19 i8": ("differs", "overflow: native has saturate", "numpy has wrap"),
        "19 i32": ("differs", "overflow: native has saturate", "numpy has indefinite-i32"),
    },
}


def saved(tmp_path, operands):
    paths = []
    for i, operand in enumerate(operands):
        paths.append(tmp_path / f"{i}.npy")
        numpy.save(paths[-1], operand)
    return paths


@pytest.mark.parametrize("case", CASES)
def test_the_right_value(bitpact, tmp_path, case):
    problem, operands, right = CASES[case]
    made = bitpact("contract", problem, "-o", tmp_path / "canonical.json")
    assert made.code == 0, made.err
    ran = bitpact("run", tmp_path / "canonical.json", *saved(tmp_path, operands), "-o", tmp_path / "result.npy")
    assert ran.code == 0, ran.err
    result = numpy.load(tmp_path / "result.npy")
    assert result.dtype == right.dtype
    if case in ("8 log", "8 exp", "16 gelu"):  # given to so many digits
        numpy.testing.assert_allclose(result, right, rtol=2e-6)
    else:
        assert numpy.array_equal(result, right, equal_nan=right.dtype == numpy.float32), result


@pytest.mark.parametrize(("backend", "case"), [(backend, case) for backend, rows in SEEN.items() for case in rows])
def test_the_cause(bitpact, tmp_path, backend, case):
    problem, operands, _ = CASES[case]
    verdict, *words = SEEN[backend][case]
    paths = ",".join(map(str, saved(tmp_path, operands)))
    ran = bitpact("compare", problem, "--reference", "native", "--candidate", backend, "--operand-files", paths, "--json")
    report = ran.json
    assert report["verdict"] == verdict, report["cause"] or report["diagnostic"]
    said = report["diagnostic"]["code"] if verdict == "refused" else report["cause"]
    for word in words:
        assert word in said, said


@pytest.mark.parametrize(("operand", "index", "value"), [(f16(ones(5000)), 2049, 2048), (bf16(ones(5000)), 257, 256)])
def test_where_a_running_sum_stops_growing(bitpact, tmp_path, operand, index, value):
    """One place later than its last new value: that one's successor ties to it."""
    problem = f"cumsum 5000x{'f16' if operand.dtype == numpy.float16 else 'bf16'}"
    (path,) = saved(tmp_path, [operand])
    ran = bitpact("compare", problem, "--reference", "native", "--candidate", "mlx", "--operand-files", path, "--json")
    first = ran.json["first_divergence"]
    assert first["index"] == [index]
    assert float(first["reference"]["value"]) == index + 1
    assert float(first["candidate"]["value"]) == value


@pytest.mark.parametrize(("depth", "right"), [(2, 32767), (64, 1048544)])
def test_pairs_that_saturate_in_16_bits(bitpact, tmp_path, depth, right):
    """What ONNX Runtime gives on processors without VNNI (case 18)."""
    problem = f"integer_matmul 1x{depth}xui8,{depth}x1xi8"
    bitpact("contract", problem, "--set", "accumulator=i16-pairs", "-o", tmp_path / "pairs.json")
    operands = saved(tmp_path, [GREATEST[0][:, :depth], GREATEST[1][:depth]])
    ran = bitpact("run", tmp_path / "pairs.json", *operands, "-o", tmp_path / "result.npy")
    assert ran.code == 0, ran.err
    assert numpy.load(tmp_path / "result.npy") == right


def test_a_mean_whose_sum_overflows(bitpact, tmp_path):
    (path,) = saved(tmp_path, [f16([40000, 40000, 40000])])
    report = bitpact(
        "compare", "mean 3xf16", "--reference", "native", "--candidate", "mlx", "--operand-files", path, "--json"
    ).json
    assert report["first_divergence"]["reference"]["value"] == "40000"
    assert report["first_divergence"]["candidate"]["value"] == "inf"
    assert "sum from kept to rounded" in report["cause"]


def test_one_point_tells_the_formula_of_a_gelu(bitpact, tmp_path):
    """Neither side's bits are a listed program's, and that is said; which formula it is, is said all the same."""
    paths = ",".join(map(str, saved(tmp_path, [f32(-1, -3)])))
    report = bitpact(
        "compare", "gelu 2xf32", "--reference", "mlx", "--candidate", "iree", "--operand-files", paths, "--json"
    ).json
    assert "formula: mlx is nearest to erf" in report["cause"]
    assert "iree is nearest to tanh" in report["cause"]
    assert "this is what is nearest, not what is known" in report["cause"]
    assert report["cause_strength"] == "nearest"
    assert not report["cause_known"]
    sides = {side["side"]: side for side in report["nearest"]}
    assert sides["mlx"]["program"]["choices"]["formula"] == "erf"
    assert sides["iree"]["program"]["choices"]["formula"] == "tanh"
    for side in sides.values():
        (decided,) = [row for row in side["decided"] if row["choice"] == "formula"]
        assert decided["next"]["typical_ulps"] > 4 * side["program"]["typical_ulps"] + 3
