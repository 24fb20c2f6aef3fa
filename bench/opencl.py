#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The OpenCL kernels of kernels/ on libheddle-opencl.so, on POCL, and the plain C++ loop with OpenMP, in turns:

  opencl.py BUILD [--seconds S] [--rounds N] [NAME...]

BUILD is the build folder, with the peers that `make -C bench` builds. Prints for each problem the least times in
milliseconds and how many times ours goes into the others', the geometric mean, and what an empty kernel's launch takes.
Results are compared with the plain C++.
"""
import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import peer
import run

EMPTY = pathlib.Path(__file__).parent / "empty_launch.cpp"


def openPeers(build):
    ours = {"OCL_ICD_VENDORS": str(build / "opencl/vendors")}
    pocl = {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}
    return {"ours": peer.Peer(build / "bench/opencl", ours), "POCL": peer.Peer(build / "bench/opencl", pocl),
            "C++": peer.Peer(build / "bench/openmp-clang")}, [ours, pocl]


def timed(peers, name, options):
    """The least seconds of each, by peer; a text where it failed."""
    least = {}
    for who, one in peers.items():
        try:
            one.ask(f"open {name}")
            least[who] = math.inf
        except peer.Failure as failure:
            least[who] = str(failure)
    for _ in range(options.rounds):
        for who, one in peers.items():
            if not isinstance(least[who], str):
                time.sleep(run.REST)
                least[who] = min(least[who], float(one.ask(f"time {options.seconds}").split()[0]))
    return least


def isRight(peers, reference, name):
    with tempfile.TemporaryDirectory() as folder:
        reference.ask(f"open {name}")
        reference.ask(f"save {folder}/right")
        worst, tolerance = map(float, peers["ours"].ask(f"check {folder}/right").split())
        reference.ask("close")
    return worst <= tolerance


def emptyLaunch(environments):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["g++", "-O2", "-std=c++17", EMPTY, "-o", f"{folder}/empty", "-lOpenCL"], check=True)
        for who, environment in zip(("ours", "POCL"), environments):
            text = subprocess.run([f"{folder}/empty"], check=True, capture_output=True, text=True,
                                  env={**os.environ, **environment}).stdout
            print(f"empty kernel, {who}: {text.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    build = options.build.resolve()
    os.environ.update(run.ENVIRONMENT)
    peers, environments = openPeers(build)
    reference = peer.Peer(build / "bench/reference")
    names = options.names or peers["ours"].ask("list").split()
    emptyLaunch(environments)
    print(f"{'problem':24}{'ours':>10}{'POCL':>10}{'C++':>10}{'POCL/ours':>11}{'C++/ours':>10}")
    ratios = {"POCL": [], "C++": []}
    for name in names:
        least = timed(peers, name, options)
        row = f"{name:24}"
        for who in peers:
            row += f"{least[who] * 1e3:10.3f}" if not isinstance(least[who], str) else f"{'failed':>10}"
        for who, all_ratios in ratios.items():
            if isinstance(least["ours"], str) or isinstance(least[who], str):
                row += f"{'-':>11}"
                continue
            all_ratios.append(least[who] / least["ours"])
            row += f"{all_ratios[-1]:11.2f}"
        if not isinstance(least["ours"], str) and not isRight(peers, reference, name):
            row += "  wrong result"
        row += "".join(f"  {who}: {text}" for who, text in least.items() if isinstance(text, str))
        print(row, flush=True)
        for who, one in peers.items():
            if not isinstance(least[who], str):
                one.ask("close")
    for who, all_ratios in ratios.items():
        if all_ratios:
            mean = math.exp(sum(map(math.log, all_ratios)) / len(all_ratios))
            print(f"geometric mean, {who}/ours: {mean:.2f} of {len(all_ratios)}, least {min(all_ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
