#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs in many configurations and compares what comes out with plain C++.

  run.py --heddle heddle --seeds 1-200                some configurations for each batch of programs, other ones for the next
  run.py --heddle heddle --seeds 7 --all              each width, each CPU, and each optional pass switched off in turn
  run.py --heddle heddle --seeds 1- --minutes 600     until the time is up: the nightly form
  run.py --compiler 'nvcc -arch=sm_90' --seeds 1-200  on a real GPU
  run.py --heddle heddle --widths --units soup:40     of one kind, by number, at each width

A failure prints the unit's name, what to run, and which passes make it right when they are switched off; its program is kept in
the folder that --keep names. shrink.py makes it small.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "src")
WIDTHS = ["1", "8", "16", "32", "64", "256"]
CPUS = ["", "x86-64-v3"]  # all that the machine has: AVX-512 on most; AVX2
WAYS = [{}, {"FUZZ_WAY": "captured"}, {"FUZZ_WAY": "graph"}]  # in which launches get to the device (fuzz_steps.h)
OPTIONS = [(), ("-ffast-math",), ("-fassociative-math",)]  # of the compiler; some passes act under them only
BATCH = 16
OPEN = re.compile(r" (open|stuck|lane not in mask|reads an idle lane)$")  # what fuzz_host.h says of a unit that proves nothing

NAME = r'^HEDDLE_(?:PASS\(\w+,|CHOICE\()\s*"([a-z0-9-]+)"'


@functools.cache
def passes(sources=SOURCES):
    """The names that HEDDLE_DISABLE knows, from the tables."""
    names = set()
    for folder, _, files in os.walk(sources):
        for file in files:
            if file.endswith(".def"):
                with open(os.path.join(folder, file)) as text:
                    names.update(re.findall(NAME, text.read(), re.MULTILINE))
    assert names, "no pass found in " + sources
    return sorted(names)


def name_of(configuration):
    return " ".join(f"{key}={value}" for key, value in configuration.items()) or "as it comes"


def configurations(number, options):
    """Those of one batch. CPUs, widths and passes come up in turn, from batch to batch, each with each."""
    names, avx2 = passes(), {"HEDDLE_CPU": CPUS[1]}
    widths = [{"HEDDLE_WIDTH": width} for width in WIDTHS]
    if options.widths:
        return [{}, avx2] + widths + WAYS[1:]
    if options.all:
        extra = WAYS + widths + [{"HEDDLE_DISABLE": name} for name in names]
        return [{**({"HEDDLE_CPU": cpu} if cpu else {}), **some} for cpu in CPUS for some in extra]
    cpu = avx2 if (number + number // len(names)) % 2 else {}
    some = {}, widths[number // 2 % len(WIDTHS)], {"HEDDLE_DISABLE": names[number % len(names)]}
    turn = number + number // (2 * len(WIDTHS))
    return [{**cpu, **one, **WAYS[(turn + i) % len(WAYS)]} for i, one in enumerate(some)]


def flags_of(number):
    """The compiler's options for a batch: mostly none. In the next round of passes others."""
    return OPTIONS[{3: 1, 4: 2}.get((number + number // len(passes())) % 5, 0)]


def execute(command, environment, timeout):
    """Exit code, or what ended the program, and output so far."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, env=environment)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        return "hangs", (late.stdout or b"").decode(errors="replace"), ""


def results(program, half, count, configuration, timeout=300, first=0):
    """What a half of a program says of each of its units: name -> digests or error. Most settings change few kernels: what the
    back end makes of the others is kept beside the program (src/jit/same_code.h)."""
    environment = {**os.environ, "HEDDLE_SAME_CODE": program + ".same", **configuration}
    environment.setdefault("CUDA_CACHE_DISABLE", "1")
    environment.setdefault("HEDDLE_WORKERS", "3")  # the launches are small, and other programs run beside this one
    found, broken = [], None
    last = count - 1
    while first <= last:
        code, output, errors = execute([program, half, str(first), str(last)], environment, timeout)
        lines = output.split("\n")
        whole = lines[:-1] if not output.endswith("\n") else [l for l in lines if l]
        for line in whole:
            found.append(line)
            first += 1
            if len(line.split()) > 1 and "cuda" in line.lower():
                break  # what comes behind an error of the device says nothing
        else:
            if first <= last:
                found.append(f"{first} {code} {errors.strip()[-300:]}")
                first += 1
    return found


class Batch:
    def __init__(self, number, units, options, folder):
        self.number, self.units, self.options, self.folder = number, units, options, folder
        self.flags = list(options.flags) if options.flags is not None else list(flags_of(number))
        self.program = os.path.join(folder, f"batch{number}")
        self.complaints, self.runs, self.open, self.reached = [], 0, [], collections.Counter()

    def compile(self):
        source = self.program + ".cu"
        with open(source, "w") as file:
            file.write(generate.render(self.units))
        if self.options.heddle:
            command = [self.options.heddle, "cc", "-O0", "-w", *self.flags]  # of the host's half; the kernels are optimized
        else:
            command = self.options.compiler.split()
        linked = generate.options_of(self.units)
        code, output, errors = execute(command + linked + ["-I", HERE, source, "-o", self.program], dict(os.environ), 600)
        if code != 0:
            self.complaints.append((self.units[0], {}, f"does not compile: {output[-2000:]}{errors[-2000:]}"))
        return code == 0

    def check(self):
        """Compiles, runs, compares."""
        if not self.compile():
            return self
        count = len(self.units)
        wanted = results(self.program, "host", count, {})
        is_open = {i for i, line in enumerate(wanted) if OPEN.search(line)}
        self.open = [wanted[i] for i in is_open]
        plan = configurations(self.number, self.options) if self.options.heddle else [{}]
        wrong = {}
        for configuration in plan:
            got = results(self.program, "gpu", count, configuration)
            self.runs += count
            for setting in [*self.flags, *(f"{key}={value}" for key, value in configuration.items())] or ["as it comes"]:
                self.reached[setting] += count
            for i, (a, b) in enumerate(zip(wanted, got)):
                if a != b and i not in is_open:
                    wrong.setdefault(i, []).append((configuration, f"wants {a}, gets {b}"))
        for i, cases in wrong.items():
            others = f" (and {len(cases) - 1} of {len(plan)} more)" if len(cases) > 1 else ""
            self.complaints.append((self.units[i], cases[0][0], cases[0][1] + others))
        os.remove(self.program)
        shutil.rmtree(self.program + ".same", ignore_errors=True)
        return self


def blame(program, configuration):
    """The passes without which a program of one unit is right."""
    wanted = results(program, "host", 1, {})
    right = []
    for name in passes():
        disabled = ",".join(filter(None, [configuration.get("HEDDLE_DISABLE"), name]))
        if results(program, "gpu", 1, {**configuration, "HEDDLE_DISABLE": disabled}) == wanted:
            right.append(name)
    return right


def report(batch, unit, configuration, what, options, folder):
    where = " ".join([*batch.flags, name_of(configuration)])
    print(f"{unit[0]}: {where}: {what}", flush=True)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        with open(os.path.join(options.keep, unit[0] + ".cu"), "w") as file:
            file.write(f"// {where}\n" + generate.render([unit]))
    if options.heddle and options.blame and "compile" not in what:
        alone = Batch(f"_{unit[0]}", [unit], options, folder)
        alone.flags = batch.flags
        if alone.compile():
            print(f"  right without: {', '.join(blame(alone.program, configuration)) or 'no single pass'}", flush=True)


def summary(reached):
    """How many runs of kernels had which setting; of the passes that were off, the least and the most."""
    lines = {name: count for name, count in reached.items() if not name.startswith("HEDDLE_DISABLE")}
    off = [reached[f"HEDDLE_DISABLE={name}"] for name in passes()] if lines else []
    if any(off):
        lines["HEDDLE_DISABLE"] = f"{min(off)} to {max(off)} for each of {len(off)} passes"
    return lines


def batches(options):
    """Lists of units."""
    if options.units:
        kind_numbers = [entry.split(":") for entry in options.units]
        yield [(f"u{number}_{kind}", generate.unit(kind, int(number))) for kind, number in kind_numbers]
        return
    first, dash, last = options.seeds.partition("-")
    seed, end = int(first), int(last) if last else (1 << 40 if dash else int(first))
    begin = time.time()
    while seed <= end and (not options.minutes or time.time() < begin + 60 * options.minutes):
        seeds = range(seed, min(end, seed + options.batch - 1) + 1)
        flags = flags_of(seed // options.batch) if options.flags is None else options.flags
        yield [unit for s in seeds for unit in generate.program(s, options.only, exact=bool(flags))]
        seed = seeds[-1] + 1


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--heddle")
    parser.add_argument("--compiler")
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--units", action="append")
    parser.add_argument("--only", action="append")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--widths", action="store_true")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--keep")
    parser.add_argument("--flags", type=str.split, help="the compiler's options, in place of some for each batch")
    parser.add_argument("--no-blame", dest="blame", action="store_false")
    options = parser.parse_args()
    if options.units and options.flags is None:
        options.flags = []
    begin = time.time()
    units = done_units = runs = open_units = bad = 0
    said = begin
    reached = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = set()
        source = enumerate(batches(options))
        base = int(options.seeds.partition("-")[0]) // options.batch
        while True:
            while len(waiting) < options.jobs:
                number, batch = next(source, (0, None))
                if batch is None:
                    break
                units += len(batch)
                waiting.add(pool.submit(Batch(base + number, batch, options, folder).check))
            if not waiting:
                break
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                batch = future.result()
                runs, open_units = runs + batch.runs, open_units + len(batch.open)
                for line in batch.open:
                    print(f"open: {line}", flush=True)
                reached.update(batch.reached)
                done_units += len(batch.units)
                if time.time() > said + 60:
                    said = time.time()
                    print(f"{done_units // generate.UNITS} programs, {runs} runs of kernels, {bad} differences", flush=True)
                for complaint in batch.complaints:
                    bad += 1
                    report(batch, *complaint, options, folder)
    print(f"{units // generate.UNITS} programs of {generate.UNITS} kernels, {runs} runs of kernels, {open_units} leave something open, "
          f"{bad} differences, {time.time() - begin:.0f} s")
    for setting, counts in sorted((setting, counts) for setting, counts in summary(reached).items()):
        print(f"  {setting}: {counts}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
