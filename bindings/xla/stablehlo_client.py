"""StableHLO text through the client of jaxlib: the one file that uses entries which jaxlib does not promise to keep."""

import jax
import jaxlib
from bitpact_worker import Refusal
from jaxlib import xla_client

KNOWN = "0.10.2"


class CompileError(Exception):
    """XLA's first error line."""


def refuse_unknown_version():
    if jaxlib.__version__ != KNOWN:
        raise Refusal(
            "backend-absent",
            f"StableHLO text goes through entries internal to jaxlib, known of {KNOWN}; this is {jaxlib.__version__}",
        )


def compile_text(text, device):
    """A loaded executable of the module's @main. Raises CompileError."""
    refuse_unknown_version()
    try:
        return device.client.compile_and_load(text, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    except (ValueError, jax.errors.JaxRuntimeError) as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        raise CompileError(lines[0] if lines else type(error).__name__) from None


def execute(executable, operands):
    """The results, one array each, when they are there."""
    shards = executable.execute_sharded(operands).disassemble_into_single_device_arrays()
    return jax.block_until_ready([result[0] for result in shards])


def optimized_text(executable):
    """The HLO that was compiled."""
    return "\n".join(module.to_string() for module in executable.hlo_modules())


def operand_specs(executable):
    """[(dtype, shape)] of @main's parameters. XLA itself looks at the sizes in bytes only."""
    program = executable.hlo_modules()[0]
    shape = xla_client.XlaComputation(program.as_serialized_hlo_module_proto()).program_shape()
    return [(parameter.numpy_dtype(), tuple(parameter.dimensions())) for parameter in shape.parameter_shapes()]
