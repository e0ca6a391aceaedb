"""Helpers are narrow: in a user's module nothing changes but what the contract says, in the text and on the compiled module."""

import ml_dtypes
import numpy
import pytest

MODULE = """module @user {
  func.func public @main(%x: tensor<64x96xf32>, %w: tensor<96x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x96xf32>, tensor<96x64xf32>) -> tensor<64x64xf32>
    %1 = stablehlo.add %0, %b : tensor<64x64xf32>
    %2 = stablehlo.multiply %b, %b : tensor<64x64xf32>
    %3 = stablehlo.add %2, %b : tensor<64x64xf32>
    return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
"""


def run_iree(text, operands):
    import iree.compiler as compiler
    import iree.runtime as runtime

    flags = [
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        "--iree-llvmcpu-target-cpu=host",
    ]
    blob = compiler.compile_str(text, input_type="stablehlo", extra_args=flags)
    config = runtime.Config("local-sync")
    module = runtime.VmModule.copy_buffer(config.vm_instance, blob)
    context = runtime.SystemContext(vm_modules=[module], config=config)
    name = module.name
    results = getattr(context.modules, name)["main"](*operands)
    results = results if isinstance(results, (list, tuple)) else [results]
    return [numpy.asarray(result.to_host()) for result in results]


@pytest.fixture(name="operands")
def operands_fixture():
    generator = numpy.random.default_rng(1)
    return [generator.standard_normal(shape, dtype=numpy.float32) for shape in ((64, 96), (96, 64), (64, 64))]


def mlx_matmul(x, w):
    accumulator = numpy.zeros((x.shape[0], w.shape[1]), dtype=numpy.float32)
    for k in range(x.shape[1]):
        accumulator += x[:, k : k + 1] * w[k : k + 1, :]
    return accumulator


def test_the_contract_takes_effect_and_nothing_else_changes(bitpact, tmp_path, operands):
    user = tmp_path / "user.mlir"
    user.write_text(MODULE)
    changed = tmp_path / "changed.mlir"
    ran = bitpact(
        "emit",
        "contracts/mlx/matmul-f32.json",
        "--for",
        "iree",
        "--problem",
        "matmul 64x96xf32,96x64xf32",
        "--into",
        user,
        "--replace",
        "%0",
        "-o",
        changed,
    )
    assert ran.code == 0, ran.err
    assert user.read_text() == MODULE

    # In the text: every line of the user's module is there, in order, but the one that became a call.
    before = MODULE.splitlines()
    after = changed.read_text().splitlines()
    kept = [line for line in before if "%0 = stablehlo.dot_general" not in line]
    added = list(after)
    at = 0
    for line in kept:
        at = added.index(line, at)
        del added[at]
    assert sum("func.call" in line for line in added) == 1
    assert added[0].strip().startswith("%0 = func.call @bitpact_matmul_")
    assert added[1].startswith("func.func private @bitpact_matmul_")
    assert added[-1] == "}"

    # On the compiled module: the product has MLX's bits, what does not depend on it keeps its own.
    plain = run_iree(MODULE, operands)
    exact = run_iree(changed.read_text(), operands)
    x, w, b = operands
    expected = mlx_matmul(x, w) + b
    assert numpy.array_equal(exact[0].view(numpy.uint32), expected.view(numpy.uint32))
    assert not numpy.array_equal(plain[0].view(numpy.uint32), expected.view(numpy.uint32))
    assert numpy.array_equal(exact[1].view(numpy.uint32), plain[1].view(numpy.uint32))


def test_a_value_that_does_not_fit_is_refused_and_nothing_is_written(bitpact, tmp_path):
    user = tmp_path / "user.mlir"
    user.write_text(MODULE)
    for value in ("%9", "%2"):
        ran = bitpact(
            "emit",
            "contracts/mlx/matmul-f32.json",
            "--problem",
            "matmul 64x96xf32,96x64xf32",
            "--into",
            user,
            "--replace",
            value,
            "-o",
            tmp_path / "out.mlir",
        )
        assert ran.code == 3, ran.err
        assert "emit-unsupported" in ran.err
        assert not (tmp_path / "out.mlir").exists()


CHAIN = """func.func public @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<4096xf32> {
  %p = stablehlo.multiply %x, %y : tensor<4096xf32>
  %s = stablehlo.add %p, %b : tensor<4096xf32>
  return %s : tensor<4096xf32>
}
"""

BF16_CHAIN = """func.func public @main(%x: tensor<4096xbf16>, %y: tensor<4096xbf16>, %b: tensor<4096xbf16>) -> tensor<4096xbf16> {
  %p = stablehlo.multiply %x, %y : tensor<4096xbf16>
  %s = stablehlo.add %p, %b : tensor<4096xbf16>
  return %s : tensor<4096xbf16>
}
"""


def replaced(bitpact, tmp_path, text, contract, problem, value):
    user = tmp_path / "user.mlir"
    user.write_text(text)
    ran = bitpact(
        "emit",
        f"contracts/mlx/{contract}.json",
        "--problem",
        problem,
        "--into",
        user,
        "--replace",
        value,
        "-o",
        tmp_path / "out.mlir",
    )
    assert ran.code == 0, ran.err
    return (tmp_path / "out.mlir").read_text()


@pytest.mark.parametrize(("contract", "value"), [("multiply-f32", "%p"), ("add-f32", "%s")])
def test_nothing_is_contracted_across_the_call(bitpact, tmp_path, contract, value):
    generator = numpy.random.default_rng(2)
    x, y, b = (generator.standard_normal(4096, dtype=numpy.float32) for _ in range(3))
    operator = contract.split("-")[0]
    text = replaced(bitpact, tmp_path, CHAIN, contract, f"{operator} 4096xf32,4096xf32", value)
    expected = x * y + b
    assert numpy.array_equal(run_iree(text, [x, y, b])[0].view(numpy.uint32), expected.view(numpy.uint32))
    assert not numpy.array_equal(run_iree(CHAIN, [x, y, b])[0].view(numpy.uint32), expected.view(numpy.uint32))


@pytest.mark.parametrize(("contract", "value"), [("multiply-bf16", "%p"), ("add-bf16", "%s")])
def test_a_bf16_rounding_stands_across_the_call(bitpact, tmp_path, contract, value):
    generator = numpy.random.default_rng(3)
    x, y, b = (generator.standard_normal(4096).astype(ml_dtypes.bfloat16) for _ in range(3))
    operator = contract.split("-")[0]
    text = replaced(bitpact, tmp_path, BF16_CHAIN, contract, f"{operator} 4096xbf16,4096xbf16", value)
    product = (x.astype(numpy.float32) * y.astype(numpy.float32)).astype(ml_dtypes.bfloat16)
    expected = (product.astype(numpy.float32) + b.astype(numpy.float32)).astype(ml_dtypes.bfloat16)
    assert numpy.array_equal(run_iree(text, [x, y, b])[0].view(numpy.uint16), expected.view(numpy.uint16))
    assert not numpy.array_equal(run_iree(BF16_CHAIN, [x, y, b])[0].view(numpy.uint16), expected.view(numpy.uint16))
