// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The initial direction numbers in joe_kuo.bin are those of S. Joe and F. Y. Kuo ("Constructing
// Sobol sequences with better two-dimensional projections", SIAM Journal on Scientific Computing
// 30, 2008), under this licence:
//
// Copyright (c) 2008, Frances Y. Kuo and Stephen Joe. All rights reserved.
//
// Redistribution and use in source and binary forms, with or without modification, are permitted
// provided that the following conditions are met:
//
//     * Redistributions of source code must retain the above copyright notice, this list of
//       conditions and the following disclaimer.
//     * Redistributions in binary form must reproduce the above copyright notice, this list of
//       conditions and the following disclaimer in the documentation and/or other materials
//       provided with the distribution.
//     * Neither the names of the copyright holders nor the names of the University of New South
//       Wales and the University of Waikato and its contributors may be used to endorse or promote
//       products derived from this software without specific prior written permission.
//
// THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
// INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A
// PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDERS BE LIABLE FOR ANY
// DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT
// LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR
// BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
// LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
// SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
//
// Scrambled vectors are direction vectors times a lower triangular matrix of random bits for each
// dimension (Matousek, "On the L2-discrepancy for anchored boxes", Journal of Complexity 14, 1998),
// and a scramble constant is a random word. The random bits are Philox's under a key of ours, a
// subsequence for each dimension: the ones that NVIDIA ships are data without a published source,
// so scrambled sequences have the same properties here and other numbers.
#include "sobol_tables.h"

#include <heddle/random/philox.h>

#include <bit>
#include <cstddef>
#include <memory>
#include <new>

namespace heddle::rand {

namespace {

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
const unsigned char JoeKuo[] = {
#embed "joe_kuo.bin"
};
#pragma clang diagnostic pop

class BitStream {
public:
  unsigned take(unsigned count) {
    unsigned value = 0;
    for (unsigned i = 0; i < count; ++i, ++at)
      value |= (JoeKuo[at / 8] >> at % 8 & 1u) << i;
    return value;
  }

private:
  size_t at = 0;
};

/// Sobol's recurrence (Joe and Kuo 2008, equation 2): vector k of a polynomial of degree s, of the
/// s before it.
template <typename Word> void continueVectors(Word *v, int s, unsigned coefficients) {
  for (int k = s; k < SobolTables<Word>::Bits; ++k) {
    v[k] = v[k - s] ^ v[k - s] >> s;
    for (int i = 1; i < s; ++i)
      if (coefficients >> (i - 1) & 1)
        v[k] ^= v[k - i];
  }
}

template <typename Word> void makePlain(typename SobolTables<Word>::Vectors *vectors) {
  constexpr int Bits = SobolTables<Word>::Bits;
  for (int k = 0; k < Bits; ++k)
    vectors[0][k] = Word(1) << (Bits - 1 - k);
  BitStream stream;
  for (unsigned d = 1; d < Dimensions; ++d) {
    int s = static_cast<int>(stream.take(5));
    unsigned coefficients = stream.take(static_cast<unsigned>(s) - 1);
    for (int k = 1; k <= s; ++k) {
      Word number = stream.take(static_cast<unsigned>(k) - 1) << 1 | 1;
      vectors[d][k - 1] = number << (Bits - k);
    }
    continueVectors<Word>(vectors[d], s, coefficients);
  }
}

/// Random words for a dimension.
class Scrambler {
public:
  explicit Scrambler(unsigned dimension) { curand_init(0x486564646c65ull, dimension, 0, &state); }

  unsigned long long next() {
    unsigned long long high = curand(&state);
    return high << 32 | curand(&state);
  }

private:
  curandStatePhilox4_32_10_t state;
};

/// Columns of the matrix, from the highest bit's on; the tables of words of 32 bits are the upper
/// halves of the others.
template <typename Word> void scramble(unsigned dimension, const Word *plain, Word *scrambled) {
  constexpr int Bits = SobolTables<Word>::Bits;
  Scrambler random(dimension);
  Word columns[Bits];
  for (int k = 0; k < Bits; ++k) {
    unsigned long long below = random.next() >> 1 | 1ull << 63;
    columns[k] = static_cast<Word>(below >> k >> (64 - Bits));
  }
  for (int k = 0; k < Bits; ++k) {
    scrambled[k] = 0;
    for (int bit = 0; bit < Bits; ++bit)
      if (plain[k] >> (Bits - 1 - bit) & 1)
        scrambled[k] ^= columns[bit];
  }
}

/// Makes a table of `count` elements once; null if memory is short.
template <typename T, typename F> const T *makeOnce(size_t count, F &&make) {
  T *table = new (std::nothrow) T[count];
  if (table)
    make(table);
  return table;
}

} // namespace

template <typename Word> const typename SobolTables<Word>::Vectors *SobolTables<Word>::plain() {
  static const Vectors *table =
      makeOnce<Vectors>(Dimensions, [](Vectors *v) { makePlain<Word>(v); });
  return table;
}

template <typename Word> const typename SobolTables<Word>::Vectors *SobolTables<Word>::scrambled() {
  static const Vectors *table = makeOnce<Vectors>(Dimensions, [](Vectors *v) {
    if (const Vectors *from = plain())
      for (unsigned d = 0; d < Dimensions; ++d)
        scramble<Word>(d, from[d], v[d]);
  });
  return plain() ? table : nullptr;
}

template <typename Word> const Word *SobolTables<Word>::constants() {
  static const Word *table = makeOnce<Word>(Dimensions, [](Word *c) {
    for (unsigned d = 0; d < Dimensions; ++d)
      c[d] = static_cast<Word>(Scrambler(Dimensions + d).next() >> (64 - Bits));
  });
  return table;
}

template struct SobolTables<uint32_t>;
template struct SobolTables<unsigned long long>;

} // namespace heddle::rand
