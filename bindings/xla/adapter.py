"""The `xla` backend: what a JAX user runs under `jit`, and StableHLO modules, both on the client of jaxlib.

XLA reads its flags once, so the options are put into this process's environment before JAX is imported: in `hello`.
Bits go in and out as they are: arrays are views of the bytes, with 64-bit types on where arrays are made.
"""

import collections
import concurrent.futures
import importlib.util
import os
import re
import time

import surroundings
from bitpact_worker import Refusal, timed_runs
from operator_table import entry_for, key_of

KEPT_MODULES = 64
FLAGS = {
    "fast-math": "xla_cpu_enable_fast_math",
    "fast-min-max": "xla_cpu_enable_fast_min_max",
    "excess-precision": "xla_allow_excess_precision",
    "max-isa": "xla_cpu_max_isa",
    "opt": "xla_backend_optimization_level",
}
# The list of what goes to YNNPACK, added to or taken away from as a whole.
YNN_FUSIONS = {"true": "+dot,+reduce", "false": "invalid"}


class Adapter:
    def __init__(self):
        self.kept = collections.OrderedDict()  # module text, or key of an operator call -> what was compiled

    # ---- who computes

    def hello(self, device, options):
        self.device_name = device or "cpu"
        # Whatever else the user's shell sets for JAX and XLA would change the bits behind the identity's back.
        surroundings.forget(r"XLA_.*", r"JAX_.*", r"TF_.*", r"NPROC")
        self._choose_flags(options)
        package = importlib.util.find_spec("jaxlib")
        if package is None:
            raise Refusal("backend-absent", "the Python environment has no package `jaxlib`")
        with concurrent.futures.ThreadPoolExecutor(1) as hashing:  # a third of a gigabyte, while JAX is imported
            library = surroundings.beside(package.origin, r"^libjax_common\.(so|dylib)$")
            build = hashing.submit(surroundings.digest, library)
            with surroundings.importing("jax"):
                import jax
            self.jax = jax
            self._open_device()
            self._load_families(options)
            build = build.result()
        identity = {
            "backend": "xla",
            "version": f"{jax.lib.__version__} jax={jax.__version__}",
            "build": f"libjax_common={build}" + self._plugin_digests(),
            "device": self._device_words(),
            "target": surroundings.processor() if self.device_name == "cpu" else self.device.device_kind,
            "flags": " ".join([*self.flags, *self.configured]) or "none",
            "threads": str(self.threads) if self.device_name == "cpu" else "unobserved",
            "kernel": "unobserved",
        }
        return {"name": "xla", "identity": identity, "ways": ["operator_call", "stablehlo"]}

    def _choose_flags(self, options):
        on_cpu = self.device_name == "cpu"
        for name in ("fast-math", "fast-min-max", "max-isa", "threads", "ynn"):
            if name in options and not on_cpu:
                raise Refusal("backend-option", f"{name}: an option of the CPU, not of `{self.device_name}`")
        self.flags = [f"--{flag}={options[name]}" for name, flag in FLAGS.items() if name in options]
        if "ynn" in options:
            self.flags.append(f"--xla_cpu_experimental_ynn_fusion_type={YNN_FUSIONS[options['ynn']]}")
        self.threads = surroundings.thread_count(options, surroundings.processors())
        if on_cpu:
            os.environ["JAX_PLATFORMS"] = "cpu"
            os.environ["NPROC"] = str(self.threads)  # the size of XLA's thread pool
            if self.threads == 1:
                self.flags.append("--xla_cpu_multi_thread_eigen=false")
        os.environ["XLA_FLAGS"] = " ".join(self.flags)

    def _open_device(self):
        try:
            self.device = self.jax.devices(self.device_name)[0]
        except RuntimeError as error:
            line = str(error).splitlines()[0]
            raise Refusal("backend-absent", f"JAX {self.jax.__version__} has no {self.device_name} device here: {line}") from None
        self.jax.config.update("jax_default_device", self.device)

    def _load_families(self, options):
        import arrays
        import elementwise
        import functions
        import matmul
        import rearrange
        import reduce
        import stablehlo_client

        self.arrays, self.client = arrays, stablehlo_client
        self.table = {}
        for family in (elementwise, functions, matmul, rearrange, reduce):
            family.add_to(self.table)
        self.configured = []
        if "precision" in options:
            self.jax.config.update("jax_default_matmul_precision", options["precision"])
            self.configured.append(f"jax_default_matmul_precision={options['precision']}")

    def _plugin_digests(self):
        """A GPU's compiler is in a library of its own."""
        if self.device_name == "cpu":
            return ""
        paths = surroundings.loaded(r"xla_(cuda|rocm)_plugin|libcublas|libcudnn")
        return "".join(f" {path.rsplit('/', 1)[-1]}={surroundings.digest(path)}" for path in paths) or " plugin=unobserved"

    def _device_words(self):
        if self.device_name == "cpu":
            return "cpu"
        return f"gpu {self.device.client.platform_version}".replace("\n", " ")

    # ---- what is computed

    def release(self):
        self.kept.clear()

    def _kept(self, key, make):
        """(executable, what is said of it, compile_ms); compiled once."""
        if key not in self.kept:
            begin = time.perf_counter()
            made = make()
            self.kept[key] = (*made, (time.perf_counter() - begin) * 1e3)
            while len(self.kept) > KEPT_MODULES:
                self.kept.popitem(last=False)
        self.kept.move_to_end(key)
        return self.kept[key]

    def _on_device(self, tensors):
        with self.jax.enable_x64(True):  # else f64 and i64 would be made narrower on their way
            made = [self.jax.device_put(self.arrays.array_of(tensor), self.device, may_alias=False) for tensor in tensors]
        return self.jax.block_until_ready(made)

    def _bytes(self, results, call, what):
        with self.jax.enable_x64(True):
            got = [self.arrays.np.asarray(result) for result in results]
        if len(got) != len(call.results):
            raise Refusal("worker-refused", f"{what} gives {len(got)} results; {len(call.results)} are expected")
        for array, wanted in zip(got, call.results):
            self.arrays.check_result(array, wanted, what)
        return [self.arrays.bytes_of(array) for array in got]

    def run_stablehlo(self, call):
        def make():
            try:
                executable = self.client.compile_text(call.module, self.device)
            except self.client.CompileError as error:
                raise Refusal("compile-failed", str(error)) from None
            return executable, self.client.operand_specs(executable), kernel(self.client.optimized_text(executable))

        executable, specs, ran, compile_ms = self._kept(call.module, make)
        given = [(self.arrays.dtype_of(tensor.format), tensor.shape) for tensor in call.operands]
        if specs != given:
            raise Refusal("worker-refused", f"@main takes {in_words(specs)}; {in_words(given)} are given")
        operands = self._on_device(call.operands)
        return timed_runs(
            call,
            lambda: self.client.execute(executable, operands),
            lambda results: self._bytes(results, call, "@main"),
            compile_ms=compile_ms,
            tag="xla.module@main",
            kernel=ran,
        )

    def call_operator(self, call):
        entry = entry_for(self.table, call, "XLA")

        def make():
            function, tag = entry.build(call)
            specs = [self.jax.ShapeDtypeStruct(t.shape, self.arrays.dtype_of(t.format)) for t in call.operands]
            wide = any(tensor.format in ("f64", "i64", "ui64") for tensor in (*call.operands, *call.results))
            try:
                # As a user has it: 64-bit types are on where the problem has one.
                with self.jax.enable_x64(wide):
                    compiled = self.jax.jit(function).lower(*specs).compile()
            except (TypeError, ValueError, NotImplementedError) as error:
                raise Refusal("backend-lacks-format", f"{tag}: {str(error).splitlines()[0]}") from None
            except self.jax.errors.JaxRuntimeError as error:
                raise Refusal("compile-failed", f"{tag}: {str(error).splitlines()[0]}") from None
            return compiled, tag, kernel(compiled.as_text())

        compiled, tag, ran, compile_ms = self._kept(key_of(call), make)
        operands = self._on_device(call.operands)
        return timed_runs(
            call,
            lambda: [self.jax.block_until_ready(compiled(*operands))],
            lambda results: self._bytes(results, call, tag),
            compile_ms=compile_ms,
            tag=tag,
            kernel=ran,
        )


def in_words(specs):
    return ", ".join(f"{dtype}{list(shape)}" for dtype, shape in specs) or "nothing"


def kernel(hlo):
    """The instructions of the entry computation that were compiled, in their order; of a fusion, the library that it goes to or the
    instruction that it ends in: "fusion(__ynn_fusion)", "fusion(reduce-window)", "dot"."""
    roots, opcodes, current = {}, [], None
    for line in hlo.splitlines():
        if opened := re.match(r"(ENTRY )?%?(\S+) \(.*\{$", line):
            current = "" if opened.group(1) else opened.group(2)
        found = re.match(r"\s+(ROOT )?%?\S+ = (?:\([^)]*\)|\S+) ([a-z0-9-]+)\(", line)
        if not found or current is None:
            continue
        if found.group(1) and current:
            roots[current] = found.group(2)
        if current == "" and found.group(2) not in ("parameter", "tuple", "get-tuple-element", "constant"):
            library = re.search(r'"fusion_config":\{"kind":"([^"]+)"', line) or re.search(r'custom_call_target="([^"]*)"', line)
            called = re.search(r"calls=%?([^,\s]+)", line)
            inside = library.group(1) if library else roots.get(called.group(1), "unobserved") if called else ""
            opcodes.append(found.group(2) + (f"({inside})" if inside else ""))
    return "hlo: " + ", ".join(opcodes) if opcodes else "unobserved"
