# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cold and warm start of `heddle run` with a vector addition: an empty cache, and the cache of that run."""
import os
import statistics
import subprocess
import tempfile
import time

COLD, WARM = 5, 20


def once(heddle, folder):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start.cu")
    begin = time.monotonic()
    code = subprocess.run([heddle, "run", source], env=dict(os.environ, CUDA_CACHE_PATH=folder)).returncode
    return time.monotonic() - begin if code == 0 else None


def measure(heddle):
    """Median seconds, or None where the program failed."""
    cold, warm = [], []
    for _ in range(COLD):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(once(heddle, folder))
            if len(cold) == COLD:
                warm = [once(heddle, folder) for _ in range(WARM)]
    if None in cold + warm:
        return {"cold": None, "warm": None}
    return {"cold": statistics.median(cold), "warm": statistics.median(warm)}
