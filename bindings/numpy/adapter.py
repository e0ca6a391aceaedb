"""The `numpy` backend: NumPy's own functions, as its users call them.

OpenBLAS and NumPy read their environment once, so the options are put there before NumPy is imported: in `hello`.
bf16 is an array type of ml_dtypes, whose loops compute in f32 and round each result; the tag says so.
"""

import ctypes
import importlib.util
import os
import re

import surroundings
from bitpact_worker import Refusal, timed_runs
from operator_table import entry_for, key_of


class Adapter:
    def __init__(self):
        self.built = {}

    # ---- who computes

    def hello(self, device, options):
        surroundings.forget(r"(OPENBLAS|GOTO|OMP|MKL|NPY|NUMPY|BLIS|VECLIB)_.*")
        self.threads = surroundings.thread_count(options, surroundings.processors())
        os.environ["OPENBLAS_NUM_THREADS"] = str(self.threads)
        os.environ["VECLIB_MAXIMUM_THREADS"] = str(self.threads)
        shown = [f"OPENBLAS_NUM_THREADS={self.threads}"]
        for name, variable in {"core": "OPENBLAS_CORETYPE", "disable-features": "NPY_DISABLE_CPU_FEATURES"}.items():
            if name in options:
                if not re.fullmatch(r"[A-Za-z0-9_;]+", options[name]):
                    raise Refusal("backend-option", f"{name}={options[name]}: names separated by ';' expected")
                os.environ[variable] = options[name].replace(";", " ")
                shown.append(f"{variable}={options[name]}")
        with surroundings.importing("numpy and ml_dtypes"):
            self._import(options)
        identity = {
            "backend": "numpy",
            "version": f"{self.np.__version__} ml_dtypes={self.ml_dtypes.__version__} {self._blas_words()}",
            "build": self._digests(),
            "device": "cpu",
            "target": f"{surroundings.processor()} numpy-dispatch={'/'.join(self._dispatched()) or 'baseline'}",
            "flags": " ".join(shown),
            "threads": str(self.threads),
            "kernel": f"openblas core {self.core}",
        }
        # Arrays are views of the payload: functions read operands where they lie.
        return {"name": "numpy", "identity": identity, "ways": ["operator_call"], "align": True}

    def _import(self, options):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("error", ImportWarning)  # NumPy's word on a feature that it cannot disable
            try:
                import numpy as np
            except (ImportWarning, RuntimeError) as error:
                raise Refusal("backend-option", " ".join(str(error).split())[:300]) from None
        import arrays
        import elementwise
        import functions
        import matmul
        import ml_dtypes
        import rearrange
        import reduce

        np.seterr(all="ignore")
        self.np, self.ml_dtypes, self.arrays = np, ml_dtypes, arrays
        self.table = {}
        for family in (elementwise, functions, matmul, rearrange, reduce):
            family.add_to(self.table)
        self.core = self._core()
        if "core" in options and self.core.lower() != options["core"].lower():
            raise Refusal("backend-option", f"core={options['core']}: OpenBLAS runs {self.core} instead")

    def _blas_words(self):
        blas = self.np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        return f"blas={blas.get('name', 'unobserved')}-{blas.get('version', 'unobserved')}"

    def _dispatched(self):
        """Those of the sets of instructions that NumPy has loops for which this processor has, and which are not disabled."""
        core = self.np._core._multiarray_umath
        return [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]

    def _core(self):
        """The processor that OpenBLAS has chosen its kernels for."""
        for path in surroundings.loaded(r"openblas"):
            library = ctypes.CDLL(path)
            for name in ("scipy_openblas_get_corename64_", "scipy_openblas_get_corename", "openblas_get_corename"):
                if hasattr(library, name):
                    function = getattr(library, name)
                    function.restype = ctypes.c_char_p
                    return function().decode()
        return "unobserved"

    def _digests(self):
        paths = surroundings.loaded(r"blas|_multiarray_umath|_ml_dtypes_ext|^libm[.-]") or [
            self.np._core._multiarray_umath.__file__,
            importlib.util.find_spec("ml_dtypes._ml_dtypes_ext").origin,
        ]
        return " ".join(f"{path.rsplit('/', 1)[-1]}={surroundings.digest(path)}" for path in paths)

    # ---- what is computed

    def release(self):
        self.built.clear()

    def call_operator(self, call):
        key = key_of(call)
        if key not in self.built:
            self.built[key] = entry_for(self.table, call, "NumPy").build(call)
        function, tag, ran = self.built[key]
        operands = [self.arrays.array_of(tensor) for tensor in call.operands]

        def run():
            try:
                return function(*operands)
            except TypeError as error:  # no loop for these types
                raise Refusal("backend-lacks-format", f"{tag}: {' '.join(str(error).split())}") from None

        def read(result):
            array = self.np.asarray(result)
            self.arrays.check_result(array, call.results[0], tag)
            return [self.arrays.bytes_of(array)]

        return timed_runs(call, run, read, tag=tag, kernel=ran)
