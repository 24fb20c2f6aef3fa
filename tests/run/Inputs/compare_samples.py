#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what texture_samples.cu printed with what it printed on an H200.

  compare_samples.py RECORDED OURS

A line is a name and the bits of the results. How near they must be, the name's first word says:
  exact, near   the same bits
  srgb          within 2 units of the 8 bits that the hardware gives
  linear        within 1/256 of the texels' range, which is 1 (signed ones: 2); of levels within 2/256
and where "grad" is in it, within what the hardware's level of detail is off the documented one (0.08 of a level), where the
levels differ by less than 1; without a filter between levels one in eight may take the level beside.
"""
import pathlib
import struct
import sys


def number(word):
    return struct.unpack("<f", struct.pack("<I", int(word, 16)))[0]


def read(path):
    lines = [line.rsplit(":", 1) for line in pathlib.Path(path).read_text().splitlines()]
    return {name: values.replace(",", " ").split() for name, values in lines}


def is_near(name, want, got):
    if want == got:
        return True
    kind = name.split()[0]
    if kind in ("exact", "near") and "grad" not in name:
        return False
    a, b = number(want), number(got)
    if "grad" in name:
        return abs(a - b) <= 0.08
    if kind == "srgb":
        return abs(a - b) <= 2 ** -7 * abs(a)
    wide = any(words in name for words in ("normalized char", "normalized short", "levels"))
    return abs(a - b) <= (2 if wide else 1) / 256


def may_differ(name, count):
    return count // 8 if "grad" in name and "between" not in name else 0


def main():
    recorded, ours = read(sys.argv[1]), read(sys.argv[2])
    wrong = 0
    for name, want in recorded.items():
        got = ours.get(name, [])
        far = [i for i in range(len(want)) if i >= len(got) or not is_near(name, want[i], got[i])]
        if len(got) != len(want) or len(far) > may_differ(name, len(want)):
            wrong += 1
            shown = [f"[{i}] {want[i]} {got[i]}" for i in far[:4] if i < len(got)]
            print(f"{name}: {len(far)} of {len(want)} are not as recorded: {', '.join(shown)}")
    print(f"{len(recorded) - wrong} of {len(recorded)} lines agree")
    return wrong != 0


sys.exit(main())
