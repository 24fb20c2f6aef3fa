#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tests' processor time goes, and whether it stays within tests/budget.txt.

  test_times.py check BUILD TIMES      prints the ten slowest tests and the total; fails if the budget is exceeded by half
  test_times.py slowest BUILD TIMES    only prints
  test_times.py record BUILD TIMES     writes the budget; before that, run the tests with an empty cache
  test_times.py table TIMES [STEPS]    writes the tables of docs/tests.md: by folder and, with the file that HEDDLE_TIME_JIT
                                       names, by step of the compilations
  test_times.py measure NAME TIMES COMMAND...   runs a command and adds its time to TIMES

tools/run_tests.sh calls the first three with what tests/measure.py has recorded.

A budget that fails for no reason is worse than none:
 - Time is that of the processor, user and system. It is divided by the machine's slowness: the time of a fixed
   compilation (tests/Inputs/reference.cpp), which is taken all through the run, over that in the budget. A machine that is
   faster gets no smaller budget, since tests do not gain by it all alike.
 - A test may take 3/2 of its budget, and a short one, which the budget does not list, what a test of SHORT seconds may.
 - A test that takes more runs two more times by itself, with an empty cache of kernels and between two references. Only what
   is too slow each time fails.
 - The total fails if the mean of a test is too large. Both hold for the same kind of processor, by its vectors. Another
   kind, as long as nobody has recorded its budget, may take twice as long. With more processors than twice those of the
   budget's machine nothing fails: blocks that wait for each other then spin on all of them.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from made_pages import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import measure  # noqa: E402

BUDGET = ROOT / "tests" / "budget.txt"
PAGE = ROOT / "docs" / "tests.md"
ALLOWED = 1.5
SHORT = 5.0   # seconds
OTHER = 2.0   # times the budget on a processor of another kind
AGAIN = 10    # tests, at most
TRIES = 2     # of each of them: on a busy machine the reference alone takes from 0.6 to 1.4 seconds
UNIT_TESTS = "unit tests"
HEAD = """\
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Seconds of the processor that the tests of `make test` take with an empty cache, and the machine that took them: made by
# `tools/run_tests.sh --record BUILD` (tools/test_times.py). Tests of less than 5 seconds are in the total only.
"""


class Times:
    """A record of measure.py: seconds of the processor and of the clock by test, and the references."""

    def __init__(self, path):
        self.tests, self.references = {}, []
        with open(path) as file:
            for line in file:
                processor, clock, name = line.rstrip("\n").split(" ", 2)
                if name == measure.REFERENCE:
                    self.references.append(float(processor))
                else:
                    self.tests[name] = float(processor), float(clock)

    def total(self):
        return sum(processor for processor, _ in self.tests.values())


class Budget:
    """A part of budget.txt: of one kind of processor."""

    def __init__(self, kind):
        self.kind, self.tests = kind, {}
        self.reference = self.total = 0.0
        self.processors = self.count = 0

    def mean(self):
        return self.total / self.count

    def text(self):
        lines = [f"[{self.kind}]", f"reference {self.reference:.2f}", f"processors {self.processors}",
                 f"total {self.total:.0f} of {self.count} tests"]
        slowest = sorted(self.tests.items(), key=lambda item: (-item[1], item[0]))
        return "\n".join(lines + [f"{seconds:.1f} {name}" for name, seconds in slowest]) + "\n"


def read_budgets(path):
    """By kind of processor."""
    budgets = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        word, _, rest = line.partition(" ")
        if word.startswith("["):
            budget = budgets[word.strip("[]")] = Budget(word.strip("[]"))
        elif word == "reference":
            budget.reference = float(rest)
        elif word == "processors":
            budget.processors = int(rest)
        elif word == "total":
            total, _, count, _ = rest.split()
            budget.total, budget.count = float(total), int(count)
        elif line and word != "#":
            budget.tests[rest] = float(word)
    return budgets


def kind_of_processor():
    flags = set()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            flags = set(next((line.split() for line in file if line.startswith("flags")), []))
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
        return "avx512"
    return "avx2" if "avx2" in flags else os.uname().machine


def processors():
    return len(os.sched_getaffinity(0))


def slowest(options):
    times = Times(options.times)
    print("\nThe ten slowest tests, in seconds of the processor (of the clock):")
    for name, (processor, clock) in sorted(times.tests.items(), key=lambda item: -item[1][0])[:10]:
        print(f"{processor:8.1f} ({clock:.1f}) {name}")
    print(f"{times.total():8.1f} seconds of the processor in all, for {len(times.tests)} tests")
    return 0


class Check:
    def __init__(self, build, times, budget, slack):
        self.build, self.times, self.budget, self.slack = build, times, budget, slack

    def slowness(self, references):
        return max(1.0, statistics.median(references) / self.budget.reference) if references else 1.0

    def limit(self, name):
        return ALLOWED * self.slack * max(self.budget.tests.get(name, 0), SHORT)

    def again(self, name):
        """The seconds of a test that runs alone, on the budget's machine."""
        with tempfile.TemporaryDirectory() as folder:
            before = measure.reference()
            record = os.path.join(folder, "times")
            environment = {**os.environ, "TEST_TIMES": record, "TEST_CACHE": os.path.join(folder, "cache"), "JOBS": "1"}
            what = ".*" if name == UNIT_TESTS else name
            status = subprocess.run([ROOT / "tools" / "run_tests.sh", self.build, what], env=environment,
                                    stdout=subprocess.DEVNULL).returncode
            slowness = self.slowness([max(before, measure.reference())])
            seconds = Times(record).tests.get(name, (0, 0))[0] if status == 0 and os.path.exists(record) else 0
            return seconds / slowness

    def slow_tests(self):
        slowness = self.slowness(self.times.references)
        over = {name: seconds / slowness / self.limit(name) for name, (seconds, _) in self.times.tests.items()}
        suspects = sorted((name for name in over if over[name] > 1), key=lambda name: -over[name])
        if suspects:
            print(f"{len(suspects)} tests are over their budget; the worst of them run again")
        for name in suspects[:AGAIN]:
            least = min(self.again(name) for _ in range(TRIES))
            if least > self.limit(name):
                budget = f"{self.budget.tests[name]:.1f}" if name in self.budget.tests else f"less than {SHORT:.0f}"
                yield (f"{name} takes {least:.1f} seconds of the processor (on the budget's machine); its "
                       f"budget is {budget}, and {self.limit(name):.1f} are allowed")

    def total(self):
        mean = self.times.total() / self.slowness(self.times.references) / len(self.times.tests)
        allowed = ALLOWED * self.slack * self.budget.mean()
        # A part of the suite, or one with many tests that cannot run here, has another mean.
        if len(self.times.tests) > 0.9 * self.budget.count and mean > allowed:
            yield f"a test takes {mean:.2f} seconds of the processor in the mean, and {allowed:.2f} are allowed"


def check(options):
    slowest(options)
    times = Times(options.times)
    if not times.tests:
        return 0
    budgets, kind = read_budgets(options.budget), kind_of_processor()
    budget = budgets.get(kind) or next(iter(budgets.values()), None)
    if not budget:
        print("There is no budget: tools/run_tests.sh --record BUILD makes one.")
        return 0
    if processors() > 2 * budget.processors:
        print(f"The budget is that of {budget.processors} processors: nothing is checked with {processors()}.")
        return 0
    of_run = Check(options.build, times, budget, 1.0 if budget.kind == kind else OTHER)
    problems = [*of_run.total(), *of_run.slow_tests()]
    for problem in problems:
        print(f"test_times: {problem}", file=sys.stderr)
    if problems:
        print("test_times: make them faster, or record a new budget in the same commit: tools/run_tests.sh --record BUILD",
              file=sys.stderr)
    return 1 if problems else 0


def record(options):
    times, budgets = Times(options.times), read_budgets(options.budget)
    budget = budgets[kind_of_processor()] = Budget(kind_of_processor())
    budget.reference = statistics.median(times.references)
    budget.processors, budget.count, budget.total = processors(), len(times.tests), times.total()
    budget.tests = {name: seconds for name, (seconds, _) in times.tests.items() if seconds >= SHORT}
    options.budget.write_text(HEAD + "".join("\n" + budgets[kind].text() for kind in sorted(budgets)))
    return 0


STEP = re.compile(r"^(?:jit .*|heddle): (\w+)[ ,].*cpu ([0-9.]+) ms$")


def steps_of(path):
    """Seconds of the processor by step of compilations."""
    steps = collections.Counter()
    with open(path) as file:
        for match in filter(None, map(STEP.match, file)):
            steps[match.group(1)] += float(match.group(2)) / 1e3
    steps.pop("total", None)
    return steps


def table(options):
    times = Times(options.times)
    folders = collections.defaultdict(list)
    for name, (seconds, _) in times.tests.items():
        parts = name.split("/")
        folders["/".join(parts[:2]) if len(parts) > 2 else parts[0]].append(seconds)
    total = times.total()
    lines = ["| tests | number | processor time, % |", "| --- | --- | --- |"]
    for folder, seconds in sorted(folders.items(), key=lambda item: -sum(item[1])):
        lines.append(f"| `{folder}` | {len(seconds)} | {100 * sum(seconds) / total:.1f} |")
    if options.steps:
        steps = steps_of(options.steps)
        sources = steps.pop("compile", 0)
        rows = [("`heddle cc`, `heddle fc`", sources), *((f"kernels: {name}", steps[name]) for name in steps),
                ("programs, `heddle run`, the rest", total - sources - sum(steps.values()))]
        lines += ["", "| step | processor time, % |", "| --- | --- |"]
        lines += [f"| {name} | {100 * seconds / total:.1f} |" for name, seconds in rows]
    head, begin, rest = PAGE.read_text().partition("<!-- times:begin -->\n")
    _, end, tail = rest.partition("<!-- times:end -->")
    PAGE.write_text("".join([head, begin, *(line + "\n" for line in lines), end, tail]))
    return 0


def run_measured(options):
    with measure.Measured(options.times, options.name) as measured:
        status = subprocess.run(options.command).returncode
        if status:
            measured.name = None
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=pathlib.Path, default=BUDGET, help="another file than tests/budget.txt")
    commands = parser.add_subparsers(required=True)
    for call, arguments in ((check, ["build", "times"]), (slowest, ["build", "times"]), (record, ["build", "times"]), (table, ["times", "?steps"]),
                            (run_measured, ["name", "times", "*command"])):
        command = commands.add_parser({run_measured: "measure"}.get(call, call.__name__))
        for argument in arguments:
            kinds = {"?": "?", "*": argparse.REMAINDER}
            command.add_argument(argument.strip("?*"), nargs=kinds.get(argument[0]))
        command.set_defaults(call=call)
    options = parser.parse_args()
    return options.call(options)


if __name__ == "__main__":
    sys.exit(main())
