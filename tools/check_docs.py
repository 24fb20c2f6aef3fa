#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the pages of docs/ and README.md: links lead to files that are there, and so do the names of sources in `code
style` (`foo.cpp` stands for any, and a header without its folder may be one of CUDA's that is not there); lines have
at most 100 columns but for rows of tables, docs/architecture.md lists every page, and docs/simt.md and docs/jit.md
stay within 250 lines."""
import re
import sys

from made_pages import ROOT, report

COLUMNS = 100
LINES = {"simt.md": 250, "jit.md": 250}
SOURCES = ("src", "include", "lib", "tests", "tools", "bench", "examples", "cmake")
NAME = re.compile(r"`((?!foo\.)[\w./-]+\.(?:cpp|def|py|cu|ll)|[\w.-]+/[\w./-]+\.h)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def source_names():
    """The names of all sources, each with and without the folders that lead to it."""
    names = set()
    for path in (path for folder in SOURCES for path in (ROOT / folder).rglob("*.*")):
        parts = path.relative_to(ROOT).parts
        names.update("/".join(parts[start:]) for start in range(len(parts)))
    return names


def problems(page, names):
    name = page.relative_to(ROOT)
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and not line.startswith("|"):
            yield f"{name}:{number}: {len(line)} columns; at most {COLUMNS}"
        for target in LINK.findall(line):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{name}:{number}: there is no {target}"
        for source in NAME.findall(line):
            if source not in names:
                yield f"{name}:{number}: there is no {source}"
    if len(lines) > LINES.get(page.name, len(lines)):
        yield f"{name}: {len(lines)} lines; at most {LINES[page.name]}"


def main():
    pages = sorted((ROOT / "docs").glob("*.md"))
    names = source_names()
    found = [problem for page in [ROOT / "README.md", *pages] for problem in problems(page, names)]
    index = (ROOT / "docs/architecture.md").read_text()
    found += [f"docs/architecture.md does not list {page.name}" for page in pages
              if page.name != "architecture.md" and f"]({page.name})" not in index]
    return report(found)


if __name__ == "__main__":
    sys.exit(main())
