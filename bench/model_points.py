#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How well the performance model (docs/model.md) meets published times: runs the points of model_points.csv through
# the program `model_points` of a build tree, and prints the absolute errors by class and by board. The kernels are
# generators of traces, not compiled programs.
#
#   bench/model_points.py BUILD [--all] [--only TEXT]
#
# --all prints each point. An error is |model / published - 1|, or of times and latencies of more than twice
# |published / model - 1|, so that twice and half as fast count alike.
import argparse
import collections
import pathlib
import statistics
import subprocess

here = pathlib.Path(__file__).resolve().parent


def error(published, model):
    ratio = model / published if model > 0 else 1e9
    return max(ratio, 1 / ratio) - 1


def summary(title, groups):
    print(f"{title:<16} points    mean  median")
    for name in sorted(groups):
        errors = groups[name]
        mean, median = 100 * statistics.mean(errors), 100 * statistics.median(errors)
        print(f"{name:<16} {len(errors):6} {mean:6.1f}% {median:6.1f}%")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--all", action="store_true")
    options.add_argument("--only", default="")
    options = options.parse_args()
    lines = (here / "model_points.csv").read_text().splitlines()
    points = "\n".join(line for line in lines if not line.startswith("#") and options.only in line) + "\n"
    result = subprocess.run([options.build / "bin" / "model_points"], input=points, text=True, capture_output=True,
                            check=True)
    classes, boards, every = collections.defaultdict(list), collections.defaultdict(list), []
    for line in result.stdout.splitlines():
        if line.count(",") != 7:
            raise SystemExit(f"model_points: {line}")
        name, kind, board, kernel, arguments, unit, published, model = line.split(",")
        value = error(float(published), float(model))
        classes[kind].append(value)
        boards[board].append(value)
        every.append(value)
        if options.all:
            ratio = float(model) / float(published)
            print(f"{name:<9} {board:<13} {kernel:<9} {arguments:<60} {published:>9} {float(model):9.5g} {unit:<8}"
                  f" {ratio:6.2f}")
    summary("class", classes)
    summary("board", boards)
    summary("all", {"all": every})


if __name__ == "__main__":
    main()
