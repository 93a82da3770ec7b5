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
llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(
    ["sinter-opt", "sinterc", "sinter-run", "split-file"],
    [config.sinter_tools_dir, config.llvm_tools_dir])
