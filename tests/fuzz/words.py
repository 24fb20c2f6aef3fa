# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the writers of random kernels share."""
import random
import string

SHAPES_1D = [1, 2, 5, 16, 31, 32, 33, 48, 64, 96, 100, 128, 200, 256, 320, 512, 1024]
FLOATS = ["float", "double"]
WORDS = ["int", "unsigned", "float"]
NARROW = ["unsigned char", "signed char", "short", "unsigned short"]


class Random(random.Random):
    """With the questions that writers ask."""

    def chance(self, probability):
        return self.random() < probability

    def pick(self, *choices):
        return self.choice(choices)

    def some(self, text, probability=0.5, otherwise=""):
        return text if self.random() < probability else otherwise


def text(template, **values):
    """`template` with $names replaced; lines that become empty go."""
    filled = string.Template(template).substitute({k: str(v) for k, v in values.items()})
    return "\n".join(line for line in filled.split("\n") if line.strip()) + "\n"


def limit(kind):
    """For arrays of `kind`: the range of start values with which sums of products stay exact."""
    return 9 if kind in FLOATS + NARROW else 100


def accumulator(kind):
    return {"unsigned char": "unsigned", "unsigned short": "unsigned", "signed char": "int", "short": "int"}.get(kind, kind)


def combine(r, kind, a, b):
    """An exact operation on two small values."""
    op = r.pick("+", "-", "*", "max", "min")
    if op in ("max", "min"):
        return f"({a} {'<' if op == 'max' else '>'} {b} ? {b} : {a})"
    return f"({a} {op} {b})"


def dim(shape):
    return f"dim3({', '.join(map(str, shape))})"
