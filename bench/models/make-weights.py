#!/usr/bin/env python3
"""make-weights.py OUT NAME=AxB...: a safetensors file of uniform numbers, always the same."""
import array
import json
import random
import struct
import sys

out, *specs = sys.argv[1:]
generator = random.Random(1)
header, data = {}, bytearray()
for spec in specs:
    name, shape = spec.split("=")
    shape = [int(n) for n in shape.split("x")]
    count = 1
    for n in shape:
        count *= n
    scale = shape[-1] ** -0.5
    numbers = array.array("f", ((2 * generator.random() - 1) * scale for _ in range(count)))
    header[name] = {"dtype": "F32", "shape": shape,
                    "data_offsets": [len(data), len(data) + 4 * count]}
    data += numbers.tobytes()
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(out, "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
