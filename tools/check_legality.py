#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that every optional pass says when it is legal, and that each of these conditions has a test.
#
# An optional pass is a HEDDLE_PASS or HEDDLE_CHOICE of the tables simt/passes.def, jit/passes.def and
# device/switches.def, where all names are that the sources ask HEDDLE_DISABLE for, isEnabled("name"). The comment on top
# of its file holds
#
#     // Legality (name):
#     //  1. A condition in plain sentences, which may take
#     //     several lines. [key]
#     //  2. ... [other key]
#
# or, if the pass only chooses among right forms, one sentence: "// Legality (name): none: why". A test of the
# condition that must stop the pass follows a line "; LEGAL name: key" (in C++ "// LEGAL name: key"). docs/tests.md
# has the rule in words.
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent

# Passes that say nothing yet.
TO_DO = {
    "simt": [],
    "jit": [],
    "device": [],
}

SWITCH = re.compile(r'^HEDDLE_(?:PASS\(\w+,|CHOICE\()\s*"([a-z0-9-]+)"', re.MULTILINE)
ASKED = re.compile(r'\bisEnabled\(\s*"([a-z0-9-]+)"')
PARAGRAPH = re.compile(r"^// Legality \(([a-z0-9-]+)\):(.*)$")
CONDITION = re.compile(r"^\s*(\d+)\.\s")
KEY = re.compile(r"\[([a-z0-9 -]+)\]$")
TEST = re.compile(r"^\s*(?:;|//) LEGAL ([a-z0-9-]+): ([a-z0-9 -]+?)\s*$")


def place(path, number):
    return f"{path.relative_to(root)}:{number}"


def switches(folder):
    """The names of the optional passes of src/<folder>."""
    names = set()
    for path in (root / "src" / folder).glob("*.def"):
        names.update(SWITCH.findall(path.read_text()))
    return names


def asked():
    """The names that the sources ask for."""
    names = set()
    for path in (root / "src").rglob("*"):
        if path.suffix in (".cpp", ".h", ".def") and not path.stem.endswith("_test"):
            names.update(ASKED.findall(path.read_text()))
    return names


def conditions(where, name, text, errors):
    """The keys of a paragraph, whose lines come without their slashes."""
    if text[0].strip().startswith("none: "):
        return set()
    found = []
    for line in text[1:]:
        number = CONDITION.match(line)
        if number:
            found.append("")
            if int(number.group(1)) != len(found):
                errors.append(f"{where}: the conditions of {name} are not numbered from 1 on")
        if found:
            found[-1] = (found[-1] + " " + line.strip()).strip()
    keys = [key.group(1) for key in map(KEY.search, found) if key]
    if not found or len(keys) != len(found):
        errors.append(f"{where}: a condition of {name} has no [key] at its end, or there is no condition")
    if len(set(keys)) != len(keys):
        errors.append(f"{where}: two conditions of {name} have the same key")
    return set(keys)


def paragraphs(errors):
    """The keys of each pass that has a paragraph, by its name."""
    keys = {}
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cpp", ".h") or path.stem.endswith("_test"):
            continue
        lines = path.read_text().splitlines()
        for i, line in enumerate(lines):
            head = PARAGRAPH.match(line)
            if not head:
                continue
            text = [head.group(2)]
            for more in lines[i + 1:]:
                if not more.startswith("// ") or PARAGRAPH.match(more):
                    break
                text.append(more[2:])
            name = head.group(1)
            if name in keys:
                errors.append(f"{place(path, i + 1)}: a second paragraph on {name}")
            keys[name] = conditions(place(path, i + 1), name, text, errors)
    return keys


def tests():
    """Where each (pass, key) is tested."""
    found = {}
    folders = (root / "tests", root / "src")
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix not in (".ll", ".cu", ".cpp", ".test") or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            test = TEST.match(line)
            if test:
                found.setdefault((test.group(1), test.group(2)), place(path, number))
    return found


def main():
    errors = []
    names = {folder: switches(folder) for folder in TO_DO}
    keys = paragraphs(errors)
    tested = tests()
    every = set().union(*names.values())
    later = {name for folder in TO_DO for name in TO_DO[folder]}
    for name in sorted(every - later - keys.keys()):
        errors.append(f"{name}: no paragraph 'Legality ({name})' in src/")
    for name in sorted(keys.keys() - every):
        errors.append(f"{name}: has a paragraph, and is in no table")
    for name in sorted(asked() - every):
        errors.append(f"{name}: is asked for, and is in no table")
    for name in sorted(later & keys.keys() | later - every):
        errors.append(f"{name}: has a paragraph or no switch: take it off the list in this script")
    for name in sorted(keys):
        for key in sorted(keys[name]):
            if (name, key) not in tested:
                errors.append(f"{name}: no test 'LEGAL {name}: {key}' in tests/ or src/")
    for (name, key), where in sorted(tested.items()):
        if key not in keys.get(name, ()):
            errors.append(f"{where}: {name} has no condition [{key}]")
    for error in errors:
        print(error)
    count = sum(len(keys[name]) for name in keys)
    print(f"check_legality: {'ok' if not errors else str(len(errors)) + ' errors'}: {len(keys)} passes with "
          f"{count} conditions, {len(later)} passes to do")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
