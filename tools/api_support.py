#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes of src/runtime/runtime.def and src/driver/driver.def docs/api_support.md, of the first the prototypes and names in
include/heddle (driver_headers.py makes the driver's), of lib/*/*.def docs/library_support.md, and checks what the tables
promise.

  api_support.py           writes the files
  api_support.py --check   fails if one of them is old, if no test calls a function of both that is done
                           (test_calls.py says what counts) or names one of a library, if a header has prototypes
                           beside the table's, if the device library has other functions than the table says, or
                           (--library FILE, which may be repeated) if a library lacks a symbol of its table, or the
                           runtime's has another of CUDA's names
"""
import pathlib
import re
import subprocess
import sys

import driver_headers
import driver_support
import library_tables
import opencl_support
import runtime_table
import test_calls
from made_pages import ROOT, arguments_parser, is_old, report, wrap

PAGE = ROOT / "docs/api_support.md"
ABSENT = ROOT / "src/tool/absent/absent_parts.def"


def named_rows(rows):
    """(group, name, state) of each symbol; twins are a group of their own, behind the others."""
    own = [(row.group, row.symbol, row.state) for row in rows]
    return own + [("twin", name, row.state) for row in rows for name in row.symbols()[1:]]


def make_page(table):
    rows = named_rows(table)
    done = sum(state == "Done" for _, _, state in rows)
    lines = [
        "# Support of the CUDA runtime and driver APIs and of OpenCL", "",
        "Made by `tools/api_support.py` from `runtime.def`, `driver.def`, `opencl.def` and `absent_parts.def` in `src/`; do not edit.", "",
        f"{done} of {len(rows)} functions of CUDA 12.8's runtime library, of CUDA 11's references and of CUDA 13's additions are done. The others exist, "
        "return `cudaErrorNotSupported` and say so once on stderr.", "",
        "| group | done | not supported |", "| --- | --- | --- |",
    ]
    for group in dict.fromkeys(group for group, _, _ in rows):
        names = [name for g, name, state in rows if (g, state) == (group, "Unsupported")]
        count = sum(g == group for g, _, _ in rows)
        lines.append(f"| {runtime_table.TITLES[group]} | {count - len(names)}/{count} | {' '.join(driver_support.short(names))} |")
    lines += ["", *driver_support.page_lines(driver_headers.read_table())]
    lines += opencl_support.page_lines(opencl_support.read_table())
    lines += ["## Other parts of CUDA", "",
              "Not in this version, by `src/tool/absent/absent_parts.def`; a use is an error that says so. "
              "Sparse arrays and block-compressed formats of textures are refused by name.", "",
              ", ".join(absent_parts()) + "."]
    lines.append("")
    return wrap("\n".join(lines))


def absent_parts():
    """The parts of CUDA that are not there; the table has their libraries and headers."""
    return list(dict.fromkeys(re.findall(r'^HEDDLE_ABSENT_(?:LIBRARY|HEADERS)\(.*, "(.*)"\)$', ABSENT.read_text(), re.M)))


def uncalled(rows, texts):
    """Functions that are done and that no test calls; compiled code calls the compiler's group."""
    versions = runtime_table.versions(rows)
    twins = {row.symbol: row.symbols()[1] for row in runtime_table.declared(rows) if row.twin != "None"}
    called = set().union(*(test_calls.called(text, versions, twins) for text in texts))
    return [name for row in rows for name in row.symbols()
            if row.state == "Done" and row.group != "compiler" and name not in called]


def symbol_problems(rows, library):
    """What a shared library has too little by its table or, of the runtime's names, too much."""
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    exported = {line.split()[-1].split("@")[0] for line in symbols.stdout.splitlines()}
    is_runtime = library.name.startswith("libcudart.")
    table = named_rows(rows) if is_runtime else library_tables.rows_of(library) or []  # NVTX has no table
    names = [name for _, name, _ in table]
    if major := re.match(r"libcudart\.so\.(11|13)", library.name):
        names = list(runtime_table.Names(rows, int(major[1])).symbols)
    if library.name.startswith("libcuda."):
        names = driver_support.exports(driver_headers.read_table())
    problems = [f"{library} lacks {name}" for name in names if name not in exported]
    if is_runtime:
        others = sorted(name for name in exported - set(names) if re.match("(__)?cuda", name))
        problems += [f"{library} has {name}, the table not" for name in others]
    return problems


def check(rows, libraries):
    texts = test_calls.test_texts()
    problems = is_old(PAGE, make_page(rows)) + runtime_table.check(rows)
    problems += [f"{name} is done, but no test calls it" for name in uncalled(rows, texts)]
    problems += driver_support.check(driver_headers.read_table())
    problems += opencl_support.check(opencl_support.read_table())
    problems += library_tables.check(set(re.findall(r"\w+", "\n".join(texts))))
    for library in libraries:
        problems += symbol_problems(rows, library)
    return problems


def main():
    parser = arguments_parser(__doc__)
    parser.add_argument("--library", type=pathlib.Path, action="append", default=[], help="a shared library to look into")
    arguments = parser.parse_args()
    rows = runtime_table.read()
    if not arguments.check:
        for path, text in {PAGE: make_page(rows), **runtime_table.files(rows)}.items():
            path.write_text(text)
        library_tables.PAGE.write_text(library_tables.make_page(library_tables.tables()))
        return 0
    return report(check(rows, arguments.library))


if __name__ == "__main__":
    sys.exit(main())
