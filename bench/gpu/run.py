#!/usr/bin/env python3
"""run.py [--build=build/dev] [--seconds=600] [--output=FILE] [--filter=WORD]
       [--programs=LIST]

For a machine with a GPU: runs what needs one, in at most --seconds, and writes
what it finds as JSON.

  conformance  each primitive of the device on random bits, the GPU's against
               the emulator's, bit by bit; approximations within a few units of
               the last place
  timings      kernels by events, the median of 20 runs, beside what a copy
               reaches in the same run
  programs     those of test/Target/Device, which use the C API: graphs, streams,
               sessions that are forked, cut, saved and restored, two models
  tests        every execution test of test/Exec and every model of test/Examples
               on the GPU, against the reference

Without a GPU it says SKIP and why. It needs the build with sinterc, sinter-run
and the emulator (targets `sinterc sinter-run emulator`), NVRTC and a C
compiler. Exit code 1: something is wrong; 2: something is missing.
"""
import argparse
import concurrent.futures
import ctypes
import itertools
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
PRIMITIVE_FILES = sorted((SOURCE / "lib/Conversion/FusedToCUDA/device").glob("primitives*.cuh"))
PROGRAMS = ["application", "random-calls", "states", "two-models"]
PRIMITIVES = ["shuffles", "accesses", "copies", "conversions", "barriers", "atomics"]
# What ex2 and rsqrtApprox may differ by from the C library, by PTX's bounds.
UNITS = 4
# Rows and columns chosen to fill a GPU.
TIMED = [
    ("add", {"rows": 16384}), ("softmax", {"rows": 16384}), ("layer_norm", {"rows": 16384}),
    ("linear", {"rows": 1}), ("linear", {"rows": 16}), ("linear", {"rows": 16384}),
    ("attention_64", {"batch": 2, "sequence": 2048, "keys": 2048}),
    ("attention_128", {"batch": 2, "sequence": 2048, "keys": 2048}),
    ("attention_128", {"batch": 16, "sequence": 1, "keys": 8192}),
    ("lstm", {"batch": 16, "sequence": 256}),
]
# Of each entry: multiplications and additions, causal ones counted as half, and
# bytes of weights; tensors are counted from the signature.
WORK = {
    "linear": (lambda d: 2 * d["rows"] * 768 * 768, 4 * 768 * 769),
    "attention_64": (lambda d: 2 * d["batch"] * 16 * d["sequence"] * d["keys"] * 64, 0),
    "attention_128": (lambda d: 4 * d["batch"] * 16 * d["sequence"] * d["keys"] * 128, 0),
    "lstm": (lambda d: 2 * d["batch"] * d["sequence"] * 1024 * (128 + 256), 4 * 1024 * (128 + 256)),
}


def environment(**changes):
    return {**os.environ, **changes}


def apart(a, b):
    """Units of the last place between two floats, given as their bits in hex."""
    def order(bits):
        bits = int(bits, 16)
        if bits & 0x7FFFFFFF > 0x7F800000:
            return "NaN"
        return bits if bits < 1 << 31 else (1 << 31) - bits
    a, b = order(a), order(b)
    if a == b:
        return 0
    return 1 << 32 if "NaN" in (a, b) else abs(a - b)


def nvrtc_path():
    """The library that SINTER_NVRTC names, the one that ./run-tests fetched, or
    the system's."""
    fetched = SOURCE / "build/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"
    given = os.environ.get("SINTER_NVRTC")
    for name in [given] if given else [str(fetched), "libnvrtc.so.13", "libnvrtc.so.12"]:
        try:
            ctypes.CDLL(name)
            return name
        except OSError as error:
            problem = error
    raise DriverError(f"no NVRTC: {problem}")


class Run:
    def __init__(self, options, driver):
        self.options, self.driver = options, driver
        self.build = pathlib.Path(options.build).resolve()
        self.end = time.monotonic() + options.seconds
        self.arch = self.architecture()
        self.real = environment(SINTER_NVRTC=nvrtc_path())
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
                        *PRIMITIVE_FILES, inputs / "conformance.cu"],
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
            pairs = list(itertools.zip_longest(ours[name], theirs[name], fillvalue=""))
            differing = [f"{i}: {a} | {b}" for i, (a, b) in enumerate(pairs) if a != b]
            found[name] = {"lines": len(pairs), "differing": len(differing), "first": differing[:5]}
        units = max((apart(x, y) for a, b in zip(ours[approximate], theirs[approximate])
                     for x, y in zip(a.split(), b.split())), default=0)
        found[approximate]["units_of_the_last_place"] = units
        problems = [f"primitive '{n}' differs from the emulator in {r['differing']} of {r['lines']} lines"
                    for n, r in found.items() if r["differing"] and n != approximate]
        problems += [f"primitive '{n}' printed nothing" for n, r in found.items() if not r["lines"]]
        if units > UNITS:
            problems.append(f"an approximation differs by {units} units of the last place, more than {UNITS}")
        return problems

    # --- Programs ----------------------------------------------------------

    def script(self, name, folder):
        """What a test of test/Target/Device compiles, links and runs, without what is checked besides."""
        inputs = SOURCE / "test/Target/Device/Inputs"
        lines = []
        for line in (SOURCE / f"test/Target/Device/{name}.test").read_text().splitlines():
            found = re.match(r"RUN: ((?:rm|%python|sinterc|gcc|\./).*)", line)
            if found and "-fsyntax-only" not in line:
                line = re.sub(r" \| FileCheck.*", "", found[1]).replace("--gpu-arch=sm_80", f"--gpu-arch={self.arch}")
                for word, value in (("%src", SOURCE), ("%S/Inputs", inputs), ("%t", f"{folder}/{name}"),
                                    ("%python", sys.executable), ("%examples", SOURCE / "docs/examples")):
                    line = line.replace(word, str(value))
                lines.append(line)
        return "\n".join(lines)

    def programs(self, folder):
        path = f"{self.build}/bin:{os.environ['PATH']}"
        self.results["programs"] = found = {}
        problems = []
        for name in self.options.programs.split(","):
            done = subprocess.run(["sh", "-e", "-c", self.script(name, folder)], env={**self.real, "PATH": path},
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=self.left())
            found[name] = {"exit": done.returncode, "said": done.stdout[-2000:]}
            if done.returncode:
                problems.append(f"program '{name}' failed: {(done.stdout.strip().splitlines() or [''])[-1]}")
        return problems

    # --- Execution tests ---------------------------------------------------

    def commands(self, path):
        """Those of a test that run a model on all targets, on the GPU alone."""
        sweep = "--compare --random-weights --threads=1,2 --target-cpu=cuda"
        text = path.read_text().replace("\\\n// RUN:", "").replace("\\\nRUN:", "")
        for line in re.findall(r"^(?:// )?RUN: sinter-run (.*)", text, re.MULTILINE):
            if "%sweep" not in line and "%cuda" not in line:
                continue
            line = re.sub(r"--target-cpu=\S*%cuda", "--target-cpu=cuda", line.replace("%sweep", sweep))
            line = line.replace("%src", str(SOURCE)).replace("%s", str(path))
            yield [self.build / "bin/sinter-run", *shlex.split(line)]

    def test(self, path):
        """(test, outcome, what was said) of each command of a file, one after the
        other: they share kernels, which are compiled once."""
        outcomes = []
        for command in self.commands(path):
            if time.monotonic() > self.end:
                outcomes.append((path.name, "not run", ""))
                continue
            try:
                done = subprocess.run(command, env=self.real, text=True, capture_output=True,
                                      timeout=self.left())
            except subprocess.TimeoutExpired:
                outcomes.append((path.name, "not run", "out of time"))
                continue
            outcomes.append((path.name, "passed" if done.returncode == 0 else "failed", done.stderr[-2000:]))
        return outcomes

    def tests(self):
        files = [*(SOURCE / "test/Exec").glob("*.mlir"), *(SOURCE / "test/Examples").glob("*.test")]
        files = [f for f in files if self.options.filter in f.name]
        # Long ones first, so that none is left for the end.
        files.sort(key=lambda f: (-f.stat().st_size, f.name))
        with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            outcomes = [o for some in pool.map(self.test, files) for o in some]
        counts = {kind: sum(o[1] == kind for o in outcomes) for kind in ("passed", "failed", "not run")}
        failed = [{"test": n, "said": said} for n, kind, said in outcomes if kind == "failed"]
        self.results["tests"] = {**counts, "failures": failed}
        return [f"test {f['test']} failed: {f['said'].strip().splitlines()[-1] if f['said'].strip() else ''}"
                for f in failed]

    # --- Timings -----------------------------------------------------------

    def copy_bandwidth(self):
        """GB/s of a copy, reads and writes counted."""
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
            operations, weights = WORK.get(name, (lambda d: 0, 0))
            entry = {"entry": name, **dims, "ms": round(milliseconds, 5)}
            if milliseconds:
                entry["gb_per_s"] = round((model.tensor_bytes(name, dims) + weights) / milliseconds / 1e6, 1)
                entry["tflop_per_s"] = round(operations(dims) / milliseconds / 1e9, 3)
            found["entries"].append(entry)
        return []


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=str(SOURCE / "build/dev"))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--output", default="-")
    parser.add_argument("--filter", default="", help="only tests with this in their name")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
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
    needed = "bin/sinterc", "bin/sinter-run", "bin/emulate", "lib/fake-nvrtc.so", "lib/fake-cuda.so"
    missing = [name for name in needed if not (run.build / name).exists()]
    if missing:
        print(f"{run.build} has no {', '.join(missing)}; build them first: "
              f"cmake --build {run.build} --target sinterc sinter-run emulator", file=sys.stderr)
        return 2
    run.results["seconds"] = seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        # What is quick comes first: all is done where time runs out.
        for step, arguments in ((run.conformance, [folder]), (run.timings, [folder]),
                                (run.programs, [folder]), (run.tests, [])):
            started = time.monotonic()
            try:
                problems += step(*arguments)
            except (DriverError, OSError, subprocess.SubprocessError) as error:
                problems.append(f"{step.__name__}: {error}")
            seconds[step.__name__] = round(time.monotonic() - started, 1)
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
