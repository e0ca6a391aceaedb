"""Parts of the Python adapters that no request to a whole backend reaches here: other versions, other devices."""

import pathlib
import subprocess
import sys

import pytest

BINDINGS = pathlib.Path(__file__).resolve().parents[2] / "bindings"


def run(adapter, code):
    """In a process of its own, as an adapter runs, with the adapter's folders on the path."""
    path = f"import sys; sys.path[:0] = [{str(BINDINGS / adapter)!r}, {str(BINDINGS / 'python')!r}]\n"
    return subprocess.run([sys.executable, "-c", path + code], capture_output=True, text=True, timeout=120, check=False)


def test_another_jaxlib_is_refused_by_name_for_modules_only():
    ran = run(
        "xla",
        """
import adapter, jaxlib, struct
from bitpact_worker import Call, Refusal, Tensor
it = adapter.Adapter()
it.hello("", {"threads": "1"})
jaxlib.__version__ = "0.99.0"
wanted = {"results": [{"format": "f32", "shape": [1]}], "repeat": 1, "warmup": 0}
operand = Tensor("f32", [1], memoryview(bytearray(struct.pack("<f", 3))))
text = "func.func public @main(%a: tensor<1xf32>) -> tensor<1xf32> {\\n  return %a : tensor<1xf32>\\n}"
try:
    it.run_stablehlo(Call({"module": text, **wanted}, [operand]))
except Refusal as refusal:
    print(refusal.code, refusal)
print(bytes(it.call_operator(Call({"operator": "exp", "attributes": {}, **wanted}, [operand])).results[0]).hex())
""",
    )
    refused, result = ran.stdout.splitlines()
    assert refused.startswith("backend-absent StableHLO text"), ran.stderr
    assert "known of 0.10.2; this is 0.99.0" in refused
    assert len(result) == 8


def test_the_kernel_of_a_compiled_module_names_what_is_in_its_fusions():
    hlo = """HloModule jit_f, is_scheduled=true

%inner (a: f32[64]) -> f32[2] {
  %a = f32[64]{0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %w = f32[2]{0} reduce-window(%a, %zero), window={size=32 stride=32}, to_apply=%add
}

ENTRY %main.1 (x: f32[64]) -> (f32[2], f32[4,4]) {
  %x = f32[64]{0} parameter(0)
  %f = f32[2]{0} fusion(%x), kind=kLoop, calls=%inner
  %y = f32[4,4]{1,0} fusion(%x), kind=kCustom, calls=%other, backend_config={"fusion_config":{"kind":"__ynn_fusion"}}
  %d = f32[4,4]{1,0} dot(%y, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %t = (f32[2]{0}, f32[4,4]{1,0}) tuple(%f, %d)
}
"""
    ran = run("xla", f"import adapter; print(adapter.kernel({hlo!r}))")
    assert ran.stdout.strip() == "hlo: fusion(reduce-window), fusion(__ynn_fusion), dot", ran.stderr


def test_results_come_back_from_memory_that_is_not_mapped():
    # The way that iree:cuda takes, on the device that is here.
    ran = run(
        "iree",
        """
import cuda_device, iree.runtime as rt
device = rt.get_driver("local-sync").create_default_device()
buffer = device.allocator.allocate_buffer_copy(
    memory_type=rt.MemoryType.DEVICE_LOCAL, allowed_usage=rt.BufferUsage.DEFAULT, device=device, buffer=b"\\x01\\x80\\xc1\\x7f")
view = rt.HalBufferView(buffer, [2], rt.HalElementType.BFLOAT_16)
print(bytes(memoryview(cuda_device.on_host(device, view))).hex())
""",
    )
    assert ran.stdout.strip() == "0180c17f", ran.stderr


@pytest.mark.parametrize(("adapter", "missing"), [("xla", "jax"), ("onnxruntime", "onnxruntime"), ("numpy", "numpy")])
def test_a_runtime_that_cannot_be_imported_says_so(adapter, missing):
    ran = run(
        adapter,
        f"""
sys.modules[{missing!r}] = None
import adapter
from bitpact_worker import Refusal
try:
    adapter.Adapter().hello("", {{}})
except Refusal as refusal:
    print(refusal.code, refusal)
""",
    )
    assert ran.stdout.startswith("backend-absent ") and "cannot import" in ran.stdout, ran.stdout + ran.stderr


# What the runtime is given begins where it was asked to: no adapter copies it on the way.
def test_onnxruntime_reads_operands_where_they_lie():
    ran = run(
        "onnxruntime",
        """
import adapter, mmap
from bitpact_worker import Tensor
it = adapter.Adapter()
print(it.hello("", {"threads": "1"})["align"])
memory = memoryview(mmap.mmap(-1, 1 << 16))
for format, size in {"f32": 4, "bf16": 2, "f16": 2, "f64": 8, "i8": 1, "i1": 1, "f8E4M3FN": 1}.items():
    for align in (0, size, 8, 16, 32):
        for shape in ((), (5, 3), (64, 9)):
            count = 1
            for extent in shape:
                count *= extent
            value = it._value(Tensor(format, shape, memory[align : align + count * size]))
            assert value.data_ptr() % 64 == align, (format, align, shape, value.data_ptr() % 64)
            assert tuple(value.shape()) == shape and value.element_type() == it.models.element_type(format)
print("all")
""",
    )
    assert ran.stdout.split() == ["True", "all"], ran.stderr


def test_numpy_reads_operands_where_they_lie():
    ran = run(
        "numpy",
        """
import adapter, mmap
from bitpact_worker import Call, Tensor
it = adapter.Adapter()
print(it.hello("", {"threads": "1"})["align"])
from operator_table import Entry
seen = []
def watched(call):
    return (lambda x: seen.append(x.ctypes.data % 64) or x.sum(axis=1)), "watched", "none"
it.table["sum"] = Entry(1, watched)
memory = memoryview(mmap.mmap(-1, 1 << 16))
request = {"operator": "sum", "attributes": {}, "results": [{"format": "f32", "shape": [5]}], "repeat": 1, "warmup": 0}
for align in (0, 4, 8, 16, 32):
    it.call_operator(Call(request, [Tensor("f32", (5, 3), memory[align : align + 60])]))
print(*seen)
""",
    )
    assert ran.stdout.split() == ["True", "0", "4", "8", "16", "32"], ran.stderr
