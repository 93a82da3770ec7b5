#!/usr/bin/env python3
"""readme.py README FOLDER SINTERC: does in FOLDER what README shows.

Compiles the model of the mlir block, then runs the shell blocks after the first (which
are the two set-up commands) with SINTERC's folder in PATH; their output is printed."""
import os
import re
import subprocess
import sys

readme, folder, compiler = sys.argv[1:]
with open(readme, encoding="utf-8") as file:
    blocks = re.findall(r"```(\w+)\n(.*?)```", file.read(), re.DOTALL)
models = [text for language, text in blocks if language == "mlir"]
scripts = [text for language, text in blocks if language == "sh"][1:]
assert len(models) == 1 and len(scripts) == 2, "README has other blocks than this test knows"
with open(os.path.join(folder, "linear.mlir"), "w", encoding="utf-8") as file:
    file.write(models[0])
path = os.path.dirname(compiler) + os.pathsep + os.environ["PATH"]
for script in ["sinterc linear.mlir -o linear.o", *scripts]:
    subprocess.run(["sh", "-e", "-c", script], cwd=folder, check=True,
                   env={**os.environ, "PATH": path})
