# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processor time of tests, and of a fixed compilation that tells how fast the processor is just now.

A record is a file of lines "seconds of the processor, seconds of the clock, name": of each test, and of each time that
the reference was compiled, which is once in a while in each of lit's processes.
"""
import os
import resource
import shutil
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REFERENCE = "reference"
EVERY = 60  # seconds from one reference to the next in a process

_last_reference = None


def processor_time():
    """Of all children that have ended and were waited for, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Measured:
    """with Measured(record, name): ... adds a line, unless the block clears `name`."""

    def __init__(self, record, name):
        self.record, self.name = record, name

    def __enter__(self):
        self.clock, self.processor = time.monotonic(), processor_time()
        return self

    def __exit__(self, kind, value, trace):
        self.seconds = processor_time() - self.processor
        if self.name and self.record:
            line = f"{self.seconds:.2f} {time.monotonic() - self.clock:.2f} {self.name}\n"
            with open(self.record, "a") as file:  # one write at the end stays in one piece
                file.write(line)


def reference(record=None):
    """Compiles it; the seconds of the processor."""
    clang = shutil.which("clang++-22") or "clang++"
    with Measured(record, REFERENCE) as measured:
        subprocess.run([clang, "-O2", "-c", os.path.join(ROOT, "tests", "Inputs", "reference.cpp"), "-o", os.devnull],
                       check=True)
    return measured.seconds


def sample_reference(record):
    """The reference if it is time for it in this process."""
    global _last_reference
    if _last_reference is None or time.monotonic() - _last_reference > EVERY:
        reference(record)
        _last_reference = time.monotonic()


def name_of(path):
    return os.path.relpath(path, ROOT)
