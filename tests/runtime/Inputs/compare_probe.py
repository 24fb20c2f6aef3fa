# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What probes print here, and what they printed on a GPU.

  compare_probe.py expected ours                   line by line; says where they differ but for the lines below
  compare_probe.py --calls answers deviations ours for driver_calls.cpp: says where the codes differ but for the
                                                   deviations, and which deviations are none any more
  compare_probe.py --record recording ...          the answers of driver_calls.cpp on which recordings agree

Answers (codes, and values that the calls before them made) are kept by section, function and code: the remarks of the
calls that got it, or `good`; `#2` is the second of the same name. Calls that end the process, do not return on the GPU
or come too early are left out. A deviation is a line

  pattern of calls | codes there | codes here | why

where the pattern is for the whole of `section: function remark`, `*` stands for any code, and a code for itself or
several of it.
"""
import re
import sys

CALL = re.compile(r"(\w.*?): ((?:(?:CUDA_\w+|no code of an error|ends the process|does not return|-) ?)+)$")
VALUE = re.compile(r"  (.*) = (-?\d+)$")
NONE = re.compile(r"ends the process|does not return|no code|NOT_READY")

# Where we differ on purpose, and why. A line that matches is compared up to its colon.
DIFFERENT = {
    r"attribute 113:": "no read-only registration",
    r"attribute 11[6-9]:": "no direct access of other cards; pools have no fabric handles",
    r"(device|managed) attribute 5:": "no tokens for the kernel driver of other cards",
    r"limit [167]:": "the printf buffer has CUDA's documented 1 MiB; nothing persists in L2; 7 is undocumented",
    r"  cudaMemset\(p\.dptr": "memory of a graph is there before it is launched and after it has freed it",
    r"(524288|65536|4194304|1048576)$": "smallest sizes of the printf buffer and the heap: ours are as asked for",
}


def reduced(line):
    for pattern in DIFFERENT:
        if re.match(pattern, line):
            return line.split(":")[0] if ":" in line else ""
    return line


def compare_lines(names):
    expected, ours = (open(name).read().splitlines() for name in names)
    bad = [(a, b) for a, b in zip(expected, ours) if reduced(a) != reduced(b)]
    for a, b in bad:
        print(f"- {a}\n+ {b}")
    if len(expected) != len(ours):
        print(f"{len(expected)} lines on the GPU, {len(ours)} here")
    return 1 if bad or len(expected) != len(ours) else 0


def calls_of(lines):
    """By (section, call), which is numbered where there are several: the codes, without what all have in front. A value
    behind a call is `call > what`."""
    found, section, last, counts = {}, "", "", {}

    def add(call, answer):
        counts[section, call] = counts.get((section, call), 0) + 1
        number = f" #{counts[section, call]}" if counts[section, call] > 1 else ""
        found[section, call + number] = answer

    for line in lines:
        if line.startswith("== "):
            section = line[3:].strip().split(":")[0]
        elif match := CALL.match(line):
            last = match[1].strip()
            add(last, re.sub(r"CUDA_(ERROR_)?", "", match[2]).strip())
        elif match := VALUE.match(line):
            add(f"{last} > {match[1]}", match[2])
    return found


def read(name):
    with open(name, errors="replace") as file:
        return file.read().splitlines()


def record(names):
    recordings = [calls_of(read(name)) for name in names]
    tree = {}
    for (section, call), codes in recordings[0].items():
        if NONE.search(codes) or any(other.get((section, call)) != codes for other in recordings):
            continue
        function, _, remark = call.partition(" ")
        remark = remark or "good"
        if len(codes.split()) > 1:  # of calls without arguments, each function's
            function, remark = "", call
        tree.setdefault(section, {}).setdefault(function, {}).setdefault(codes, []).append(remark)
    for section, functions in tree.items():
        print(f"== {section}")
        for function, by_codes in functions.items():
            if function:
                print(function)
            for codes, remarks in by_codes.items():
                print(f"  {codes}: {' | '.join(remarks)}")


def answers_of(lines):
    """calls_of for what `record` has written."""
    found, section, function = {}, "", ""
    for line in lines:
        if line.startswith("== "):
            section, function = line[3:], ""
        elif line.startswith("  "):
            codes, remarks = line[2:].split(": ", 1)
            for remark in remarks.split(" | "):
                name = function if remark == "good" else f"{function} {remark}".strip()
                found[section, name] = codes
        elif line:
            function = line
    return found


class Deviation:
    def __init__(self, line):
        self.line = line
        pattern, self.there, self.here, _ = line.split(" | ")
        self.pattern = re.compile(pattern)
        self.is_used = False

    def covers(self, section, call, there, here):
        fits = all(wanted in ("*", codes) or {wanted} == set(codes.split())
                   for wanted, codes in ((self.there, there), (self.here, here)))
        covered = fits and self.pattern.fullmatch(f"{section}: {call}") is not None
        self.is_used |= covered
        return covered


def compare_calls(arguments):
    answers, ours = answers_of(read(arguments[0])), calls_of(read(arguments[2]))
    deviations = [Deviation(line) for line in read(arguments[1]) if line and not line.startswith("#")]
    count = 0
    for (section, call), there in answers.items():
        here = ours.get((section, call), "not called")
        if here != there and not any([d.covers(section, call, there, here) for d in deviations]):
            print(f"{section}: {call} | {there} | {here}")
            count += 1
    stale = [d.line for d in deviations if not d.is_used]
    for line in stale:
        print(f"no deviation any more: {line}")
    same = sum(ours.get(key) == there for key, there in answers.items())
    print(f"{len(answers)} answers, {same} the same here, {count} differ without a reason")
    return 1 if count or stale else 0


def main(arguments):
    if arguments[0] == "--record":
        return record(arguments[1:])
    return compare_calls(arguments[1:]) if arguments[0] == "--calls" else compare_lines(arguments)


sys.exit(main(sys.argv[1:]))
