#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the costs by which simt chooses how many lanes a program has (src/simt/costs.def).

Each kernel of the corpus and of bench/kernels has been measured at several widths (corpus.py BUILD and BUILD --bench). So what a choice would cost is
known without running it: how its time changes from that at the width that was chosen. The loss is a benchmark's time
over its time at the best width. The choices under other costs come from heddle-warp, which runs the passes up to the
choice on each kernel's thread program. Widths that were not measured count with the nearest that were, programs that
are the whole block with the widest, and a benchmark of several kernels with the mean of them.

  fit_costs.py BUILD                    what each cost is worth: the loss with half of it and with twice as much
  fit_costs.py BUILD --set A=1,B=2      the loss with these, and the kernels whose choice changes
  fit_costs.py BUILD --fit A,B          tries steps of these costs until no step makes the loss smaller
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from report import geometricMean
from run import OURS

COST = re.compile(r"^HEDDLE_(?:COST|FACT)\((\w+), ([\d.]+), ", re.M)
HEADER = re.compile(r"^; after library: (\S+) in blocks of ([\d,]+)$")
STEPS = [0.5, 0.71, 1.41, 2]
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "simt", "costs.def")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build folder in which corpus.py has measured widths")
    parser.add_argument("--set", default="", help="costs, NAME=VALUE with commas")
    parser.add_argument("--fit", default="", help="names of costs, with commas")
    parser.add_argument("--cpu", default="native")
    return parser.parse_args()


def measuredTimes(path):
    """The seconds of each benchmark by width, and with the choice as it was, without those that failed."""
    times, chosen = {}, {}
    with open(path) as file:
        for row in json.load(file)["rows"]:
            found = {int(label.split()[1]): result["seconds"] for label, result in row["results"].items()
                     if label.startswith("width ") and "seconds" in result}
            if found and "seconds" in row["results"][OURS]:
                times[row["name"]], chosen[row["name"]] = found, row["results"][OURS]["seconds"]
    return times, chosen


def savePrograms(peer, name, prefix):
    """The thread programs of a benchmark's kernels: (file, kernel, block) of each; the files begin with the prefix."""
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, HEDDLE_PRINT_AFTER="library", HEDDLE_TUNE="off", CUDA_CACHE_PATH=cache)
        text = subprocess.run([peer], input=f"open {name}\n", env=environment, text=True,
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL).stderr
    programs, lines = [], []
    for line in text.splitlines():
        header = HEADER.match(line)
        if header:
            lines = []
            programs.append((f"{prefix}.{len(programs)}.ll", header[1], header[2], lines))
        else:
            lines.append(line)
    for path, _, _, lines in programs:
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
    return [program[:3] for program in programs]


def lanesOf(options, program, settings):
    """The lanes of one kernel's program, for each list of costs."""
    path, kernel, block = program
    command = [os.path.join(options.build, "bin", "heddle-warp"), "-kernel=" + kernel, "-block=" + block, "-width=0",
               "-target-cpu=" + options.cpu, path]
    result = subprocess.run(command + ["-lanes-with=" + setting for setting in settings], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{path}: {result.stderr}")
    return [int(line) for line in result.stdout.split()]


class Corpus:
    """The kernels of all benchmarks, and what has been asked about them."""

    def __init__(self, options, folder):
        self.options, self.known, self.times, self.chosen = options, {}, {}, {}
        self.programs = {}
        for suite in ("corpus", "."):
            self.add(os.path.join(options.build, "bench", suite), "" if suite == "corpus" else "bench/", folder)

    def add(self, suite, prefix, folder):
        """The benchmarks of one folder of peers."""
        times, chosen = measuredTimes(os.path.join(suite, "corpus.json"))
        path = lambda name: os.path.join(folder, (prefix + name).replace("/", "."))
        with concurrent.futures.ThreadPoolExecutor() as pool:
            saved = pool.map(lambda name: savePrograms(os.path.join(suite, "cuda"), name, path(name)), times)
            for name, programs in zip(times, saved):
                if programs:
                    self.programs[prefix + name] = programs
                    self.times[prefix + name], self.chosen[prefix + name] = times[name], chosen[name]

    def ask(self, settings):
        """The choices in all benchmarks, {benchmark: [lanes]}, for each list of costs."""
        missing = [setting for setting in dict.fromkeys(settings) if setting not in self.known]
        if missing:
            flat = [(name, program) for name, programs in self.programs.items() for program in programs]
            found = [{} for _ in missing]
            with concurrent.futures.ThreadPoolExecutor() as pool:
                answers = pool.map(lambda item: lanesOf(self.options, item[1], missing), flat)
                for (name, _), lanes in zip(flat, answers):
                    for choices, chosen in zip(found, lanes):
                        choices.setdefault(name, []).append(chosen)
            self.known.update(zip(missing, found))
        return [self.known[setting] for setting in settings]

    def lossOf(self, name, lanes):
        """The benchmark's time with these choices over its time at the best width."""
        times = self.times[name]

        def timeOf(width, block):
            near = lambda other: (abs(math.log2(other / width)), other)
            return times[max(times) if width >= math.prod(map(int, block.split(","))) else min(times, key=near)]

        changes = [timeOf(now, block) / timeOf(was, block)
                   for now, was, (_, _, block) in zip(lanes, self.ask([""])[0][name], self.programs[name])]
        return self.chosen[name] / min(self.chosen[name], *times.values()) * geometricMean(changes)

    def losses(self, setting):
        return {name: self.lossOf(name, lanes) for name, lanes in self.ask([setting])[0].items()}

    def loss(self, setting):
        return geometricMean(self.losses(setting).values())


def spelled(costs):
    return ",".join(f"{name}={value:g}" for name, value in sorted(costs.items()))


def sensitivity(corpus, defaults, base):
    """A line for each cost."""
    halves = [spelled(dict(base, **{name: base.get(name, value) * factor})) for name, value in defaults.items()
              for factor in (0.5, 2)]
    corpus.ask([spelled(base)] + halves)
    start, choices = corpus.loss(spelled(base)), corpus.ask([spelled(base)])[0]
    print(f"loss {start:.4f} in geometric mean of {len(choices)} benchmarks\n")
    print("| cost | half: loss | choices that change | twice: loss | choices that change |")
    print("| --- | --: | --: | --: | --: |")
    for number, name in enumerate(defaults):
        cells = []
        for setting in halves[2 * number:2 * number + 2]:
            changed = sum(lanes != choices[benchmark] for benchmark, lanes in corpus.ask([setting])[0].items())
            cells += [f"{corpus.loss(setting):.4f}", str(changed)]
        print(f"| {name} | " + " | ".join(cells) + " |")


def compare(corpus, base):
    """The loss with other costs, and where it comes from."""
    before, after = corpus.losses(""), corpus.losses(spelled(base))
    print(f"loss {geometricMean(before.values()):.4f} before, {geometricMean(after.values()):.4f} after; "
          f"at most {max(before.values()):.2f} before, {max(after.values()):.2f} after")
    was, now = corpus.ask(["", spelled(base)])
    for name in was:
        if was[name] != now[name]:
            print(f"{name}: {was[name]} -> {now[name]}, loss {before[name]:.2f} -> {after[name]:.2f}")


def fit(corpus, defaults, base, names):
    """Coordinate descent by STEPS."""
    costs = dict(base)
    best = corpus.loss(spelled(costs))
    print(f"loss {best:.4f}")
    while True:
        tried = [dict(costs, **{name: costs.get(name, defaults[name]) * step}) for name in names for step in STEPS]
        corpus.ask([spelled(other) for other in tried])
        least = min(tried, key=lambda other: corpus.loss(spelled(other)))
        if corpus.loss(spelled(least)) >= best - 1e-5:
            return
        costs, best = least, corpus.loss(spelled(least))
        print(f"loss {best:.4f} with {spelled(costs)}", flush=True)


def main():
    options = parsed()
    with open(TABLE) as file:
        defaults = {name: float(value) for name, value in COST.findall(file.read())}
    base = {name: float(value) for name, value in (item.split("=") for item in filter(None, options.set.split(",")))}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(options, folder)
        if options.fit:
            fit(corpus, defaults, base, options.fit.split(","))
        elif base:
            compare(corpus, base)
        else:
            sensitivity(corpus, defaults, base)


if __name__ == "__main__":
    main()
