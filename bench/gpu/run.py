#!/usr/bin/env python3
"""run.py [--build=build/dev] [--seconds=600] [--output=FILE] [--filter=WORD]

For a machine with a GPU: runs what needs one, in at most --seconds, and writes
what it finds as JSON.

  conformance  each primitive of the device on random bits, the GPU's against
               the emulator's, bit by bit
  tests        every execution test of test/Exec on the GPU, against the
               reference
  timings      kernels by events, the median of 20 runs, beside what a copy
               reaches in the same run

Without a GPU it says SKIP and why. It needs the build with sinterc, sinter-run
and the emulator (targets `sinterc sinter-run emulator`), NVRTC and a C
compiler. Exit code 1: something is wrong.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

from driver import Driver, DriverError, Model, build_runtime

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PRIMITIVES = ["shuffles", "accesses", "copies", "conversions", "barriers", "atomics"]
# Rows and columns chosen to fill a GPU; bytes and operations follow from them.
TIMED = [
    ("add", {"rows": 16384}), ("softmax", {"rows": 16384}), ("layer_norm", {"rows": 16384}),
    ("linear", {"rows": 1}), ("linear", {"rows": 16}), ("linear", {"rows": 16384}),
    ("attention_64", {"batch": 2, "sequence": 2048, "keys": 2048}),
    ("attention_128", {"batch": 2, "sequence": 2048, "keys": 2048}),
    ("attention_128", {"batch": 16, "sequence": 1, "keys": 8192}),
    ("lstm", {"batch": 16, "sequence": 256}),
]


def environment(**changes):
    return {**os.environ, **changes}


def nvrtc_path(build):
    fetched = SOURCE / "build/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"
    for name in os.environ.get("SINTER_NVRTC"), str(fetched) if fetched.exists() else None:
        if name:
            return name
    return "libnvrtc.so.13"


class Run:
    def __init__(self, options, driver):
        self.options, self.driver = options, driver
        self.build = pathlib.Path(options.build).resolve()
        self.end = time.monotonic() + options.seconds
        self.arch = self.architecture()
        self.real = environment(SINTER_NVRTC=nvrtc_path(self.build))
        self.fake = environment(SINTER_NVRTC=f"{self.build}/lib/fake-nvrtc.so",
                                SINTER_CUDA_DRIVER=f"{self.build}/lib/fake-cuda.so")
        self.results = {"device": driver.describe(), "architecture": self.arch}

    def architecture(self):
        """The newest one that runs on the device."""
        known = [a for a in (80, 90, 100) if a <= self.driver.capability()]
        if not known:
            raise DriverError("the device is older than compute capability 8.0")
        return f"sm_{known[-1]}"

    def left(self):
        return max(1.0, self.end - time.monotonic())

    # --- Primitives --------------------------------------------------------

    def bits(self, folder, name, variables, primitives):
        """What each primitive prints."""
        inputs = SOURCE / "test/Emulator/Inputs"
        emulate, image = self.build / "bin/emulate", f"{folder}/{name}"
        subprocess.run([emulate, "compile", image,
                        SOURCE / "lib/Conversion/FusedToCUDA/device/primitives.cuh",
                        inputs / "conformance.cu"],
                       env={**variables, "EMULATE_ARCH": self.arch}, check=True, timeout=self.left())
        return {p: subprocess.run([emulate, "bits", image, p], env=variables, check=True, text=True,
                                  capture_output=True, timeout=self.left()).stdout.splitlines()
                for p in primitives}

    def conformance(self, folder):
        approximate = "approximations"
        ours = self.bits(folder, "emulated.so", self.fake, PRIMITIVES + [approximate])
        theirs = self.bits(folder, "real.cubin", self.real, PRIMITIVES + [approximate])
        self.results["conformance"] = found = {}
        for name in ours:
            pairs = list(zip(ours[name], theirs[name]))
            differing = [f"{i}: {a} | {b}" for i, (a, b) in enumerate(pairs) if a != b]
            found[name] = {"lines": len(pairs), "differing": len(differing), "first": differing[:5]}
        return [f"primitive '{n}' differs from the emulator in {r['differing']} of {r['lines']} lines"
                for n, r in found.items() if r["differing"] and n != approximate]

    # --- Execution tests ---------------------------------------------------

    def commands(self):
        """(test, command) of each RUN line that sweeps."""
        sweep = "--compare --random-weights --target-cpu=cuda"
        for path in sorted((SOURCE / "test/Exec").glob("*.mlir")):
            if self.options.filter and self.options.filter not in path.name:
                continue
            for line in path.read_text().splitlines():
                match = re.match(r"// RUN: sinter-run (.*%sweep.*)", line)
                if match:
                    text = match[1].replace("%sweep", sweep).replace("%s", str(path))
                    yield path.name, [self.build / "bin/sinter-run", *shlex.split(text)]

    def test(self, name, command):
        if time.monotonic() > self.end:
            return name, "not run", ""
        try:
            done = subprocess.run(command, env=self.real, text=True, capture_output=True,
                                  timeout=self.left())
        except subprocess.TimeoutExpired:
            return name, "not run", "out of time"
        return name, "passed" if done.returncode == 0 else "failed", done.stderr[-2000:]

    def tests(self):
        workers = min(8, os.cpu_count() or 1)
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            outcomes = list(pool.map(lambda c: self.test(*c), self.commands()))
        counts = {kind: sum(o[1] == kind for o in outcomes) for kind in ("passed", "failed", "not run")}
        failed = [{"test": n, "said": said} for n, kind, said in outcomes if kind == "failed"]
        self.results["tests"] = {**counts, "failures": failed}
        return [f"test {f['test']} failed: {f['said'].strip().splitlines()[-1] if f['said'].strip() else ''}"
                for f in failed]

    # --- Timings -----------------------------------------------------------

    def copy_bandwidth(self):
        """GB/s of a copy, reads and writes counted."""
        import ctypes
        size = self.options.copy_bytes
        a, b = self.driver.allocate(size), self.driver.allocate(size)

        def copy():
            self.driver.call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(b), ctypes.c_uint64(a),
                             ctypes.c_size_t(size), None)

        milliseconds = self.driver.time(copy, 20)
        self.driver.free(a)
        self.driver.free(b)
        return 2 * size / milliseconds / 1e6 if milliseconds else None

    def timings(self, folder):
        weights = ["gain=4096", "shift=4096", "w=768x768", "b=768", "wi=1024x128", "wh=1024x256"]
        subprocess.run([sys.executable, SOURCE / "bench/models/make-weights.py",
                        f"{folder}/timed.safetensors", *weights], check=True)
        source = pathlib.Path(folder, "timed.mlir")
        source.write_text((SOURCE / "bench/gpu/timed.mlir").read_text())
        subprocess.run([self.build / "bin/sinterc", source, "--target=cuda", f"--gpu-arch={self.arch}",
                        "--emit=shared", "-o", f"{folder}/timed.so"], env=self.real, check=True,
                       timeout=self.left())
        model = Model(self.driver, f"{folder}/timed.so", build_runtime(SOURCE, folder))
        self.results["timings"] = found = {"copy_gb_per_s": self.copy_bandwidth(), "entries": []}
        for name, dims in TIMED:
            if time.monotonic() > self.end:
                break
            dims = {d: min(n, self.options.most) for d, n in dims.items()}
            launch, finish = model.prepare(name, dims)
            for _ in range(3):
                launch()
            self.driver.wait()
            milliseconds = self.driver.time(launch, self.options.repetitions)
            finish()
            found["entries"].append({"entry": name, **dims, "ms": round(milliseconds, 5)})
        return []


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=str(SOURCE / "build/dev"))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--output", default="-")
    parser.add_argument("--filter", default="", help="only tests with this in their name")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--most", type=int, default=1 << 30, help="no dimension is larger")
    parser.add_argument("--copy-bytes", type=int, default=1 << 30)
    options = parser.parse_args()
    try:
        run = Run(options, Driver())
    except DriverError as error:
        print(f"SKIP: {error}")
        return 0
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        # What is quick comes first: all is done where time runs out.
        for step, arguments in ((run.conformance, [folder]), (run.timings, [folder]), (run.tests, [])):
            try:
                problems += step(*arguments)
            except (DriverError, OSError, subprocess.SubprocessError) as error:
                problems.append(f"{step.__name__}: {error}")
            print(f"{step.__name__} done, {run.left():.0f} seconds left", file=sys.stderr)
    run.results["problems"] = problems
    text = json.dumps(run.results, indent=2) + "\n"
    if options.output == "-":
        print(text, end="")
    else:
        pathlib.Path(options.output).write_text(text)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
