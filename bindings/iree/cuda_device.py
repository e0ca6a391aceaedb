"""The `iree:cuda` device: its compiler flags, and how results come back from memory that the host cannot map."""

import cuda
import iree.runtime as rt
from bitpact_worker import Refusal

CPU_OPTIONS = ("target-cpu", "features", "driver", "threads")


def describe(options):
    """(flags, target in words). Refuses `backend-absent` where there is no device."""
    for name in CPU_OPTIONS:
        if name in options:
            raise Refusal("backend-option", f"{name}: an option of the CPU, not of `cuda`")
    name, architecture, version = cuda.first_device()
    architecture = options.get("cuda-target", architecture)
    flags = ["--iree-hal-target-device=cuda", f"--iree-cuda-target={architecture}", "--iree-input-type=stablehlo"]
    return flags, f"{name} {architecture} {version}"


def open_device():
    try:
        return rt.get_driver("cuda").create_default_device()
    except (RuntimeError, ValueError) as error:
        raise Refusal("backend-absent", str(error).splitlines()[0]) from None


def on_host(device, view):
    """A copy of a buffer view's bytes in memory that the host maps."""
    source = view.get_buffer()
    staging = device.allocator.allocate_buffer(
        memory_type=int(rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE),
        allowed_usage=int(rt.BufferUsage.TRANSFER_TARGET | rt.BufferUsage.MAPPING_SCOPED),
        allocation_size=source.byte_length(),
    )
    semaphore = device.create_semaphore(0)
    device.queue_copy(
        source,
        staging,
        wait_semaphores=rt.HalFence.create_at(semaphore, 0),
        signal_semaphores=rt.HalFence.create_at(semaphore, 1),
    )
    rt.HalFence.create_at(semaphore, 1).wait()
    return staging.map()
