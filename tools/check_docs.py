#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the pages of docs/ and README.md: links lead to files that are there, lines have at most 100 columns but for
rows of tables, docs/architecture.md lists every page, and docs/simt.md and docs/jit.md stay within 250 lines."""
import re
import sys

from made_pages import ROOT, report

COLUMNS = 100
LINES = {"simt.md": 250, "jit.md": 250}
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def problems(page):
    name = page.relative_to(ROOT)
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and not line.startswith("|"):
            yield f"{name}:{number}: {len(line)} columns; at most {COLUMNS}"
        for target in LINK.findall(line):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{name}:{number}: there is no {target}"
    if len(lines) > LINES.get(page.name, len(lines)):
        yield f"{name}: {len(lines)} lines; at most {LINES[page.name]}"


def main():
    pages = sorted((ROOT / "docs").glob("*.md"))
    found = [problem for page in [ROOT / "README.md", *pages] for problem in problems(page)]
    index = (ROOT / "docs/architecture.md").read_text()
    found += [f"docs/architecture.md does not list {page.name}" for page in pages
              if page.name != "architecture.md" and f"]({page.name})" not in index]
    return report(found)


if __name__ == "__main__":
    sys.exit(main())
