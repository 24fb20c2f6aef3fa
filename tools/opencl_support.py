# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenCL for api_support.py: its part of docs/api_support.md, and that a test names each function that is done."""
import re

import driver_support
import test_calls
from made_pages import ROOT

TABLE = ROOT / "src/opencl/opencl.def"
ROW = re.compile(r"^HEDDLE_OPENCL\((\w+), (\w+), (Done|Refused|Slot)\)$", re.M)
TITLES = {"device": "Devices", "queue": "Command queues", "program": "Programs", "pipe": "Pipes",
          "opengl": "OpenGL and EGL"}  # of groups that are not done as a whole


def read_table():
    """(group, name, state) of each function that Linux has."""
    return [row for row in ROW.findall(TABLE.read_text()) if row[2] != "Slot"]


def page_lines(rows):
    done = sum(state == "Done" for _, _, state in rows)
    lines = ["## OpenCL 3.0", "",
             f"By `src/opencl/opencl.def`, with Khronos' signatures. {done} of {len(rows)} functions are done; the others "
             "return `CL_INVALID_OPERATION`:", ""]
    for group in dict.fromkeys(group for group, _, state in rows if state == "Refused"):
        own = [(name, state) for g, name, state in rows if g == group]
        refused = [name for name, state in own if state == "Refused"]
        names = "all" if len(refused) == len(own) else " ".join(short(refused))
        lines.append(f"- {TITLES[group]}: {names}")
    return [*lines, ""]


def short(names):
    return [text.replace("`cu", "`cl", 1) for text in driver_support.short(["cu" + name[2:] for name in names])]


def check(rows):
    texts = [file.read_text() for file in sorted((ROOT / "tests/opencl").rglob("*")) if file.suffix in (".cpp", ".h")]
    named = set(re.findall(r"\w+", "\n".join(test_calls.NO_CODE.sub("", text) for text in texts)))
    return [f"{name} is done, but no test names it" for _, name, state in rows if state == "Done" and name not in named]
