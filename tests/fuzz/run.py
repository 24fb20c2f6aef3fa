#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs at all widths and compares their output with each other and with a real GPU's.

  run.py --heddle heddle --seeds 1-20            each at all widths, and against expected.txt
  run.py --compiler 'nvcc -arch=sm_90' --record  one build and run each; writes expected.txt

expected.txt holds, for each seed, a digest of the output of nvcc's build on an H200.
"""
import argparse
import hashlib
import os
import subprocess
import sys
import tempfile

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected.txt")
WIDTHS = ["1", "8", "16", "32", "64", "256", ""]  # the last: the compiler chooses


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    if done.returncode != 0:
        return f"exit code {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}"
    return done.stdout


def first_difference(a, b):
    for x, y in zip(a.splitlines(), b.splitlines()):
        if x != y:
            return f"'{x}' against '{y}'"
    return "one is longer"


def check(seed, heddle, folder, expected):
    """The complaints about one seed, none if all agree."""
    source, program = os.path.join(folder, f"fuzz{seed}.cu"), os.path.join(folder, f"fuzz{seed}")
    with open(source, "w") as file:
        file.write(generate.generate(seed))
    message = run([heddle, "cc", source, "-o", program])
    if not os.path.exists(program):
        return [f"seed {seed}: does not compile\n{message}"]
    outputs = {width: run([program], HEDDLE_WIDTH=width) for width in WIDTHS}
    complaints = []
    for width in WIDTHS[1:]:
        if outputs[width] != outputs["1"]:
            complaints.append(f"seed {seed}: width 1 and width {width} differ: "
                              + first_difference(outputs["1"], outputs[width]))
    if seed in expected and digest(outputs["1"]) != expected[seed]:
        complaints.append(f"seed {seed}: width 1 differs from the GPU: {outputs['1'][:300]}")
    return complaints


def record(seeds, compiler, folder):
    with open(EXPECTED, "w") as file:
        for seed in seeds:
            source, program = os.path.join(folder, f"fuzz{seed}.cu"), os.path.join(folder, f"fuzz{seed}")
            with open(source, "w") as text:
                text.write(generate.generate(seed))
            subprocess.run(compiler.split() + [source, "-o", program], check=True)
            file.write(f"{seed} {digest(run([program]))}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle")
    parser.add_argument("--compiler")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--seeds", default="1-20")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    with tempfile.TemporaryDirectory() as folder:
        if options.record:
            record(seeds, options.compiler, folder)
            return 0
        expected = {}
        with open(EXPECTED) as file:
            expected = {int(seed): value for seed, value in (line.split() for line in file)}
        complaints = [c for seed in seeds for c in check(seed, options.heddle, folder, expected)]
    print("\n".join(complaints) or f"{len(seeds)} programs agree")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
