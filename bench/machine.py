# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a table must say of the machine: cores and vector extension. Not its name."""
import os


def describe():
    cores = len(os.sched_getaffinity(0))
    flags = ""
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith(("flags", "Features")):
                flags = line.split(":", 1)[1].split()
                break
    for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("sve", "SVE"), ("asimd", "NEON")):
        if flag in flags:
            return {"cores": cores, "vectors": name}
    return {"cores": cores, "vectors": "128-bit vectors"}
