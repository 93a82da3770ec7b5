import ctypes
import os

import lit.formats
from lit.llvm import llvm_config

config.name = "Sinter"
config.test_format = lit.formats.ShTest(False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "Inputs", "install"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.sinter_obj_root, "test")
config.substitutions.append(("%src", config.sinter_src_root))

llvm_config.with_system_environment(["HOME", "TMP", "TEMP"])
# LLVM's bump allocators poison what they have not handed out yet; libMLIR, which
# is not instrumented, hands it out without taking that back.
config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0"
config.environment["LSAN_OPTIONS"] = "suppressions=" + os.path.join(
    os.path.dirname(__file__), "leak-suppressions.txt")


def find_nvrtc():
    """The library that SINTER_NVRTC names, the one that ./run-tests fetched, or
    the system's, as tests shall use it."""
    fetched = os.path.join(
        config.sinter_src_root, "build/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12")
    for name in os.environ.get("SINTER_NVRTC"), fetched, "libnvrtc.so.13", "libnvrtc.so.12":
        try:
            if name:
                ctypes.CDLL(name)
                return name
        except OSError:
            continue
    return None


nvrtc = find_nvrtc()
if nvrtc:
    config.available_features.add("nvrtc")
    config.environment["SINTER_NVRTC"] = nvrtc
    # It opens a second library beside it, which it does not find by itself under AddressSanitizer, whose dlopen stands between.
    if os.path.dirname(nvrtc):
        config.environment["LD_LIBRARY_PATH"] = os.path.dirname(nvrtc)
# What it compiles is kept from run to run.
config.environment["SINTER_CACHE"] = os.path.join(
    config.sinter_src_root, "build/nvrtc-cache")
# Of two runtimes of sanitizers in one process neither works.
with open(os.path.join(config.sinter_tools_dir, "sinter-run"), "rb") as tool:
    if b"__asan_init" in tool.read():
        config.available_features.add("sanitized-tools")
# The emulator instead of CUDA's two libraries (test/Emulator). Suites that run on all targets get their names by environment, and
# `cuda` as one more level; under AddressSanitizer it would only take longer, since compiled code is not instrumented.
emulator = {
    "SINTER_NVRTC": os.path.join(config.sinter_obj_root, "lib/fake-nvrtc.so"),
    "SINTER_CUDA_DRIVER": os.path.join(config.sinter_obj_root, "lib/fake-cuda.so")}
config.emulator = emulator
config.substitutions += [
    ("%toy_nvrtc", os.path.join(config.sinter_obj_root, "test/unit/Target/SinterToyNvrtc.so")),
    ("%emulated", "env " + " ".join("%s=%s" % pair for pair in emulator.items())),
    ("%cuda", "" if "sanitized-tools" in config.available_features else ",cuda"),
]
llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(
    ["sinter-opt", "sinterc", "sinter-run", "split-file", "llvm-readobj"],
    [config.sinter_tools_dir, config.llvm_tools_dir])
