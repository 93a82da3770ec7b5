#!/usr/bin/env python3
"""page.py EXAMPLE FOLDER SINTERC: does in FOLDER, a copy of EXAMPLE, what its README.md shows.

Runs every shell block with SINTERC's folder in PATH; what they print is printed."""
import os
import re
import shutil
import subprocess
import sys

example, folder, compiler = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
shutil.copytree(example, folder)
with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
    scripts = re.findall(r"```sh\n(.*?)```", file.read(), re.DOTALL)
assert scripts, "the page shows no commands"
path = os.path.dirname(compiler) + os.pathsep + os.environ["PATH"]
for script in scripts:
    subprocess.run(["sh", "-e", "-c", script], cwd=folder, check=True, env={**os.environ, "PATH": path})
