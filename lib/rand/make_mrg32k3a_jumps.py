#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints include/heddle/random/mrg32k3a_jumps.h: the polynomials by which MRG32k3a jumps.

Each of its recurrences is of order three (L'Ecuyer, "Good parameters and implementations for combined multiple recursive
random number generators", Operations Research 47, 1999): x_n = a x_{n-1} + b x_{n-2} + c x_{n-3} mod m. With x^n mod
x^3 - a x^2 - b x - c = r2 x^2 + r1 x + r0 the state n steps on is r0 times this state, r1 times the next, r2 times the
one after it.
"""
M1, M2 = 4294967087, 4294944443
RECURRENCES = ((M1, (0, 1403580, M1 - 810728)), (M2, (527612, 0, M2 - 1370589)))


def multiply(p, q, m, recurrence):
    product = [0] * 5
    for i in range(3):
        for j in range(3):
            product[i + j] += p[i] * q[j]
    for degree in (4, 3):
        top = product[degree]
        for k, coefficient in enumerate(recurrence):
            product[degree - 1 - k] += top * coefficient
    return [value % m for value in product[:3]]


def table(name, log2):
    print(f"inline constexpr unsigned int {name}[64][2][3] = {{")
    bases = [[0, 1, 0], [0, 1, 0]]
    for step in range(log2 + 64):
        if step >= log2:
            print("    {" + ", ".join("{" + ", ".join(f"{c}u" for c in base) + "}" for base in bases) + "},")
        bases = [multiply(b, b, *r) for b, r in zip(bases, RECURRENCES)]
    print("};")


print("""// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by lib/rand/make_mrg32k3a_jumps.py; do not edit. Entry [i] is x^(2^i) (the steps), x^(2^(76 + i)) (subsequences)
// and x^(2^(127 + i)) (sequences) modulo the characteristic polynomials of MRG32k3a's two recurrences, constant first.
// clang-format off
#ifndef HEDDLE_RANDOM_MRG32K3A_JUMPS_H
#define HEDDLE_RANDOM_MRG32K3A_JUMPS_H

namespace heddle::random {
""")
table("MrgSteps", 0)
print()
table("MrgSubsequences", 76)
print()
table("MrgSequences", 127)
print("""
} // namespace heddle::random
// clang-format on
#endif // HEDDLE_RANDOM_MRG32K3A_JUMPS_H""")
