"""The `iree` backend: StableHLO modules, compiled for llvm-cpu and run on a local device, both in this process (or for CUDA).

Bits go in and out as they are: buffers are made from raw bytes with explicit element types, no array library converts them.
"""

import collections
import concurrent.futures
import hashlib
import re
import time

import cuda_device
import in_process_compiler as compiler
import iree.compiler.version as compiler_version
import iree.runtime as rt
import iree.runtime.version as runtime_version
from bitpact_worker import Refusal, timed_runs

_TYPES = rt.HalElementType
ELEMENT_TYPES = {"f64": _TYPES.FLOAT_64, "f32": _TYPES.FLOAT_32, "bf16": _TYPES.BFLOAT_16, "f16": _TYPES.FLOAT_16,
                 "i64": _TYPES.INT_64, "i32": _TYPES.INT_32, "i16": _TYPES.INT_16, "i8": _TYPES.INT_8, "ui64": _TYPES.INT_64,
                 "ui32": _TYPES.INT_32, "ui16": _TYPES.INT_16, "ui8": _TYPES.INT_8, "i1": _TYPES.BOOL_8}  # fmt: skip
BASE_FLAGS = ("--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-input-type=stablehlo")
KEPT_MODULES = 64


def _digest(path):
    with open(path, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def _loaded(pattern):
    """Path of the one loaded library whose file name matches."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}
    (path,) = (path for path in paths if re.search(pattern, path.rsplit("/", 1)[-1]))
    return path


class Adapter:
    def __init__(self):
        self.modules = collections.OrderedDict()  # text -> (context, function, compile_ms)

    # ---- who computes

    def hello(self, device, options):
        if compiler_version.VERSION != runtime_version.VERSION:
            seen = f"IREE's compiler is {compiler_version.VERSION}, its runtime {runtime_version.VERSION}"
            raise Refusal("worker-version", f"{seen}: modules of one are not for the other")
        # A third of a gigabyte to hash: meanwhile the compiler says what the options come to.
        with concurrent.futures.ThreadPoolExecutor(1) as hashing:
            builds = hashing.submit(lambda: (_digest(_loaded(r"^libIREECompiler\.so$")), _digest(_loaded(r"^_runtime\..*\.so$"))))
            self.on_cuda = device == "cuda"
            if self.on_cuda:
                self._choose_cuda(options)
            else:
                self._choose_flags(options)
            self._open_device(options)
            compiler_build, runtime_build = builds.result()
        revision = compiler_version.REVISIONS.get("IREE", "unobserved")
        identity = {
            "backend": "iree",
            "version": f"{compiler_version.VERSION} {revision}",
            "build": f"{compiler_build} runtime={runtime_version.VERSION} {runtime_build}",
            "device": "cuda" if self.on_cuda else options.get("driver", "local-sync"),
            "target": self.target,
            "flags": " ".join(self.shown_flags),
            "threads": "unobserved" if self.on_cuda else options.get("threads", "1"),
            "kernel": "unobserved",
        }
        return {"name": "iree", "identity": identity, "ways": ["stablehlo"]}

    def _choose_cuda(self, options):
        flags, self.target = cuda_device.describe(options)
        self.flags = self.shown_flags = flags + self._common_flags(options)

    @staticmethod
    def _common_flags(options):
        flags = []
        if "opt" in options:
            flags.append(f"--iree-opt-level={options['opt']}")
        if "demote-f64" in options:
            flags.append(f"--iree-input-demote-f64-to-f32={options['demote-f64']}")
        return flags

    def _choose_flags(self, options):
        if "cuda-target" in options:
            raise Refusal("backend-option", "cuda-target: an option of `cuda`, not of the CPU")
        flags = [*BASE_FLAGS, *self._common_flags(options)]
        given = [feature for feature in options.get("features", "").split(";") if feature]
        for feature in given:
            if not re.fullmatch(r"[+-][A-Za-z0-9._-]+", feature):
                raise Refusal("backend-option", f"features: `{feature}` is neither +NAME nor -NAME")
        cpu = options.get("target-cpu", "host")
        features = ",".join(given)
        if cpu == "host":
            # Spelled out, so that the identity names the machine, and features can be added: with "host" LLVM takes none.
            on_host = [*flags, "--iree-llvmcpu-target-cpu=host"]
            cpu, host_features, _ = compiler.resolved_target(on_host)
            features = ",".join(filter(None, (host_features, features)))
        target = [f"--iree-llvmcpu-target-cpu={cpu}"] + ([f"--iree-llvmcpu-target-cpu-features={features}"] if features else [])
        if given or "target-cpu" in options:
            if complaint := compiler.complaint_about(flags + target):
                asked = " ".join(f"{name}={options[name]}" for name in ("target-cpu", "features") if name in options)
                raise Refusal("backend-option", f"{asked}: {complaint}")
        resolved_cpu, resolved_features, triple = compiler.resolved_target(flags + target)
        on = compiler.enabled(resolved_features)
        if "target-cpu" not in options and not given and on != compiler.enabled(host_features):
            raise Refusal("worker-refused", "the features of this machine, spelled out, come to another target")
        self.flags = flags + target
        self.shown_flags = [*flags, target[0], *([f"--iree-llvmcpu-target-cpu-features={','.join(given)}"] if given else [])]
        self.target = " ".join([triple, resolved_cpu, *("+" + name for name in on)])

    def _open_device(self, options):
        driver = options.get("driver", "local-sync")
        threads = options.get("threads", "1")
        if not re.fullmatch(r"[1-9][0-9]{0,3}", threads):
            raise Refusal("backend-option", f"threads={threads}: a positive number expected")
        if driver == "local-sync" and threads != "1":
            raise Refusal("backend-option", f"threads={threads}: driver=local-sync has one; use driver=local-task")
        if driver == "local-task":
            rt.flags.parse_flags(f"--task_topology_group_count={threads}")
        self.device = cuda_device.open_device() if self.on_cuda else rt.get_driver(driver).create_default_device()
        self.instance = rt.VmInstance()
        self.hal = rt.create_hal_module(self.instance, self.device)

    # ---- what is computed

    def release(self):
        self.modules.clear()

    def _compiled(self, text):
        """(context, function, compile_ms); a module that is loaded already is never loaded again, nor changed."""
        if text in self.modules:
            self.modules.move_to_end(text)
            return self.modules[text]
        begin = time.perf_counter()
        try:
            bytecode = compiler.compile_text(text, self.flags)
        except compiler.CompileError as error:
            raise Refusal("compile-failed", str(error)) from None
        compile_ms = (time.perf_counter() - begin) * 1e3
        module = rt.VmModule.copy_buffer(self.instance, bytecode)
        context = rt.VmContext(self.instance, [self.hal, module])
        try:
            function = module.lookup_function("main")
        except (KeyError, ValueError, RuntimeError):
            function = None
        if function is None:
            raise Refusal("compile-failed", "the module has no public function @main")
        self.modules[text] = (context, function, compile_ms)
        while len(self.modules) > KEPT_MODULES:
            self.modules.popitem(last=False)
        return self.modules[text]

    def _buffer(self, tensor):
        if tensor.format not in ELEMENT_TYPES:
            raise Refusal("backend-lacks-format", f"IREE's runtime is given no {tensor.format} here")
        buffer = self.device.allocator.allocate_buffer_copy(
            memory_type=rt.MemoryType.DEVICE_LOCAL | (0 if self.on_cuda else rt.MemoryType.HOST_VISIBLE),
            allowed_usage=rt.BufferUsage.DEFAULT | (0 if self.on_cuda else rt.BufferUsage.MAPPING),
            device=self.device,
            buffer=tensor.data,
        )
        return rt.HalBufferView(buffer, tensor.shape, ELEMENT_TYPES[tensor.format])

    def run_stablehlo(self, call):
        # Left to itself, IREE computes f64 in f32: a module with other types than were asked for.
        demotes = "--iree-input-demote-f64-to-f32=false" not in self.flags
        if demotes and any(tensor.format == "f64" for tensor in (*call.operands, *call.results)):
            raise Refusal("backend-lacks-format", "f64 is demoted to f32 unless demote-f64=false is given")
        context, function, compile_ms = self._compiled(call.module)
        operands = [self._buffer(tensor) for tensor in call.operands]

        def run():
            given, got = rt.VmVariantList(len(operands)), rt.VmVariantList(len(call.results))
            for operand in operands:
                given.push_ref(operand)
            context.invoke(function, given, got)
            return got

        def read(got):
            if len(got) != len(call.results):
                raise Refusal("worker-refused", f"@main gives {len(got)} results; {len(call.results)} are expected")
            return [self._bytes(got.get_as_object(i, rt.HalBufferView), wanted) for i, wanted in enumerate(call.results)]

        return timed_runs(call, run, read, compile_ms=compile_ms, tag="iree.module@main")

    def _bytes(self, view, wanted):
        given, expected = int(view.element_type), int(ELEMENT_TYPES[wanted.format])
        # Signedness is not the runtime's concern; everything else is.
        same = given == expected or (
            given >> 28 == expected >> 28 == 1 and given & 0xFF == expected & 0xFF and wanted.format != "i1"
        )
        if tuple(view.shape) != wanted.shape or not same:
            seen = f"{tuple(view.shape)} of element type {given:#x}"
            raise Refusal("worker-refused", f"@main gives {seen}; {wanted.shape} of {wanted.format} is expected")
        return cuda_device.on_host(self.device, view) if self.on_cuda else view.map()
