#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks every source file for the licence head in its first lines, and for its length: files have 100 to 400 lines
# as a rule, and over 800 only with a reason at the top ("Longer than usual: ..."). Tables (.def) and the CUDA headers
# in include/, whose contents CUDA decides, may be as long as they must.
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".cu", ".cuh", ".def", ".py", ".sh"}
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
HEAD_LINES = 40  # a test may begin with its RUN and CHECK lines
LIMIT = 800


def tracked():
    text = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    return [root / name for name in text.decode().split("\0") if name]


def problems(path):
    lines = path.read_text(errors="replace").splitlines()
    if not any(LICENCE in line for line in lines[:HEAD_LINES]):
        yield "the licence head is missing"
    table = path.suffix == ".def" or path.is_relative_to(root / "include")
    if len(lines) > LIMIT and not table and "Longer than usual:" not in "\n".join(lines[:HEAD_LINES]):
        yield f"{len(lines)} lines; over {LIMIT} a file says why at its top (\"Longer than usual: ...\")"


def main():
    errors = 0
    for path in tracked():
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        for problem in problems(path):
            print(f"{path.relative_to(root)}: {problem}")
            errors += 1
    print(f"check_headers: {'ok' if errors == 0 else str(errors) + ' errors'}")
    return errors != 0


if __name__ == "__main__":
    sys.exit(main())
