#!/usr/bin/env python3
"""Sets one number of a safetensors file: set_weight.py FILE TENSOR INDEX VALUE (nan, inf, 1e30 ...)."""
import json
import struct
import sys

path, tensor, index, value = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
with open(path, "r+b") as file:
    length = struct.unpack("<Q", file.read(8))[0]
    entry = json.loads(file.read(length))[tensor]
    assert entry["dtype"] == "F32", entry
    file.seek(8 + length + entry["data_offsets"][0] + 4 * index)
    file.write(struct.pack("<f", value))
