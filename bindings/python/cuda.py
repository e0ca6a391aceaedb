"""Which CUDA device is here, asked from the driver's library itself, before any runtime is."""

import ctypes

from bitpact_worker import Refusal

# CUdevice_attribute in cuda.h
_MAJOR, _MINOR = 75, 76
_LIBRARIES = ("libcuda.so.1", "nvcuda.dll")


def first_device():
    """(name, "sm_90", "driver 12.4") of device 0. Refuses `backend-absent`."""
    driver = None
    for name in _LIBRARIES:
        try:
            driver = ctypes.CDLL(name)
            break
        except OSError:
            continue
    if driver is None:
        raise Refusal("backend-absent", f"there is no CUDA driver here: none of {', '.join(_LIBRARIES)} can be loaded")
    device, number, words = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)

    def ask(what, *arguments):
        error = getattr(driver, what)(*arguments)
        if error:
            raise Refusal("backend-absent", f"the CUDA driver has no device to give: {what} fails with error {error}")

    def attribute(which):
        ask("cuDeviceGetAttribute", ctypes.byref(number), which, device)
        return number.value

    ask("cuInit", 0)
    ask("cuDeviceGet", ctypes.byref(device), 0)
    ask("cuDeviceGetName", words, len(words), device)
    ask("cuDriverGetVersion", ctypes.byref(number))
    version = f"driver {number.value // 1000}.{number.value % 1000 // 10}"
    return words.value.decode(), f"sm_{attribute(_MAJOR)}{attribute(_MINOR)}", version
