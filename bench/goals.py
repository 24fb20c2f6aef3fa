# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Heddle set out to reach, and what was measured: from the table's rows, and by some measurements of its own
(one core, compile times, start of a cached program, its memory)."""
import os
import re
import statistics
import subprocess
import tempfile
import time

import report
from peer import Peer

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS, REPEATS = 7, 5


def nbody(options):
    """N-body on one core, CUDA and the C++ loop, and CUDA on two: least seconds of turns."""
    peers = {"cuda1": Peer(os.path.join(options.peers, "cuda"), {"HEDDLE_WORKERS": "1"}),
             "cuda2": Peer(os.path.join(options.peers, "cuda"), {"HEDDLE_WORKERS": "2"}),
             "clang1": Peer(os.path.join(options.peers, "openmp-clang"), {"OMP_NUM_THREADS": "1"}),
             "gxx1": Peer(os.path.join(options.peers, "openmp-gxx"), {"OMP_NUM_THREADS": "1"})}
    for peer in peers.values():
        peer.ask("open nbody")
    seconds = {label: [] for label in peers}
    for _ in range(ROUNDS):
        for label, peer in peers.items():
            seconds[label].append(float(peer.ask("time 0.05").split()[0]))
            time.sleep(0.01)
    for peer in peers.values():
        peer.stop()
    return {label: min(values) for label, values in seconds.items()}


def longKernel(lines):
    """A program with one kernel of so many lines: arithmetic, loads, branches and short loops in turns."""
    body = []
    while len(body) < lines:
        n = len(body)
        body += [f"  a{n % 7} = a{(n + 1) % 7} * {1 + n % 9 * 0.125}f + in[(i + {n}) % count];",
                 f"  if (a{n % 7} > {n % 5}.5f)", f"    a{(n + 2) % 7} -= a{(n + 3) % 7} * 0.25f;", "  else",
                 f"    a{(n + 2) % 7} += {n % 11}.0f;",
                 f"  b{n % 3} = (b{n % 3} << {n % 5}) ^ (int)a{(n + 4) % 7};",
                 f"  for (int k = 0; k < (b{n % 3} & 7); ++k)", f"    a{(n + 5) % 7} = a{(n + 5) % 7} * 0.5f + k;"]
    names = ", ".join(f"a{n} = i + {n}" for n in range(7))
    sums = " + ".join([f"a{n}" for n in range(7)] + [f"b{n}" for n in range(3)])
    return ("#include <cuda_runtime.h>\n__global__ void longKernel(int count, const float *in, float *out) {\n"
            f"  int i = blockIdx.x * blockDim.x + threadIdx.x, b0 = i, b1 = 2 * i, b2 = 3 * i;\n  float {names};\n"
            + "\n".join(body[:lines]) + f"\n  out[i] = {sums};\n}}\n"
            "int main() {\n  float *in, *out;\n  cudaMalloc(&in, 4096);\n  cudaMalloc(&out, 4096);\n"
            "  longKernel<<<4, 256>>>(1000, in, out);\n  return cudaDeviceSynchronize() != cudaSuccess;\n}\n")


def compileTime(options, source):
    """Least seconds from the launch to the machine code of the only kernel of `source`; None where it failed."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        if subprocess.run([options.heddle, "cc", source, "-o", program]).returncode:
            return None
        environment = dict(os.environ, CUDA_CACHE_DISABLE="1", HEDDLE_TIME_JIT="1")
        found = []
        for _ in range(REPEATS):
            run = subprocess.run([program], env=environment, capture_output=True, text=True)
            total = re.search(r"total ([0-9.]+) ms", run.stderr)
            if run.returncode or not total:
                return None
            found.append(float(total.group(1)) / 1e3)
        return min(found)


def usage(program, environment):
    """(seconds, bytes of memory at most) of one run; None if it failed."""
    begin = time.monotonic()
    run = subprocess.run([program, "memory"], env=environment, capture_output=True, text=True)
    seconds = time.monotonic() - begin
    peak = re.search(r"VmHWM:\s*(\d+) kB", run.stdout)
    return (seconds, int(peak.group(1)) * 1024) if run.returncode == 0 and peak else None


def cached(options):
    """Start and memory of a program whose kernel is cached, and of one that has no kernel."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, CUDA_CACHE_PATH=os.path.join(folder, "cache"))
        ours, plain = os.path.join(folder, "ours"), os.path.join(folder, "plain")
        subprocess.run([options.heddle, "cc", "-O2", os.path.join(HERE, "start.cu"), "-o", ours], check=True)
        subprocess.run(["g++", "-O2", os.path.join(HERE, "plain.cpp"), "-o", plain], check=True)
        usage(ours, environment)  # fills the cache
        runs = {program: [usage(program, environment) for _ in range(4 * REPEATS)] for program in (ours, plain)}
        if None in runs[ours] + runs[plain]:
            return None
        middle = lambda program, which: statistics.median(run[which] for run in runs[program])
        return {"seconds": middle(ours, 0), "plainSeconds": middle(plain, 0), "bytes": middle(ours, 1),
                "plainBytes": middle(plain, 1)}


def measure(options):
    with tempfile.TemporaryDirectory() as folder:
        generated = os.path.join(folder, "long.cu")
        with open(generated, "w") as file:
            file.write(longKernel(2000))
        return {"nbody": nbody(options), "compile30": compileTime(options, os.path.join(HERE, "thirty.cu")),
                "compile2000": compileTime(options, generated), "cached": cached(options)}


class Goal:
    """One line of the table; `measured` is None where nothing was measured."""

    def __init__(self, name, goal, measured, isMet):
        self.name, self.goal = name, goal
        self.measured = "not measured" if measured is None else measured
        self.met = "-" if measured is None else "yes" if isMet else "no"


def bound(name, value, limit, form, atLeast=True, scale=1):
    """A goal that a number must reach (or, with atLeast false, stay under)."""
    words = ("at least " if atLeast else "under ") + form.format(limit)
    if value is None:
        return Goal(name, words, None, False)
    value *= scale
    return Goal(name, words, form.format(value), value >= limit if atLeast else value < limit)


def rowOf(run, name):
    return next((row for row in run["rows"] if row["name"] == name), {"results": {}, "ratios": {}})


def tableGoals(run):
    if not run["rows"]:
        return []
    rows = [row for row in run["rows"] if report.isKernel(row)]
    pocl, openMp = report.means(rows)
    slower, level = report.slowerThanAPeer(rows)
    streaming = [row for row in rows if row["limit"] in ("triad", "triad_streaming") and "fraction" in row]
    near = [row for row in streaming if row["fraction"] >= 0.9]
    launch = lambda name: report.microsecondsALaunch(rowOf(run, name))
    return [
        Goal("kernels of different kinds", "at least 24", str(len(rows)), len(rows) >= 24),
        bound("geometric mean against POCL", pocl, 6, "{:.2f} x"),
        bound("geometric mean against the better OpenMP build", openMp, 2, "{:.2f} x"),
        Goal("no kernel slower than a peer", "0 slower", f"{len(slower)} of {len(rows)} slower, {len(level)} level", not slower),
        bound("N-body, of the FMA peak", rowOf(run, "nbody").get("fraction"), 65, "{:.0f} %", scale=100),
        bound("tiled matrix product, of the FMA peak", rowOf(run, "matmul_tiled32").get("fraction"), 75, "{:.0f} %", scale=100),
        bound("Mandelbrot against clang's OpenMP loop", rowOf(run, "mandelbrot")["ratios"].get("openmp-clang"), 13, "{:.1f} x"),
        Goal("memory-bound kernels at 90 % of the bandwidth", f"all {len(streaming)}",
             f"{len(near)} of {len(streaming)}" + (": " + ", ".join(row["name"] for row in near) if near else ""),
             len(near) == len(streaming)),
        bound("empty kernel, queued", launch("launch_queued"), 0.5, "{:.2f} us", atLeast=False),
        bound("empty kernel and wait", launch("launch_wait"), 5, "{:.2f} us", atLeast=False),
    ]


def ownGoals(measured):
    one, programs = measured["nbody"], measured["cached"]
    loop = min(one["clang1"], one["gxx1"])
    return [
        bound("N-body on one core against the C++ loop on one core", loop / one["cuda1"], 1.24, "{:.2f} x"),
        bound("N-body, two cores against one", one["cuda1"] / one["cuda2"], 1.9, "{:.2f} x"),
        bound("compilation of a kernel of 30 lines", measured["compile30"], 80, "{:.0f} ms", atLeast=False, scale=1e3),
        bound("compilation of a kernel of 2,000 lines", measured["compile2000"], 1500, "{:.0f} ms", atLeast=False, scale=1e3),
        bound("start of a cached program", programs and programs["seconds"], 20, "{:.1f} ms", atLeast=False, scale=1e3),
        bound("memory of a cached program over a plain one", programs and programs["bytes"] - programs["plainBytes"], 60,
              "{:.1f} MB", atLeast=False, scale=1e-6),
    ]


def all(run):
    return tableGoals(run) + ownGoals(run["goals"])


def text(run):
    lines = [f"{'goal':<52}{'to reach':<22}{'met':<6}measured"]
    return "\n".join(lines + [f"{goal.name:<52}{goal.goal:<22}{goal.met:<6}{goal.measured}" for goal in all(run)])


def markdown(run):
    lines = ["| goal | to reach | measured | met |", "| --- | --: | --: | --- |"]
    return "\n".join(lines + [f"| {goal.name} | {goal.goal} | {goal.measured} | {goal.met} |" for goal in all(run)])
