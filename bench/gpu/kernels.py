#!/usr/bin/env python3
"""kernels.py [--build=build/dev] [PART...]

What can be measured of kernels for GPUs without a GPU, as tables in Markdown:

  resources  registers, shared memory and resident blocks of each template on
             each architecture, over the kernels of test/Gates
  compile    seconds of a processor that NVRTC takes for the kernels of
             timed.mlir's entries
  objects    bytes of an object with code for all architectures
  switches   nanoseconds of a change between threads in the emulator

It needs the build with sinterc, gate-kernels and the emulator, and NVRTC.
"""
import argparse
import collections
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from run import PRIMITIVE_FILES, SOURCE, nvrtc_path

ARCHITECTURES = ["sm_80", "sm_90", "sm_100"]
KERNEL = re.compile(r"(\w+) \((\w+)\) on (sm_\d+): (\d+) registers, (\d+) threads, (\d+) bytes shared, "
                    r"(\d+) blocks? on a multiprocessor \((\d+)%")
ENTRIES = ["add", "softmax", "layer_norm", "linear", "attention_64", "attention_128", "lstm"]


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


def span(numbers):
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


class Bench:
    def __init__(self, build):
        self.build = build
        self.environment = {**os.environ, "SINTER_NVRTC": nvrtc_path()}

    def run(self, *command, **changes):
        done = subprocess.run([str(c) for c in command], env={**self.environment, **changes}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit(f"{command[0]} failed:\n{done.stdout}")
        return done.stdout

    def seconds(self, *command, times=3, **changes):
        """Of the processor's time, so that other processes matter little; the least of some runs."""
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        taken = []
        for _ in range(times):
            start = used()
            self.run(*command, **changes)
            taken.append(used() - start)
        return min(taken)

    def resources(self, _):
        kernels = collections.defaultdict(list)
        for path in sorted((SOURCE / "test/Gates").glob("*.mlir")):
            options = re.search(r"RUN: gate-kernels %s([^|\n]*)", path.read_text())[1].split()
            for found in KERNEL.finditer(self.run(self.build / "bin/gate-kernels", path, *options)):
                _, template, arch, *numbers = found.groups()
                kernels[template].append((arch, *map(int, numbers)))
        head("template", "kernels", "threads", "bytes of shared memory",
             *[f"registers, blocks {arch}" for arch in ARCHITECTURES])
        for template in sorted(kernels):
            own = kernels[template]
            cells = []
            for arch in ARCHITECTURES:
                some = [k for k in own if k[0] == arch]
                cells.append(f"{span([k[1] for k in some])}, {span([k[4] for k in some])}")
            row(template, len(own) // len(ARCHITECTURES), span([k[2] for k in own]), span([k[3] for k in own]), *cells)

    def weights(self, folder):
        """timed.mlir with its weights."""
        self.run(sys.executable, SOURCE / "bench/models/make-weights.py", f"{folder}/timed.safetensors", "gain=4096",
                 "shift=4096", "w=768x768", "b=768", "wi=1024x128", "wh=1024x256")
        path = pathlib.Path(folder, "timed.mlir")
        path.write_text((SOURCE / "bench/gpu/timed.mlir").read_text())
        return path

    def compile(self, folder):
        """Of each entry's kernels: a run that fills the cache less one that finds all, less the session's kernel."""
        model = self.weights(folder)

        def nvrtc(*options):
            command = [self.build / "bin/sinterc", model, "--target=cuda", *options, "-o", f"{folder}/timed.o"]
            with tempfile.TemporaryDirectory() as cache:
                filling = self.seconds(*command, times=1, SINTER_CACHE=cache)
                return filling - self.seconds(*command, times=2, SINTER_CACHE=cache)

        session = {}
        head("entry", *ARCHITECTURES)
        for entry in ["", *ENTRIES]:
            cells = []
            for arch in ARCHITECTURES:
                if not entry:
                    session[arch] = self.session(folder, arch)
                    cells.append(f"{session[arch]:.2f}")
                else:
                    cells.append(f"{nvrtc('--entry=' + entry, '--gpu-arch=' + arch) - session[arch]:.2f}")
            row(entry or "the session's kernel", *cells)

    def session(self, folder, arch):
        """Less what an empty text takes."""
        device = SOURCE / "lib/Conversion/FusedToCUDA/device"
        empty, text = pathlib.Path(folder, "empty.cu"), pathlib.Path(folder, "session.cu")
        empty.write_text("")
        text.write_text("SINTER_KERNEL(sinter_session, sinter::SessionSpec, sinter::session_step)\n")
        others = [device / f"{name}.cuh" for name in ("views", "math", "session_program", "session")]

        def compile(*files):
            return self.seconds(self.build / "bin/emulate", "compile", f"{folder}/session.cubin", *files,
                                EMULATE_ARCH=arch)

        return compile(*PRIMITIVE_FILES, *others, text) - compile(empty)

    def objects(self, folder):
        model = SOURCE / "docs/examples/stories/stories.mlir"
        head("object of stories", "bytes")
        for what, options in [("a processor, x86-64-v3", []),
                              ("sm_90 and its PTX", ["--target=cuda", "--gpu-arch=sm_90"]),
                              ("sm_80, sm_90, sm_100 and PTX of sm_80", ["--target=cuda"])]:
            path = pathlib.Path(folder, "stories.o")
            self.run(self.build / "bin/sinterc", model, *options, "-o", path)
            row(what, path.stat().st_size)
        row("of each of these: weights", (SOURCE / "docs/examples/stories/stories.safetensors").stat().st_size)

    def switches(self, folder):
        fake = {"SINTER_NVRTC": f"{self.build}/lib/fake-nvrtc.so",
                "SINTER_CUDA_DRIVER": f"{self.build}/lib/fake-cuda.so"}
        emulate, image = self.build / "bin/emulate", f"{folder}/switches.so"
        self.run(emulate, "compile", image, *PRIMITIVE_FILES, SOURCE / "bench/gpu/switches.cu", **fake)
        head("emulator", "ns a switch")
        for mode in "lowest", "random":
            change = {**fake, "SINTER_EMULATOR": f"schedule={mode}"}
            seconds = (self.seconds(emulate, "bits", image, "thousand", **change) -
                       self.seconds(emulate, "bits", image, "none", **change))
            row(f"schedule={mode}", round(seconds * 1e9 / (4 * 128 * 1000)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/dev")
    parser.add_argument("parts", nargs="*", default=["resources", "compile", "objects", "switches"])
    options = parser.parse_args()
    bench = Bench(options.build.resolve())
    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate(options.parts):
            if number:
                print()
            getattr(bench, part)(folder)


if __name__ == "__main__":
    main()
