"""Tensors as NumPy arrays and back: views of the same bytes, never a conversion."""

import ml_dtypes
import numpy as np
from bitpact_worker import Refusal

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
          "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
          "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8,
          "ui64": np.uint64, "ui32": np.uint32, "ui16": np.uint16, "ui8": np.uint8, "i1": np.bool_}  # fmt: skip


def dtype_of(format):
    if format not in DTYPES:
        raise Refusal("backend-lacks-format", f"there is no array type for {format}")
    return np.dtype(DTYPES[format])


def array_of(tensor):
    """A view of the tensor's bytes."""
    return np.ndarray(tensor.shape, dtype_of(tensor.format), buffer=tensor.data)


def bytes_of(array):
    """An array's bytes, row-major."""
    return memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8))


def check_result(array, wanted, what):
    """What a runtime gives is never converted into what was asked for."""
    if array.dtype != dtype_of(wanted.format):
        raise Refusal("backend-lacks-format", f"{what} of these operands gives {array.dtype}, not {wanted.format}")
    if tuple(array.shape) != wanted.shape:
        raise Refusal("worker-refused", f"{what} gives a result of shape {tuple(array.shape)}, not {wanted.shape}")
