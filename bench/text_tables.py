#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the texts that Heddle is described in, beside what the model says of the same kernels on the same boards.

  bench/text_tables.py BUILD > docs/tables.md

The rows are points of points/points.csv; model_points.py runs them, of which --keep FILE is understood here, too.
"""
import argparse
import pathlib

import model_points

# Title, and the points' names with what the row is called.
TABLES = [
    ("CUDA Fortran book: effective bandwidth of a copy, GB/s",
     {"S004-018": "copy", "S004-019": "copy", "S004-022": "copy"}),
    ("CUDA Fortran book: limiting factors, us",
     {"S004-006": "base", "S004-008": "arithmetic", "S004-010": "memory, fast", "S004-012": "base",
      "S004-014": "arithmetic", "S004-015": "base, fast", "S004-016": "memory, fast"}),
    ("CUDA Fortran book: transposes of 1024 x 1024, GB/s",
     {"S004-072": "copy", "S004-073": "copy", "S004-074": "copy", "S004-076": "copy", "S004-078": "naive",
      "S004-079": "naive", "S004-082": "coalesced", "S004-084": "coalesced", "S004-085": "coalesced",
      "S004-089": "no bank conflicts", "S004-090": "no bank conflicts", "S004-091": "no bank conflicts",
      "S004-092": "diagonal", "S004-093": "diagonal", "S004-096": "diagonal"}),
    ("CUDA Fortran book: copy in double precision by threads of a block, GB/s",
     {"S004-101": "128", "S004-103": "512", "S004-104": "1024", "S004-105": "32", "S004-107": "128", "S004-108": "256",
      "S004-109": "512", "S004-110": "1024"}),
    ("CUDA Fortran book: the same with one block on a multiprocessor, GB/s",
     {"S004-111": "32", "S004-113": "64", "S004-115": "128", "S004-119": "512"}),
    ("CUDA Fortran book: the same with four elements of a thread, GB/s",
     {"S004-114": "64", "S004-116": "128", "S004-120": "512", "S004-122": "1024"}),
    ("CUDA Fortran book: average of neighbours without textures, GB/s",
     {"S004-060a": "four", "S004-061a": "eight"}),
    ("CUDA Fortran book: finite differences, GB/s",
     {"S004-167": "x, 64 x 32", "S004-165": "y, 4 x 64", "S004-166": "y, 32 x 64", "S004-178": "z, 4 x 64",
      "S004-181": "z, 32 x 64"}),
    ("Nickolls and Kirk, and the lecture: GeForce 8800 GTX, GFLOPS",
     {"S001-002": "matrix product without tiles", "S002-008": "n-body"}),
]

HEAD = """# Tables of the texts

What the texts print, and what the [model](model.md) makes of our versions of their kernels on the
same boards, by `bench/text_tables.py`. What is a count and not a time is in `tests/profile`, to the
digit: transactions, conflicts, peak bandwidths, limits.
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--keep")
    options = parser.parse_args()
    names = {name for _, rows in TABLES for name in rows}
    points = {p.name: p for p in model_points.points_of("") if p.name in names}
    if names - points.keys():
        raise SystemExit(f"points.csv has no {min(names - points.keys())}")
    known = model_points.values_of(options.build.resolve(), list(points.values()), 1, options.keep)
    print(HEAD)
    for title, rows in TABLES:
        print(f"## {title}\n\n    {'':<30}{'board':<10}{'text':>8}{'Heddle':>8}")
        for name, row in rows.items():
            point = points[name]
            print(f"    {row:<30}{point.board:<10}{point.published:8.5g}{known[point]:8.3g}")
        print()
    print("""## Not done yet

Tables of copies, streams and several boards (`HEDDLE_TIMING=model` gives their times), of cuFFT, of
whole programs, and of textures.""")


if __name__ == "__main__":
    main()
