"""However the program ends, nothing of its workers stays: no process, wherever it moved to, and no shared memory."""

import os
import pathlib
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM, ROOT


def command_line(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def marked(mark):
    return [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*") if str(mark) in command_line(path.name)]


def arenas(pids):
    """The inodes of the shared memory that these processes have open."""
    seen = set()
    for pid in pids:
        for fd in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
            try:
                if "bitpact-arena" in os.readlink(fd):
                    seen.add(os.stat(fd).st_ino)
            except OSError:
                pass
    return seen


def wait_until(happens, seconds=60):
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_stays(tmp_path, how):
    mark = tmp_path / "mark"
    in_memory = set(os.listdir("/dev/shm"))
    worker = f"worker:{ROOT}/.venv/bin/python tests/backends/faulty_worker.py hangs {mark}"
    command = [PROGRAM, "compare", "add 4xf32,4xf32", "--reference", "native", "--candidate", worker]
    program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # The program, its keeper, the worker, a child in the worker's group, and one that has left everything.
        wait_until(lambda: len(marked(mark)) >= 5)
        theirs = arenas(marked(mark))
        assert len(theirs) == 2
        program.send_signal(how)
        assert program.wait(30) == -how
        wait_until(lambda: not marked(mark))
        assert not theirs & arenas(path.name for path in pathlib.Path("/proc").glob("[0-9]*"))
        assert {name for name in set(os.listdir("/dev/shm")) - in_memory if "bitpact" in name} == set()
    finally:
        program.kill()
        program.wait()
