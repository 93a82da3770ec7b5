"""The CUDA driver, and models compiled for it, by ctypes alone."""
import array
import ctypes
import json
import os
import random
import subprocess

COMPUTE_MAJOR, COMPUTE_MINOR, MULTIPROCESSORS = 75, 76, 16
ALIGN = 64


class DriverError(Exception):
    pass


class Driver:
    """The first device of the driver that SINTER_CUDA_DRIVER names, else of
    libcuda.so.1."""

    def __init__(self):
        path = os.environ.get("SINTER_CUDA_DRIVER") or "libcuda.so.1"
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            raise DriverError(f"no CUDA driver: {error}") from None
        count = ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGetCount", ctypes.byref(count))
        if count.value == 0:
            raise DriverError("the CUDA driver finds no device")
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        error = getattr(self.library, name)(*arguments)
        if error:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(error, ctypes.byref(text))
            raise DriverError(f"{name}: {(text.value or b'unknown error').decode()}")

    def attribute(self, number):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, 0)
        return value.value

    def describe(self):
        name, version = ctypes.create_string_buffer(256), ctypes.c_int()
        self.call("cuDeviceGetName", name, 256, 0)
        self.call("cuDriverGetVersion", ctypes.byref(version))
        return {"name": name.value.decode(), "driver": version.value,
                "capability": self.capability()}

    def capability(self):
        return 10 * self.attribute(COMPUTE_MAJOR) + self.attribute(COMPUTE_MINOR)

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, ALIGN)))
        return address.value

    def free(self, address):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def fill(self, address, count, seed):
        """Random floats; a block of them, repeated."""
        generator = random.Random(seed)
        block = array.array("f", (generator.uniform(-1, 1) for _ in range(min(count, 65521))))
        bytes_left, at, data = 4 * count, 0, block.tobytes()
        while bytes_left > 0:
            size = min(bytes_left, len(data))
            self.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address + at), data,
                      ctypes.c_size_t(size), None)
            bytes_left, at = bytes_left - size, at + size
        self.wait()

    def wait(self):
        self.call("cuStreamSynchronize", None)

    def time(self, launch, repetitions):
        """Median milliseconds of `launch()`, by events on the default stream."""
        begin, end, elapsed = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
        self.call("cuEventCreate", ctypes.byref(begin), 0)
        self.call("cuEventCreate", ctypes.byref(end), 0)
        times = []
        for _ in range(repetitions):
            self.call("cuEventRecord", begin, None)
            launch()
            self.call("cuEventRecord", end, None)
            self.call("cuEventSynchronize", end)
            self.call("cuEventElapsedTime", ctypes.byref(elapsed), begin, end)
            times.append(elapsed.value)
        self.call("cuEventDestroy_v2", begin)
        self.call("cuEventDestroy_v2", end)
        return sorted(times)[len(times) // 2]


def aligned_buffer(size):
    memory = ctypes.create_string_buffer(size + ALIGN)
    offset = -ctypes.addressof(memory) % ALIGN
    return memory, ctypes.c_void_p(ctypes.addressof(memory) + offset)


class Model:
    """A shared object of `sinterc --target=cuda` without a session, opened on
    the device."""

    def __init__(self, driver, path, runtime):
        # The model imports the runtime's one function.
        ctypes.CDLL(runtime, mode=ctypes.RTLD_GLOBAL)
        self.driver, self.library = driver, ctypes.CDLL(path)
        manifest = self.library[self.prefix_of(path) + "_manifest"]
        manifest.restype = ctypes.c_char_p
        self.manifest = json.loads(manifest())
        sizes = self.manifest["device"]
        self.keep, handle = aligned_buffer(sizes["handle_bytes"])
        arguments = [handle, ctypes.c_size_t(sizes["handle_bytes"])]
        if sizes["memory_bytes"]:
            self.weights = driver.allocate(sizes["memory_bytes"])
            arguments += [ctypes.c_void_p(self.weights), ctypes.c_size_t(sizes["memory_bytes"])]
        self.device = ctypes.c_void_p()
        self.check(self.function("device_open")(*arguments, None, ctypes.byref(self.device)))

    @staticmethod
    def prefix_of(path):
        return os.path.splitext(os.path.basename(path))[0]

    def function(self, name):
        return self.library[f"{self.manifest['prefix']}_{name}"]

    def check(self, status):
        if status < 0:
            text = self.function("status_string")
            text.restype = ctypes.c_char_p
            raise DriverError(text(status).decode())

    def entry(self, name):
        return next(e for e in self.manifest["entries"] if e["name"] == name)

    @staticmethod
    def count(tensor, dims):
        count = 1
        for extent in tensor["shape"]:
            count *= dims[extent] if isinstance(extent, str) else extent
        return count

    def tensor_bytes(self, name, dims):
        """Of all arguments and results of an entry, which are f32."""
        return sum(4 * self.count(tensor, dims) for tensor in self.entry(name)["tensors"])

    def prepare(self, name, dims):
        """A function that queues one call of the entry on random inputs, and the
        memory to free afterwards."""
        entry = self.entry(name)
        values = [ctypes.c_int64(dims[d["name"]]) for d in entry["dimensions"] if d["argument"]]
        size = self.library[entry["function"] + "_workspace_size"]
        size.restype = ctypes.c_size_t
        bytes_of_workspace = size(*(ctypes.c_int64(dims[d]) for d in entry["workspace_arguments"]))
        workspace = self.driver.allocate(bytes_of_workspace)
        allocations, tensors = [workspace], []
        for seed, tensor in enumerate(entry["tensors"]):
            count = self.count(tensor, dims)
            address = self.driver.allocate(4 * count)
            if tensor["role"] == "input":
                self.driver.fill(address, count, seed)
            allocations.append(address)
            tensors.append(ctypes.c_void_p(address))
        function = self.library[entry["function"]]

        def launch():
            self.check(function(self.device, None, ctypes.c_void_p(workspace),
                                ctypes.c_size_t(bytes_of_workspace), *values, *tensors))

        def finish():
            self.check(self.function("status")(ctypes.c_void_p(workspace), None))
            for address in allocations:
                self.driver.free(address)

        return launch, finish


def build_runtime(source, folder):
    """The part of libsinter_rt that opens the driver, as a shared object."""
    path = os.path.join(folder, "sinter_cuda.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", f"-I{source}/include",
                    f"{source}/lib/Runtime/cuda_driver.c", "-o", path, "-ldl", "-lpthread"], check=True)
    return path
