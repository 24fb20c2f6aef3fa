#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the folders of src/ depend on each other in one direction only, by their #include lines, and so the rooms
# within some of them, and that lib/ includes nothing of them. docs/architecture.md has the rule in words.
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
source = root / "src"

# Each folder and those that it may include from. `jit/jit.h` is a C interface that is reached with dlopen:
# the driver and the tool may include it, and nothing else of the jit.
ALLOWED = {
    "base": set(),
    "model": {"base"},
    "simt": {"base"},
    "frontend": {"base"},
    "devlib": {"base"},
    "jit": {"base", "model", "simt", "frontend"},
    "rtc": {"base", "frontend", "jit"},
    "device": {"base", "model"},
    "check": {"base", "device"},
    "profile": {"base", "model", "device"},
    "driver": {"base", "model", "device", "check", "profile"},
    "runtime": {"base"},
    "opencl": {"base"},
    "cupti": {"base", "model", "device", "profile"},
    "nvml": {"base"},
    "plugin": set(),
    "tool": {"base", "model"},
    "toolkit": set(),
}
# `simt/math.def` is the table of math functions that both sides of a call are made from, `device/switches.def` of names that
# HEDDLE_DISABLE may hold. NVML shows the machine that the boards make (`driver/boards`). Places in the user's source are told alike by the front end and by simt.
INTERFACES = {
    "check/conclusion.h": {"tool"},
    "check/records.h": {"tool"},
    "check/reports.h": {"tool"},
    "device/switches.def": {"jit"},
    "frontend/locations.h": {"simt"},
    "frontend/own_lines.h": {"plugin", "simt"},
    "frontend/remainder_note.h": {"plugin"},
    "frontend/variable_note.h": {"simt"},
    "jit/client/jit_library.h": {"tool"},
    "jit/jit.h": {"driver", "tool"},
    "driver/boards/ledger.h": {"nvml"},
    "driver/boards/machine.h": {"nvml"},
    "driver/driver.def": {"opencl", "runtime"},
    "driver/interop_types.h": {"runtime"},
    "driver/table.h": {"opencl", "runtime"},
    "frontend/opencl/compiler.h": {"opencl"},
    "frontend/opencl/features.def": {"opencl"},
    "driver/texture_structures.h": {"runtime"},
    "simt/math.def": {"devlib"},
}
# Folders with rooms: each room may include from those before it and from the folder itself. What lies in the folder
# beside the rooms (the process's state, what tests share) may include from all of them.
ROOMS = {
    "base": ["abi", "machine", "messages", "source", "cache", "image"],
    "check": ["race", "init"],
    "device/cpu": ["memory", "schedule", "block", "model", "engine", "launch", "waiting", "faults"],
    "simt": ["analysis", "lower", "canonical", "progress", "shared", "vector", "form", "thread", "check", "widen", "entry"],
    "simt/widen": ["lanes", "memory", "control", "atomics", "calls", "warp"],
    "driver": ["names", "boards", "graphs", "streams", "memory", "modules", "textures", "copies", "forms", "launch", "device", "entry",
                "children", "executable", "nodes", "record", "gpu", "api"],
    "runtime": ["static", "device", "streams", "memory", "textures", "graphs"],
    "tool": ["tools", "options", "absent", "sources", "compile", "link", "fortran", "run"],
}
# The same for single headers: who may include them beside the rooms behind theirs. A launch whose blocks may wait is
# handed to `waiting`; a pointer may be that of a module's variable; pools give memory back when a stream is waited for.
# Analyses know the functions that `lower` leaves in a thread program, and forms what a warp program is.
DOORS = {
    "device/cpu/waiting/parked.h": {"launch"},
    "driver/memory/pool_release.h": {"streams"},
    "driver/modules/module.h": {"memory"},
    "simt/canonical/root_powers.h": {"lower"},
    "simt/lower/lower_allocas.h": {"analysis"},
    "simt/lower/lower_device.h": {"analysis"},
    "simt/lower/native.h": {"analysis"},
    "simt/widen/widen.h": {"form"},
}
# Only these may use LLVM.
LLVM_USERS = {"simt", "frontend", "jit", "rtc", "plugin"}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def violation(folder, included):
    top = included.split("/")[0]
    if top in ("llvm", "lld", "clang"):
        return None if folder in LLVM_USERS else "uses LLVM"
    if top not in ALLOWED or "/" not in included or top == folder:
        return None
    if top in ALLOWED[folder] or folder in INTERFACES.get(included, ()):
        return None
    return f"may not include from src/{top}"


def room_violation(path, included):
    """`path` and `included` lie below src/."""
    for folder, rooms in ROOMS.items():
        if not path.startswith(folder + "/") or not included.startswith(folder + "/"):
            continue
        own, other = (name[len(folder) + 1:].split("/") for name in (path, included))
        if len(own) == 1 or len(other) == 1:
            continue
        for room in (own[0], other[0]):
            if room not in rooms:
                return f"{room} has no place in the order of tools/check_layers.py"
        if rooms.index(other[0]) > rooms.index(own[0]) and own[0] not in DOORS.get(included, ()):
            return f"{own[0]} may not include from {other[0]}"
    return None


def library_errors():
    """lib/ uses the public headers in include/, the lists of functions in include/heddle/cublas/ and its own headers, and
    no folder of src/."""
    for path in sorted((root / "lib").rglob("*")):
        if path.suffix not in (".h", ".cpp", ".cu", ".def", ".inc"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            name = match.group(1) if match else ""
            if name.split("/")[0] in (*ALLOWED, "heddle", "llvm") and not name.startswith(("heddle/cublas/", "heddle/random/")):
                yield f"{path.relative_to(root)}:{number}: lib may not include {match.group(1)}"


def main():
    errors = 0
    for problem in library_errors():
        print(problem)
        errors += 1
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".def", ".inc"):
            continue
        folder = path.relative_to(source).parts[0]
        if folder not in ALLOWED:
            print(f"src/{folder}: this folder has no place in the order of tools/check_layers.py")
            errors += 1
            continue
        test = path.stem.endswith("_test")
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            reason = match and not test and violation(folder, match.group(1))
            if reason:
                print(f"{path.relative_to(root)}:{number}: src/{folder} {reason}: {match.group(1)}")
                errors += 1
            reason = match and not test and room_violation(str(path.relative_to(source)), match.group(1))
            if reason:
                print(f"{path.relative_to(root)}:{number}: {reason}: {match.group(1)}")
                errors += 1
    print(f"check_layers: {'ok' if errors == 0 else str(errors) + ' errors'}")
    return errors != 0


if __name__ == "__main__":
    sys.exit(main())
