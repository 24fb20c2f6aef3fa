#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures all peers side by side and writes the table, JSON and the plots.

Peers take turns in rounds: each runs a benchmark for a slot of time and gives its shortest run, then the next one does.
A peer's time is the lower quartile of its turns, a ratio the quotient of two such times. Results are checked against
the reference peer first; who is wrong is not timed.

  run.py [--only NAME,...] [--peer NAME,...] [--rounds 7] [--slot 0.05] [--clock wall|cpu] [--record]
  run.py --quick [--only NAME,...]      ours and clang's OpenMP, three rounds, processor time
  run.py --without PASS[,PASS]          ours with and without passes of the warp compiler
  run.py --variant NAME=VALUE           ours with and without an environment variable
  run.py --before FOLDER                ours and what an earlier build made of the same sources (its peers' folder)
  run.py --cpu x86-64-v3                all held to that CPU (through run.sh, which builds the peers for it)
  run.py --scaling, --goals             only how cost grows; only the goals that are no row of the table
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

import goals
import machine
import plot
import report
import scaling
import start
from peer import Failure, Peer

OURS = "cuda"
PEERS = [OURS, "opencl", "openmp-clang", "openmp-gxx"]
# OpenMP threads spin after a parallel region, by default for 200 ms in LLVM's runtime: the next peer's turn.
ENVIRONMENT = {"KMP_BLOCKTIME": "1"}
# Spinning is no work: without it processor time says what a run costs.
CPU_ENVIRONMENT = {"KMP_BLOCKTIME": "0", "OMP_WAIT_POLICY": "passive"}
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


def timed(peers, results, clock, options):
    """Adds the list of seconds, one a round, to each result that has not failed."""
    for _ in range(options.rounds):
        for label, peer in peers.items():
            if "failed" in results.get(label, {"failed": ""}):
                continue
            try:
                wall, cpu, _ = map(float, peer.ask(f"time {options.slot}").split())
                results[label].setdefault("rounds", []).append(cpu if clock == "cpu" else wall)
            except Failure as failure:
                results[label]["failed"] = str(failure)
            time.sleep(REST)
    for result in results.values():
        if "failed" not in result:
            result["seconds"] = lowerQuartile(result["rounds"])


def lowerQuartile(values):
    return statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0]


def ratio(results, other, ours=OURS):
    """How many times faster `ours` is; None where either failed."""
    pair = [results.get(label, {}).get("seconds") for label in (other, ours)]
    return pair[0] / pair[1] if all(pair) else None


def measureLimits(limits, options):
    """The machine's peak rates: work a second, best round of each."""
    rates, cores = {}, len(os.sched_getaffinity(0))
    for name in limits.ask("list").split():
        _, _, work = limits.ask("open " + name).split()
        turns = [list(map(float, limits.ask(f"time {options.slot}").split())) for _ in range(options.rounds)]
        rates[name] = float(work) / min(cpu / cores if options.clock == "cpu" else wall for wall, cpu, _ in turns)
        limits.ask("close")
    return rates


def limitFor(unit, rates):
    return {"flops": "fma", "bytes": max("triad", "triad_streaming", key=rates.get)}.get(unit)


def measure(name, peers, reference, limits, rates, options):
    """One row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        results = checked(peers, name, reference, os.path.join(folder, "reference"))
    units = [result["unit"] for result in results.values() if "unit" in result]
    limit = limitFor(units[0], rates) if units else None
    turns = dict(peers)
    if limit:
        _, unit, work = limits.ask("open " + limit).split()
        turns["limit"] = limits
        results["limit"] = {"unit": unit, "work": float(work)}
    # A launch is waited for: its cost is the clock's.
    timed(turns, results, options.clock if report.isKernel({"name": name}) else "wall", options)
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


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--peers", required=True, help="the folder of the peers' executables")
    parser.add_argument("--only", default="", help="benchmarks, with commas")
    parser.add_argument("--peer", default="", help="peers beside ours, with commas")
    parser.add_argument("--quick", action="store_true", help="few rounds, ours and one peer, processor time")
    parser.add_argument("--without", default="", help="passes, with commas: ours with and without them")
    parser.add_argument("--variant", default="", help="NAME=VALUE: ours with and without it in the environment")
    parser.add_argument("--before", default="", help="the folder of an earlier build's peers: ours of now and of then")
    parser.add_argument("--cpu", default="", help="compile for this CPU")
    parser.add_argument("--clock", choices=["wall", "cpu"], help="cpu: the processor time of all threads")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--slot", type=float, default=0.05, help="seconds of one turn")
    parser.add_argument("--scaling", action="store_true", help="measure only how cost grows")
    parser.add_argument("--goals", action="store_true", help="measure only compile times, memory, one core against two")
    parser.add_argument("--no-start", action="store_true", help="leave cold and warm start out")
    parser.add_argument("--record", action="store_true", help="write the results into docs/")
    options = parser.parse_args()
    for name in filter(None, options.peer.split(",")):
        if name not in PEERS[1:]:
            parser.error(f"--peer: no peer is named '{name}'; there are {', '.join(PEERS[1:])}")
    if options.without:
        options.variant = "HEDDLE_DISABLE=" + options.without
    short = options.quick or options.variant
    options.clock = options.clock or ("cpu" if short else "wall")
    options.rounds = options.rounds or (3 if short else 7)
    options.whole = not (short or options.before or options.only or options.peer or options.scaling or options.goals
                         or options.cpu)
    return options


def openPeers(options):
    """Ours first; a variant is one more of ours."""
    path = lambda label: os.path.join(options.peers, label)
    if options.variant:
        name, value = options.variant.split("=", 1)
        label = "without " + options.without if options.without else options.variant
        return {OURS: Peer(path(OURS)), label: Peer(path(OURS), {name: value})}
    if options.before:
        return {OURS: Peer(path(OURS)), "before": Peer(os.path.join(options.before, OURS))}
    others = options.peer.split(",") if options.peer else ["openmp-clang"] if options.quick else PEERS[1:]
    return {label: Peer(path(label)) for label in [OURS] + others}


def measureTable(run, options):
    peers = openPeers(options)
    limits = Peer(os.path.join(options.peers, "limits"))
    reference = Peer(os.path.join(options.peers, "reference"))
    others = machine.Others()
    run["limits"] = measureLimits(limits, options)
    report.columnsFor([label for label in peers if label != OURS])
    print(report.heading(run), flush=True)
    names, only = reference.ask("list").split(), list(filter(None, options.only.split(",")))
    for name in only:
        if name not in names:
            sys.exit(f"--only: no benchmark is named '{name}'; there are {', '.join(names)}")
    for name in names:
        if not only or name in only:
            run["rows"].append(measure(name, peers, reference, limits, run["limits"], options))
            print(report.line(run["rows"][-1]), flush=True)
    living = [peer.process.pid for peer in [*peers.values(), limits, reference] if peer.process]
    run["others"] = others.share(living)


def recordedTexts(run):
    """What docs/performance.md holds between its marks."""
    texts = {}
    if run["rows"]:
        texts["bench-avx2" if run["cpu"] else "bench"] = report.tableMarkdown(run)
    if "goals" in run:
        texts["goals"] = goals.markdown(run) + "\n"
    if "scaling" in run:
        texts["scaling"] = scaling.markdown(run["scaling"])
    return texts


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    print("written:", path)


def main():
    options = parsed()
    os.environ.update(CPU_ENVIRONMENT if options.clock == "cpu" else ENVIRONMENT)
    if options.cpu:
        os.environ["HEDDLE_CPU"] = options.cpu
    kernels = tempfile.TemporaryDirectory()  # none that an earlier build has compiled
    os.environ["CUDA_CACHE_PATH"] = kernels.name
    run = {"machine": machine.describe(), "cpu": options.cpu, "clock": options.clock, "rows": []}
    if not (options.scaling or options.goals):
        measureTable(run, options)
        print(report.summary(run))
    if options.whole or options.goals:
        run["start"] = None if options.no_start else start.measure(options.heddle)
        run["goals"] = goals.measure(options)
        print(goals.text(run))
    if options.whole or options.scaling:
        run["scaling"] = scaling.measure(options)
        print(scaling.text(run["scaling"]))

    base = os.path.join(options.peers, "results")
    write(base + ".json", json.dumps(run, indent=1))
    pictures = scaling.pictures(run["scaling"]) if "scaling" in run else {}
    if run["rows"] and not (options.variant or options.before):
        pictures["performance" + ("-" + options.cpu if options.cpu else "")] = plot.svg(run)
    for name, picture in pictures.items():
        write(os.path.join(options.peers, name + ".svg"), picture)
    if options.record:
        report.record(recordedTexts(run), pictures, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs"))
    return 1 if any("failed" in row["results"][OURS] for row in run["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())
