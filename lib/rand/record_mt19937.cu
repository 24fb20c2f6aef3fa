// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints mt19937_stream1.txt anew: the first 78 turns of stream 1 that the machine's cuRAND makes of
// seed 1234, a line each.
#include <cuda_runtime.h>
#include <curand.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr size_t Streams = 8192, Turn = 8, Turns = 78;
  std::vector<unsigned> numbers(Streams * Turn * Turns);
  curandGenerator_t generator;
  if (curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_MT19937) ||
      curandSetPseudoRandomGeneratorSeed(generator, 1234) ||
      curandGenerate(generator, numbers.data(), numbers.size()))
    return 1;
  for (size_t turn = 0; turn < Turns; ++turn)
    for (size_t i = 0; i < Turn; ++i)
      std::printf("%08x%c", numbers[(turn * Streams + 1) * Turn + i], i + 1 < Turn ? ' ' : '\n');
}
