# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# mutated_objects.py NVCC COUNT SEED FILES: links each of COUNT damaged copies of the files, objects and archives, by
# `nvcc -dlink`, which reads their device code. It must end by itself, with a message if it fails.
import os
import random
import subprocess
import sys

nvcc, count, seed, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
EXTREMES = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 63, (1 << 64) - 1]


def place(data, rng):
    """Half of the damage is to headers: of the file, its sections, archive members and device images."""
    marks = [0, max(0, len(data) - 4096)]
    for magic in (b"\x7fELF", b"HEDDLE", b"`\n"):
        at = data.find(magic)
        while at >= 0 and len(marks) < 40:
            marks.append(at)
            at = data.find(magic, at + 1)
    if rng.random() < 0.5:
        return min(len(data) - 1, rng.choice(marks) + rng.randrange(256))
    return rng.randrange(len(data))


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at, kind = place(data, rng), rng.randrange(6)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            size = rng.choice([1, 2, 4, 8])
            data[at:at + size] = (rng.choice(EXTREMES) & (1 << 8 * size) - 1).to_bytes(size, "little")
        elif kind == 2:
            data[at:at + 16] = rng.randbytes(16)
        elif kind == 3:
            del data[at:at + rng.choice([1, 8, 64])]
        elif kind == 4:
            data[at:at] = data[at:at + rng.choice([1, 8, 64])]
        elif len(data) > 100:
            del data[rng.randrange(64, len(data)):]
    return bytes(data)


originals = [(os.path.splitext(path)[1], open(path, "rb").read()) for path in files]
linked = 0
for i in range(count):
    rng = random.Random(f"{seed} {i}")
    suffix, data = rng.choice(originals)
    with open("mutated" + suffix, "wb") as file:
        file.write(mutate(data, rng))
    done = subprocess.run([nvcc, "-dlink", "-rdc=true", "mutated" + suffix, "-o", "out.o"], capture_output=True,
                          timeout=120, check=False)
    linked += done.returncode == 0
    if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stderr) or b"internal error" in done.stderr:
        sys.exit(f"mutation {i} of seed {seed}: {done.returncode}, {done.stderr.decode(errors='replace')}")
print(f"{count} ended, some with an error: {linked < count}")
