#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the way through PTX costs: a kernel's time from source over that from the PTX that `heddle cc -ptx` writes of it.

  ptx.py BUILD [--only NAME,...] [--slot 0.2] [--turns 3]

1 is as fast, 0.5 takes twice as long. Runs take turns; the best of each counts. Results are compared with those of the
source; the first line after the table says the geometric mean and the worst. `-ffast-math` lets sources take sums in any
order, which PTX cannot say: `--ordered` compiles them with `-use_fast_math`.
"""
import argparse
import math
import os
import subprocess
import sys
import tempfile

import peer as peers
from peer import Failure, Peer


def seconds(peer, slot):
    return float(peer.ask(f"time {slot}").split()[1])


def compare(name, source, ptx, options, file):
    """The ratio and what is wrong."""
    for one in (source, ptx):
        one.ask("open " + name)
    best = {source: math.inf, ptx: math.inf}
    for _ in range(options.turns):
        for one in (source, ptx):
            best[one] = min(best[one], seconds(one, options.slot))
    source.ask("save " + file)
    worst, tolerance = map(float, ptx.ask("check " + file).split())
    for one in (source, ptx):
        one.ask("close")
    return best[source], best[ptx], "" if worst <= tolerance else f" wrong: {worst:g}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="", help="benchmarks, with commas")
    parser.add_argument("--ordered", action="store_true", help="sums in the order of the source")
    parser.add_argument("--slot", type=float, default=0.2, help="seconds of one turn")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    peers.TIMEOUT = 120
    here, build = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(options.build)
    folder = os.path.join(build, "bench/ordered" if options.ordered else "bench")
    paths = [os.path.join(folder, name) for name in ("cuda", "cuda-ptx")]
    maths = ["OURS=-std=c++17 -O3 -use_fast_math"] if options.ordered else []
    subprocess.run(["make", "-s", "-C", here, f"HEDDLE={build}/bin/heddle", f"BUILD={folder}", *maths, *paths], check=True)
    source, ptx = map(Peer, paths)
    only = set(filter(None, options.only.split(",")))
    ratios = {}
    print("| kernel | source, ms | PTX, ms | ratio |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in source.ask("list").split():
            if only and name not in only:
                continue
            try:
                before, after, note = compare(name, source, ptx, options, os.path.join(folder, "results"))
            except Failure as failure:
                print(f"| {name} | | | failed: {failure} |", flush=True)
                ratios[name] = None
                source.stop() if source.process else None
                ptx.stop() if ptx.process else None
                continue
            ratios[name] = before / after
            print(f"| {name} | {before * 1e3:.3f} | {after * 1e3:.3f} | {before / after:.2f}{note} |", flush=True)
    known = [ratio for ratio in ratios.values() if ratio]
    if not known:
        sys.exit("no benchmark ran")
    print(f"geometric mean {math.exp(sum(map(math.log, known)) / len(known)):.2f}, worst {min(known):.2f}")


if __name__ == "__main__":
    main()
