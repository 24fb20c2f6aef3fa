#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# compare_sanitizer.py [--programs DIR] [--bench PROGRAM] [--seconds N]
#
# What NVIDIA's compute-sanitizer makes of the labelled kernels of this folder, on a machine with a GPU: for each source
# the marks (see expect.py), how many of them it reports with their line, and how many lines it reports that have no
# mark. With --bench also how many times as long the kernels of bench/ take under each of its tools; PROGRAM is
# bench/'s CUDA peer built by nvcc. DIR/FOLDER/NAME is the program of FOLDER/NAME.cu, built by `nvcc -lineinfo -rdc=true -Xcompiler -g`.
#
# The table of docs/check.md comes from here. A deadlock ends after N seconds (60).
import argparse
import os
import re
import statistics
import subprocess

import expect

TOOLS = {"memcheck": "memcheck", "race": "racecheck", "init": "initcheck", "sync": "synccheck"}
HERE = os.path.dirname(os.path.abspath(__file__))


def sanitizer(tool, program):
    options = {"memcheck": ["--leak-check", "full"], "racecheck": ["--racecheck-report", "all"]}.get(tool, [])
    return ["compute-sanitizer", "--tool", tool, "--print-limit", "10000", *options, "--destroy-on-device-error", "kernel",
            program]


def output_of(command, seconds, given=None):
    """What a command prints, also where it is ended after so many seconds."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        return process.communicate(given, timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return process.communicate()[0]


def reports_of(text, source):
    """For each report the lines of the source that it names before a host stack."""
    reports, lines = [], None
    for line in text.splitlines():
        body = line.removeprefix("=========")
        if body == line:
            continue
        if re.match(r" \S", body):
            lines = []
            reports.append(lines)
        if lines is not None:
            lines += [int(n) for n in re.findall(re.escape(os.path.basename(source)) + r":(\d+)", body)]
    return [lines for lines in reports if lines]


def compare(source, tool, program, seconds):
    marks = {line for line, _ in expect.marks_of(source) if line}
    reports = reports_of(output_of(sanitizer(tool, program), seconds), source)
    found = {line for lines in reports for line in lines if line in marks}
    false = {tuple(sorted(set(lines))) for lines in reports if not marks & set(lines)}
    return len(marks), len(found), sorted(marks - found), sorted(false)


def seconds_of_runs(command, names, limit):
    """The shortest run of each benchmark, by the command loop of bench/harness/main.cpp."""
    times = {}
    for name in names:
        answer = output_of(command, limit, f"open {name}\ntime 0.05\n")
        if match := re.search(r"^time (\S+)", answer, re.M):
            times[name] = float(match.group(1))
    return times


def slow_down(program, limit):
    names = output_of([program], 60, "list\n").split()[1:]
    plain = seconds_of_runs([program], names, limit)
    for tool in TOOLS.values():
        checked = seconds_of_runs(sanitizer(tool, program), plain, limit)
        ratios = {name: checked[name] / plain[name] for name in checked}
        if ratios:
            print(f"| {tool} | {statistics.geometric_mean(ratios.values()):.1f} | {max(ratios.values()):.0f} | "
                  f"{len(ratios)} of {len(plain)} |")
            print("   ", " ".join(f"{name}:{ratio:.1f}" for name, ratio in ratios.items()), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", help="folder of the sources' programs")
    parser.add_argument("--bench", help="bench/'s CUDA peer")
    parser.add_argument("--seconds", type=float, default=60, help="the longest that one program may take")
    options = parser.parse_args()
    if options.programs:
        print("| source | marks | found | no mark |", flush=True)
        for folder, tool in TOOLS.items():
            for file in sorted(os.listdir(os.path.join(HERE, folder))):
                program = os.path.join(options.programs, folder, file.removesuffix(".cu"))
                if file.endswith(".cu") and os.path.exists(program):
                    marks, found, missed, false = compare(os.path.join(HERE, folder, file), tool, program, options.seconds)
                    print(f"| {folder}/{file} | {marks} | {found} | {len(false)} |")
                    print("    missed", *missed, "; no mark", *false, flush=True)
    if options.bench:
        slow_down(options.bench, options.seconds)


if __name__ == "__main__":
    main()
