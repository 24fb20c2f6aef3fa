# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the runtime API, src/runtime/runtime.def, for api_support.py: its rows, what is made of them for
include/, and what is checked.

The prototypes are written out, not made by macros: compilers show them in their messages, and editors find them.
"""
import re

from made_pages import ROOT, is_old

TABLE = ROOT / "src/runtime/runtime.def"
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
ROW = re.compile(r"^HEDDLE_RUNTIME\((\w+), (Done|Unsupported), (None|ptds|ptsz), (Host|Both), ([\w *]+), (\w+), "
                 r"\(((?:[^()]|\([^()]*\))*)\), \(([^()]*)\)\)$")


class Row:
    def __init__(self, match):
        self.group, self.state, self.twin, self.sides, self.returns, self.symbol, self.parameters, self.arguments = match.groups()

    def symbols(self):
        """The names that the library exports: the function's, and its twin's."""
        return [self.symbol] + ([f"{self.symbol}_{self.twin}"] if self.twin != "None" else [])

    def prototype(self):
        """In C and in C++, at most 100 columns wide."""
        sides = "__cudart_builtin__ " if self.sides == "Both" else ""
        space = "" if self.returns.endswith("*") else " "
        lines = [f"{sides}{self.returns}{space}{self.symbol}("]
        for piece in re.split(r"(?<=,) ", self.parameters.replace("HEDDLE_DEFAULT(", "__dv(") + ");"):
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
            rows.append(Row(match))
    return rows


def versions(rows):
    """What the headers make of the name of an older version: the function's second one. {name: function}"""
    names = {row.symbol for row in rows}
    return {row.symbol: f"{row.symbol}_v2" for row in rows if row.group == "legacy" and f"{row.symbol}_v2" in names}


def declared(rows, header="cuda_runtime_api.h"):
    """The rows whose functions a header declares."""
    return [row for row in rows if ELSEWHERE.get(row.group, "cuda_runtime_api.h") == header]


def prototypes(rows):
    text = ""
    for group in dict.fromkeys(row.group for row in rows):
        text += f"\n// {TITLES[group]}\n\n" + "\n".join(row.prototype() for row in rows if row.group == group) + "\n"
    return text


def define(name, value):
    return f"#define {name} {value}\n"


def files(rows):
    """What is made of the table for include/: {path: text}."""
    heddle = INCLUDE / "heddle"
    names = "".join(define(name, new) for name, new in versions(rows).items())
    made = {
        heddle / "runtime_functions.inc":
            f"{HEAD}// The functions of cuda_runtime_api.h.\n{MADE}{prototypes(declared(rows))}"
            f"\n// What has several versions, by the name of the first\n\n{names}",
        heddle / "per_thread_names.h":
            f"{HEAD}{PER_THREAD}{MADE}#ifndef HEDDLE_PER_THREAD_NAMES_H\n#define HEDDLE_PER_THREAD_NAMES_H\n\n"
            + "".join(define(*row.symbols()) for row in declared(rows) if row.twin != "None") + "\n#endif\n",
    }
    for group, header in ELSEWHERE.items():
        if header:
            made[heddle / f"{group}_functions.inc"] = \
                f"{HEAD}// The functions of {header}.\n{MADE}{prototypes(declared(rows, header))}"
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
