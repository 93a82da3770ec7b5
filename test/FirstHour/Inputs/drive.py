"""Drives a shared object from its manifest alone. Usage: drive.py MODEL.so PREFIX"""

import ctypes
import json
import sys

C_TYPES = {"f32": ctypes.c_float, "i32": ctypes.c_int32, "i64": ctypes.c_int64}


def allocate(count):
    """`count` bytes, 64-aligned."""
    block = (ctypes.c_char * (count + 64))()
    return block, ctypes.c_void_p((ctypes.addressof(block) + 63) // 64 * 64)


def main(path, prefix):
    library = ctypes.CDLL(path)
    describe = getattr(library, prefix + "_manifest")
    describe.restype = ctypes.c_char_p
    manifest = json.loads(describe())
    dims = {"batch": 1, "context": 8, "sequence": 3}

    def function(name, result):
        found = getattr(library, name)
        found.restype = result
        return found

    values = [ctypes.c_int64(dims[d["name"]]) for d in manifest["session"]["dimensions"]]
    size = function(prefix + "_session_size", ctypes.c_size_t)(*values)
    keep, memory = allocate(size)
    session = ctypes.c_void_p()
    init = function(prefix + "_session_init", ctypes.c_int32)
    assert init(memory, ctypes.c_size_t(size), *values, ctypes.byref(session)) == 0
    entry = next(e for e in manifest["entries"] if e["name"] == "prefill")
    sizes = [ctypes.c_int64(dims[n]) for n in entry["workspace_arguments"][:-1]]
    bytes_of = function(entry["function"] + "_workspace_size", ctypes.c_size_t)
    work_size = bytes_of(*sizes, ctypes.c_int32(1))
    hold, workspace = allocate(work_size)
    arguments = [session, None, workspace, ctypes.c_size_t(work_size)]
    arguments += [ctypes.c_int64(dims[d["name"]]) for d in entry["dimensions"] if d["argument"]]
    outputs = []
    for role in ["lengths", "input", "output"]:
        for tensor in entry["tensors"]:
            if tensor["role"] != role:
                continue
            count = 1
            for extent in tensor["shape"]:
                count *= dims.get(extent, extent)
            array = (C_TYPES[tensor["type"]] * count)()
            if role == "input":
                array[:] = [i % tensor["limit"] for i in range(1, count + 1)]
            if role == "output":
                outputs.append(array)
            arguments.append(None if role == "lengths" else array)
    assert function(entry["function"], ctypes.c_int32)(*arguments) == 0
    print(len(outputs[0]), max(range(len(outputs[0])), key=lambda i: outputs[0][i]))


main(*sys.argv[1:])
