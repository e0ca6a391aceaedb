"""What NumPy says of the loops that it chooses for a call: the type that is computed in."""

import arrays
import numpy as np
from bitpact_worker import Refusal


def loop_of(ufunc, *formats):
    """ "numpy.add loop bfloat16,bfloat16->bfloat16". Refuses what NumPy has no loop for."""
    given = tuple(arrays.dtype_of(format) for format in formats)
    try:
        types = [str(dtype) for dtype in ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))]
    except TypeError as error:
        raise Refusal("backend-lacks-format", " ".join(str(error).split())) from None
    return f"loop {ufunc.__name__} {','.join(types[: ufunc.nin])}->{','.join(types[ufunc.nin :])}"


def by(call):
    """What is added to a tag where the types are not NumPy's own."""
    formats = {tensor.format for tensor in (*call.operands, *call.results)}
    own = all(arrays.dtype_of(format).isbuiltin == 1 for format in formats)
    return "" if own else " (ml_dtypes)"


def fixed(ufunc):
    """An operator that is one of NumPy's functions by elements."""
    return lambda call: (ufunc, f"numpy.{ufunc.__name__}{by(call)}", loop_of(ufunc, *(x.format for x in call.operands)))


def composed(function, *ufuncs):
    """An operator that is several, each with operands of the call's first format."""

    def build(call):
        tag = "+".join(f"numpy.{ufunc.__name__}" for ufunc in ufuncs)
        format = call.operands[0].format
        loops = [loop_of(ufunc, format, format) for ufunc in dict.fromkeys(ufuncs)]
        return function, tag + by(call), "; ".join(loops)

    return build


def named(array_type):
    return np.dtype(array_type).name
