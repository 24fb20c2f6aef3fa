#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# expect.py HEDDLE [options of heddle check] SOURCE PROGRAM [arguments]
#
# Runs PROGRAM, which was compiled from SOURCE, under `heddle check`, and compares the findings with the marks in SOURCE:
# each mark must be found, and nothing else may be. Behind the line that is to be blamed:
#
#     p[n] = 1; // error: out-of-bounds-access          in Fortran: ! error: ...
#     f(p);     // error: leak, uninitialized-read      two kinds
#     p[0] = 1; // info: race-same-value                no error, seen with --print-level info
#
# A finding blames the innermost of its frames that lies in SOURCE. Anywhere in SOURCE, of what has no line there:
#
#     // error anywhere: leak
#
# What `heddle check` prints goes to stdout, for FileCheck. `--exit N` among the options: the program's exit code (0).
import json
import os
import re
import subprocess
import sys
import tempfile

MARK = re.compile(r"(?://|!)\s*(?:error|info)( anywhere)?:\s*([a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*)\s*$")


def marks_of(source):
    """What must be found: (line, kind), line 0 for anywhere."""
    with open(source, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if match := MARK.search(text):
                for kind in match.group(2).split(","):
                    yield (0 if match.group(1) else number, kind.strip())


def blamed_line(finding, source):
    for frame in finding["frames"]:
        if frame["line"] and os.path.basename(frame["file"]) == os.path.basename(source):
            return frame["line"]
    return 0


def describe(line, kind):
    return f"line {line}: {kind}" if line else f"anywhere: {kind}"


def main():
    words = sys.argv[2:]
    code = 0
    at = next((i for i, word in enumerate(words)
               if word.endswith((".cu", ".cuf", ".CUF", ".cpp", ".c", ".F90", ".f90")) and os.path.isfile(word)), None)
    if at is None or at + 1 >= len(words):
        sys.exit("usage: expect.py HEDDLE [options] SOURCE PROGRAM [arguments]")
    options, source, program = words[:at], words[at], words[at + 1:]
    if "--exit" in options:
        place = options.index("--exit")
        code = int(options[place + 1])
        del options[place:place + 2]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "findings.json")
        run = subprocess.run([sys.argv[1], "check", *options, "--json", path, *program], stderr=subprocess.STDOUT)
        findings = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                findings = json.load(file)["findings"]
    wanted = set(marks_of(source))
    found = {}
    for finding in findings:
        found.setdefault((blamed_line(finding, source), finding["kind"]), finding)
    problems = [f"not found: {describe(*mark)}" for mark in sorted(wanted - set(found))]
    problems += [f"found without a mark: {describe(*key)}: {found[key]['text']}" for key in sorted(set(found) - wanted)]
    if run.returncode != code:
        problems.append(f"the exit code is {run.returncode}, not {code}")
    sys.stdout.flush()
    for problem in problems:
        print(f"{source}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
