// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>

// The bound extends 32 bits, the index 4: the reproducer of llvm/llvm-project issue 191382.
extern "C" void fold(unsigned char *to, const unsigned char *from, size_t n) {
  // An assumption about 32 bits does not imply one about 4.
  for (unsigned i = 0; i < n; i++)
    to[i % 16] ^= from[i];
}

// One width, with an assumption and without.
extern "C" void saxpy(float *to, const float *from, size_t n) {
  for (unsigned i = 0; i < n; i++)
    to[i] += 2 * from[i];
}

extern "C" void offset(float *to, const float *from, unsigned base, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    to[base + i] = from[2 * base + i];
}

extern "C" void plain(float *to, const float *from, int n) {
  for (int i = 0; i < n; i++)
    to[i] = from[i];
}
