#!/usr/bin/env python3
"""convert.py FILE.npz FILE.safetensors: NumPy's archive of arrays as a safetensors file, values unchanged."""
import ast
import json
import struct
import sys
import zipfile

TYPES = {"<f4": "F32", "<f8": "F64", "<i4": "I32", "<i8": "I64"}


def read_npy(data):
    """The type, shape and bytes of a .npy file."""
    start = 10 if data[6] == 1 else 12
    size = int.from_bytes(data[8:start], "little")
    header = ast.literal_eval(data[start : start + size].decode())
    assert not header["fortran_order"], "arrays must be in C order"
    return TYPES[header["descr"]], list(header["shape"]), data[start + size :]


header, contents = {}, b""
with zipfile.ZipFile(sys.argv[1]) as archive:
    for name in sorted(archive.namelist()):
        kind, shape, data = read_npy(archive.read(name))
        header[name.removesuffix(".npy")] = {
            "dtype": kind, "shape": shape, "data_offsets": [len(contents), len(contents) + len(data)]}
        contents += data
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[2], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + contents)
