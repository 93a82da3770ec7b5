#!/usr/bin/env python3
"""sanitize.py [--build=build/dev] [--sanitizer=thread|address|none] [--filter=WORD]
               [--all-dims] [--jobs=N] [--seconds=N]

Every execution test of test/Exec on the emulated GPU, with kernels under a
sanitizer: each RUN line that sweeps, with the last value of each dimension, or
with all of them. `none`: without a sanitizer, but each launch in every mode,
which must leave the same bits. Too slow for every day; `*-sanitized.test` have each form of
each kernel at its smallest.

Exit code 1: something was reported, values differ, or it took too long.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SWEEP = "--compare --random-weights --target-cpu=cuda"


def commands(options):
    """(test, arguments) of each RUN line that sweeps."""
    for path in sorted((SOURCE / "test/Exec").glob("*.mlir")):
        if options.filter not in path.name:
            continue
        for line in path.read_text().splitlines():
            match = re.match(r"// RUN: sinter-run (.*%sweep.*)", line)
            if not match:
                continue
            words = shlex.split(match[1].replace("%sweep", SWEEP).replace("%s", str(path)))
            if not options.all_dims:
                words = [re.sub(r"(--dim=[^=]*=).*,", r"\1", word) for word in words]
            yield path.stem, words


def environment(options):
    libraries = pathlib.Path(options.build).resolve() / "lib"
    common = {"SINTER_CACHE": str(SOURCE / "build/nvrtc-cache"), **os.environ,
              "SINTER_NVRTC": f"{libraries}/fake-nvrtc.so",
              "SINTER_CUDA_DRIVER": f"{libraries}/fake-cuda.so"}
    if options.sanitizer == "none":
        return {**common, "SINTER_EMULATOR": "modes=all"}
    name = {"thread": "tsan", "address": "asan"}[options.sanitizer]
    clang = "/usr/lib/llvm-22/bin/clang"
    folder = subprocess.run([clang if os.path.exists(clang) else "clang", "-print-runtime-dir"],
                            check=True, text=True, capture_output=True).stdout.strip()
    runtime = next((f"{folder}/libclang_rt.{name}{end}.so" for end in ("-x86_64", "")
                    if os.path.exists(f"{folder}/libclang_rt.{name}{end}.so")), None)
    if not runtime:
        sys.exit(f"there is no runtime of the sanitizer in {folder}")
    return {**common,
            "SINTER_EMULATOR": f"sanitize={options.sanitizer}", "LD_PRELOAD": runtime,
            "TSAN_OPTIONS": "exitcode=66:ignore_noninstrumented_modules=1",
            "ASAN_OPTIONS": "detect_leaks=0"}


def run(words, variables, options):
    """What is wrong, in words, and the seconds that it took."""
    start = time.monotonic()
    program = pathlib.Path(options.build).resolve() / "bin/sinter-run"
    try:
        done = subprocess.run([program, *words], env=variables, text=True, capture_output=True,
                              timeout=options.seconds)
        problem = f"exit code {done.returncode}\n{done.stderr[:4000]}" if done.returncode else ""
    except subprocess.TimeoutExpired:
        problem = f"more than {options.seconds} seconds"
    return problem, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=str(SOURCE / "build/dev"))
    parser.add_argument("--sanitizer", choices=["thread", "address", "none"], default="thread")
    parser.add_argument("--filter", default="", help="only tests with this in their name")
    parser.add_argument("--all-dims", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=600, help="of one RUN line")
    options = parser.parse_args()
    variables, failed, count = environment(options), 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = [(name, words, pool.submit(run, words, variables, options))
                   for name, words in commands(options)]
        for name, words, future in started:
            problem, seconds = future.result()
            count += 1
            failed += bool(problem)
            print(f"{'FAIL' if problem else 'ok':4} {seconds:6.1f} s {name} {' '.join(words[4:])}", flush=True)
            if problem:
                print(problem, flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
