# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How cost grows: with the number of blocks, with the block's size, with cores, and with more cores than there are.

The first two are measured by scaling.cu, the third with the peer's own kernels and HEDDLE_WORKERS, the last comes from
the engine's block scheduler on a simulated clock (scheduler.cpp; the costs of its steps are measured here)."""
import json
import os
import subprocess

import lines
from peer import Peer

SIZES = [1, 2, 4, 8, 16, 24, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 160, 192, 200, 250, 255, 256, 257,
         320, 384, 500, 511, 512, 513, 640, 768, 800, 1000, 1023, 1024]
KERNELS = ["nbody", "mandelbrot", "sgemm_64x64", "matmul_tiled32", "blackscholes", "reduce_3_sequential", "lu", "saxpy"]
ROUNDS, SLOT = 20, 0.03


def build(options):
    """scaling.cu as a program in the peers' folder."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scaling.cu")
    program = os.path.join(options.peers, "scaling")
    subprocess.run([options.heddle, "cc", "-std=c++17", "-O3", source, "-o", program], check=True)
    return program


def points(program, *words):
    """{kernel: [[x, seconds], ...]} from the lines that the program prints. On one core, which is quieter than two."""
    found, environment = {}, dict(os.environ, HEDDLE_WORKERS="1")
    output = subprocess.run([program, *words], check=True, capture_output=True, text=True, env=environment).stdout
    for _, kernel, x, seconds in map(str.split, output.splitlines()):
        found.setdefault(kernel, []).append([int(x), float(seconds)])
    return found


def measureCores(options):
    """{kernel: {workers: least seconds}} for 1 to all processors, doubling; the counts take turns."""
    processors = len(os.sched_getaffinity(0))
    counts = [1 << i for i in range(processors.bit_length()) if 1 << i < processors] + [processors]
    peers = {count: Peer(os.path.join(options.peers, "cuda"), {"HEDDLE_WORKERS": str(count)}) for count in counts}
    found = {}
    for name in KERNELS:
        for peer in peers.values():
            peer.ask("open " + name)
        turns = {count: [] for count in counts}
        for _ in range(ROUNDS):
            for count, peer in peers.items():
                turns[count].append(float(peer.ask(f"time {SLOT}").split()[0]))
        found[name] = {count: min(seconds) for count, seconds in turns.items()}
        for peer in peers.values():
            peer.ask("close")
    for peer in peers.values():
        peer.stop()
    return found


def simulate(options):
    """The block scheduler on a simulated clock; None where the program was not built."""
    program = os.path.join(os.path.dirname(options.heddle), "scheduler")
    if not os.path.exists(program):
        return None
    return json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def measure(options):
    program = build(options)
    return {"grid": points(program, "grid"), "block": points(program, "block", *map(str, SIZES)),
            "cores": measureCores(options), "simulated": simulate(options)}


def at(series, x):
    return dict(map(tuple, series))[x]


def worstStep(series):
    """The largest cost of a size that is no multiple of 32, over that of the next multiple measured: (ratio, size)."""
    worst = (0.0, 0)
    for x, seconds in series:
        above = [other for size, other in series if size > x and size % 32 == 0]
        if x > 32 and x % 32 and above:
            worst = max(worst, (seconds / above[0], x))
    return worst


def gridLines(grid):
    texts = []
    for kernel, series in grid.items():
        one, most = at(series, 1), series[-1]
        texts.append(f"`{kernel}`, blocks of 64 on one core: one block {one * 1e6:.1f} us, 1,000 blocks {at(series, 1000) * 1e6:.0f} us, "
                     f"{most[0]:,} blocks {most[1] * 1e3:.0f} ms ({most[1] / most[0] * 1e9:.1f} ns a block)")
    return texts


def blockLines(block):
    texts = []
    for kernel, series in block.items():
        best = min(series, key=lambda point: point[1])
        step, size = worstStep(series)
        texts.append(f"`{kernel}`, 2^21 threads on one core: best with blocks of {best[0]} ({best[1] * 1e3:.2f} ms), blocks of one thread "
                     f"{at(series, 1) / best[1]:.1f} times that, of 32 {at(series, 32) / best[1]:.1f}, of 1024 "
                     f"{at(series, 1024) / best[1]:.1f}; the worst size beside a multiple of 32 is {size}, {step:.2f} times "
                     f"the next multiple ({-(-size // 32) * 32 / size:.2f} for its idle lanes)")
    return texts


def coreLines(cores):
    """A line for each greatest number of cores that kernels were measured with."""
    gains = {}
    for name, seconds in cores.items():
        most = max(seconds, key=int)
        gains.setdefault(most, []).append(f"`{name}` {seconds[min(seconds, key=int)] / seconds[most]:.2f}")
    return [f"times as fast on {most} cores as on one: {', '.join(texts)}" for most, texts in gains.items()]


def simulatedLines(simulated):
    gains = {}
    for launch in simulated["launches"] if simulated else []:
        last = launch["runs"][-1]
        gains.setdefault(last["workers"], []).append(
            f"`{launch['name']}`, {launch['blocks']:,} blocks: {last['speedup']:.1f} ({100 * last['ofBound']:.0f} %)")
    return [f"times as fast on {cores} cores (in parentheses: of what no schedule could beat): {'; '.join(texts)}"
            for cores, texts in gains.items()]


def sections(result):
    return [("Number of blocks", gridLines(result["grid"])), ("Block size", blockLines(result["block"])),
            ("Cores, measured", coreLines(result["cores"])),
            ("Cores, simulated", simulatedLines(result["simulated"]))]


def text(result):
    return "\n".join(f"\n{title}\n  " + "\n  ".join(texts) for title, texts in sections(result))


def markdown(result):
    return "\n".join(f"{title}:\n\n" + "\n".join("- " + text for text in texts) + "\n"
                     for title, texts in sections(result))


def pictures(result):
    """{file name: SVG}."""
    grid = {kernel: [(x, y / x * 1e9) for x, y in series] for kernel, series in result["grid"].items()}
    block = {kernel: [(x, y / (1 << 21) * 1e9) for x, y in series] for kernel, series in result["block"].items()}
    cores = {name: [(int(count), seconds[min(seconds, key=int)] / value) for count, value in seconds.items()]
             for name, seconds in result["cores"].items()}
    drawn = {"scaling-grid": lines.svg(grid, "blocks", "ns a block"),
             "scaling-block": lines.svg(block, "threads in a block", "ns a thread"),
             "scaling-cores": lines.svg(cores, "cores", "times as fast as one")}
    if result["simulated"]:
        runs = {launch["name"]: [(run["workers"], run["speedup"]) for run in launch["runs"]]
                for launch in result["simulated"]["launches"]}
        drawn["scaling-simulated"] = lines.svg(runs, "cores (simulated)", "times as fast as one")
    return drawn
