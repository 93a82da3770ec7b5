#!/usr/bin/env python3
"""Differential testing: random modules, compiled for every level of x86-64, against the reference.

    fuzz.py --sinter-run=PATH [--seconds=30] [--seed=0] [--keep=DIR]

Seeds count up from --seed until the time is over. A module that fails is made small and kept, with the command that
repeats it. Exit code 1 if one failed.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import activations  # noqa: F401  registers its operations
import attention  # noqa: F401
import elementwise  # noqa: F401
import layers  # noqa: F401
import positions  # noqa: F401
import recurrence  # noqa: F401
import scans  # noqa: F401
import state  # noqa: F401
import structured  # noqa: F401
from graph import Module
from scope import Scope, generators
from shrink import shrink

options = ["--compare", "--random-weights", "--input=random", "--calls=2", "--threads=1,3"]
levels = "x86-64-v2,x86-64-v3,x86-64-v4"


def make_entry(rng, module, number):
    g = Scope(rng, module, f"f{number}")
    width = rng.choice([4, 8, 12, 17])
    g.argument("x", ("batch", "sequence", width))
    if g.chance(0.5):
        g.argument("y", ("batch", rng.choice(["sequence", "other"]), rng.choice([width, 6])))
    if g.chance(0.3):
        g.argument("r", ("batch", rng.choice([1, 8, 20])))
    for dimension in sorted({v.shape[1] for v in g.values if len(v.shape) == 3}):
        if g.chance(0.4):
            g.count(dimension)
    given = len(g.values)
    for _ in range(rng.randint(3, 12)):
        rng.choice(generators)(g)
    made = g.values[given:]
    entry = g.entry
    entry.outputs = rng.sample(made, min(len(made), rng.randint(1, 3))) + g.outputs
    entry.sweep()
    return entry


def make_module(seed):
    rng = random.Random(seed)
    module = Module(seed)
    module.entries = [make_entry(rng, module, n) for n in range(rng.choice([1, 1, 1, 2, 3]))]
    module.entries = [e for e in module.entries if e.outputs]
    return module


def dimensions(module):
    rng = random.Random(module.seed + 1)
    text = module.print()
    rows = [1, 2, 3, 9] + ([] if module.states else [0])  # no session has 0 rows
    for name, sizes in (("batch", rows), ("sequence", [0, 1, 5, 18, 33]), ("other", [0, 1, 7, 16])):
        if f'"{name}"' in text:
            yield f"--dim={name}=" + ",".join(str(n) for n in sorted(rng.sample(sizes, 2)))
    for capacity, size in (("context", 150), ("source", 70), ("memory", 40)):
        if f'"{capacity}"' in text:
            yield f"--dim={capacity}={size}"


class Runner:
    def __init__(self, program, target, folder):
        self.program, self.file = program, pathlib.Path(folder) / "graph.mlir"
        self.options = [*options, f"--target-cpu={target}"]

    def command(self, module, file):
        nasty = ["--nasty"] if module.seed % 4 == 3 else []
        return [self.program, str(file), *self.options, *dimensions(module), f"--seed={module.seed}", *nasty]

    def failure(self, module):
        """What went wrong, empty if nothing did."""
        self.file.write_text(module.print())
        try:
            done = subprocess.run(self.command(module, self.file), capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "no answer within 300 seconds"
        if done.returncode == 0:
            return ""
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        return f"exit {done.returncode}: " + (errors[0] if errors else done.stderr[-300:])


def kind(failure):
    """Failures of one kind differ in places and numbers only."""
    return "".join(c for c in failure.split("error:")[-1].split("'")[0] if not c.isdigit())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinter-run", required=True)
    parser.add_argument("--target-cpu", default=levels, help="levels, and cuda for a GPU or its emulator")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, help="stop after so many modules")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--no-shrink", action="store_true")
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds
    seed, failed = arguments.seed, 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.sinter_run, arguments.target_cpu, folder)
        while time.monotonic() < end and (arguments.count is None or seed < arguments.seed + arguments.count):
            module = make_module(seed)
            seed += 1
            failure = module.entries and runner.failure(module)
            if not failure:
                continue
            failed += 1
            if not arguments.no_shrink:
                module = shrink(module, lambda m: kind(runner.failure(m)) == kind(failure))
            file = arguments.keep / f"seed-{module.seed}.mlir"
            file.write_text(module.print())
            print(f"seed {module.seed}: {failure}\n  {' '.join(runner.command(module, file))}", flush=True)
    print(f"{seed - arguments.seed} modules, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
