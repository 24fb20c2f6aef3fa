#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints lib/rand/mt19937_jumps.inc: x^(2^1000) and x^(2^1006) modulo the characteristic polynomial of MT19937, by which
its streams jump (Haramoto, Matsumoto, Nishimura, Panneton, L'Ecuyer, "Efficient jump ahead for F2-linear random number
generators", INFORMS Journal on Computing 20, 2008). Takes about a minute."""
N, M, BITS = 624, 397, 19937


def sequence(count):
    x = [5489]
    for i in range(1, N):
        x.append((1812433253 * (x[-1] ^ x[-1] >> 30) + i) & 0xFFFFFFFF)
    while len(x) < count + N:
        i = len(x) - N
        y = x[i] & 0x80000000 | x[i + 1] & 0x7FFFFFFF
        x.append(x[i + M] ^ y >> 1 ^ (0x9908B0DF if y & 1 else 0))
    return x[N:]


def characteristic():
    """Berlekamp and Massey's method on the lowest bit of the words."""
    bits = [x & 1 for x in sequence(2 * BITS)]
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
    a = int.from_bytes(spread, "little")
    for i in range(a.bit_length() - 1, BITS - 1, -1):
        if a >> i & 1:
            a ^= p << i - BITS
    return a


def main():
    p = characteristic()
    power, made = 2, {}
    for step in range(1, 1007):
        power = square(power, p)
        if step in (1000, 1006):
            made[step] = power
    print("// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.")
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//\n// Made by lib/rand/make_mt19937_jumps.py; do not edit.\n// clang-format off")
    for name, step in (("JumpOne", 1000), ("Jump64", 1006)):
        words = [f"0x{made[step] >> 32 * i & 0xFFFFFFFF:08x}" for i in range(N)]
        print(f"constexpr uint32_t {name}[Size] = {{")
        for i in range(0, N, 8):
            print("    " + ", ".join(words[i:i + 8]) + ",")
        print("};")
    print("// clang-format on")


main()
