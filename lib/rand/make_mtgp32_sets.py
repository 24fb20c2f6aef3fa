#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_mtgp32_sets.py FILE prints include/curand_mtgp32dc_p_11213.h from the file mtgp32dc-param-11213.c of the MTGP
package of Saito and Matsumoto (github.com/MersenneTwister-Lab/MTGP, folder cuda-sample). A set's tables of 16 entries are
the sums (exclusive or) of four of them, and of the floating-point table only the tempering matters."""
import re
import sys

text = re.sub(r"/\*.*?\*/", "", open(sys.argv[1]).read(), flags=re.S)
numbers = [int(n, 0) for n in re.findall(r"\b(0x[0-9a-fA-F]+|\d+)\b", text[text.index("= {"):])]
SIZE = 4 + 3 * 16 + 1 + 21

print("""// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by lib/rand/make_mtgp32_sets.py; do not edit. The 200 parameter sets of MTGP32 with period 2^11213 - 1 that the
// dynamic creator of M. Saito and M. Matsumoto found. The numbers are theirs, under this licence:
//
// Copyright (c) 2009, 2010 Mutsuo Saito, Makoto Matsumoto and Hiroshima University. All rights reserved.
// Copyright (c) 2011 Mutsuo Saito, Makoto Matsumoto, Hiroshima University and University of Tokyo. All rights reserved.
//
// Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
// following conditions are met:
//
//     * Redistributions of source code must retain the above copyright notice, this list of conditions and the following
//       disclaimer.
//     * Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the
//       following disclaimer in the documentation and/or other materials provided with the distribution.
//     * Neither the name of the Hiroshima University nor the names of its contributors may be used to endorse or promote
//       products derived from this software without specific prior written permission.
//
// THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
// INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
// DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
// SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
// SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY,
// WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF
// THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
// clang-format off
#ifndef HEDDLE_CURAND_MTGP32DC_P_11213_H
#define HEDDLE_CURAND_MTGP32DC_P_11213_H
#define MTGP32DC_P_11213_H

#include "curand_mtgp32.h"

#define MTGPDC_MEXP 11213
#define MTGPDC_N 351
#define MTGPDC_FLOOR_2P 256
#define MTGPDC_CEIL_2P 512
#define MTGPDC_PARAM_TABLE mtgp32dc_params_fast_11213

// All sums of four entries, bare or as the mantissas of floating-point numbers of [1, 2).
#define HEDDLE_SUMS(f, a, b, c, d)                                                                                      \\
  {f(0), f(a), f(b), f(a ^ b), f(c), f(a ^ c), f(b ^ c), f(a ^ b ^ c), f(d), f(a ^ d), f(b ^ d), f(a ^ b ^ d), f(c ^ d), \\
   f(a ^ c ^ d), f(b ^ c ^ d), f(a ^ b ^ c ^ d)}
#define HEDDLE_BARE(x) (x)
#define HEDDLE_MANTISSA(x) ((x) >> 9 | 0x3f800000u)
#define HEDDLE_SET(pos, sh1, sh2, a, b, c, d, e, f, g, h)                                                              \\
  {11213, pos, sh1, sh2, HEDDLE_SUMS(HEDDLE_BARE, a, b, c, d), HEDDLE_SUMS(HEDDLE_BARE, e, f, g, h),                    \\
   HEDDLE_SUMS(HEDDLE_MANTISSA, e, f, g, h), 0xfff80000u, {0}},

/// The sets; the digests of their characteristic polynomials are left out.
static const mtgp32_params_fast_t mtgp32dc_params_fast_11213[] = {""")
for at in range(0, 200 * SIZE, SIZE):
    mexp, *shape = numbers[at:at + 4]
    tables = [numbers[at + 4 + 16 * t:at + 20 + 16 * t] for t in range(3)]
    mask = numbers[at + 52]
    for i in range(16):
        for t in range(2):
            parts = [tables[t][1 << b] for b in range(4) if i >> b & 1]
            total = 0
            for part in parts:
                total ^= part
            assert total == tables[t][i]
        assert tables[2][i] == tables[1][i] >> 9 | 0x3F800000
    assert mexp == 11213 and mask == 0xFFF80000
    basis = ", ".join(f"0x{tables[t][1 << b]:08x}u" for t in range(2) for b in range(4))
    print(f"    HEDDLE_SET({', '.join(map(str, shape))}, {basis})")
print("""};

#undef HEDDLE_SET
#undef HEDDLE_MANTISSA
#undef HEDDLE_BARE
#undef HEDDLE_SUMS

static const int mtgpdc_params_11213_num = 200;

#endif // HEDDLE_CURAND_MTGP32DC_P_11213_H
// clang-format on""")
