#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of bench/kernels and the corpus on a GPU: our build of each against nvcc's of the same source, on the same GPU.

  gpu_corpus.py build BUILD OUT        here: our peers, OUT/cuda and OUT/corpus/cuda
  gpu_corpus.py nvcc OUT [NVCC]        where nvcc is: its own, OUT/nvcc and OUT/corpus/nvcc, of the sources beside this file
  gpu_corpus.py run OUT [--only NAME]  where the GPU is: a line for each kernel, and the geometric mean

Both sides are -O3. Results are compared first. A time is that of a run among many that are waited for together (`batch`,
harness/main.cpp), the best of turns that the two take.
"""
import concurrent.futures
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAIRS = ("", "corpus/")
SLOW, TURNS, TURN = 1.25, 3, 0.004


def build(heddle, out):
    out = pathlib.Path(out).resolve()
    (out / "corpus").mkdir(parents=True, exist_ok=True)
    heddle = pathlib.Path(heddle).resolve() / "bin/heddle"
    subprocess.run(["make", "-C", HERE, f"-j{os.cpu_count()}", f"BUILD={out}", f"HEDDLE={heddle}", "RUNTIME=", "OURS=-std=c++17 -O3",
                    out / "corpus/cuda", out / "cuda"], check=True)


def nvcc(out, compiler="nvcc"):
    out = pathlib.Path(out).resolve()
    objects = out / "nvcc-objects"
    objects.mkdir(parents=True, exist_ok=True)
    (out / "corpus").mkdir(exist_ok=True)
    families = {"": sorted(HERE.glob("kernels/*.cu")), "corpus/": sorted(HERE.glob("corpus/*.cu"))}
    shared = [HERE / "harness/main.cpp", HERE / "harness/peer_cuda.cu"]

    def one(source):
        target = objects / f"{source.parent.name}.{source.name}.o"
        done = subprocess.run([compiler, "-std=c++17", "-O3", "-arch=sm_90", "-w", "-c", source, "-o", target])
        return target if done.returncode == 0 else None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = dict(zip([*shared, *sum(families.values(), [])], pool.map(one, [*shared, *sum(families.values(), [])])))
    for pair, sources in families.items():
        parts = [made[source] for source in [*shared, *sources] if made[source]]
        subprocess.run([compiler, *parts, "-o", out / (pair + "nvcc")], check=True)


class Side:
    """A peer (harness/main.cpp)."""

    def __init__(self, program, environment):
        self.program, self.environment, self.process = program, environment, None

    def ask(self, line):
        if not self.process:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True, env=self.environment)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        words = self.process.stdout.readline().split()
        if not words or words[0] == "error":
            self.process.kill()
            self.process = None
            raise RuntimeError(" ".join(words) or "the process ended")
        return words[1:]


def measured(ours, theirs, name, file):
    """Microseconds of both, and how far the results differ, as a share of what they may."""
    sides = (theirs, ours)
    for side in sides:
        side.ask("open " + name)
    theirs.ask("save " + file)
    worst, tolerance = map(float, ours.ask("check " + file))
    count = int(min(1000, max(5, TURN / float(theirs.ask("batch 5")[0]))))
    best = [math.inf, math.inf]
    for _ in range(TURNS):
        for i, side in enumerate(sides):
            best[i] = min(best[i], float(side.ask(f"batch {count}")[0]))
    for side in sides:
        side.ask("close")
    return best[1] * 1e6, best[0] * 1e6, worst / tolerance if tolerance else worst


def run(out, *options):
    out = pathlib.Path(out).resolve()
    only = options[1] if options[:1] == ("--only",) else ""
    # nvcc's runtime opens libcuda.so.1 by its name.
    plain = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "HEDDLE_DEVICE")}
    ratios, slow, failed = [], [], []
    print(f"{'':24}{'ours, us':>10}{'nvcc, us':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for pair in PAIRS:
            ours = Side(out / (pair + "cuda"), {"HEDDLE_DEVICE": "gpu", **os.environ})
            theirs = Side(out / (pair + "nvcc"), plain)
            for name in ours.ask("list"):
                if only not in name:
                    continue
                try:
                    mine, other, worst = measured(ours, theirs, name, folder + "/result")
                except RuntimeError as error:
                    failed.append(name)
                    print(f"{name:24}{error}", flush=True)
                    for side in (ours, theirs):
                        if side.process:
                            side.process.kill()
                        side.process = None
                    continue
                ratios.append(mine / other)
                slow += [name] if mine / other > SLOW else []
                failed += [name] if not worst <= 1 else []
                print(f"{name:24}{mine:10.2f}{other:10.2f}{mine / other:8.3f}{'' if worst <= 1 else '  wrong'}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
    print(f"{len(ratios)} kernels: {mean:.3f} of nvcc's time in geometric mean; slower than {SLOW}: {', '.join(slow) or 'none'}")
    print(f"failed or wrong: {', '.join(failed) or 'none'}")


if __name__ == "__main__":
    {"build": build, "nvcc": nvcc, "run": run}[sys.argv[1]](*sys.argv[2:])
