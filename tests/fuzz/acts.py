#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which optional passes act on random programs: acts.py --heddle heddle --seeds 1-8 [--only KIND] [--passes a,b]

A pass acts on a kernel if the kernel's object is another one without it. What no program reaches needs programs of its own.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import struct
import sys
import tempfile

import generate
import run


def elf(content):
    """An ELF file without what lies behind its last table: the cache puts a trailer there (base/cache/cache_files.cpp)."""
    (table,), (entry_size, entries) = struct.unpack_from("<Q", content, 0x28), struct.unpack_from("<HH", content, 0x3A)
    return content[:table + entry_size * entries]


def objects(program, configuration, folder):
    """The compiled kernels of a program, each as often as it was compiled."""
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        run.execute([program, "gpu"], {**os.environ, **configuration, "CUDA_CACHE_PATH": cache, "CUDA_CACHE_DISABLE": "0", "HEDDLE_SAME_CODE": folder}, 600)
        found = collections.Counter()
        for path, _, files in os.walk(cache):
            for file in files:
                with open(os.path.join(path, file), "rb") as entry:
                    content = entry.read()
                if content.startswith(b"\x7fELF"):
                    found[hashlib.sha256(elf(content)).digest()] += 1
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--seeds", default="1-4")
    parser.add_argument("--only", action="append")
    parser.add_argument("--passes", help="these alone, with commas between")
    parser.add_argument("--flags", action="append", type=str.split, help="the compiler's options, in place of all that run.py takes")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    names = options.passes.split(",") if options.passes else run.passes()
    acted = {name: collections.Counter() for name in names}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for flags in options.flags or run.OPTIONS:
            units = [unit for seed in range(int(first), int(last or first) + 1) for unit in generate.program(seed, options.only, exact=bool(flags))]
            batch = run.Batch("acts", units, argparse.Namespace(heddle=options.heddle, flags=flags), folder)
            if not batch.compile():
                sys.exit(batch.complaints[0][2])
            for cpu in run.CPUS:
                machine = {"HEDDLE_CPU": cpu} if cpu else {}
                plain = objects(batch.program, machine, folder)
                jobs = {name: pool.submit(objects, batch.program, {**machine, "HEDDLE_DISABLE": name}, folder) for name in names}
                for name, job in jobs.items():
                    other = job.result()
                    acted[name][" ".join([*flags, cpu or "native"])] += max(sum((plain - other).values()), sum((other - plain).values()))
                print(f"{' '.join(flags) or 'exact'}, {cpu or 'native'}: {sum(plain.values())} kernels", file=sys.stderr, flush=True)
    for name in sorted(names, key=lambda name: (sum(acted[name].values()), name)):
        print(f"{name:18}{sum(acted[name].values()):6}  " + "  ".join(f"{where}: {count}" for where, count in acted[name].items() if count))


if __name__ == "__main__":
    sys.exit(main())
