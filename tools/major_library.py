#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what a library of another major version is made of: a jump for each of its names into our one library
(cmake/jumps.h), and its version script. Both libraries have the names, each with its own version, so a program of either finds its own.

  major_library.py MAJOR NODE TARGET_NODE TABLE JUMPS SCRIPT

NODE and TARGET_NODE are the versions' names, libcudart.so.13 and libcudart.so.12. TABLE is runtime.def, of which MAJOR
has other names and functions (majors.def), or a table of lib/, of which every major has the same.
"""
import pathlib
import sys

import library_tables
import runtime_table

def names_of(table, major):
    """{name: symbol of the target}"""
    if table == runtime_table.TABLE:
        return runtime_table.Names(runtime_table.read(), major).symbols
    return {name: name for name in library_tables.Table(table).names()}


def main():
    major, node, target_node, table, out, script = sys.argv[1:]
    names = names_of(pathlib.Path(table).resolve(), int(major))
    jumps = "".join(f'HEDDLE_JUMP({name}, {symbol}, "{target_node}")\n' for name, symbol in names.items())
    pathlib.Path(out).write_text(jumps)
    exported = "".join(f"    {name};\n" for name in sorted(names))
    # Names in front of the C library's (driver/names) have no version: so there is no "local: *".
    pathlib.Path(script).write_text(f"{node} {{\n  global:\n{exported}  local: _Z*;\n}};\n")


if __name__ == "__main__":
    main()
