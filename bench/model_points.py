#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well the performance model (docs/model.md) meets published times: runs the experiments of points/*.cu under
`heddle predict` for the boards of points/points.csv, and prints the absolute errors by class and by board.

  bench/model_points.py BUILD [--all] [--only TEXT] [--jobs N] [--keep FILE]

--all prints each point. --keep has what was predicted before, and takes what is new: only what misses there runs. An
error is |model / published - 1|, or of what comes out less than half as large |published / model - 1|, so that twice and
half as fast count alike. Of the variants of one kernel the order is scored.
"""
import argparse
import collections
import concurrent.futures
import csv
import itertools
import os
import pathlib
import statistics
import subprocess
import tempfile

here = pathlib.Path(__file__).resolve().parent / "points"
Point = collections.namedtuple("Point", "name kind board experiment arguments unit published")


def points_of(only):
    rows = csv.reader(line for line in (here / "points.csv").read_text().splitlines() if not line.startswith("#"))
    return [Point(*row[:6], float(row[6])) for row in rows if only in ",".join(row)]


def compiled(build):
    folder = build / "bench" / "points"
    folder.mkdir(parents=True, exist_ok=True)
    heddle, objects = build / "bin" / "heddle", []
    for source in sorted(here.glob("*.cu")):
        objects.append(folder / (source.stem + ".o"))
        if not objects[-1].exists() or objects[-1].stat().st_mtime < source.stat().st_mtime:
            subprocess.run([heddle, "cc", "-O3", "-c", source, "-o", objects[-1]], check=True)
    subprocess.run([heddle, "cc", *objects, "-o", folder / "points"], check=True)
    return folder / "points"


def predicted(build, program, experiment, arguments, boards):
    """Microseconds of the second run's launches by board, and the work: {board: us}, bytes, operations."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "csv")
        result = subprocess.run(
            [build / "bin" / "heddle", "predict", "--quiet", "--csv", "--log-file", report, "--gpu", ",".join(boards),
             program, experiment, *arguments.split()], capture_output=True, text=True,
            env=dict(os.environ, HEDDLE_BOARDS=str(here / "boards.txt")))
        if result.returncode:
            raise SystemExit(f"{experiment} {arguments}: {result.stderr or result.stdout}")
        with open(report) as file:
            rows = list(csv.DictReader(file))
    work = [float(word) for word in result.stdout.split("work ")[1].split()[:2]]
    times = {}
    for board in boards:
        launches = [float(row["microseconds"]) for row in rows if row["board"] == board]
        times[board] = sum(launches[len(launches) // 2:])
    return times, *work


def value_of(point, microseconds, data, operations):
    if point.unit == "us":
        return microseconds
    if point.unit == "ns":  # of each of a chain's steps
        return microseconds * 1e3 / operations
    if point.unit == "GB/s":
        return data / microseconds / 1e3
    if point.unit == "GFLOPS":
        return operations / microseconds / 1e3
    raise SystemExit(f"{point.name}: the unit '{point.unit}'")


def error(published, model):
    ratio = model / published if model > 0 else 1e9
    return 1 / ratio - 1 if ratio < 0.5 else abs(ratio - 1)


# Two variants that are nearer than this were not told apart by those who published them.
ALIKE = 0.05


def ladders(values, works):
    """Pairs of variants of one kernel (kind=, step=, a word) that do the same work on a board, of one source, and whose
    values there differ: how many, and those that the model has in the other order: [(point, point)]."""
    groups = collections.defaultdict(list)
    for point in values:
        same = " ".join(word for word in point.arguments.split() if "=" in word and not word.startswith(("kind=", "step=")))
        source = point.name.split("-")[0]
        groups[source, point.board, point.experiment, same, point.unit, works[point]].append(point)
    pairs = [(a, b) for group in groups.values() for a, b in itertools.combinations(group, 2)
             if a.arguments != b.arguments and abs(a.published - b.published) >= ALIKE * max(a.published, b.published)]
    wrong = [(a, b) for a, b in pairs if (a.published < b.published) != (values[a] < values[b])]
    return len(pairs), wrong


def summary(title, groups):
    print(f"{title:<16} points    mean  median")
    for name in sorted(groups):
        errors = groups[name]
        print(f"{name:<16} {len(errors):6} {100 * statistics.mean(errors):6.1f}% {100 * statistics.median(errors):6.1f}%")


def values_of(build, points, jobs, keep=None):
    """What the model says of each point, in its unit, and the point's work. `keep`: a file of what was predicted
    before."""
    program, kept = compiled(build), {}
    if keep and os.path.exists(keep):
        with open(keep) as file:
            kept = {tuple(row[:3]): tuple(map(float, row[3:])) for row in csv.reader(file)}
    wanted = collections.defaultdict(set)
    for point in points:
        if (point.experiment, point.arguments, point.board) not in kept:
            wanted[point.experiment, point.arguments].add(point.board)

    def run(item):
        (experiment, arguments), boards = item
        times, data, operations = predicted(build, program, experiment, arguments, sorted(boards))
        return [((experiment, arguments, board), (times[board], data, operations)) for board in boards]

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(run, wanted.items()):
            kept.update(found)
            if keep:
                with open(keep, "a") as file:
                    csv.writer(file).writerows([*key, *value] for key, value in found)
    of = {point: kept[point.experiment, point.arguments, point.board] for point in points}
    return {point: value_of(point, *of[point]) for point in points}, {point: of[point][1:] for point in points}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    options = parser.parse_args()
    points = points_of(options.only)
    classes, boards, every = collections.defaultdict(list), collections.defaultdict(list), []
    values, works = values_of(options.build.resolve(), points, options.jobs, options.keep)
    for point, model in values.items():
        wrong = error(point.published, model)
        classes[point.kind].append(wrong)
        boards[point.board].append(wrong)
        every.append(wrong)
        if options.all:
            print(f"{point.name:<10} {point.board:<13} {point.experiment + ' ' + point.arguments:<62} "
                  f"{point.published:9.5g} {model:9.5g} {point.unit:<7} {model / point.published:6.2f}")
    summary("class", classes)
    summary("board", boards)
    summary("all", {"all": every})
    pairs, wrong = ladders(values, works)
    if pairs:
        print(f"variants of one kernel: {pairs - len(wrong)} of {pairs} pairs in the right order")
    for a, b in wrong if options.all else []:
        print(f"  {a.board} {a.experiment}: '{a.arguments}' {a.published:.5g}, '{b.arguments}' {b.published:.5g}; "
              f"model {values[a]:.5g}, {values[b]:.5g} {a.unit}")


if __name__ == "__main__":
    main()
