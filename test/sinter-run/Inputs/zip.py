#!/usr/bin/env python3
"""zip.py FILE.npz NAME=FILE.npy...: puts arrays into one file, as numpy.savez does."""
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name, path in (pair.split("=") for pair in sys.argv[2:]):
        archive.write(path, name + ".npy")
