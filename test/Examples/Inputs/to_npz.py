#!/usr/bin/env python3
"""to_npz.py FILE.safetensors FILE.npz: float32 tensors as NumPy's archive."""
import json
import struct
import sys
import zipfile

with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    contents = file.read()
header.pop("__metadata__", None)
with zipfile.ZipFile(sys.argv[2], "w") as archive:
    for name, tensor in header.items():
        assert tensor["dtype"] == "F32"
        text = str({"descr": "<f4", "fortran_order": False, "shape": tuple(tensor["shape"])}).ljust(117) + "\n"
        start, end = tensor["data_offsets"]
        archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + contents[start:end])
