// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and bytes: SHA-256 and MD5 of short messages, AES-128, xxHash, CRC-32, Huffman's codes,
// base64, counts of bits, a search for a pattern, letters in a text. A thread has one message, one
// block, or one position.
#pragma once

#include "corpus.h"

#include <algorithm>

namespace hashes {
using namespace corpus;
using bench::Problem;
using Byte = unsigned char;

constexpr int Messages = 7001, Length = 55; // one block of 64 bytes with its padding
constexpr int AesBlocks = 8009;
constexpr int Chunks = 8009, ChunkBytes = 272; // xxhash
constexpr int Rows = 1009, RowBytes = 251;     // crc32
constexpr int Letters = 400009;
constexpr int Groups = 150001; // base64: three bytes each
constexpr int Pattern = 7;
constexpr int Patterns = 61, Words = 6007, Bits = 8; // hamming

inline std::vector<Byte> randomBytes(size_t count, uint32_t seed, int bound = 256) {
  return randomInts<Byte>(count, bound, seed);
}

/// The fractions of the square roots (exponent 2) or cube roots (3) of the first primes: SHA-256's
/// constants (FIPS 180-4, sections 4.2.2 and 5.3.3).
inline std::vector<unsigned> rootsOfPrimes(int count, int exponent) {
  std::vector<unsigned> fractions;
  for (int candidate = 2; int(fractions.size()) < count; ++candidate) {
    bool prime = true;
    for (int divisor = 2; divisor * divisor <= candidate; ++divisor)
      prime = prime && candidate % divisor != 0;
    if (prime) {
      long double root =
          exponent == 2 ? std::sqrt((long double)candidate) : std::cbrt((long double)candidate);
      fractions.push_back(unsigned((root - std::floor(root)) * 4294967296.0L));
    }
  }
  return fractions;
}

/// Messages, the 64 constants, the 8 start values, digests.
inline Problem sha256() {
  return items(Messages, 0)
      .input(randomBytes(Messages * Length, 1))
      .input(rootsOfPrimes(64, 3))
      .input(rootsOfPrimes(8, 2))
      .output<unsigned>(Messages * 8);
}

/// Messages, the 64 sines (RFC 1321, section 3.4), digests.
inline Problem md5() {
  std::vector<unsigned> sines;
  for (int i = 1; i <= 64; ++i)
    sines.push_back(unsigned(std::floor(std::fabs(std::sin((long double)i)) * 4294967296.0L)));
  return items(Messages, 0)
      .input(randomBytes(Messages * Length, 1))
      .input(sines)
      .output<unsigned>(Messages * 4);
}

/// The product in AES's field of 256 elements (FIPS 197, section 4.2).
inline Byte fieldProduct(int a, int b) {
  int product = 0;
  for (; b; b >>= 1, a = a << 1 ^ (a & 0x80 ? 0x11b : 0))
    product ^= b & 1 ? a : 0;
  return Byte(product);
}

/// The substitution (FIPS 197, section 5.1.1): the inverse, then a rotation's sum.
inline std::vector<Byte> substitution() {
  std::vector<Byte> box(256);
  for (int value = 0; value < 256; ++value) {
    int inverse = 0;
    for (int i = 1; i < 256 && value; ++i)
      if (fieldProduct(value, i) == 1)
        inverse = i;
    int sum = inverse;
    for (int turn = 1; turn < 5; ++turn)
      sum ^= (inverse << turn | inverse >> (8 - turn)) & 255;
    box[value] = Byte(sum ^ 0x63);
  }
  return box;
}

/// Plain blocks, the substitution, 11 round keys (random: their schedule is no matter here),
/// cipher.
inline Problem aes() {
  return items(AesBlocks, 0)
      .input(randomBytes(AesBlocks * 16, 1))
      .input(substitution())
      .input(randomBytes(11 * 16, 2))
      .output<Byte>(AesBlocks * 16);
}

/// Chunks of whole words, hashes.
inline Problem xxhash() {
  return items(Chunks, 0)
      .input(randomInts<unsigned>(Chunks * ChunkBytes / 4, 0x7fffffff, 1))
      .output<unsigned>(Chunks);
}

/// Rows of bytes, the table of CRC-32 (polynomial 0xedb88320), sums.
inline Problem crc32() {
  std::vector<unsigned> table(256);
  for (unsigned i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit)
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
  }
  return items(double(Rows) * RowBytes, 0)
      .input(randomBytes(Rows * RowBytes, 1))
      .input(table)
      .output<unsigned>(Rows);
}

/// Letters, and a code for each with its length.
struct Codes {
  std::vector<Byte> letters = randomBytes(Letters, 1);
  std::vector<unsigned> codes;
  std::vector<int> lengths, places; ///< `places`: the bit at which each letter of the text starts
  int bits = 0;                     ///< of the whole text

  Codes() {
    bench::Random random(3);
    for (int letter = 0; letter < 256; ++letter) {
      lengths.push_back(3 + random.below(10));
      codes.push_back(random.next() & ((1u << lengths[letter]) - 1));
    }
    for (Byte letter : letters) {
      places.push_back(bits);
      bits += lengths[letter];
    }
  }
};

inline const Codes &codes() {
  static const Codes one;
  return one;
}
inline int packedWords() { return codes().bits / 32 + 2; }

/// Letters, codes, their lengths, places of bits, packed words.
inline Problem huffman() {
  return items(Letters, 0)
      .input(codes().letters)
      .input(codes().codes)
      .input(codes().lengths)
      .input(codes().places)
      .output<unsigned>(packedWords());
}

/// Bytes, letters.
inline Problem base64() {
  return items(Groups, 0).input(randomBytes(Groups * 3, 1)).output<Byte>(Groups * 4);
}

/// A text of four letters, a pattern, 1 where it starts.
inline Problem search() {
  return items(Letters, 0)
      .input(randomBytes(Letters, 1, 2))
      .input(randomBytes(Pattern, 2, 2))
      .output<Byte>(Letters);
}

/// Words of 256 bits, patterns, the nearest pattern of each word and its distance.
inline Problem hamming() {
  return items(double(Words) * Patterns, 0)
      .input(randomInts<unsigned>(Words * Bits, 0x7fffffff, 1))
      .input(randomInts<unsigned>(Patterns * Bits, 0x7fffffff, 2))
      .output<int>(Words)
      .output<int>(Words);
}

/// Letters, the same as capitals, 1 at the start of each word.
inline Problem capitals() {
  return items(Letters, 0)
      .input(randomBytes(Letters, 1, 128))
      .output<Byte>(Letters)
      .output<Byte>(Letters);
}
} // namespace hashes
