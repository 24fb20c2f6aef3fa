# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a table must say of the machine: cores, vector extension and how busy it was. Not its name."""
import os

VECTORS = (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("sve", "SVE"), ("asimd", "NEON"))


def field(*names):
    """The first value of one of the fields of /proc/cpuinfo."""
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith(names):
                return line.split(":", 1)[1].strip()
    return ""


def describe():
    flags = field("flags", "Features").split()
    vectors = next((name for flag, name in VECTORS if flag in flags), "128-bit vectors")
    model = " ".join(field("model name").split()[:2])
    return {"cores": len(os.sched_getaffinity(0)), "vectors": vectors, "model": model or "unnamed CPU"}


class Others:
    """The share of the processors' time that went to other processes (and other virtual machines)."""

    def __init__(self):
        self.total, self.idle = self.machine()
        self.own = self.ticksOf(())

    @staticmethod
    def machine():
        """Ticks since boot: all, and idle or waiting for a disk."""
        with open("/proc/stat") as file:
            ticks = list(map(int, file.readline().split()[1:9]))
        return sum(ticks), ticks[3] + ticks[4]

    @staticmethod
    def ticksOf(processes):
        """Those of this process, its ended children and the living `processes`."""
        times = os.times()
        own = sum(times[:4]) * os.sysconf("SC_CLK_TCK")
        for process in processes:
            with open(f"/proc/{process}/stat") as file:
                own += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
        return own

    def share(self, processes=()):
        total, idle = self.machine()
        total, idle = total - self.total, idle - self.idle
        busy = total - idle - (self.ticksOf(processes) - self.own)
        return max(busy / total, 0.0) if total else 0.0
