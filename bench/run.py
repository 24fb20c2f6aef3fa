#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures all peers side by side and writes the table, JSON and the plot.

Peers take turns in rounds: each runs a benchmark for a slot of time and gives its median, then the next one does.
The ratio of two peers is the median over the rounds of the ratio within a round, so noise that lasts longer
than a round cancels. Results are checked against the reference peer first; who is wrong is not timed.

  run.py [--only NAME,...] [--peer NAME,...] [--rounds 7] [--slot 0.05] [--record]
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

import machine
import plot
import report
import start
from peer import Failure, Peer

OURS = "cuda"
PEERS = [OURS, "opencl", "openmp-clang", "openmp-gxx"]
# OpenMP threads spin after a parallel region, by default for 200 ms in LLVM's runtime: the next peer's turn.
ENVIRONMENT = {"KMP_BLOCKTIME": "1"}
REST = 0.01  # seconds between turns, in which such threads go to sleep


def checked(peers, name, reference, path):
    """Opens `name` in all peers that have it; returns the results so far of each, errors included."""
    results = {}
    reference.ask("open " + name)
    reference.ask("save " + path)
    reference.ask("close")
    for label, peer in peers.items():
        try:
            first, unit, work = peer.ask("open " + name).split()
            worst, tolerance = map(float, peer.ask("check " + path).split())
            results[label] = {"first": float(first), "unit": unit, "work": float(work), "error": worst}
            if not worst <= tolerance:
                results[label]["failed"] = f"wrong result: error {worst:g}, allowed {tolerance:g}"
        except Failure as failure:
            results[label] = {"failed": str(failure)}
    return results


def timed(peers, results, rounds, slot):
    """Adds the list of seconds, one a round, to each result that has not failed."""
    for _ in range(rounds):
        for label, peer in peers.items():
            if "failed" in results.get(label, {"failed": ""}):
                continue
            try:
                seconds, _ = peer.ask(f"time {slot}").split()
                results[label].setdefault("seconds", []).append(float(seconds))
            except Failure as failure:
                results[label]["failed"] = str(failure)
            time.sleep(REST)


def ratio(results, other, ours=OURS):
    """How many times faster `ours` is; None where either failed."""
    pair = [results.get(label, {}) for label in (other, ours)]
    if any("failed" in one or "seconds" not in one for one in pair):
        return None
    return statistics.median(a / b for a, b in zip(pair[0]["seconds"], pair[1]["seconds"]))


def measureLimits(limits, rounds, slot):
    """The machine's peak rates: work a second, best round of each."""
    rates = {}
    for name in limits.ask("list").split():
        _, _, work = limits.ask("open " + name).split()
        rates[name] = float(work) / min(float(limits.ask(f"time {slot}").split()[0]) for _ in range(rounds))
        limits.ask("close")
    return rates


def limitFor(unit, rates):
    return {"flops": "fma", "bytes": max("triad", "triad_streaming", key=rates.get)}.get(unit)


def measure(name, peers, reference, limits, rates, options, folder):
    """One row of the table."""
    results = checked(peers, name, reference, os.path.join(folder, "reference"))
    units = [result["unit"] for result in results.values() if "unit" in result]
    limit = limitFor(units[0], rates) if units else None
    turns = dict(peers)
    if limit:
        _, unit, work = limits.ask("open " + limit).split()
        turns["limit"] = limits
        results["limit"] = {"unit": unit, "work": float(work)}
    timed(turns, results, options.rounds, options.slot)
    for peer in turns.values():
        try:
            peer.ask("close")
        except Failure:
            pass  # said already
    row = {"name": name, "results": results, "limit": limit,
           "ratios": {label: ratio(results, label) for label in peers if label != OURS}}
    slower = ratio(results, "limit") if limit else None
    if slower:  # seconds of the limit against ours, each for its own work
        row["fraction"] = slower * results[OURS]["work"] / results["limit"]["work"]
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--peers", required=True, help="the folder of the peers' executables")
    parser.add_argument("--only", default="", help="benchmarks, with commas")
    parser.add_argument("--peer", default="", help="peers beside ours, with commas")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--slot", type=float, default=0.05, help="seconds of one turn")
    parser.add_argument("--no-start", action="store_true", help="leave cold and warm start out")
    parser.add_argument("--record", action="store_true", help="write the table into docs/performance.md")
    options = parser.parse_args()

    os.environ.update(ENVIRONMENT)
    wanted = [OURS] + options.peer.split(",") if options.peer else PEERS
    peers = {label: Peer(os.path.join(options.peers, label)) for label in wanted}
    limits = Peer(os.path.join(options.peers, "limits"))
    reference = Peer(os.path.join(options.peers, "reference"))
    rates = measureLimits(limits, options.rounds, options.slot)
    run = {"machine": machine.describe(), "limits": rates, "rows": []}
    print(report.heading(run), flush=True)
    names = reference.ask("list").split()
    for name in names:
        if options.only and name not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            run["rows"].append(measure(name, peers, reference, limits, rates, options, folder))
        print(report.line(run["rows"][-1]), flush=True)
    if not options.no_start:
        run["start"] = start.measure(options.heddle)
    print(report.summary(run))

    base = os.path.join(options.peers, "results")
    with open(base + ".json", "w") as file:
        json.dump(run, file, indent=1)
    with open(base + ".svg", "w") as file:
        file.write(plot.svg(run))
    print(f"written: {base}.json, {base}.svg")
    if options.record:
        report.record(run, os.path.join(os.path.dirname(__file__) or ".", "..", "docs"))
    return 1 if any("failed" in row["results"][OURS] for row in run["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())
