# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the runtime API, src/runtime/runtime.def, for api_support.py: its rows, what is made of them for
include/, and what is checked.

The prototypes are written out, not made by macros: compilers show them in their messages, and editors find them.
"""
import itertools
import re

from made_pages import ROOT, is_old

TABLE = ROOT / "src/runtime/runtime.def"
MAJORS = ROOT / "src/runtime/majors.def"
INCLUDE = ROOT / "include"
DEVICE = ROOT / "src/devlib/device_runtime.cpp"
TITLES = {
    "device": "Device management", "thread": "Thread management (deprecated)", "error": "Error handling",
    "stream": "Stream management", "event": "Event management",
    "external": "External resource interoperability", "execution": "Execution control",
    "occupancy": "Occupancy", "memory": "Memory management", "pool": "Stream-ordered memory allocator",
    "unified": "Unified addressing", "peer": "Peer device memory access",
    "graphics": "Graphics interoperability", "texture": "Texture and surface objects",
    "reference": "Texture and surface references (CUDA 11)", "version": "Version management",
    "graph": "Graph management", "entry": "Driver entry points", "library": "Library management",
    "profiler": "Profiler control", "gl": "OpenGL interoperability", "interop": "EGL and VDPAU interoperability",
    "legacy": "Older functions and versions", "compiler": "Called by compiled host code",
    "twin": "Forms for the per-thread default stream",
}
# Groups whose functions cuda_runtime_api.h does not declare, and the header that does.
ELSEWHERE = {"profiler": "cuda_profiler_api.h", "gl": "cuda_gl_interop.h", "interop": None, "legacy": None, "compiler": None}
HEAD = """// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
"""
MADE = "// Made by tools/api_support.py from src/runtime/runtime.def; do not edit.\n"
PER_THREAD = """// With --default-stream per-thread every function that uses a stream is called by another symbol,
// whose null stream is the calling thread's own: _ptds where the stream is implied, _ptsz where it
// is an argument. Included by cuda_runtime_api.h.
"""
ROW = re.compile(r"^HEDDLE_RUNTIME\((\w+), (Done|Unsupported), (1[123])_(1[123]), (None|ptds|ptsz), (Host|Both), "
                 r"([\w *]+), (\w+), \(((?:[^()]|\([^()]*\))*)\), \(([^()]*)\)\)$")
RENAMED = re.compile(r"^HEDDLE_RENAMED\((11|13), (\w+), (\w+)\)$", re.M)
ADAPTED = re.compile(r"^HEDDLE_ADAPTED\((11|13), (\w+), (None|ptds|ptsz), (Host|Both), ([\w *]+), (\w+), "
                     r"\(((?:[^()]|\([^()]*\))*)\), \(([^()]*)\)\)$", re.M)


class Row:
    def __init__(self, group, state, first, last, twin, sides, returns, symbol, parameters, arguments):
        self.group, self.state, self.twin, self.sides, self.returns = group, state, twin, sides, returns
        self.symbol, self.parameters, self.arguments = symbol, parameters, arguments
        self.majors = range(int(first), int(last) + 1)

    def symbols(self):
        """The names that the library exports: the function's, and its twin's."""
        return [self.symbol] + ([f"{self.symbol}_{self.twin}"] if self.twin != "None" else [])

    def prototype(self):
        """In C and in C++, at most 100 columns wide."""
        sides = "__cudart_builtin__ " if self.sides == "Both" else ""
        space = "" if self.returns.endswith("*") else " "
        lines = [f"{sides}{self.returns}{space}{self.symbol}("]
        parameters = re.sub(r"OF13\((\w+)\)", r"struct \1", self.parameters.replace("HEDDLE_DEFAULT(", "__dv("))
        for piece in re.split(r"(?<=,) ", parameters + ");"):
            between = "" if lines[-1].endswith("(") else " "
            if len(lines[-1] + between + piece) <= 100:
                lines[-1] += between + piece
            else:
                lines.append("    " + piece)
        return "\n".join(lines)


def read():
    """The rows of the table; a line that looks like a row and is none ends the script."""
    rows = []
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        if line.startswith("HEDDLE_RUNTIME("):
            match = ROW.match(line)
            if not match:
                raise SystemExit(f"{TABLE.relative_to(ROOT)}:{number}: not of the form of a row: {line}")
            rows.append(Row(*match.groups()))
    return rows


class Names:
    """What a major version means by its names: {name: the symbol of libcudart.so.12}. `rows` are those that it has, `own`
    the functions that it alone has, `renamed` {name: function of the table}."""
    def __init__(self, rows, major):
        text, by_symbol = MAJORS.read_text(), {row.symbol: row for row in rows}
        self.renamed = {name: symbol for m, name, symbol in RENAMED.findall(text) if int(m) == major}
        self.own = {fields[4]: Row(fields[0], "Done", major, major, *fields[1:4], f"heddle_{major}_{fields[4]}", *fields[5:])
                    for m, *fields in ADAPTED.findall(text) if int(m) == major}
        self.rows = [row for row in rows if major in row.majors]
        self.symbols = {name: name for row in self.rows for name in row.symbols()}
        for name, row in [*((n, by_symbol[s]) for n, s in self.renamed.items()), *self.own.items()]:
            self.symbols |= {name + symbol.removeprefix(row.symbol): symbol for symbol in row.symbols()}


def versions(rows):
    """What the headers make of the name of an older version: the function's second one. {name: function}"""
    names = {row.symbol for row in rows}
    return {row.symbol: f"{row.symbol}_v2" for row in rows if row.group == "legacy" and f"{row.symbol}_v2" in names}


def declared(rows, header="cuda_runtime_api.h"):
    """The rows whose functions a header declares."""
    return [row for row in rows if ELSEWHERE.get(row.group, "cuda_runtime_api.h") == header]


def only(condition, text):
    """A text that the preprocessor leaves out in other versions; the condition may be None."""
    return f"#if HEDDLE_CUDA_VERSION {condition}\n{text}#endif\n" if condition and text else text


def condition(row, names):
    """In which versions headers declare a function: CUDA 13 has some under other names, but not all of 12's."""
    if 12 not in row.majors:
        return ">= 13"
    return None if 13 in row.majors or row.symbol in names.renamed.values() else "< 13"


def lines(rows, names, line):
    """line(row) of each, where the preprocessor leaves it in."""
    pairs = itertools.groupby(rows, key=lambda row: condition(row, names))
    return "".join(only(which, "".join(line(row) + "\n" for row in several)) for which, several in pairs)


def prototypes(rows, names):
    """Of rows of the table, and of CUDA 13's own functions in their groups."""
    text = ""
    for group in dict.fromkeys(row.group for row in rows):
        found = [row for row in [*rows, *names.own.values()] if row.group == group]
        text += f"\n// {TITLES[group]}\n\n" + lines(found, names, lambda row: row.prototype())
    return text


def names_of_13(names):
    """What CUDA 13 means by names that have other meanings in 12, where they are host code's, and in device code. The
    compiler's calls know the names of 12, which stay declared."""
    both = {row.symbol for row in names.rows}
    meant = names.renamed | {name: row.symbol for name, row in names.own.items() if row.group != "compiler"}
    return "".join((f"#undef {name}\n" if name in both else "") + define(name, symbol) for name, symbol in meant.items())


def define(name, value):
    return f"#define {name} {value}\n"


def files(rows):
    """What is made of the table for include/: {path: text}."""
    heddle = INCLUDE / "heddle"
    names = Names(rows, 13)
    first = "".join(define(name, new) for name, new in versions(rows).items())
    twins = [row for row in [*declared(rows), *declared(names.own.values())] if row.twin != "None"]
    made = {
        heddle / "runtime_functions.inc":
            f"{HEAD}// The functions of cuda_runtime_api.h.\n{MADE}{prototypes(declared(rows), names)}"
            f"\n// What has several versions, by the name of the first\n\n"
            f"#if HEDDLE_CUDA_VERSION < 13\n{first}#else\n{names_of_13(names)}#endif\n",
        heddle / "per_thread_names.h":
            f"{HEAD}{PER_THREAD}{MADE}#ifndef HEDDLE_PER_THREAD_NAMES_H\n#define HEDDLE_PER_THREAD_NAMES_H\n\n"
            + lines(twins, names, lambda row: define(*row.symbols()).rstrip()) + "\n#endif\n",
    }
    for group, header in ELSEWHERE.items():
        if header:
            made[heddle / f"{group}_functions.inc"] = \
                f"{HEAD}// The functions of {header}.\n{MADE}{prototypes(declared(rows, header), names)}"
    return made


def without_defaults(parameters):
    return re.sub(r" HEDDLE_DEFAULT\([^()]*\)", "", parameters)


def parameter_names(parameters):
    if parameters in ("void", "..."):
        return ""
    return ", ".join(re.search(r"\w+$", one)[0] for one in without_defaults(parameters).split(", "))


def disagreements(rows):
    """Where rows contradict each other or themselves."""
    names = [name for row in rows for name in row.symbols()]
    problems = [f"{name} is in the table twice" for name in sorted({n for n in names if names.count(n) > 1})]
    problems += [f"{row.symbol}: the arguments are not the parameters' names" for row in rows
                 if row.arguments != parameter_names(row.parameters)]
    return problems + [f"{row.symbol}: there is no group {row.group}" for row in rows if row.group not in TITLES]


def written_by_hand(rows):
    """Prototypes that a header has in its own text, beside those that are made of the table."""
    names = "|".join(row.symbol for row in rows)
    for header in sorted({"cuda_runtime_api.h", *filter(None, ELSEWHERE.values())}):
        for name in re.findall(rf"\b({names})\([^;]*?\);", (INCLUDE / header).read_text()):
            yield f"{header} declares {name} by hand"


def device_problems(rows):
    """The device library must have the functions of both sides, and no others of the table."""
    words = set(re.findall(r"\w+", DEVICE.read_text()))
    return [f"{row.symbol} is for {row.sides}, and {DEVICE.name} {'lacks' if row.sides == 'Both' else 'has'} it"
            for row in rows if (row.sides == "Both") != (row.symbol in words)]


def check(rows):
    """What is wrong with the table, with what is made of it and with what stands beside it."""
    problems = disagreements(rows) + device_problems(rows)
    for path, text in files(rows).items():
        problems += is_old(path, text)
    return problems + list(written_by_hand(rows))
