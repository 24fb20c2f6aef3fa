#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints lib/rand/mt19937_jumps.inc: how MT19937's streams jump, as polynomials modulo its characteristic polynomial
(Haramoto, Matsumoto, Nishimura, Panneton, L'Ecuyer, "Efficient jump ahead for F2-linear random number generators",
INFORMS Journal on Computing 20, 2008). Takes a few seconds.

The manual does not say how far a GPU's streams are apart; it is no power of two below 2^1300. mt19937_stream1.txt has
what stream 1 gives (record_mt19937.cu), which shows the jump: let p be the characteristic polynomial and
s_0 / x + s_1 / x^2 + ... = S / p for the bits s of one stream and T / p for the next, then T = jump * S modulo p."""
import os

N, M, BITS = 624, 397, 19937
SEED = 1234


def seeded():
    """The first stream's words from the first renewal on."""
    x = [SEED]
    for i in range(1, N):
        x.append((1812433253 * (x[-1] ^ x[-1] >> 30) + i) & 0xFFFFFFFF)
    return extended(x, 2 * N)[N:]


def extended(x, count):
    x = list(x)
    while len(x) < count:
        i = len(x) - N
        y = x[i] & 0x80000000 | x[i + 1] & 0x7FFFFFFF
        x.append(x[i + M] ^ y >> 1 ^ (0x9908B0DF if y & 1 else 0))
    return x


def untempered(y):
    y ^= y >> 18
    y ^= y << 15 & 0xEFC60000
    x = y
    for _ in range(4):
        x = y ^ x << 7 & 0x9D2C5680
    y = x
    for _ in range(2):
        x = y ^ x >> 11
    return x


def recorded():
    """The second stream's words. For the places of a turn's numbers see mt19937_engine.cpp."""
    singles = [0, 113, 170, 283, 340, 397, 510, 567]
    runs = [1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568]
    x = [0] * N
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mt19937_stream1.txt")) as file:
        for turn, line in enumerate(file):
            for thread, number in enumerate(line.split()):
                run, step = divmod(turn - 1, 7)
                place = runs[run] + 7 * thread + step if turn else singles[thread]
                x[place] = untempered(int(number, 16))
    return x


def top_bits(x, count):
    """Unlike the others, the first word's top bit is part of the state."""
    return [word >> 31 for word in extended(x, count)[:count]]


def characteristic():
    """Berlekamp and Massey's method."""
    bits = top_bits(seeded(), 2 * BITS)
    window, connection, before, length, gap = 0, 1, 1, 0, 1
    for n, bit in enumerate(bits):
        window = window << 1 | bit  # bit i of the window is the output i steps ago
        if bin(window & connection & (1 << length + 1) - 1).count("1") % 2 == 0:
            gap += 1
        elif 2 * length <= n:
            connection, before, length, gap = connection ^ before << gap, connection, n + 1 - length, 1
        else:
            connection, gap = connection ^ before << gap, gap + 1
    assert length == BITS
    return int(bin(connection | 1 << BITS + 1)[3:][::-1], 2)


SPREAD = [int("0".join(bin(b)[2:]), 2) for b in range(256)]


def square(a, p):
    spread = b"".join(SPREAD[b].to_bytes(2, "little") for b in a.to_bytes(BITS // 8 + 1, "little"))
    return reduced(int.from_bytes(spread, "little"), p)


def reduced(a, p):
    for i in range(a.bit_length() - 1, BITS - 1, -1):
        if a >> i & 1:
            a ^= p << i - BITS
    return a


def product(a, b):
    result = 0
    while b:
        low = b & -b
        result ^= a << low.bit_length() - 1
        b ^= low
    return result


def numerator(bits, p):
    """The polynomial part of p times bits[0] / x + bits[1] / x^2 + ..."""
    series = int("".join(map(str, bits[:BITS])), 2)  # times x^BITS
    return product(p, series) >> BITS


def inverse(a, p):
    """Euclid's algorithm."""
    u, v, x, y = a, p, 1, 0
    while u != 1:
        shift = u.bit_length() - v.bit_length()
        if shift < 0:
            u, v, x, y, shift = v, u, y, x, -shift
        u ^= v << shift
        x ^= y << shift
    return reduced(x, p)


def main():
    p = characteristic()
    first, second = seeded(), recorded()
    jump = reduced(product(numerator(top_bits(second, BITS), p), inverse(numerator(top_bits(first, BITS), p), p)), p)
    words = extended(first, BITS + N)
    for i in range(1, N):
        word = 0
        for k in range(BITS):
            if jump >> k & 1:
                word ^= words[i + k]
        assert word == second[i]
    jump64 = jump
    for _ in range(6):
        jump64 = square(jump64, p)
    print("// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.")
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//\n// Made by lib/rand/make_mt19937_jumps.py; do not edit.\n// clang-format off")
    for name, polynomial in (("JumpOne", jump), ("Jump64", jump64)):
        words = [f"0x{polynomial >> 32 * i & 0xFFFFFFFF:08x}" for i in range(N)]
        print(f"constexpr uint32_t {name}[Size] = {{")
        for i in range(0, N, 8):
            print("    " + ", ".join(words[i:i + 8]) + ",")
        print("};")
    print("// clang-format on")


main()
