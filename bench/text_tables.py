#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the texts that Heddle is described in, beside what the model says of the same kernels on the same boards.

  bench/text_tables.py BUILD > docs/tables.md

Rows of kernels are points of points/points.csv; model_points.py runs them, of which --keep FILE is understood here, too.
Those of whole programs are what these print with HEDDLE_TIMING=model.
"""
import argparse
import os
import pathlib
import subprocess

import model_points

here = pathlib.Path(__file__).resolve().parent

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

# Title, HEDDLE_DEVICE, what texts/timed.cu is asked for, and of its lines what the row is called and what the text has.
TIMED = [
    ("Copies of 16 MB, GB/s", "k20", "copies",
     {"pageable-to-device": ("pageable, to the device", 1.66), "pageable-to-host": ("pageable, to the host", 1.59),
      "pinned-to-device": ("pinned, to the device", 5.75), "pinned-to-host": ("pinned, to the host", 6.57)}),
    ("Copies and kernels in four streams, ms", "c1060", "streams",
     {"sequential": ("one after the other", 12.92), "version-1": ("version 1", 13.64), "version-2": ("version 2", 8.85),
      "version-3": ("version 3", 9.00)}),
    ("", "c2050", "streams",
     {"sequential": ("one after the other", 9.98), "version-1": ("version 1", 5.74), "version-2": ("version 2", 7.60),
      "version-3": ("version 3", 5.74)}),
    ("", "k20", "streams",
     {"sequential": ("one after the other", 7.96), "version-1": ("version 1", 5.61), "version-2": ("version 2", 5.65),
      "version-3": ("version 3", 5.51)}),
    ("From one device to another, GB/s", "m2050,m2050", "peers",
     {"peer-access": ("peer access", 5.30), "through-the-host": ("through the host", 3.48)}),
    ("", "k10", "peers", {"peer-access": ("peer access", 11.65), "through-the-host": ("through the host", 8.90)}),
    ("Course: matrix products with copies, ms", "c2075", "products",
     {"global-memory": ("global memory", 52.46), "tiles": ("tiles", 24.34)}),
]

# The course's ray tracer: a picture of 1024 x 1024 by examples/.
PICTURES = {"ray_noconst": ("spheres in global memory", 6.76), "ray": ("in constant memory", 6.28)}

HEAD = """# Tables of the texts

What the texts print, and what the [model](model.md) makes of our versions of their kernels on the
same boards, by `bench/text_tables.py`. Counts are in `tests/profile`, to the digit.
"""


def compiled(build, source):
    program = build / "bench" / f"texts-{source.stem}"
    subprocess.run([build / "bin" / "heddle", "cc", "-O3", source, "-o", program], check=True)
    return program


def output(program, device, *words):
    """The lines of a program that measures."""
    result = subprocess.run([program, *words], capture_output=True, text=True, check=True,
                            env=dict(os.environ, HEDDLE_DEVICE=device, HEDDLE_TIMING="model"))
    return result.stdout.splitlines()


def head(title):
    print(f"## {title}\n\n    {'':<30}{'board':<10}{'text':>8}{'Heddle':>8}")


def tell_timed(build):
    program = compiled(build, here / "texts" / "timed.cu")
    for number, (title, device, words, rows) in enumerate(TIMED):
        if title:
            print("\n" * (number > 0), end="")
            head(title)
        found = dict(line.split() for line in output(program, device, words))
        for name, (row, published) in rows.items():
            print(f"    {row:<30}{device.split(',')[0]:<10}{published:8.5g}{float(found[name]):8.3g}")
    print()
    head("Course: ray tracer, ms")
    for name, (row, published) in PICTURES.items():
        lines = output(compiled(build, here.parent / "examples" / f"{name}.cu"), "c2075", "/dev/null", "1024")
        times = [line.split()[1] for line in lines if line.startswith("time:")]
        print(f"    {row:<30}{'c2075':<10}{published:8.5g}{float(times[-1]):8.3g}")
    print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--keep")
    options = parser.parse_args()
    names = {name for _, rows in TABLES for name in rows}
    points = {p.name: p for p in model_points.points_of("") if p.name in names}
    if names - points.keys():
        raise SystemExit(f"points.csv has no {min(names - points.keys())}")
    known, _ = model_points.values_of(options.build.resolve(), list(points.values()), 1, options.keep)
    print(HEAD)
    for title, rows in TABLES:
        head(title)
        for name, row in rows.items():
            point = points[name]
            print(f"    {row:<30}{point.board:<10}{point.published:8.5g}{known[point]:8.3g}")
        print()
    tell_timed(options.build.resolve())
    print("""## Not done yet

Sines of large arguments count like those of small ones, so that kernels between copies are too
short. Tables of cuFFT, cuRAND, MPI, textures and stretched grids.""")


if __name__ == "__main__":
    main()
