#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes random CUDA programs: generate.py [--only KIND] SEED... > programs.cu

Each program is some units, each a kernel or two with its arrays and launches (fuzz.h). The file checks itself: the same text is
there once as CUDA and once as plain C++. To build it by hand:

    heddle cc -O1 -I tests/fuzz programs.cu -o programs && ./programs check
    nvcc -arch=sm_90 -I tests/fuzz programs.cu -o programs && ./programs check

With child launches in them, both take -rdc=true.
"""
import argparse
import sys

import blocked
import children
import counts
import estimates
import flats
import graphs
import groups
import nests
import phases
import rims
import rows
import solves
import soup
import textures
import threads
import tiles
import warps
import wraps
from words import Random

# How often each kind of unit is taken.
KINDS = {
    "soup": (0.5, None),
    "statements": (2, None),
    "panels": (3, tiles.panels),
    "row_stencil": (2, tiles.row_stencil),
    "square_stencil": (2, rims.square_stencil),
    "planes": (1, rims.planes),
    "phases": (4, phases.phases),
    "products": (2, rows.products),
    "lists": (2, rows.lists),
    "pictures": (2, rows.pictures),
    "strides": (2, rows.strides),
    "sliding": (1, rows.sliding),
    "votes": (2, warps.votes),
    "ranks": (1, warps.ranks),
    "histogram": (2, counts.histogram),
    "clusters": (1, counts.clusters),
    "extremes": (1, counts.extremes),
    "roots": (2, estimates.roots),
    "finite_roots": (1, lambda r: estimates.roots(r, strict=False)),
    "randoms": (1, estimates.randoms),
    "short_randoms": (1, lambda r: estimates.randoms(r, strict=False)),
    "bodies": (2, estimates.bodies),
    "blocked": (2, blocked.blocked),
    "transposes": (2, blocked.transposes),
    "scaled": (1, blocked.scaled),
    "nests": (2, nests.nests),
    "ways": (2, nests.ways),
    "bits": (1, threads.bits),
    "searches": (2, threads.searches),
    "lonely": (2, threads.lonely),
    "byte_counts": (1, threads.byte_counts),
    "places": (2, threads.places),
    "choices": (1, threads.choices),
    "arms": (1, lambda r: warps.votes(r, arms=True)),  # the same warp operation in both arms of a branch
    "narrow": (1, wraps.wraps),  # indices of 8 and 16 bits that wrap around
    "flats": (2, flats.flats),
    "wraps": (1, lambda r: wraps.wraps(r, narrow=False)),  # indices of 32 bits that wrap around within a warp
    "tiles": (1, groups.tiles),
    "cluster_blocks": (2, groups.clusters),
    "triangles": (2, solves.triangles),
    "waves": (2, solves.waves),
    "samples": (3, textures.samples),
    "surfaces": (1, textures.surfaces),
    "graphs": (2, graphs.graphs),
    "chains": (1, children.chains),
    "divisions": (1, children.divisions),
}
STATEMENTS = {"soup": soup.LARGE, "statements": soup.SMALL}
ROUNDING = {*STATEMENTS, "roots", "randoms"}  # with NaNs or rounding: not for the compiler's -ffast-math
UNITS = 3
PARTS = {"FUZZ_GROUPS": ("CLUSTER", "TILE_", "LABELLED"), "FUZZ_TEXTURES": ("image<",)}  # what is compiled where a text has one of the words


def unit(kind, number):
    """The text of a unit."""
    if kind in STATEMENTS:
        return soup.unit(number, size=STATEMENTS[kind])
    return KINDS[kind][1](Random(f"unit {number} {kind}"))


def program(seed, only=None, exact=False):
    """The units of one program: names and texts. `exact`: of such kinds alone that no order of sums shows in."""
    r = Random(f"program {seed}")
    known = {kind: entry for kind, entry in KINDS.items() if (not only or kind in only) and not (exact and kind in ROUNDING)}
    units = []
    for number in range(seed * UNITS, seed * UNITS + UNITS):
        kind = r.choices(list(known), [weight for weight, _ in known.values()])[0]
        units.append((f"u{number}_{kind}", unit(kind, number)))
    return units


def options_of(units):
    """The compiler's, that the text of some units needs."""
    return ["-rdc=true"] if any("CHILD" in text for _, text in units) else []


def render(units):
    """The file of some units."""
    def half(name):
        return "".join(f"namespace {unit} {{\n{text}}} // namespace {unit}\n\n" for unit, text in units)
    table = "".join(f'  {{"{unit}", gpu::{unit}::run, host::{unit}::run, {str("nearby" in text).lower()}}},\n' for unit, text in units)
    uses = "".join(f"#define {name}\n" for name, words in PARTS.items() if any(word in text for _, text in units for word in words))
    return ('// Written by tests/fuzz/generate.py.\n' + uses + '#include "fuzz.h"\n\nnamespace gpu {\n\n' + half("gpu") +
            "} // namespace gpu\n\n#ifndef __CUDA_ARCH__\n#include \"fuzz_host.h\"\n\nnamespace host {\n\n" + half("host") +
            "} // namespace host\n\nstatic const Unit units[] = {\n" + table + '};\n\n#include "fuzz_main.h"\n#endif\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append")
    parser.add_argument("seeds", nargs="+", type=int)
    options = parser.parse_args()
    sys.stdout.write(render([unit for seed in options.seeds for unit in program(seed, options.only)]))


if __name__ == "__main__":
    main()
