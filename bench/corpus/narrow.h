// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and shorts: sharpening pixels of four bytes, a tile of bytes with a halo, a mask, letters
// counted in shared memory, sound that is mixed; tables in constant and in shared memory, read by
// data.
#pragma once

#include "corpus.h"

namespace narrow {
using namespace corpus;
using bench::Problem;
using Byte = unsigned char;

constexpr int Width = 637, Height = 411, Count = Width * Height;
constexpr int Samples = 1000003;
constexpr int Letters = 900007;
constexpr int Entries = 1024, Looked = 700001;

/// Pixels of four bytes, result.
inline Problem pixels() {
  return items(Count, 0).input(randomInts<Byte>(4 * Count, 256, 1)).output<Byte>(4 * Count);
}
/// A picture, result.
inline Problem picture() {
  return items(Count, 0).input(randomInts<Byte>(Count, 256, 1)).output<Byte>(Count);
}
/// Two pictures, a mask of bytes, result.
inline Problem masked() {
  return items(Letters, 0)
      .input(randomInts<Byte>(Letters, 256, 1))
      .input(randomInts<Byte>(Letters, 256, 2))
      .input(randomInts<Byte>(Letters, 2, 3))
      .output<Byte>(Letters);
}
/// Letters, how often each is there.
inline Problem counts() {
  return items(Letters, 0).input(randomInts<Byte>(Letters, 256, 1)).output<int>(256);
}
/// Two voices of 16 bits, each as two bytes, their mix.
inline Problem sound() {
  return items(Samples, 0)
      .input(randomInts<Byte>(2 * Samples, 256, 1))
      .input(randomInts<Byte>(2 * Samples, 256, 2))
      .output<Byte>(2 * Samples);
}
/// A table, values from 0 to 1, what the table says of them.
inline Problem lookup() {
  return items(Looked, floatError(4))
      .input(randomFloats(Entries + 1, 0, 1, 1))
      .input(randomFloats(Looked, 0, 0.999f, 2))
      .output<float>(Looked);
}

} // namespace narrow
