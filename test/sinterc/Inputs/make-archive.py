"""Writes good.safetensors and, four bytes shorter, truncated.safetensors."""

import json
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])
header = json.dumps({"proj.weight": {"dtype": "F32", "shape": [2, 8], "data_offsets": [0, 64]}}).encode()
archive = struct.pack("<Q", len(header)) + header + struct.pack("<16f", *range(16))
(folder / "good.safetensors").write_bytes(archive)
(folder / "truncated.safetensors").write_bytes(archive[:-4])
