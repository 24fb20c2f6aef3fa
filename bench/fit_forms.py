#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the constants of the cost model that chooses a kernel's first width (src/simt/form/thread_cost.cpp).

  corpus.py BUILD --tables widths                        measures the corpus at all widths
  corpus.py BUILD --tables widths --cpu x86-64-v3        and held to AVX2
  fit_forms.py BUILD/bench BUILD/bench-x86-64-v3         fits to both together

What the model counts in each kernel at each width it asks of the compiler (HEDDLE_PRINT_FORMS). The loss of a kernel is
the logarithm of the time at the width of least cost over the time at the best width; of a benchmark that launches
several kernels, their mean, weighted by cost, since a width is forced on all of them. The search goes over one constant
after the other. Its loss takes each width by a share that falls with the eighth power of its cost, so that there is a
slope to follow. Prints the constants as they stand in the source, the loss before and after, and the loss of each family
of the corpus with constants fitted to the others.
"""
import argparse
import glob
import json
import math
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "src", "simt", "form", "thread_cost.cpp")
KINDS = ["vectors", "scalars", "lanes", "masks", "spills"]  # of work, as in thread_cost.h
NAMES = KINDS + ["Wait", "Growth", "Late"]
NEUTRAL = [1, 1, 1, 10, 10, 1, 0.05, 0.5]  # where a fit begins
WARP, SLOW, SHARPNESS, MOST_LOSS = 32, math.log(1.25), 8, 1.5


class Kernel:
    """One kernel of a benchmark: its parts at each width, and what each width loses."""

    def __init__(self, name, threads):
        self.key = (name, threads)
        self.parts = {}  # by width: the threads that share the time, and parts
        self.loss = {}
        self.weight = 1


def kernelsOf(text):
    """What the compiler has printed for one benchmark (ThreadCost::print)."""
    kernels, parts = {}, None
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["form"]:
            key = (words[1], words[2])
            kernel, parts = kernels.setdefault(key, Kernel(*key)), []
            if not math.isinf(float(words[4])):
                kernel.parts[int(words[3])] = (float(words[5]), parts)
        elif words[:1] == ["part"]:
            times, guards, parting, latency, *work = map(float, words[1:])
            parts.append((times, guards, parting, latency, work))
    return [kernel for kernel in kernels.values() if len(kernel.parts) > 1]


def printed(folder, cpu, name):
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, HEDDLE_PRINT_FORMS="1", HEDDLE_TUNE="off", CUDA_CACHE_PATH=cache)
        if cpu:
            environment["HEDDLE_CPU"] = cpu
        return subprocess.run([os.path.join(folder, "corpus", "cuda")], input=f"open {name}\n", capture_output=True,
                              text=True, errors="replace", env=environment, check=True).stderr


def read(folder):
    """The kernels of each benchmark of a folder of corpus.py."""
    with open(os.path.join(folder, "corpus", "results.json")) as file:
        results = json.load(file)
    benchmarks = {}
    for row in results["rows"]:
        times = {int(label.split()[1]): result["seconds"] for label, result in row["results"].items()
                 if label.startswith("width ") and "seconds" in result}
        kernels = kernelsOf(printed(folder, results["cpu"], row["name"]))
        if not times or not kernels:
            continue
        for kernel in kernels:
            for width in kernel.parts:  # a block with fewer lanes is the same at larger widths
                measured = min((other for other in times if other >= width), default=max(times))
                kernel.loss[width] = math.log(times[measured] / min(times.values()))
        costs = [cost(kernel, WARP, NEUTRAL) for kernel in kernels]
        for kernel, one in zip(kernels, costs):
            kernel.weight = one / sum(costs)
        benchmarks[row["name"]] = kernels
    return benchmarks


def cost(kernel, width, constants):
    """As ThreadCost::at."""
    wait, growth, late = constants[len(KINDS):]
    threads, parts = kernel.parts[width]
    total = 0
    for times, guards, parting, latency, work in parts:
        active = 1 if width > 1 else 0.5 ** guards
        one = sum(constant * amount for constant, amount in zip(constants, work))
        if latency > 0:
            one = max(0, wait * latency - one)
        total += times * active * width ** (late * parting) * one
    return total * width ** growth / threads


def chosen(kernel, constants):
    """The cheapest width; of equal ones a warp's, as chooseWidth has it."""
    return min(kernel.loss, key=lambda width: (cost(kernel, width, constants), width != WARP, width))


def lossOf(kernels, constants):
    return sum(kernel.weight * kernel.loss[chosen(kernel, constants)] for kernel in kernels)


def smoothLossOf(kernels, constants):
    total = 0
    for kernel in kernels:
        costs = {width: cost(kernel, width, constants) + 1e-9 for width in kernel.loss}
        least = min(costs.values())
        shares = {width: (least / one) ** SHARPNESS for width, one in costs.items()}
        total += kernel.weight * sum(share * min(kernel.loss[width], MOST_LOSS)
                                     for width, share in shares.items()) / sum(shares.values())
    return total


def fitted(machines):
    """Steps of one constant at a time, as long as they gain, in ever smaller factors."""
    def mean(constants):
        return sum(sum(smoothLossOf(kernels, constants) for kernels in machine.values()) / len(machine)
                   for machine in machines) / len(machines)

    constants, step = list(NEUTRAL), 2.0
    least = mean(constants)
    while step > 1.05:
        before = least
        for i in range(1, len(constants)):
            for factor in (step, 1 / step):
                tried = constants[:i] + [constants[i] * factor] + constants[i + 1:]
                if (loss := mean(tried)) < least:
                    least, constants = loss, tried
                    break
        if before - least < 1e-4:
            step = math.sqrt(step)
    return constants


def fromSource():
    with open(SOURCE) as file:
        text = file.read()
    work = re.search(r"Work Constants = {(.*?)}", text).group(1).split(",")
    return [float(value) for value in work] + [float(re.search(rf"double {name} = ([\d.]+)", text).group(1))
                                               for name in NAMES[len(KINDS):]]


def summary(losses):
    mean = math.exp(sum(losses) / len(losses))
    return (f"{mean:.3f} in geometric mean of {len(losses)}, {sum(loss > SLOW for loss in losses)} above "
            f"{math.exp(SLOW):.2f}, {math.exp(max(losses)):.2f} at most")


def families():
    return {os.path.basename(path)[:-3]: re.findall(r'BENCHMARK\("(\w+)"', open(path).read())
            for path in sorted(glob.glob(os.path.join(HERE, "corpus", "*.cu")))}


def crossValidation(folders, machines):
    """The losses of each family with constants that know nothing of it."""
    losses = [[] for _ in machines]
    for names in families().values():
        constants = fitted([{name: kernels for name, kernels in machine.items() if name not in names}
                            for machine in machines])
        for machine, found in zip(machines, losses):
            found += [lossOf(kernels, constants) for name, kernels in machine.items() if name in names]
    for folder, found in zip(folders, losses):
        print(f"{folder}: each family by the others: {summary(found)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", help="of peers and results of corpus.py, one a CPU")
    parser.add_argument("--quick", action="store_true", help="no cross-validation")
    options = parser.parse_args()
    machines = [read(folder) for folder in options.folders]
    before, after = fromSource(), fitted(machines)
    print(f"constexpr Work Constants = {{{', '.join(f'{value:.2g}' for value in after[:len(KINDS)])}}};")
    for name, value in zip(NAMES[len(KINDS):], after[len(KINDS):]):
        print(f"constexpr double {name} = {value:.2g};")
    for folder, machine in zip(options.folders, machines):
        print(f"{folder}: before: {summary([lossOf(kernels, before) for kernels in machine.values()])}")
        print(f"{folder}: after: {summary([lossOf(kernels, after) for kernels in machine.values()])}")
    if not options.quick:
        crossValidation(options.folders, machines)


if __name__ == "__main__":
    main()
