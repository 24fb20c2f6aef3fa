#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_joe_kuo.py FILE writes to its output lib/rand/joe_kuo.bin: the polynomials and initial direction numbers of Sobol's
sequence of 20000 dimensions by S. Joe and F. Y. Kuo (new-joe-kuo-6.21201 of web.maths.unsw.edu.au/~fkuo/sobol; the notice
is in sobol_tables.cpp). FILE holds the first 32 direction vectors of each dimension as words of 32 bits.

The output is a stream of bits, lowest first. For each dimension but the first: four bits and one more for the polynomial's
degree s, s - 1 bits for its coefficients but the first and the last, highest first, and of each number k from 2 to s the
k - 1 bits above the last, which is one."""
import struct
import sys


def coefficients(v, s):
    """The a of v_k = a_1 v_{k-1} + ... + a_{s-1} v_{k-s+1} + v_{k-s} + (v_{k-s} >> s), or None."""
    pivots = {}
    for k in range(s, 32):
        right = v[k] ^ v[k - s] ^ v[k - s] >> s
        for bit in range(31 - k, 32):
            row = sum((v[k - i] >> bit & 1) << i - 1 for i in range(1, s)) | (right >> bit & 1) << s - 1
            while row & (1 << s - 1) - 1:
                low = (row & -row).bit_length() - 1
                if low not in pivots:
                    pivots[low] = row
                    break
                row ^= pivots[low]
            else:
                if row:
                    return None
        if len(pivots) == s - 1 and k > s + 2:
            break
    a = 0
    for low in sorted(pivots, reverse=True):
        row = pivots[low]
        value = row >> s - 1 & 1
        for i in range(low + 1, s - 1):
            value ^= (row >> i & 1) & (a >> i & 1)
        a |= value << low
    return a if len(pivots) == s - 1 else None


def follows(v, s, a):
    for k in range(s, 32):
        x = v[k - s] ^ v[k - s] >> s
        for i in range(1, s):
            if a >> i - 1 & 1:
                x ^= v[k - i]
        if x != v[k]:
            return False
    return True


def main():
    data = open(sys.argv[1], "rb").read()
    bits, s = [], 1
    for dimension in range(1, 20000):
        v = struct.unpack_from("<32I", data, 128 * dimension)
        while True:
            a = coefficients(v, s) if s > 1 else 0
            if a is not None and follows(v, s, a):
                break
            s += 1
            assert s < 20, dimension
        bits += [s >> b & 1 for b in range(5)] + [a >> b & 1 for b in range(s - 1)]
        for k in range(2, s + 1):
            number = v[k - 1] >> 32 - k
            assert number & 1
            bits += [number >> b & 1 for b in range(1, k)]
    bits += [0] * (-len(bits) % 8)
    sys.stdout.buffer.write(bytes(sum(bits[i + b] << b for b in range(8)) for i in range(0, len(bits), 8)))


main()
