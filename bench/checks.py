#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What checks cost: how many times the processor time of a plain run a checked one takes, by kernel and check.

  checks.py BUILD [--only NAME,...] [--checks memcheck,racecheck,initcheck,all] [--slot 0.05] [--results] [--corpus N]

Ours (`make -C bench`) runs once plain and once for each check; with --corpus one in N kernels of the corpus. `all` stands for all checks together, `a+b` for two. What
takes longer than --limit seconds is shown as `slow` and left out of the means; `--results` also compares what a checked
run computes with what the plain one does. The number of errors found is shown where it is not 0: these kernels have none.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

import peer as peers
from peer import Failure, Peer

ERRORS = re.compile(rb"ERROR SUMMARY: (\d+)")


class Checked(Peer):
    """A peer whose reports go to a file."""

    def __init__(self, path, check, folder):
        self.log = os.path.join(folder, check or "plain")
        variables = {"HEDDLE_CHECK": check.replace("+", ","), "HEDDLE_CHECK_OPTIONS": "--log-file\n" + self.log}
        super().__init__(path, variables if check else None)

    def errors(self):
        """Of the process that ends now."""
        self.end()
        if not os.path.exists(self.log):
            return 0
        with open(self.log, "rb") as file:
            found = ERRORS.findall(file.read())
        os.remove(self.log)
        return int(found[-1]) if found else 0


def secondsOf(peer, name, slot, save):
    """Processor time of a run, or why there is none."""
    try:
        peer.ask("open " + name)
        seconds = float(peer.ask(f"time {slot}").split()[1])
        if save:
            peer.ask("save " + save)
        peer.ask("close")
        return seconds
    except Failure as failure:
        return "slow" if "no answer" in str(failure) else f"failed: {failure}"


def compared(peer, name, file):
    peer.ask("open " + name)
    worst, tolerance = map(float, peer.ask("check " + file).split())
    peer.ask("close")
    return "" if worst <= tolerance else f" wrong: {worst:g}"


def row(name, plain, checked, options, folder):
    file = os.path.join(folder, "results")
    before = secondsOf(plain, name, options.slot, file if options.results else None)
    cells = {}
    for check, peer in checked.items():
        seconds = secondsOf(peer, name, options.slot, None)
        isTimed = isinstance(seconds, float) and isinstance(before, float)
        note = compared(peer, name, file) if isTimed and options.results else ""
        errors = peer.errors()
        cells[check] = (seconds / before if isTimed else seconds, note + (f" {errors} errors" if errors else ""))
    return before, cells


def chosen(names, options):
    """What is to be run of all there is."""
    only = set(filter(None, options.only.split(",")))
    if only - set(names):
        sys.exit(f"--only: no benchmark is named '{min(only - set(names))}'; there are {', '.join(names)}")
    return [name for name in names if name in only] if only else names[::options.corpus or 1]


def text(value):
    return value if isinstance(value, str) else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def prepared(columns, default):
    """The options of a program that compares runs, of which `columns` names the kinds; and ours, made anew."""
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="", help="benchmarks, with commas")
    parser.add_argument(columns, default=default, help="columns, with commas")
    parser.add_argument("--slot", type=float, default=0.05, help="seconds of one turn")
    parser.add_argument("--limit", type=float, default=60, help="seconds of one answer")
    parser.add_argument("--results", action="store_true", help="compare the results, too")
    parser.add_argument("--corpus", type=int, metavar="N", help="one in N kernels of the corpus (corpus.py)")
    options = parser.parse_args()
    peers.TIMEOUT = options.limit
    here, build = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(options.build)
    path = os.path.join(build, "bench", *(["corpus"] if options.corpus else []), "cuda")
    subprocess.run(["make", "-s", "-C", here, f"HEDDLE={build}/bin/heddle", f"BUILD={build}/bench", path], check=True)
    return options, path


def main():
    options, path = prepared("--checks", "memcheck,racecheck,initcheck,all")
    with tempfile.TemporaryDirectory() as folder:
        plain = Checked(path, "", folder)
        checked = {check: Checked(path, check, folder) for check in options.checks.split(",")}
        ratios = {check: [] for check in checked}
        print("| kernel | plain, ms | " + " | ".join(checked) + " |\n|---|---" + "|---" * len(checked) + "|", flush=True)
        for name in chosen(plain.ask("list").split(), options):
            before, cells = row(name, plain, checked, options, folder)
            for check, (value, _) in cells.items():
                if isinstance(value, float):
                    ratios[check].append(value)
            shown = text(before * 1e3 if isinstance(before, float) else before)
            print(f"| {name} | {shown} | " + " | ".join(text(value) + note for value, note in cells.values()) + " |",
                  flush=True)
        plain.end()
    mean = lambda values: math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan
    print("| geometric mean | | " + " | ".join(text(mean(values)) for values in ratios.values()) + " |")
    print("| worst | | " + " | ".join(text(max(values, default=math.nan)) for values in ratios.values()) + " |")


if __name__ == "__main__":
    main()
