#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/gallery.md: the kernels of tests/check/gallery.cu, each with what `heddle check` says of it.

gallery.py [--check] HEDDLE PROGRAM

PROGRAM was compiled from that file by `heddle cc -g`. With --check the page stays as it is, and the exit code is 1 if it
is out of date."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tests/check/gallery.cu"
PAGE = ROOT / "docs/gallery.md"
HEAD = """# A gallery of errors

One small kernel for each kind of check ([check](check.md)), with what `heddle check --tool all -g`
says of it. `tools/gallery.py` makes this page from `tests/check/gallery.cu`.
"""


def kernels():
    """(title, names, source) of each kernel behind a "//: title" line, with the function behind it that calls it."""
    for piece in SOURCE.read_text().split("\n//: ")[1:]:
        title, text = piece.split("\n", 1)
        text = text[:re.search(r"\n}\n(?!\w)", text).start() + 2]
        yield title, re.findall(r"^\w.*?(\w+)\(", text, re.M), re.sub(r" *// error: .*", "", text)


def reports(heddle, program):
    """The findings' texts, by kernel, and those of host code by function."""
    run = subprocess.run([heddle, "check", "--tool", "all", "--show-backtrace", "device", program], text=True,
                         capture_output=True, cwd=ROOT)
    all, isShown = [], True
    for line in run.stderr.splitlines():
        if not line.startswith("========= "):
            continue
        line = line.removeprefix("========= ")
        if not line.startswith(" "):
            all.append([])
        isShown = (isShown or not line.startswith(" ")) and not line.startswith("    launched by")
        if isShown and all:
            line = re.sub(r"0x[0-9a-f]+", "0x...", line)
            all[-1].append(re.sub(r" at \S*/", " at ", re.sub(r" *// error: .*", "", line)))
    found = {}
    for lines in all:
        if name := re.search(r"in kernel (\w+)", lines[0]) or re.search(r"\n.* in (\w+)", "\n".join(lines[:2])):
            found.setdefault(name.group(1), []).append("\n".join(lines))
    return found


def block(text):
    return "\n".join("    " + line if line else "" for line in text.splitlines())


def page(heddle, program):
    found = reports(heddle, program)
    parts = [HEAD]
    for title, names, source in kernels():
        said = [text for name in names for text in found.get(name, [])]
        parts.append(f"## {title}\n\n{block(source)}\n\n{block((chr(10) * 2).join(said))}\n")
    return "\n".join(parts)


def main():
    only = "--check" in sys.argv[1:]
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    if len(words) != 2:
        sys.exit(__doc__)
    heddle, program = words
    text = page(heddle, program)
    if not only:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit(f"{PAGE} is out of date: tools/gallery.py makes it\n{text}")


if __name__ == "__main__":
    main()
