#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what the tests of a tier reach: passes that change a kernel, widths, processors, instructions of PTX, functions of
the device library, and conditions of legality.

  tests_cover.py run [--all] BUILD LOG [TEST...]   runs tests, all or some, and writes what they reach to the file LOG
  tests_cover.py show LOG [LOG...]                 a table with a column for each log, and what each does not reach

    tools/tests_cover.py run build/release /tmp/default
    tools/tests_cover.py run --all build/release /tmp/all
    tools/tests_cover.py show /tmp/default /tmp/all

A log is what compilations write with HEDDLE_COVERAGE (src/base/coverage.h). `run` compiles each kernel anew.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys

import check_legality
from made_pages import ROOT

PASS = re.compile(r'^HEDDLE_(?:PASS|STEP)\([\w:]+,\s*"([^"]+)"', re.M)
OPCODE = re.compile(r'^PTX_OPCODE\("([^"]+)"', re.M)
JUMPS = {"bra", "exit", "ret"}  # the reader makes branches of these itself
DEVICE_FUNCTION = re.compile(r"^HEDDLE_DEVICE_(?:FUNCTION|NAME)\((\w+)\)", re.M)


def names(pattern, *paths):
    return [name for path in paths for name in pattern.findall((ROOT / "src" / path).read_text())]


def library_functions():
    """Those that a program can call: what the device library of any build exports."""
    libraries = sorted(ROOT.glob("build/*/lib/heddle/devlib.bc"), key=lambda path: path.stat().st_mtime)
    if not libraries:
        sys.exit("tests_cover: build/*/lib/heddle/devlib.bc is missing: build first")
    tool = shutil.which("llvm-nm-22") or "llvm-nm"
    text = subprocess.run([tool, "--defined-only", "--extern-only", "--format=just-symbols", libraries[-1]],
                          check=True, capture_output=True, text=True).stdout
    return text.split()


def everything():
    """What there is of each kind."""
    return {
        "pass": set(names(PASS, "simt/passes.def", "jit/passes.def")),
        "opcode": set(names(OPCODE, "frontend/ptx/opcodes.def")) - JUMPS,
        "function": {*library_functions(), *names(DEVICE_FUNCTION, "base/abi/device_functions.def")},
    }


class Log:
    """What a run has reached: kind -> name -> what stands behind the name, as often as there are processes that say so."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.kinds = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
        with open(path) as file:
            for line in file:
                kind, name, *rest = line.split()
                self.kinds[kind][name][" ".join(rest)] += 1


def conditions():
    """How many conditions of passes have a test in which folder. Both tiers run all of these tests."""
    folders = collections.Counter()
    for place in check_legality.tests().values():
        folders["/".join(place.split("/")[:2])] += 1
    return folders


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def show(logs):
    there = everything()
    rows = [["", *(log.name for log in logs)]]
    for kind, all_names in there.items():
        rows.append([f"{kind}, of {len(all_names)}", *(str(len(all_names & log.kinds[kind].keys())) for log in logs)])
    lanes = sorted({int(name) for log in logs for name in log.kinds["lanes"]})
    for count in lanes:
        rows.append([f"processes with programs of {count} lanes", *(str(log.kinds["lanes"][str(count)].total()) for log in logs)])
    for cpu in sorted({cpu for log in logs for counts in log.kinds["lanes"].values() for cpu in counts}):
        rows.append([f"processes for {cpu}", *(str(sum(counts[cpu] for counts in log.kinds["lanes"].values())) for log in logs)])
    table(rows)
    print("\nconditions of legality, by the folders of their tests, which each tier runs: "
          + ", ".join(f"{folder} {count}" for folder, count in sorted(conditions().items())))
    for log in logs:
        for kind, all_names in there.items():
            missing = sorted(all_names - log.kinds[kind].keys())
            print(f"\n{log.name} reaches no {kind} of these {len(missing)}: {' '.join(missing)}" if missing else
                  f"\n{log.name} reaches each {kind}")
    if len(logs) > 1:
        show_lost(logs[0], logs[1:])
    print("\nLanes of the programs that a pass has changed (0: not yet chosen), and in how many processes:")
    table([["", *(log.name for log in logs)]]
          + [[name, *(lanes_of(log.kinds["pass"].get(name, {})) for log in logs)] for name in sorted(there["pass"])])


def lanes_of(counts):
    return " ".join(f"{lanes}:{counts[lanes]}" for lanes in sorted(counts, key=int)) or "-"


def show_lost(first, others):
    """What the first tier does not do and another one does."""
    for other in others:
        print(f"\n{other.name} reaches, and {first.name} does not:")
        for kind in ("pass", "opcode", "function"):
            more = sorted(other.kinds[kind].keys() - first.kinds[kind].keys())
            print(f"  {kind}: {' '.join(more) or 'none'}")


def run(options):
    log, cache = os.path.abspath(options.log), os.path.abspath(options.log) + ".cache"
    for old in (log, cache, cache + ".same"):
        shutil.rmtree(old, ignore_errors=True) if os.path.isdir(old) else os.path.exists(old) and os.remove(old)
    command = [ROOT / "tools" / "run_tests.sh", *(["--all"] if options.all else []), options.build, *options.tests]
    status = subprocess.run(command, env={**os.environ, "HEDDLE_COVERAGE": log, "TEST_CACHE": cache}).returncode
    for folder in (cache, cache + ".same"):
        shutil.rmtree(folder, ignore_errors=True)
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("--all", action="store_true")
    one.add_argument("build")
    one.add_argument("log")
    one.add_argument("tests", nargs="*")
    one.set_defaults(call=run)
    other = commands.add_parser("show")
    other.add_argument("logs", nargs="+")
    other.set_defaults(call=lambda options: show([Log(path) for path in options.logs]))
    options = parser.parse_args()
    return options.call(options)


if __name__ == "__main__":
    sys.exit(main())
