#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# compare_sanitizer.py --out FOLDER [--nvcc NVCC] [--jobs N] [--seconds N] [--within N] [--only NAME,...] [--build-only]
# compare_sanitizer.py --table FOLDER/runs.csv [--checks FILE]
#
# NVIDIA's compute-sanitizer on our programs, on a machine with a GPU. Builds the labelled sources of this folder and the
# benchmarks of bench/ by nvcc, runs each plainly and under each tool, and writes FOLDER/runs.csv, a line for each run:
#
#   program    FOLDER/NAME of a labelled source, or bench/NAME
#   tool       empty: plain
#   seconds    a labelled source: the process; a benchmark: its shortest run (harness/main.cpp)
#   errors     as the summary says (a benchmark: reports)
#   marks, found, unmarked    of a labelled source under its own tool (see expect.py): how many, how many of them are
#              reported with their line, and how many lines are reported that have no mark
#   first      the first report, and its line
#   note       why there is no time
#
# Labelled sources run side by side, benchmarks alone. A deadlock is ended after --seconds, all after --within.
# --table makes of it the tables of docs/check.md; FILE is what bench/checks.py has printed.
import argparse
import concurrent.futures
import csv
import glob
import os
import re
import shlex
import statistics
import subprocess
import sys
import threading
import time

import expect

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BENCH = os.path.join(ROOT, "bench")
sys.path.append(BENCH)
import peer as peers

TOOLS = {"memcheck": "memcheck", "race": "racecheck", "init": "initcheck", "sync": "synccheck"}
FIELDS = ["program", "tool", "seconds", "errors", "marks", "found", "unmarked", "first", "note"]
ENOUGH = 2  # seconds of a first run after which a benchmark is not run again


def sanitizer(tool, source=None):
    options = ["--racecheck-report", "all"] if tool == "racecheck" else []
    if tool == "memcheck" and source and "--leak-check full" in run_line(source):
        options = ["--leak-check", "full"]
    return ["compute-sanitizer", "--tool", tool, "--print-limit", "10000", *options, "--destroy-on-device-error", "kernel"]


def run_line(source):
    with open(source, encoding="utf-8") as file:
        return "".join(line for line in file if "RUN:" in line)


def output_of(command, seconds):
    """What a command prints, also where it is ended after so many seconds, and whether it was."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        return process.communicate(timeout=seconds)[0], False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return process.communicate()[0], True


def reports_of(text, source):
    """For each report its heading, and the lines of the source that it names."""
    reports = []
    for line in text.splitlines():
        body = line.removeprefix("=========")
        if body == line:
            continue
        if re.match(r" \S", body):
            reports.append((body.strip(), []))
        if reports:
            reports[-1][1].extend(int(n) for n in re.findall(re.escape(os.path.basename(source)) + r":(\d+)", body))
    return [(heading, lines) for heading, lines in reports if lines]


def first_of(reports):
    return f"{reports[0][0]} (line {reports[0][1][0]})" if reports else ""


def errors_of(text):
    found = re.findall(r"ERROR SUMMARY: (\d+)|\((\d+) errors?,", text)
    return int(found[-1][0] or found[-1][1]) if found else ""


# --- building


def flags_of(source):
    """The options of `heddle cc` in a source's RUN line, as nvcc takes them."""
    words = shlex.split(re.search(r"%heddle cc (.*?)(?:&&|$)", run_line(source), re.M).group(1))
    drop = {"%s", "-o", "%t", "-g"}
    return [word for word in words if word not in drop and not word.startswith("-arch")]


class Builds:
    """Programs in a folder, built side by side."""

    def __init__(self, options, pool):
        self.folder, self.pool = os.path.join(options.out, "programs"), pool
        self.nvcc = [options.nvcc, "-lineinfo", "-arch=sm_90a", "-w", "-Xcompiler", "-g"]
        os.makedirs(self.folder, exist_ok=True)

    def call(self, *words):
        made = subprocess.run([*self.nvcc, *words], capture_output=True, text=True)
        if made.returncode:
            print("failed:", *words, "\n", made.stdout[-2000:] + made.stderr[-2000:], flush=True)
        return made.returncode == 0

    def program(self, source):
        path = os.path.join(self.folder, os.path.basename(os.path.dirname(source)) + "_" + os.path.basename(source)[:-3])
        return path if self.call(*flags_of(source), source, "-o", path) else None

    def object(self, source):
        path = os.path.join(self.folder, os.path.basename(source) + ".o")
        done = self.call("-std=c++17", "-O3", "--use_fast_math", "-c", source, "-o", path)
        return path if done else None

    def bench(self):
        """The objects of bench/'s CUDA peer; those that fail are left out."""
        sources = [os.path.join(BENCH, "harness", name) for name in ("main.cpp", "peer_cuda.cu")]
        sources += sorted(glob.glob(os.path.join(BENCH, "kernels", "*.cu")))
        return [self.pool.submit(self.object, source) for source in sources]

    def linked(self, objects):
        path = os.path.join(self.folder, "bench")
        return path if self.call(*filter(None, (o.result() for o in objects)), "-o", path) else None


# --- running


class Runs:
    """The file of runs, and the time that is left."""

    def __init__(self, options):
        self.options, self.end, self.lock = options, time.monotonic() + options.within, threading.Lock()
        self.file = open(os.path.join(options.out, "runs.csv"), "w", newline="", encoding="utf-8")
        self.table = csv.DictWriter(self.file, FIELDS, restval="")
        self.table.writeheader()

    def left(self):
        return min(self.options.seconds, self.end - time.monotonic())

    def write(self, **fields):
        with self.lock:
            self.table.writerow(fields)
            self.file.flush()


def run_labelled(runs, source, program, tool):
    folder = os.path.basename(os.path.dirname(source))
    name = folder + "/" + os.path.basename(source)[:-3]
    seconds = runs.left()
    if seconds < 1:
        return runs.write(program=name, tool=tool, note="no time left")
    begin = time.monotonic()
    text, late = output_of([*(sanitizer(tool, source) if tool else []), program], seconds)
    fields = {"seconds": f"{time.monotonic() - begin:.3f}", "note": f"ended after {seconds:.0f} s" if late else ""}
    if tool:
        reports = reports_of(text, source)
        fields.update(errors=errors_of(text), first=first_of(reports))
        with open(program + "." + tool, "w", encoding="utf-8") as file:
            file.write(text)
    if tool and tool == TOOLS[folder]:
        marks = {line for line, _ in expect.marks_of(source) if line}
        fields.update(marks=len(marks), found=len({line for _, lines in reports for line in lines} & marks),
                      unmarked=len({tuple(sorted(set(lines))) for _, lines in reports if not marks & set(lines)}))
    return runs.write(program=name, tool=tool, **fields)


def seconds_of(peer, name):
    """Of the shortest run; of the only one, where that takes long."""
    first = float(peer.ask("open " + name).split()[0])
    seconds = first if first > ENOUGH else float(peer.ask("time 0.05").split()[0])
    peer.ask("close")
    return seconds


def run_bench(runs, program, tool, names):
    log = os.path.join(runs.options.out, "programs", f"bench.{tool}")
    under = [*sanitizer(tool), "--log-file", log + ".%p"] if tool else []
    peer = peers.Peer(program, under=under)
    for name in names:
        fields = {"program": "bench/" + name, "tool": tool}
        peers.TIMEOUT = runs.left()
        if peers.TIMEOUT < 1:
            runs.write(note="no time left", **fields)
            continue
        try:
            runs.write(seconds=f"{seconds_of(peer, name):.9f}", **fields)
        except peers.Failure as failure:
            runs.write(note=str(failure), **fields)
    peer.end()
    for file in glob.glob(log + ".*"):
        with open(file, encoding="utf-8", errors="replace") as text:
            all = text.read()
        for kernel in sorted(glob.glob(os.path.join(BENCH, "kernels", "*.cu"))):
            if reports := reports_of(all, kernel):
                runs.write(program=os.path.basename(kernel), tool=tool, errors=len(reports), first=first_of(reports))


def measure(options):
    os.makedirs(options.out, exist_ok=True)
    runs = Runs(options)
    only = set(filter(None, options.only.split(",")))
    sources = [source for folder in TOOLS for source in sorted(glob.glob(os.path.join(HERE, folder, "*.cu")))
               if not only or folder + "/" + os.path.basename(source)[:-3] in only]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        builds = Builds(options, pool)
        objects = builds.bench() if not only or "bench" in only else []
        programs = {pool.submit(builds.program, source): source for source in sources}
        for built in concurrent.futures.as_completed(programs):
            if built.result() and not options.build_only:
                for tool in ["", *TOOLS.values()]:
                    pool.submit(run_labelled, runs, programs[built], built.result(), tool)
            elif not built.result():
                runs.write(program=os.path.relpath(programs[built], HERE)[:-3], note="nvcc does not compile it")
    bench = builds.linked(objects) if objects else None
    print(f"built, and labelled sources run: {options.within - (runs.end - time.monotonic()):.0f} s", flush=True)
    if bench and not options.build_only:
        names = output_of(["sh", "-c", f"echo list | {shlex.quote(bench)}"], 60)[0].split()[1:]
        for tool in ["", "memcheck", "initcheck", "racecheck", "synccheck"]:
            run_bench(runs, bench, tool, names)
            print(f"bench {tool}: {options.within - (runs.end - time.monotonic()):.0f} s", flush=True)


# --- tables


def ratios_of(runs, tool):
    """How many times as long the benchmarks take."""
    plain = {run["program"]: float(run["seconds"]) for run in runs if run["tool"] == "" and run["seconds"]}
    return {run["program"].removeprefix("bench/"): float(run["seconds"]) / plain[run["program"]] for run in runs
            if run["tool"] == tool and run["seconds"] and run["program"] in plain and run["program"].startswith("bench/")}


def ours_of(path):
    """The same of bench/checks.py: tool and benchmark to ratio."""
    ours, columns = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            columns = cells if cells[0] == "kernel" else columns
            for column, cell in zip(columns[2:], cells[2:]):
                if re.match(r"[\d.]+", cell) and not cells[0].startswith(("geometric", "worst")):
                    ours.setdefault(column, {})[cells[0]] = float(cell.split()[0])
    return ours


def print_tables(options):
    with open(options.table, encoding="utf-8") as file:
        runs = list(csv.DictReader(file))
    print("| tool | marks | compute-sanitizer finds | lines without a mark |\n| --- | --: | --: | --: |")
    for tool in TOOLS.values():
        rows = [run for run in runs if run["tool"] == tool and run["marks"]]
        print(f"| {tool} |", " | ".join(str(sum(int(row[field]) for row in rows)) for field in ("marks", "found", "unmarked")), "|")
    ours = ours_of(options.checks) if options.checks else {}
    print("\n| tool | kernels | compute-sanitizer | worst | ours | worst |\n| --- | --: | --: | --: | --: | --: |")
    for tool in TOOLS.values():
        theirs = ratios_of(runs, tool)
        both = {name for name in theirs if name in ours.get(tool, theirs)}
        cells = [len(both)]
        for ratios in (theirs, ours.get(tool, {})):
            values = [ratios[name] for name in both if name in ratios]
            cells += [f"{statistics.geometric_mean(values):.1f}", f"{max(values):.0f}"] if values else ["", ""]
        print(f"| {tool} |", " | ".join(map(str, cells)), "|")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", help="folder for programs and runs.csv")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=60, help="the longest that one run may take")
    parser.add_argument("--within", type=float, default=1e6, help="seconds after which nothing more is run")
    parser.add_argument("--only", default="", help="labelled sources (race/shared) or bench, with commas")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--table", help="runs.csv to make tables of")
    parser.add_argument("--checks", help="with --table: what bench/checks.py has printed")
    options = parser.parse_args()
    if options.table:
        print_tables(options)
    elif options.out:
        measure(options)
    else:
        parser.error("--out or --table is missing")


if __name__ == "__main__":
    main()
