# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_probe.py expected ours: line by line; says where they differ but for the lines below."""
import re
import sys

# Where we differ on purpose, and why. A line that matches is compared up to its colon.
DIFFERENT = {
    r"attribute 11[23]:": "no sparse arrays, no read-only registration",
    r"attribute 11[6-9]:": "no direct access of other cards; pools have no fabric handles",
    r"attribute (121|142):": "no deferred mapping, no pools on the host",
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


def main():
    expected, ours = (open(name).read().splitlines() for name in sys.argv[1:3])
    bad = [(a, b) for a, b in zip(expected, ours) if reduced(a) != reduced(b)]
    for a, b in bad:
        print(f"- {a}\n+ {b}")
    if len(expected) != len(ours):
        print(f"{len(expected)} lines on the GPU, {len(ours)} here")
    return 1 if bad or len(expected) != len(ours) else 0


sys.exit(main())
