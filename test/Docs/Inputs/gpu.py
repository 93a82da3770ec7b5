#!/usr/bin/env python3
"""gpu.py SOURCE FOLDER TOOLS BUILD: does in FOLDER what SOURCE/docs/gpu.md shows.

FOLDER looks like the root of the source tree. Commands that need a GPU must say
that there is none; the others must succeed. What they print is printed."""
import os
import re
import shutil
import subprocess
import sys

source, folder, tools, build = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(f"{folder}/build")
os.makedirs(f"{folder}/stubs")
for name in "bench", "docs", "include", "lib", "test":
    os.symlink(f"{source}/{name}", f"{folder}/{name}")
os.symlink(build, f"{folder}/build/dev")
environment = {**os.environ, "PATH": f"{folder}/stubs:{tools}:{os.environ['PATH']}",
               "SINTER_CUDA_DRIVER": "/nowhere/libcuda.so.1"}


def run(script, **changes):
    """What the commands print."""
    done = subprocess.run(["sh", "-e", "-c", script], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**environment, **changes})
    print(f"--- {script}{done.stdout}", end="", flush=True)
    assert done.returncode == 0, f"exit code {done.returncode}"
    return done.stdout


with open(f"{source}/docs/gpu.md", encoding="utf-8") as file:
    page = file.read()
blocks = re.findall(r"```(\w*)\n(.*?)```", page, re.DOTALL)
languages = [language for language, _ in blocks if language]
assert languages == ["sh", "c", "sh", "sh", "sh", "sh", "sh", "sh"], \
    f"the page has other blocks than this test knows: {languages}"
compiling, calls, linking, running, gate, emulating, sanitizing, measuring = [t for l, t in blocks if l]
line = next(text for language, text in blocks if not language)

# The command line. A line of -v has the form that is shown; numbers are NVRTC's.
said = run(compiling)
form = re.sub(r"\d+", r"\\d+", re.escape(line.strip()))
assert re.search(f"^{form}$", said, re.MULTILINE), "no line of -v is like the one that is shown"
last = [line for line in said.splitlines() if " on sm_" in line][-1]
assert last.startswith("sinter_session (session) on sm_100"), "the session's kernel is not the last"

# The calls are lines of the program.
with open(f"{source}/docs/examples/stories/gpu.c", encoding="utf-8") as file:
    program = " ".join(file.read().split())
at = 0
for part in calls.split("...\n"):
    at = program.find(" ".join(part.split()), at)
    assert at >= 0, f"gpu.c does not have, in this order:\n{part}"
run(linking)
assert "cannot be opened: /nowhere" in run(f"! {running}"), "what is missing is not said"

run(gate)
story = run(emulating).splitlines()[-1]
with open(f"{source}/docs/examples/stories/expected.txt", encoding="utf-8") as file:
    assert story and file.read().startswith(story), "another story"

runtime = subprocess.run(["clang-22", "-print-runtime-dir"], text=True, capture_output=True).stdout.strip()
if os.path.exists(f"{runtime}/libclang_rt.tsan-x86_64.so"):
    run(sanitizing)
else:
    print("SKIP: the sanitizers' runtimes are not installed")

# In CMake.
added = re.search(r"sinter_add_model\(stories SOURCE stories.mlir TARGET cuda\)", page)[0]
shutil.copytree(f"{source}/docs/examples/stories", f"{folder}/project")
with open(f"{folder}/project/CMakeLists.txt", "w", encoding="utf-8") as file:
    file.write(f"""cmake_minimum_required(VERSION 3.25)
project(page C)
set(SINTER_COMPILER {tools}/sinterc)
include({source}/cmake/AddSinterModel.cmake)
{added}
add_executable(tell gpu.c {source}/lib/Runtime/cuda_driver.c)
target_include_directories(tell PRIVATE {source}/include)
target_link_libraries(tell PRIVATE stories dl pthread)
""")
run("cmake -G Ninja -S project -B project/build && cmake --build project/build", SINTER_NVRTC=f"{build}/lib/fake-nvrtc.so")
told = run("project/build/tell project/tok512.bin 4", SINTER_CUDA_DRIVER=f"{build}/lib/fake-cuda.so").splitlines()[-1]
assert story.startswith(told), "another story from CMake"

# Nothing is built from within a test.
with open(f"{folder}/stubs/cmake", "w", encoding="utf-8") as stub:
    stub.write("#!/bin/sh\necho cmake \"$@\"\n")
os.chmod(f"{folder}/stubs/cmake", 0o755)
said = run(measuring)
assert "SKIP: no CUDA driver: /nowhere" in said
targets = re.search(r"--target (.*)", said)[1].split()
for target in targets:
    assert target == "emulator" or os.path.exists(f"{tools}/{target}"), f"there is no '{target}'"
