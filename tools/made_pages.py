# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts that make pages of docs/ from tables have in common."""
import argparse
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent


def wrap(text):
    """The lines of a page at most 100 columns wide, but for rows of tables."""
    return "\n".join(line if line.startswith("|") else textwrap.fill(line, 100, break_on_hyphens=False)
                     for line in text.split("\n"))


def is_old(page, text):
    """What is to be said of a page that should hold `text`: nothing, or one problem."""
    if page.exists() and page.read_text() == text:
        return []
    return [f"{page.relative_to(ROOT)} is old: run tools/{pathlib.Path(sys.argv[0]).name}"]


def arguments_parser(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    return parser


def report(problems):
    """Prints them behind the script's name; the exit status."""
    for problem in problems:
        print(f"{pathlib.Path(sys.argv[0]).stem}: {problem}", file=sys.stderr)
    return 1 if problems else 0
