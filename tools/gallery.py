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
    """(title, name, source) of each kernel behind a "//: title" line."""
    for piece in SOURCE.read_text().split("\n//: ")[1:]:
        title, text = piece.split("\n", 1)
        text = text[:text.index("\n}\n") + 2]
        yield title, re.search(r"(\w+)\(", text).group(1), re.sub(r" *// error: .*", "", text)


def reports(heddle, program):
    """The findings' texts, by kernel."""
    run = subprocess.run([heddle, "check", "--tool", "all", "--show-backtrace", "device", program], text=True,
                         capture_output=True, cwd=ROOT)
    found, isShown = {}, True
    for line in run.stderr.splitlines():
        if not line.startswith("========= "):
            continue
        line = line.removeprefix("========= ")
        if not line.startswith(" "):
            name = re.search(r"in kernel (\w+)", line)
            lines = found.setdefault(name.group(1) if name else "", [])
            if lines:
                lines.append("")
        isShown = (isShown or not line.startswith(" ")) and not line.startswith("    launched by")
        if not isShown:
            continue
        line = re.sub(r"0x[0-9a-f]+", "0x...", line)
        lines.append(re.sub(r" at \S*/", " at ", re.sub(r" *// error: .*", "", line)))
    return found


def block(text):
    return "\n".join("    " + line if line else "" for line in text.splitlines())


def page(heddle, program):
    found = reports(heddle, program)
    parts = [HEAD]
    for title, name, source in kernels():
        parts.append(f"## {title}\n\n{block(source)}\n\n{block(chr(10).join(found[name]))}\n")
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
