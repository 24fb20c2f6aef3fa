#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing unit of a random program small: shrink.py --heddle heddle [--set HEDDLE_WIDTH=8]... KIND:NUMBER > small.cu

Lines, blocks and parts of expressions go while the unit still fails in the same way. What is left stays a valid program: plain
C++ gives the same whatever the order of threads (fuzz_host.h), and the sanitizers see no access outside of an array there.
A file of one unit, as run.py keeps it, may be named instead. At the end the passes are printed that make it right when they are
switched off.
"""
import argparse
import os
import re
import sys
import tempfile

import generate
import run

TOGETHER = 24  # candidates in one file: most of a small file's compilation is the headers


class Shrinker:
    def __init__(self, heddle, configuration, flags, folder, sanitized):
        self.heddle, self.configuration, self.flags, self.folder, self.sanitized = heddle, configuration, flags, folder, sanitized
        self.tries = 0
        self.wanted_kind = None

    def compile(self, units, flags=()):
        """The units that compile, and the program."""
        path = os.path.join(self.folder, "candidates")
        units = [unit for unit in units if is_balanced(unit[1])]
        while units:
            text = generate.render(units)
            with open(path + ".cu", "w") as file:
                file.write(text)
            command = [self.heddle, "cc", "-O0", "-Xcompiler", "-Werror=return-type,-Werror=uninitialized", *self.flags, *flags, *generate.options_of(units)]
            code, output, errors = run.execute([*command, "-I", run.HERE, path + ".cu", "-o", path], dict(os.environ), 300)
            if code == 0:
                return units, path
            lines = text.split("\n")
            wrong = set()
            for number in re.findall(r"candidates\.cu:(\d+):\d+: (?:fatal )?error", output + errors):
                for k in range(int(number) - 1, -1, -1):
                    if match := re.match(r"namespace (c\d+) \{", lines[k]):
                        wrong.add(match.group(1))
                        break
            if not wrong:
                return [], path
            units = [unit for unit in units if unit[0] not in wrong]
        return [], path

    def failing(self, texts):
        """Which of the texts are valid and fail."""
        self.tries += len(texts)
        units, path = self.compile([(f"c{k}", text) for k, text in enumerate(texts)])
        failed = set()
        if not units:
            return failed
        wanted = run.results(path, "host", len(units), {}, timeout=20)
        got = run.results(path, "gpu", len(units), self.configuration, timeout=20)
        for (name, _), a, b in zip(units, wanted, got):
            if not a.startswith(name + " ") or run.OPEN.search(a) or a == b:
                continue
            kind = "differs" if b.startswith(name + " ") else "ends"
            if self.wanted_kind in (None, kind):
                if not self.wanted_kind:
                    self.wanted_kind = kind
                failed.add(int(name[1:]))
        return failed

    def clean(self, text):
        """The sanitizers have nothing against it."""
        if not self.sanitized:
            return True
        flags = ["-Xcompiler", "-fsanitize=address,-fsanitize=bounds,-fsanitize=signed-integer-overflow,-fno-sanitize-recover=all"]
        units, path = self.compile([("c0", text)], flags)
        if not units:
            return False
        os.environ["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=0"
        return run.results(path, "host", 1, {}, timeout=60)[0].startswith("c0 ")

    def shrink(self, text):
        """Edits from the largest down to the smallest, again until none is left that the text fails with."""
        before = None
        while text != before:
            before, limit = text, len(text)
            while limit > 0:
                text, limit = self.step(text, limit)
                print(f"{len(text.splitlines())} lines, {len(text)} characters, {self.tries} tries", file=sys.stderr, flush=True)
        return text

    def step(self, text, limit):
        """Tries edits that take away no more than `limit` characters, until some do. The text, and where to go on."""
        edits = [e for e in sorted(set(edits_of(text)), key=saved, reverse=True) if 0 < saved(e) <= limit]
        for begin in range(0, len(edits), TOGETHER):
            some = edits[begin:begin + TOGETHER]
            failed = self.failing([apply(text, [edit]) for edit in some])
            good = [edit for k, edit in enumerate(some) if k in failed]
            while good:
                apart = []
                for edit in good:
                    if all(edit[1] <= other[0] or other[1] <= edit[0] for other in apart):
                        apart.append(edit)
                for chosen in ([apart] if len(apart) > 1 else []) + [[good[0]]]:
                    candidate = apply(text, chosen)
                    if (len(chosen) == 1 or self.failing([candidate])) and self.clean(candidate):
                        return candidate, saved(some[-1])
                good = good[1:]
        return text, 0


def saved(edit):
    return edit[1] - edit[0] - len(edit[2])


def is_balanced(text):
    """Braces close what they open: a unit ends in its namespace."""
    depth = 0
    for c in text:
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return False
    return depth == 0


def apply(text, edits):
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def edits_of(text):
    """Edits (begin, end, replacement) that make the text shorter."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    lines = text.split("\n")
    count = len(lines) - 1
    size = count
    while size >= 1:
        for k in range(0, count, max(1, size // 2 if size > 1 else 1)):
            if lines[k].strip():
                yield starts[k], starts[min(count, k + size)], ""
        size //= 2
    # Blocks: all of one, or what is around its body.
    opened = []
    for k, line in enumerate(lines):
        stripped = line.strip()
        if stripped.startswith("}") and opened:
            first = opened.pop()
            yield starts[first], starts[k + 1], ""
            if k > first + 1 and not stripped.startswith("} else"):
                yield starts[first], starts[k + 1], text[starts[first + 1]:starts[k]]
            if stripped.startswith("} else"):
                yield starts[k], starts[k] + len(line), "}"
        if stripped.endswith("{"):
            opened.append(k)
        if re.match(r"(if|for|while) \(.*\)$", stripped):
            yield starts[k], starts[k + 2] if k + 2 < len(starts) else starts[k + 1], ""
    # Parts of expressions: a pair of parentheses becomes a number, or one of its operands.
    stack = []
    for k, c in enumerate(text):
        if c == "(":
            stack.append(k)
        elif c == ")" and stack:
            begin = stack.pop()
            inner = text[begin + 1:k]
            if "\n" in inner or not inner or ";" in inner:
                continue
            for number in ("0", "1"):
                if len(inner) > 1:
                    yield begin + 1, k, number
            depth, cut = 0, []
            for at, d in enumerate(inner):
                depth += (d == "(") - (d == ")")
                if depth == 0 and re.match(r" (\+|-|\*|&|\||\^|/|%|<<|>>|&&|\|\||\?|:|,) ", inner[at:]):
                    cut.append(at)
            for at in cut:
                operator = re.match(r" \S+ ", inner[at:]).end()
                yield begin + 1, k, inner[:at]
                yield begin + 1, k, inner[at + operator:]
    for match in re.finditer(r" = ([^;\n]{4,});", text):
        yield match.start(1), match.end(1), "0"
    for match in re.finditer(r" (?:&&|\|\||[-+*^|&]) [\w.\[\]]+(?=[;)])", text):
        yield match.start(), match.end(), ""
    for match in re.finditer(r"\b\d{2,}\b", text):
        for smaller in {"1", str(int(match.group()) // 2)}:
            if len(smaller) <= len(match.group()) and smaller != match.group():
                yield match.start(), match.end(), smaller


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--flags", default=[], type=str.split, help="the compiler's options, as run.py names them")
    parser.add_argument("--fast", action="store_true", help="without the sanitizers")
    parser.add_argument("unit")
    options = parser.parse_args()
    if os.path.exists(options.unit):
        with open(options.unit) as file:
            text = re.search(r"namespace gpu \{\n\nnamespace \w+ \{\n(.*?)\} // namespace", file.read(), re.S).group(1)
    else:
        kind, number = options.unit.split(":")
        text = generate.unit(kind, int(number))
    configuration = dict(entry.split("=", 1) for entry in options.set)
    with tempfile.TemporaryDirectory() as folder:
        shrinker = Shrinker(options.heddle, configuration, options.flags, folder, not options.fast)
        if not shrinker.failing([text]):
            sys.exit("it does not fail")
        if not shrinker.clean(text):
            sys.exit("the sanitizers have something against it")
        text = shrinker.shrink(text)
        _, path = shrinker.compile([("c0", text)])
        right = run.blame(path, configuration)
    where = " ".join([*options.flags, run.name_of(configuration)])
    print(f"// {where}: right without {', '.join(right) or 'no single pass'}")
    sys.stdout.write(generate.render([("small", text)]))


if __name__ == "__main__":
    sys.exit(main())
