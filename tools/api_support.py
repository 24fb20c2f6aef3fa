#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/api_support.md of src/runtime/runtime.def and src/driver/driver.def, and docs/library_support.md of
lib/*/*.def, and checks what the tables promise.

  api_support.py           writes the pages
  api_support.py --check   fails if a page is old, if a function that is done is named in no test (of the driver
                           API: called in none), if a table and the headers disagree, or (--library FILE, which may be repeated) if a library lacks a
                           symbol of its table
"""
import pathlib
import re
import subprocess
import sys

import driver_headers
import driver_support
import library_tables
from made_pages import ROOT, arguments_parser, is_old, report, wrap

TABLE = ROOT / "src/runtime/runtime.def"
PAGE = ROOT / "docs/api_support.md"
HEADER = ROOT / "include/cuda_runtime_api.h"
ABSENT = ROOT / "src/tool/absent/absent_parts.def"

TITLES = {
    "device": "Device management", "thread": "Thread management (deprecated)", "error": "Error handling",
    "stream": "Stream management", "event": "Event management",
    "external": "External resource interoperability", "execution": "Execution control",
    "occupancy": "Occupancy", "memory": "Memory management", "pool": "Stream-ordered memory allocator",
    "unified": "Unified addressing", "peer": "Peer device memory access",
    "graphics": "Graphics interoperability", "texture": "Texture and surface objects",
    "version": "Version management", "graph": "Graph management", "entry": "Driver entry points",
    "library": "Library management", "profiler": "Profiler control",
    "legacy": "Older versions of functions", "compiler": "Called by compiled host code",
    "reference": "Texture and surface references (CUDA 11)",
    "interop": "OpenGL, EGL and VDPAU", "twin": "Forms for the per-thread default stream",
}


def read_table():
    return re.findall(r"^HEDDLE_FUNCTION\((\w+), (\w+), (Done|Unsupported)\)$", TABLE.read_text(), re.M)


def make_page(rows):
    done = sum(state == "Done" for _, _, state in rows)
    lines = [
        "# Support of the CUDA runtime and driver APIs", "",
        "Made by `tools/api_support.py` from `src/runtime/runtime.def`, `src/driver/driver.def` and `src/tool/absent/absent_parts.def`; do not edit.", "",
        f"{done} of {len(rows)} functions of CUDA 12.8's runtime library (and of CUDA 11's references) are done. The others exist, "
        "return `cudaErrorNotSupported` and say so once on stderr.", "",
        "| group | number | done | not supported |", "| --- | --- | --- | --- |",
    ]
    for group in dict.fromkeys(group for group, _, _ in rows):
        named = {wanted: [f"`{name}`" for g, name, state in rows if (g, state) == (group, wanted)] for wanted in ("Done", "Unsupported")}
        count = sum(map(len, named.values()))
        done = "functions above with `_ptds`, `_ptsz`" if group == "twin" else " ".join(named["Done"])
        lines.append(f"| {TITLES[group]} | {len(named['Done'])}/{count} | {done} | {' '.join(named['Unsupported'])} |")
    lines += ["", *driver_support.page_lines(driver_headers.read_table())]
    lines += ["## Other parts of CUDA", "",
              "Not in this version, by `src/tool/absent/absent_parts.def`; a use is an error that says so. "
              "Sparse arrays and block-compressed formats of textures are refused by name.", "",
              ", ".join(absent_parts()) + "."]
    lines.append("")
    return wrap("\n".join(lines))


def absent_parts():
    """The parts of CUDA that are not there; the table has their libraries and headers."""
    return list(dict.fromkeys(re.findall(r'^HEDDLE_ABSENT_(?:LIBRARY|HEADERS)\(.*, "(.*)"\)$', ABSENT.read_text(), re.M)))


def test_text():
    files = [*ROOT.glob("src/**/*_test.cpp"), *ROOT.glob("lib/**/*_test.cpp"), *ROOT.glob("tests/**/*.c*"), *ROOT.glob("examples/**/*.cu")]
    return "\n".join(f.read_text(errors="replace") for f in files)


def untested(rows, words):
    """Functions that are done and that no test names; compiled code calls the compiler's group."""
    # There the macros of include/heddle/per_thread_names.h turn the plain name into the twin's.
    twins = set(re.findall(r"\w+", (ROOT / "src/runtime/per_thread_test.cpp").read_text()))

    def is_tested(group, name):
        return name in words or (group == "twin" and re.sub("_pt[ds][sz]$", "", name) in twins)

    return [name for group, name, state in rows
            if state == "Done" and group != "compiler" and not is_tested(group, name)]


def header_functions():
    text = HEADER.read_text()
    text = re.sub(r"__dv\((?:[^()]|\([^()]*\))*\)", "", text[text.index('extern "C" {'):])
    return set(re.findall(r"\b(cuda[A-Z]\w+)\([^;]*?\);", text))


def missing_symbols(rows, library):
    names = [name for _, name, _ in rows]
    if library.name.startswith("libcuda."):
        names = driver_support.exports(driver_headers.read_table())
    elif not library.name.startswith("libcudart."):
        names = [name for _, name, _ in library_tables.rows_of(library) or []]  # NVTX has no table
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    exported = {line.split()[-1].split("@")[0] for line in symbols.stdout.splitlines()}
    return [name for name in names if name not in exported]


def check(rows, libraries):
    words = set(re.findall(r"\w+", test_text()))
    names = [name for _, name, _ in rows]
    problems = is_old(PAGE, make_page(rows))
    problems += [f"{name} is in the table twice" for name in sorted({n for n in names if names.count(n) > 1})]
    problems += [f"{name} is declared but not in the table" for name in sorted(header_functions() - set(names))]
    problems += [f"{name} is done, but no test names it" for name in untested(rows, words)]
    problems += library_tables.check(words) + driver_support.check(driver_headers.read_table())
    for library in libraries:
        problems += [f"{library} lacks {name}" for name in missing_symbols(rows, library)]
    return problems


def main():
    parser = arguments_parser(__doc__)
    parser.add_argument("--library", type=pathlib.Path, action="append", default=[], help="a shared library to look into")
    arguments = parser.parse_args()
    rows = read_table()
    if not arguments.check:
        PAGE.write_text(make_page(rows))
        library_tables.PAGE.write_text(library_tables.make_page(library_tables.tables()))
        return 0
    return report(check(rows, arguments.library))


if __name__ == "__main__":
    sys.exit(main())
