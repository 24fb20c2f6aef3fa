#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints include/heddle/random/xorwow_jumps.h: the polynomials by which XORWOW's shift register jumps.

The register is a linear map T of 160 bits (Marsaglia, "Xorshift RNGs", 2003). By Cayley and Hamilton T^n is r(T) where
r(x) = x^n mod p(x) and p is T's characteristic polynomial, which Berlekamp and Massey's method finds from one bit of 320
successive states.
"""
BITS = 160
MASK = (1 << 32) - 1


def step(v):
    t = v[0] ^ (v[0] >> 2)
    last = (v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & MASK
    return v[1:] + [last]


def characteristic():
    v, bits = [1, 2, 3, 4, 5], []
    for _ in range(2 * BITS):
        bits.append(v[0] & 1)
        v = step(v)
    connection, before, length, gap = 1, 1, 0, 1
    for n in range(len(bits)):
        if sum(bits[n - i] for i in range(length + 1) if connection >> i & 1) % 2 == 0:
            gap += 1
        elif 2 * length <= n:
            connection, before, length, gap = connection ^ (before << gap), connection, n + 1 - length, 1
        else:
            connection, gap = connection ^ (before << gap), gap + 1
    assert length == BITS
    return sum(1 << (BITS - i) for i in range(BITS + 1) if connection >> i & 1)


P = characteristic()


def multiply(a, b):
    result = 0
    while b:
        if b & 1:
            result ^= a
        b >>= 1
        a <<= 1
        if a >> BITS:
            a ^= P
    return result


def table(name, log2):
    base = 2  # x
    for _ in range(log2):
        base = multiply(base, base)
    print(f"inline constexpr unsigned int {name}[16][15][5] = {{")
    for _ in range(16):
        power, rows = 1, []
        for _ in range(15):
            power = multiply(power, base)
            rows.append("{" + ", ".join(f"0x{power >> 32 * i & MASK:08x}" for i in range(5)) + "}")
        print("    {" + ",\n     ".join(rows) + "},")
        base = multiply(power, base)
    print("};")


print("""// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by lib/rand/make_xorwow_jumps.py; do not edit. Entry [k][j - 1] is x^(j 16^k) (the steps) and x^(j 16^k 2^67)
// (the sequences) modulo the characteristic polynomial of XORWOW's shift register, 32 coefficients a word.
// clang-format off
#ifndef HEDDLE_RANDOM_XORWOW_JUMPS_H
#define HEDDLE_RANDOM_XORWOW_JUMPS_H

namespace heddle::random {
""")
table("XorwowSteps", 0)
print()
table("XorwowSequences", 67)
print("""
} // namespace heddle::random
// clang-format on
#endif // HEDDLE_RANDOM_XORWOW_JUMPS_H""")
