#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our counters beside those that NVIDIA's ncu read on an H200: for each metric how many launches are the same, and the
median and the 90th percentile of the relative error; for registers the difference.

  compare_ncu.py BUILD [--corpus] [--as-is] [--only KERNEL,...] [--metrics M,...] [--rows] [--ours FILE] [--times]
  compare_ncu.py --record NCU.csv OUT.csv

ncu_h200.csv and ncu_h200_corpus.csv hold a row for each launch. They were made on an H200 with nvcc 13:
  nvcc -O3 -arch=sm_90 harness/main.cpp harness/peer_cuda.cu kernels/*.cu -o bench
  ncu --csv --kernel-id '::regex:.*:1|2' --metrics METRICS ./bench < LIST     (LIST: `open NAME` and `close` for each)
The first two launches of each name are compared, in their order. `--rows` shows each launch; `--ours` takes what an
earlier run has written; `--times` makes a table of classes of gpu__time_duration.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = ["Kernel Name", "Block Size", "Grid Size"]
REGISTERS = "launch__registers_per_thread"
DURATION = "gpu__time_duration.sum"
SCALES = {"Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9,
          "second": 1e9}


def launchesOf(path):
    """Of ncu's CSV: a dict for each launch, in bytes and nanoseconds."""
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    launches = {}
    for row in csv.DictReader(lines):
        launch = launches.setdefault(row["ID"], {key: row[key] for key in KEYS})
        value = row["Metric Value"].replace(",", "").rstrip("%")
        try:
            launch[row["Metric Name"]] = float(value) * SCALES.get(row["Metric Unit"], 1)
        except ValueError:
            pass
    return list(launches.values())


def baseOf(name):
    """As ncu tells kernels apart: without template arguments, results and parameters."""
    head = re.sub(r"^(void|int|float)\s+", "", name)
    return re.split(r"[<(]", head, maxsplit=1)[0].split("::")[-1].strip()


def firstTwo(launches):
    found = {}
    for launch in launches:
        of = found.setdefault(baseOf(launch["Kernel Name"]), [])
        if len(of) < 2:
            of.append(launch)
    return found


def record(source, target):
    launches = launchesOf(source)
    metrics = sorted({key for launch in launches for key in launch} - set(KEYS))
    with open(target, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(KEYS + metrics)
        for launch in launches:
            cells = [launch.get(metric) for metric in metrics]
            writer.writerow([launch[key] for key in KEYS] + ["" if cell is None else f"{cell:.10g}" for cell in cells])


def recorded(path):
    with open(path, newline="") as file:
        return [{key: cell if key in KEYS else float(cell) for key, cell in row.items() if cell}
                for row in csv.DictReader(file)]


def known(heddle):
    text = subprocess.run([heddle, "--query-metrics"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^\s+(\S+):", text, re.M))


def measured(options, metrics, theirs, output):
    """Runs our build of the peer under our ncu. It is compiled with nvcc's options: without those that make sums fast."""
    build = os.path.abspath(options.build)
    peers = os.path.join(build, "bench-ncu")
    peer = os.path.join(peers, "corpus/cuda" if options.corpus else "cuda")
    if not options.as_is:
        subprocess.run(["make", "-s", "-C", HERE, f"HEDDLE={build}/bin/heddle", f"BUILD={peers}", "OURS=-std=c++17 -O3",
                        peer], check=True)
    with tempfile.TemporaryDirectory() as folder:
        ncu = os.path.join(folder, "ncu")
        os.symlink(f"{build}/bin/heddle", ncu)
        metrics = [metric for metric in metrics if metric in known(ncu)]
        names = subprocess.run([peer], input="list\n", capture_output=True, text=True, check=True).stdout.split()[1:]
        asked = "".join(f"open {name}\nclose\n" for name in names)
        environment = dict(os.environ, HEDDLE_DEVICE="h200")
        subprocess.run([ncu, "--csv", "--kernel-id", "::regex:.*:1|2", "--metrics", ",".join(metrics), "--log-file",
                        output, peer], input=asked, text=True, env=environment, stdout=subprocess.DEVNULL, check=True)


def error(ours, theirs):
    return abs(ours - theirs) / abs(theirs) if theirs else 0.0 if ours == 0 else 1.0


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def pairsOf(ours, theirs, only):
    ours, theirs = firstTwo(ours), firstTwo(theirs)
    for name, launches in theirs.items():
        for one, other in zip(ours.get(name, []), launches):
            if not only or name in only:
                yield one, other


def table(pairs, metrics):
    print("| metric | launches | the same | median error | nine of ten within |\n| --- | --: | --: | --: | --: |")
    for metric in metrics:
        values = [(one[metric], other[metric]) for one, other in pairs if metric in one and metric in other]
        if not values:
            continue
        same = sum(one == other for one, other in values)
        if metric == REGISTERS:
            errors, form = [abs(one - other) for one, other in values], "{:.0f}"
        else:
            errors, form = [100 * error(one, other) for one, other in values], "{:.1f} %"
        print(f"| {metric} | {len(values)} | {same} | " + " | ".join(
            form.format(quantile(errors, share)) for share in (0.5, 0.9)) + " |")


def rows(pairs, metrics):
    for metric in metrics:
        print(f"\n{metric}")
        for one, other in pairs:
            if metric in one and metric in other and one[metric] != other[metric]:
                print(f"  {one['Kernel Name'].split('(')[0]:40} {one['Grid Size']:18} {one[metric]:16.6g} "
                      f"{other[metric]:16.6g} {one[metric] / other[metric] if other[metric] else 0:8.3f}")


def times(pairs):
    """By what the kernel takes on the board: most of it is a launch, latency, or work."""
    classes = [("up to 3 us", 0, 3e3), ("3 to 30 us", 3e3, 3e4), ("more", 3e4, float("inf"))]
    print("| time of the H200 | launches | mean error | median |\n| --- | --: | --: | --: |")
    for name, least, most in classes + [("all", 0, float("inf"))]:
        errors = [100 * error(one[DURATION], other[DURATION]) for one, other in pairs
                  if DURATION in one and least <= other[DURATION] < most]
        if errors:
            print(f"| {name} | {len(errors)} | {sum(errors) / len(errors):.1f} % | {quantile(errors, 0.5):.1f} % |")


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--record":
        return record(sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--as-is", action="store_true", help="the peer is built")
    parser.add_argument("--only", default="", help="kernels, with commas")
    parser.add_argument("--metrics", default="", help="with commas; else all that were recorded")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--ours", default="")
    options = parser.parse_args()
    theirs = recorded(os.path.join(HERE, "ncu_h200_corpus.csv" if options.corpus else "ncu_h200.csv"))
    metrics = options.metrics.split(",") if options.metrics else sorted(set(theirs[0]) - set(KEYS))
    with tempfile.TemporaryDirectory() as folder:
        output = options.ours or os.path.join(folder, "ours.csv")
        if not os.path.exists(output):
            measured(options, metrics, theirs, output)
        ours = launchesOf(output)
    pairs = list(pairsOf(ours, theirs, set(filter(None, options.only.split(",")))))
    if options.rows:
        rows(pairs, metrics)
    if options.times:
        times(pairs)
    else:
        table(pairs, metrics)


if __name__ == "__main__":
    main()
