#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the parts of include/ that follow from src/driver/driver.def:

  include/heddle/driver_names.inc      the macros that lead plain names to versions and twins: cuMemAlloc, cuMemAlloc_v2
  include/heddle/driver_functions.inc  the prototypes, under the names that programs use
  include/heddle/driver_gl_*.inc       both for OpenGL, which has a header of its own
  include/heddle/driver_pointers.inc   the types of pointers, PFN_cuMemAlloc_v3020 and PFN_cuMemAlloc

  driver_headers.py           writes them
  driver_headers.py --check   fails if one is old
"""
import difflib
import re
import sys
from typing import NamedTuple

from made_pages import ROOT, arguments_parser, is_old, report

TABLE = ROOT / "src/driver/driver.def"
FOLDER = ROOT / "include/heddle"
ROW = re.compile(r"^HEDDLE_DRIVER\((\w+), (\w+), (\d+), (None|ptds|ptsz), (.+?), (Done|Old|Unsupported), "
                 r"\((.*)\), \((.*)\)\)$", re.M)
TITLE = re.compile(r"^// (.*)\n(?=HEDDLE_DRIVER\((\w+),)", re.M)
MAJORS = (12, 13)
# The headers of a major version lead a plain name to the newest version of the function that came with this major
# or before. These keep an older one; the newer one does something else, under a name of its own.
KEPT = {12: {"cuCtxCreate": "cuCtxCreate_v2"},
        13: {name: name for name in ("cuCtxGetDevice", "cuCtxSynchronize", "cuStreamGetCtx")}}
# Plain names that lead to another function.
OTHER = {"cuGraphInstantiate": "cuGraphInstantiateWithFlags"}
FIRST_TWINS = 7000  # the CUDA version of the first twins
GL = "gl"  # the group whose functions CUDA declares in a header of their own
INTEROP = "interop"  # EGL and VDPAU, whose headers we do not have
HEAD = """// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by tools/driver_headers.py from src/driver/driver.def; do not edit."""
NAMES = """
// Where a function has versions, its plain name is a macro for one; with per-thread default
// streams it is one for the twin."""
POINTERS = """
// The types of pointers: PFN_, the function's name, the CUDA version since which this form of it
// exists, and the twin's suffix."""


class Row(NamedTuple):
    group: str
    symbol: str
    since: int
    twin: str
    needs: str
    state: str
    parameters: str
    arguments: str

    def name(self):
        return re.sub(r"_v\d$", "", self.symbol)

    def twin_symbol(self):
        return f"{self.symbol}_{self.twin}"


def read_table():
    return [Row(*row)._replace(since=int(row[2])) for row in ROW.findall(TABLE.read_text())]


def titles():
    """What the comment above each group says."""
    return {group: title for title, group in TITLE.findall(TABLE.read_text())}


def defaults(rows, major):
    """By plain name the row that programs for a major version of CUDA get."""
    versions = {}
    for row in rows:
        versions.setdefault(row.name(), []).append(row)
    chosen = {}
    for name, all_versions in versions.items():
        old = [row for row in all_versions if row.since <= major * 1000]
        kept = [row for row in all_versions if row.symbol == KEPT[major].get(name)]
        chosen[name] = (kept or sorted(old, key=lambda row: row.since)[-1:] or all_versions[:1])[0]
    return chosen


def declared(rows, major):
    """Rows and the names under which the headers declare them: the default of each name, and all newer versions."""
    chosen = defaults(rows, major)
    for row in rows:
        default = chosen[row.name()]
        if row.name() in OTHER:
            continue
        if row is default:
            yield row, row.name()
        elif row.since > default.since:
            yield row, row.symbol


def page(comment, lines_of, common=()):
    """The lines of both majors, in branches where they differ."""
    old, new = map(lines_of, MAJORS)
    lines = [*common]
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if tag == "equal":
            lines += old[a:b]
            continue
        first, second = (f"#if HEDDLE_CUDA_VERSION {condition} {MAJORS[1]}" for condition in ("<", ">="))
        lines += [first, *old[a:b]] if a < b else [second]
        lines += (["#else"] if a < b and c < d else []) + new[c:d] + ["#endif"]
    return "\n".join([HEAD + comment, *lines, ""])


def by_default_stream(per_thread, legacy):
    """Macros for programs with per-thread default streams and for others."""
    return ["", "#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM", *per_thread, "#else", *legacy, "#endif"]


def names(rows, other):
    plain = [f"#define {name} {row.symbol}" for row, name in rows if row.twin == "None" and name != row.symbol]
    plain += [f"#define {name} {function}" for name, function in other.items()]
    twins = [f"#define {name} {row.twin_symbol()}" for row, name in rows if row.twin != "None"]
    legacy = [f"#define {name} {row.symbol}" for row, name in rows if row.twin != "None" and name != row.symbol]
    return ["", *plain, *by_default_stream(twins, legacy)]


def functions(rows):
    lines, group = [], None
    for row, name in rows:
        if row.group != group:
            group = row.group
            lines += ["", f"// {titles()[group]}"]
        lines.append(f"CUresult CUDAAPI {name}({row.parameters});")
    return lines


def types_of(row):
    """The types of the parameters, without their names."""
    if row.parameters == "void":
        return "void"
    return ", ".join(re.sub(r" ?\w+$", "", parameter).strip() for parameter in row.parameters.split(", "))


def pointer_types(rows):
    lines = []
    for row in rows:
        pointer = f"PFN_{row.name()}_v{row.since}"
        twin = f"PFN_{row.name()}_v{max(row.since, FIRST_TWINS)}_{row.twin}"
        for name in [pointer] if row.twin == "None" else [pointer, twin]:
            lines.append(f"typedef CUresult(CUDAAPI *{name})({types_of(row)});")
    return ["", *lines]


def pointer_names(rows, major):
    plain, twins, legacy = [], [], []
    chosen = defaults(rows, major)
    for row in rows:
        pointer = f"PFN_{row.name()}_v{row.since}"
        twin = f"PFN_{row.name()}_v{max(row.since, FIRST_TWINS)}_{row.twin}"
        if row is chosen[row.name()] and row.name() not in OTHER:
            (plain if row.twin == "None" else legacy).append(f"#define PFN_{row.name()} {pointer}")
            if row.twin != "None":
                twins.append(f"#define PFN_{row.name()} {twin}")
    plain += [f"#define PFN_{name} PFN_{other}" for name, other in OTHER.items()]
    return ["", *plain, *by_default_stream(twins, legacy)]


def made(rows):
    def plain(major):
        return [(row, name) for row, name in declared(rows, major) if row.group != GL]

    def gl(major):
        return [(row, name) for row, name in declared(rows, major) if row.group == GL]

    texts = {"names": page(NAMES, lambda major: names(plain(major), OTHER)),
             "functions": page(" The prototypes.", lambda major: functions(plain(major))),
             "gl_names": page(NAMES, lambda major: names(gl(major), {})),
             "gl_functions": page(" The prototypes.", lambda major: functions(gl(major))),
             "pointers": page(POINTERS, lambda major: pointer_names(rows, major), pointer_types(rows))}
    return {FOLDER / f"driver_{part}.inc": text for part, text in texts.items()}


def main():
    arguments = arguments_parser(__doc__).parse_args()
    files = made([row for row in read_table() if row.group != INTEROP])
    if not arguments.check:
        for path, text in files.items():
            path.write_text(text)
        return 0
    return report([problem for path, text in files.items() for problem in is_old(path, text)])


if __name__ == "__main__":
    sys.exit(main())
