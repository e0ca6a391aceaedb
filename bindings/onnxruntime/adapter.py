"""The `onnxruntime` backend: operators as small ONNX models, run by ONNX Runtime's CPU provider (or the CUDA one).

Bits go in and out as they are: values are made from raw bytes with explicit element types. Which nodes really ran, the Casts that
the runtime put in among them, is read from the graph that the very session wrote after its optimisations.
"""

import collections
import contextlib
import ctypes
import importlib.util
import os
import tempfile
import time

import surroundings
from bitpact_worker import Refusal, timed_runs
from operator_table import entry_for, key_of

KEPT_SESSIONS = 64
RAW = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}  # elements by their size
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
# Options that are entries of a session's configuration.
CONFIG_ENTRIES = {
    "accuracy_level": "session.qdq_matmulnbits_accuracy_level",
    "denormal-as-zero": "session.set_denormal_as_zero",
}


class Adapter:
    def __init__(self):
        self.kept = collections.OrderedDict()

    # ---- who computes

    def hello(self, device, options):
        self.device_name = device or "cpu"
        self.provider = PROVIDERS[self.device_name]
        surroundings.forget(r"ORT_.*", r"OMP_.*", r"MLAS_.*")
        if self.device_name == "cpu":
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        if "tf32" in options and self.device_name != "cuda":
            raise Refusal("backend-option", f"tf32: an option of cuda, not of `{self.device_name}`")
        self.options = options
        self.threads = surroundings.thread_count(options, surroundings.processors())
        with surroundings.importing("onnxruntime and onnx"):
            import onnx
            import onnxruntime as ort
        if self.provider not in ort.get_available_providers():
            have = ", ".join(ort.get_available_providers())
            raise Refusal("backend-absent", f"ONNX Runtime {ort.__version__} has no {self.provider} here; it has {have}")
        self.ort, self.onnx = ort, onnx
        self._load_families()
        shown = self._try_session()
        identity = {
            "backend": "onnxruntime",
            "version": f"{ort.__version__} onnx={onnx.__version__} opset={self.models.OPSET} {self._revision()}",
            "build": self._digests(),
            "device": self.device_name if self.device_name == "cpu" else f"cuda {self._cuda_words()}",
            "target": surroundings.processor() if self.device_name == "cpu" else "unobserved",
            "flags": " ".join(shown),
            "threads": str(self.threads),
            "kernel": "unobserved",
        }
        hello = {"name": "onnxruntime", "identity": identity, "ways": ["operator_call"]}
        # A CUDA provider copies operands into memory of its own.
        return {**hello, "align": True} if self.device_name == "cpu" else hello

    def _load_families(self):
        import elementwise
        import functions
        import matmul
        import models
        import quantize
        import reduce

        self.models = models
        self.table = {}
        for family in (elementwise, functions, matmul, quantize, reduce):
            family.add_to(self.table)

    def _try_session(self):
        """The options as words. A session of one node shows that the provider runs and what it was given."""
        options = {"provider": self.provider, "optimization": self.options.get("optimization", "all"), "threads": self.threads}
        options |= {name: self.options[name] for name in (*CONFIG_ENTRIES, "tf32") if name in self.options}
        model = self.models.model([self.models.node("Identity", ["x0"], ["y"])], [("f32", (1,))], ("f32", (1,)))
        session, _ = self._session(model, "onnx.Identity")
        if session.get_providers()[0] != self.provider:
            raise Refusal("backend-absent", f"ONNX Runtime puts {session.get_providers()[0]} in the place of {self.provider}")
        return [f"{name}={value}" for name, value in options.items()]

    def _revision(self):
        build = self.ort.get_build_info()
        return next((part.strip() for part in build.split(",") if "git-commit-id" in part), "git-commit-id=unobserved")

    def _digests(self):
        folder = importlib.util.find_spec("onnxruntime").origin.rsplit("/", 1)[0] + "/capi"
        paths = surroundings.loaded(r"^(lib)?onnxruntime.*\.so|^libm[.-]") or [
            f"{folder}/{name}" for name in sorted(os.listdir(folder)) if name.endswith((".so", ".dylib"))
        ]
        return " ".join(f"{path.rsplit('/', 1)[-1]}={surroundings.digest(path)}" for path in paths)

    def _cuda_words(self):
        paths = surroundings.loaded(r"^lib(cublas|cublasLt|cudnn|cudart)\.so")
        return " ".join(path.rsplit("/", 1)[-1] for path in paths) or "unobserved"

    # ---- what is computed

    def release(self):
        self.kept.clear()

    def _session(self, model, what):
        """(session, the nodes of the graph that it runs)."""
        ort = self.ort
        levels = {
            "none": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
            "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
            "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
            "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
        }
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = levels[self.options.get("optimization", "all")]
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        for name, entry in CONFIG_ENTRIES.items():
            if name in self.options:
                value = self.options[name]
                options.add_session_config_entry(entry, {"true": "1", "false": "0"}.get(value, value))
        if self.device_name != "cpu":
            # What the provider lacks is refused, not run by the CPU's.
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        tf32 = {"use_tf32": "0" if self.options.get("tf32") == "false" else "1"} if self.device_name == "cuda" else {}
        with tempfile.TemporaryDirectory(prefix="bitpact-") as folder:
            options.optimized_model_filepath = f"{folder}/optimized.onnx"
            with self._refusals(what):
                session = ort.InferenceSession(model.SerializeToString(), options, providers=[(self.provider, tf32)])
            ran = self.onnx.load(options.optimized_model_filepath)
        return session, [(f"{node.domain}." if node.domain else "") + node.op_type for node in ran.graph.node]

    @contextlib.contextmanager
    def _refusals(self, what):
        """What ONNX Runtime says of a node that it has no kernel for, or whose types its schema does not take."""
        state = self.ort.capi.onnxruntime_pybind11_state
        try:
            yield
        except (state.NotImplemented, state.InvalidGraph) as error:
            raise Refusal("backend-lacks-format", f"{what}: {str(error).splitlines()[0]}") from None
        except (state.Fail, state.InvalidArgument, state.RuntimeException) as error:
            line = f"{what}: {str(error).splitlines()[0]}"
            typed = "Type Error" in line or "tensor(" in line
            raise Refusal("backend-lacks-format" if typed else "compile-failed", line) from None

    def _made(self, call):
        key = key_of(call)
        if key not in self.kept:
            built = entry_for(self.table, call, "ONNX Runtime").build(call)
            begin = time.perf_counter()
            wanted = (call.results[0].format, call.results[0].shape)
            model = self.models.model(
                built.nodes, [(x.format, x.shape) for x in call.operands], wanted, built.initializers, built.result
            )
            session, ran = self._session(model, f"{in_words(built)} of {call.operands[0].format}")
            self.kept[key] = session, built, ran, (time.perf_counter() - begin) * 1e3
            while len(self.kept) > KEPT_SESSIONS:
                self.kept.popitem(last=False)
        self.kept.move_to_end(key)
        return self.kept[key]

    def _value(self, tensor):
        """The same bytes with their element type stated: where they lie, since some kernels' sums follow the address; for CUDA in
        a value of ONNX Runtime's own."""
        import arrays

        given = arrays.array_of(tensor)
        element_type = self.models.element_type(tensor.format)
        if self.device_name == "cpu":
            raw = given.view(RAW[given.itemsize])  # NumPy's types lack some of ONNX's
            return self.ort.OrtValue.ortvalue_from_numpy_with_onnx_type(raw, element_type)
        value = self.ort.OrtValue.ortvalue_from_shape_and_type(list(tensor.shape), element_type)
        if given.nbytes:
            ctypes.memmove(value.data_ptr(), given.ctypes.data, given.nbytes)
        return value

    def call_operator(self, call):
        session, built, ran, compile_ms = self._made(call)
        operands = {f"x{i}": self._value(tensor) for i, tensor in enumerate(call.operands)}

        nodes = in_words(built)

        def run():
            with self._refusals(nodes):
                return session.run_with_ort_values([built.result], operands)

        return timed_runs(
            call,
            run,
            lambda results: [self._bytes(results[0], call.results[0], nodes)],
            compile_ms=compile_ms,
            tag=f"{nodes}@{self.models.OPSET} {self.provider}",
            kernel="graph: " + ", ".join(ran),
        )

    def _bytes(self, value, wanted, what):
        if value.element_type() != self.models.element_type(wanted.format):
            raise Refusal("backend-lacks-format", f"{what} of these operands gives {value.data_type()}, not {wanted.format}")
        if tuple(value.shape()) != wanted.shape:
            raise Refusal("worker-refused", f"{what} gives a result of shape {tuple(value.shape())}, not {wanted.shape}")
        return ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())


def in_words(built):
    """ "onnx.Mul+onnx.Add" """
    return "+".join(f"onnx.{node.op_type}" for node in built.nodes)
