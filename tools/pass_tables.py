#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the tables of passes in docs/simt.md and docs/jit.md of src/simt/passes.def and src/jit/passes.def.

  pass_tables.py           writes them between the pages' marks <!-- passes:begin --> and <!-- passes:end -->
  pass_tables.py --check   fails if one of them is old

The file of a pass is the one of the pass's name, else the one that says when the pass is legal (docs/tests.md,
"Legality"), else the one that defines the run of its class, the function of its name, or the one that the table
calls, else the one of the class's name.
"""
import re
import sys

from made_pages import ROOT, arguments_parser, is_old, report, wrap

FOLDERS = ("simt", "jit")
WHEN = {"Always": "", "Vectors": "vectors", "SeveralPrograms": "several programs", "WholeBlock": "whole block"}
MODES = {"AllModes": "", "OptimisedModes": "optimised", "FastModes": "fast", "CheckedModes": "checked"}
PASS = re.compile(r'^((?://[^\n]*\n)*)HEDDLE_(PASS|STEP)\(([\w:]+),\s*"([^"]+)",\s*(\w+),\s*(\w+),(.*?)((?:"[^"]*"\s*)+)\)$', re.M | re.S)
CHOICE = re.compile(r'^HEDDLE_CHOICE\(\s*"([^"]+)",\s*((?:"[^"]*"\s*)+)\)$', re.M)


def sources(folder):
    """Path and text of the files, first those of the folder."""
    folders = [folder, *(other for other in FOLDERS if other != folder)]
    return {path: path.read_text() for other in folders for path in sorted((ROOT / "src" / other).rglob("*.cpp"))
            if not path.stem.endswith("_test") and not path.stem.startswith("test_")}


def file_of(name, klass, run, folder, files):
    """The path of the file that a pass of a folder is in; None if there is none."""
    def defining(function, paths):
        return [path for path in paths
                if re.search(rf"^[A-Za-z][^=;/]*\b{function}\([^;]*?\)(?: const)? {{", files[path], re.M)]

    own = [path for path in files if path.is_relative_to(ROOT / "src" / folder)]
    function = re.sub(r"-(\w)", lambda letter: letter[1].upper(), name)
    calls = [call for call in re.findall(r"([A-Za-z]\w+)\(", run) if call not in ("if", "changed")]
    found = ([path for path in files if path.stem == name.replace("-", "_")]
             or [path for path in files if f"// Legality ({name}):" in files[path]]
             or (klass and [path for path in files if f" {klass}::run(" in files[path]])
             or defining(function, own)
             or [path for call in calls for path in defining(call, files)]
             or [path for path in files if path.stem == re.sub(r"(?<!^)(?=[A-Z])", "_", klass).lower()])
    return found[0] if found else None


def text_of(strings):
    return "".join(re.findall(r'"([^"]*)"', strings))


def make_table(folder):
    """The page's part between the marks, and what is wrong with the table."""
    table = (ROOT / "src" / folder / "passes.def").read_text()
    files, problems = sources(folder), []

    def place(name, klass="", run=""):
        path = file_of(name, klass.removeprefix("simt::"), run, folder, files)
        if path is None:
            problems.append(f"{folder}: no file of the pass {name}")
        return "-" if path is None else f"`{path.relative_to(ROOT / 'src').as_posix().removeprefix(folder + '/')}`"

    rows = [f"Made by `tools/pass_tables.py` of `src/{folder}/passes.def`; do not edit. Passes in italics cannot be "
            "left out.", "", "| pass | when | what it does | file |", "| --- | --- | --- | --- |"]
    for title, kind, klass, name, when, modes, run, doc in PASS.findall(table):
        if title:
            rows.append(f"| **{' '.join(re.findall('// (.*)', title)).rstrip('.')}** | | | |")
        shown = f"`{name}`" if kind == "PASS" else f"*`{name}`*"
        rows.append(f"| {shown} | {', '.join(filter(None, (WHEN.get(when, when), MODES.get(modes, modes))))} | {text_of(doc)} | {place(name, klass, run)} |")
    rows += ["", "Parts of passes that `HEDDLE_DISABLE` knows by names of their own:", "",
             "| part | what it does | file |", "| --- | --- | --- |"]
    for name, doc in CHOICE.findall(table):
        rows.append(f"| `{name}` | {text_of(doc)} | {place(name)} |")
    count = len(re.findall(r"^HEDDLE_(?:PASS|STEP|CHOICE)\(", table, re.M))
    if count != len(PASS.findall(table)) + len(CHOICE.findall(table)):
        problems.append(f"src/{folder}/passes.def has entries that this script cannot read")
    return wrap("\n".join(rows)), problems


def make_page(folder):
    page = ROOT / "docs" / f"{folder}.md"
    rows, problems = make_table(folder)
    old = page.read_text()
    text, found = re.subn(r"(<!-- passes:begin -->\n).*?(<!-- passes:end -->\n)",
                          lambda marks: f"{marks[1]}{rows}\n{marks[2]}", old, flags=re.S)
    if found != 1:
        problems.append(f"docs/{folder}.md has no place for the table")
    return page, text, problems


def main():
    checks = arguments_parser(__doc__).parse_args().check
    problems = []
    for folder in FOLDERS:
        page, text, found = make_page(folder)
        problems += found
        if checks:
            problems += is_old(page, text)
        elif not found:
            page.write_text(text)
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
