"""Runs one adapter as a worker: `host.py NAME` loads NAME/adapter.py beside this file's folder and serves its `Adapter`."""

import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from bitpact_worker import Refusal, serve  # noqa: E402


class Absent:
    """Stands in where an adapter's runtime cannot be imported, so that the reason reaches the person who asked."""

    def __init__(self, reason):
        self.reason = reason

    def hello(self, device, options):
        raise Refusal("backend-absent", self.reason)


def load(name):
    path = HERE.parent / name / "adapter.py"
    spec = importlib.util.spec_from_file_location(f"{name}_adapter", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
        return module.Adapter()
    except ImportError as error:
        return Absent(f"{sys.executable} cannot import the runtime: {error}")


if __name__ == "__main__":
    serve(load(sys.argv[1]))
