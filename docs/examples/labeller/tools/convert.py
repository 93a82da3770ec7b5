"""convert.py FOLDER: FOLDER's char2idx.json, class2idx.json, test.sent and test.lb as the example's text files.

The JSON files hold what g2pM has as char2idx.pkl and class2idx.pkl."""
import gzip
import json
import os
import sys

source = sys.argv[1]
target = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def write(name, contents):
    with open(os.path.join(target, name), "wb") as file:
        file.write(contents)


for name, result in (("char2idx.json", "characters.txt"), ("class2idx.json", "classes.txt")):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        entries = sorted(json.load(file).items(), key=lambda entry: entry[1])
    assert [number for _, number in entries] == list(range(len(entries)))
    write(result, "".join(text + "\n" for text, _ in entries).encode())
for name in ("test.sent", "test.lb"):
    with open(os.path.join(source, name), "rb") as file:
        write(name + ".gz", gzip.compress(file.read().rstrip(b"\n") + b"\n", compresslevel=9, mtime=0))
