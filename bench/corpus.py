#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the corpus: our form of each kernel against the OpenMP loop, against forced widths, and without passes.

All peers of a kernel (ours, clang's and g++'s loop, ours at each width, ours without passes) are open together and take
turns, as in run.py. A turn's result is its shortest run, a time the lower quartile of the turns, so each ratio is one of
turns beside each other. Every result is compared with the reference peer first; a wrong one is reported, not timed, and
makes the exit code 1.

  corpus.py BUILD [--only NAME,...]     against OpenMP and against forced widths; names may hold * and ?
  corpus.py BUILD --tables openmp       only against OpenMP (or: widths)
  corpus.py BUILD --off PASS[,PASS]     with and without passes; --off again is one more column
  corpus.py BUILD --cpu x86-64-v3       all held to that CPU, with peers built for it
  corpus.py BUILD --bench               the kernels of bench/kernels, which are larger
  corpus.py BUILD --threads 2           on that many cores (one by default)
  corpus.py BUILD --check               only the results, each kernel once
"""
import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

import machine
from peer import Failure, Peer
from report import geometricMean
from run import CPU_ENVIRONMENT, ENVIRONMENT, OURS, checked, timed

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTHS = "1,8,16,32,64,256"
OPENMP = ["openmp-clang", "openmp-gxx"]
# What a worse choice of the width, or a pass that does something, is taken to be.
SLOW_CHOICE, WORTH = 1.15, 1.05


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build folder of ours, such as build/release")
    parser.add_argument("--only", default="", help="kernels, with commas")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of these, one in N")
    parser.add_argument("--tables", help="openmp, widths or both, with a comma (the default without --off)")
    parser.add_argument("--widths", default=WIDTHS, help="with commas; default " + WIDTHS)
    parser.add_argument("--off", action="append", default=[], help="passes to disable together, with commas")
    parser.add_argument("--cpu", default="", help="compile for this CPU")
    parser.add_argument("--threads", type=int, default=1, help="of all sides")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: the processor time of all threads")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slot", type=float, default=0.02, help="seconds of one turn")
    parser.add_argument("--peers", help="the folder for the peers; default BUILD/bench, with --cpu BUILD/bench-CPU")
    parser.add_argument("--bench", action="store_true", help="the kernels of bench/kernels in place of the corpus's")
    parser.add_argument("--check", action="store_true", help="only compare the results of ours")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.tables = options.tables.split(",") if options.tables else [] if options.off else ["openmp", "widths"]
    for table in options.tables:
        if table not in ("openmp", "widths"):
            parser.error(f"--tables: no table is named '{table}'; there are openmp and widths")
    options.widths = options.widths.split(",") if "widths" in options.tables else []
    folder = options.peers or os.path.join(options.build, "bench" + ("-" + options.cpu if options.cpu else ""))
    options.peers = os.path.abspath(folder)
    options.suite = options.peers if options.bench else os.path.join(options.peers, "corpus")
    return options


def buildPeers(options, peers):
    """The peers, compiled where they are older than their sources."""
    subprocess.run(["make", "--no-print-directory", "-s", "-C", HERE, f"-j{os.cpu_count()}",
                    *(os.path.join(options.suite, peer) for peer in peers),
                    f"HEDDLE={options.build}/bin/heddle", f"BUILD={options.peers}", f"MARCH={options.cpu or 'native'}"],
                   check=True)


def openPeers(options, caches):
    """Ours with its variants, each with a cache of kernels of its own, and the OpenMP loops."""
    path = lambda name: os.path.join(options.suite, name)
    peers = {}

    def addOurs(label, environment):
        cache = os.path.join(caches, str(len(peers)))
        os.mkdir(cache)
        peers[label] = Peer(path("cuda"), dict(environment, CUDA_CACHE_PATH=cache))

    addOurs(OURS, {})
    if "openmp" in options.tables:
        peers.update({label: Peer(path(label)) for label in OPENMP})
    for width in options.widths:
        addOurs(widthLabel(width), {"HEDDLE_WIDTH": width})
    for passes in options.off:
        addOurs(offLabel(passes), {"HEDDLE_DISABLE": passes})
    return peers


def widthLabel(width):
    return "width " + width


def offLabel(passes):
    return "without " + passes


def chosen(names, patterns):
    """The names that match one of the patterns, all without patterns; an error where a pattern matches none."""
    patterns = list(filter(None, patterns.split(",")))
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            sys.exit(f"--only: no kernel is named '{pattern}'; there are {', '.join(names)}")
    return [name for name in names if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def measure(name, peers, reference, options, folder):
    """One kernel: what each peer took, and its ratios."""
    results = checked(peers, name, reference, os.path.join(folder, "reference"))
    if not options.check:
        timed(peers, results, options.clock, options)
    for label, peer in peers.items():
        if "failed" not in results[label]:
            try:
                peer.ask("close")
            except Failure as failure:
                results[label]["failed"] = str(failure)
        else:
            peer.end()
    return dict(ratiosOf(results, options), name=name, results=results)


def ratiosOf(results, options):
    """The better loop over ours; ours over the best width; without passes over ours. What failed is left out."""
    seconds = {label: result["seconds"] for label, result in results.items() if "seconds" in result}
    ours, ratios = seconds.get(OURS), {}
    loops = [seconds[label] for label in OPENMP if label in seconds]
    widths = {width: seconds[widthLabel(width)] for width in options.widths if widthLabel(width) in seconds}
    if ours and loops:
        ratios["openmp"] = min(loops) / ours
    if ours and widths:
        ratios["best"] = min(widths, key=widths.get)
        ratios["widths"] = ours / widths[ratios["best"]]
    ratios["off"] = {passes: seconds[offLabel(passes)] / ours for passes in options.off
                     if ours and offLabel(passes) in seconds}
    return ratios


def titles(options):
    texts = ["kernel", "ours, us"]
    if "openmp" in options.tables:
        texts += ["clang, us", "g++, us", "better loop / ours"]
    if options.widths:
        texts += ["best width", "ours / best"] + ["at " + width for width in options.widths]
    return texts + [f"without {passes} / with" for passes in options.off]


def markdown(texts):
    return "| " + " | ".join(texts) + " |"


def rowText(row, options):
    def time(label):
        result = row["results"].get(label, {})
        return f"{result['seconds'] * 1e6:.0f}" if "seconds" in result else "failed"

    def ratio(value):
        return f"{value:.2f}" if value else "-"

    texts = [row["name"], time(OURS)]
    if "openmp" in options.tables:
        texts += [time(label) for label in OPENMP] + [ratio(row.get("openmp"))]
    if options.widths:
        texts += [row.get("best", "-"), ratio(row.get("widths"))] + [time(widthLabel(width)) for width in options.widths]
    return markdown(texts + [ratio(row["off"].get(passes)) for passes in options.off])


def summary(rows, options):
    """The geometric means, and what lies outside of the goals."""
    lines = []
    loops = [row["openmp"] for row in rows if "openmp" in row]
    if loops:
        lines.append(f"Against the better OpenMP loop: {geometricMean(loops):.2f} in geometric mean of {len(loops)} "
                     f"kernels; {sum(value < 1 for value in loops)} are below 1.")
    choices = [row["widths"] for row in rows if "widths" in row]
    if choices:
        lines.append(f"Automatic over the best forced width: {geometricMean(choices):.3f} in geometric mean of "
                     f"{len(choices)} kernels, {max(choices):.2f} at most; {sum(value > SLOW_CHOICE for value in choices)} "
                     f"are above {SLOW_CHOICE}.")
    for passes in options.off:
        values = [row["off"][passes] for row in rows if passes in row["off"]]
        slower = [f"{row['name']} {row['off'][passes]:.2f}" for row in rows if row["off"].get(passes, 0) >= WORTH]
        faster = [f"{row['name']} {row['off'][passes]:.2f}" for row in rows if row["off"].get(passes, 1) <= 1 / WORTH]
        if values:
            lines.append(f"Without {passes}: {geometricMean(values):.3f} in geometric mean of {len(values)} kernels; "
                         f"slower by 5 % or more: {', '.join(slower) or 'none'}; faster: {', '.join(faster) or 'none'}.")
    return "\n\n".join(lines)


def failures(rows):
    return [f"{row['name']}: {label}: {result['failed']}" for row in rows for label, result in row["results"].items()
            if "failed" in result]


def heading(options):
    about = machine.describe()
    held = f", all held to {options.cpu}" if options.cpu else ""
    clock = "processor time" if options.clock == "cpu" else "time by the clock"
    return f"{options.threads} of {about['cores']} cores of an {about['model']}, {about['vectors']}{held}; {clock}."


def setEnvironment(options):
    os.environ.update(CPU_ENVIRONMENT if options.clock == "cpu" else ENVIRONMENT)
    os.environ.update(HEDDLE_WORKERS=str(options.threads), OMP_NUM_THREADS=str(options.threads))
    for name in ("HEDDLE_WIDTH", "HEDDLE_DISABLE"):
        os.environ.pop(name, None)
    if options.cpu:
        os.environ["HEDDLE_CPU"] = options.cpu


def main():
    options = parsed()
    if options.check:
        options.tables, options.widths, options.off = [], [], []
    buildPeers(options, ["cuda", "reference"] + (OPENMP if "openmp" in options.tables else []))
    setEnvironment(options)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        peers = openPeers(options, folder)
        reference = Peer(os.path.join(options.suite, "reference"))
        names = chosen(reference.ask("list").split(), options.only)[::options.every]
        if not options.check:
            print(heading(options) + "\n\n" + markdown(titles(options)))
            print(markdown(["---"] + ["---:"] * (len(titles(options)) - 1)), flush=True)
        for name in names:
            rows.append(measure(name, peers, reference, options, folder))
            if not options.check:
                print(rowText(rows[-1], options), flush=True)
    if options.check:
        print(f"{len(rows) - len(failures(rows))} of {len(rows)} kernels are right")
    else:
        print("\n" + summary(rows, options))
        with open(os.path.join(options.suite, "corpus.json"), "w") as file:
            json.dump({"machine": machine.describe(), "cpu": options.cpu, "rows": rows}, file, indent=1)
    for text in failures(rows):
        print("failed: " + text)
    return 1 if failures(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
