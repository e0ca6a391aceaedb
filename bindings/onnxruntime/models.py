"""Small ONNX models: the nodes of one operator, with stated types, shapes and opset."""

import dataclasses

from bitpact_worker import Refusal
from onnx import TensorProto, helper

OPSET = 23
IR_VERSION = 11
ELEMENT_TYPES = {"f64": TensorProto.DOUBLE, "f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16,
                 "f8E4M3FN": TensorProto.FLOAT8E4M3FN, "f8E5M2": TensorProto.FLOAT8E5M2,
                 "f8E4M3FNUZ": TensorProto.FLOAT8E4M3FNUZ, "f8E5M2FNUZ": TensorProto.FLOAT8E5M2FNUZ,
                 "i64": TensorProto.INT64, "i32": TensorProto.INT32, "i16": TensorProto.INT16, "i8": TensorProto.INT8,
                 "ui64": TensorProto.UINT64, "ui32": TensorProto.UINT32, "ui16": TensorProto.UINT16,
                 "ui8": TensorProto.UINT8, "i1": TensorProto.BOOL}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Built:
    """The nodes of one operator. Its operands are named x0, x1, ...; `result` names what it gives."""

    nodes: list
    initializers: list = dataclasses.field(default_factory=list)
    result: str = "y"


def element_type(format):
    if format not in ELEMENT_TYPES:
        raise Refusal("backend-lacks-format", f"ONNX has no element type for {format}")
    return ELEMENT_TYPES[format]


def node(op_type, inputs, outputs, **attributes):
    return helper.make_node(op_type, inputs, outputs, **attributes)


def integers(name, values):
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


def model(nodes, operands, result, initializers=(), result_name="y"):
    """`operands` and `result` are (format, shape)."""
    inputs = [helper.make_tensor_value_info(f"x{i}", element_type(format), shape) for i, (format, shape) in enumerate(operands)]
    output = helper.make_tensor_value_info(result_name, element_type(result[0]), result[1])
    graph = helper.make_graph(nodes, "operator", inputs, [output], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
