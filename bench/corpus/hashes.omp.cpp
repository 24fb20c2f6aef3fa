// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hashes.h"

using namespace hashes;
using bench::Data;

static unsigned rotr(unsigned x, int n) { return x >> n | x << (32 - n); }
static unsigned rotl(unsigned x, int n) { return x << n | x >> (32 - n); }

/// A message with its padding: one block of 64 bytes.
static void padded(const Byte *message, Byte *block) {
  std::memset(block, 0, 64);
  std::memcpy(block, message, Length);
  block[Length] = 0x80;
}

static void shaRun(Data &data) {
  const Byte *all = data.get<Byte>(0);
  const unsigned *k = data.get<unsigned>(1), *start = data.get<unsigned>(2);
  unsigned *digests = data.get<unsigned>(3);
#pragma omp parallel for
  for (int message = 0; message < Messages; message++) {
    Byte text[64];
    unsigned w[64];
    padded(all + message * Length, text);
    for (int i = 0; i < 15; i++)
      w[i] = unsigned(text[i * 4]) << 24 | text[i * 4 + 1] << 16 | text[i * 4 + 2] << 8 |
             text[i * 4 + 3];
    w[15] = Length * 8;
    for (int i = 16; i < 64; i++)
      w[i] = w[i - 16] + (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
             (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
    unsigned a = start[0], b = start[1], c = start[2], d = start[3];
    unsigned e = start[4], f = start[5], g = start[6], h = start[7];
    for (int i = 0; i < 64; i++) {
      unsigned t1 =
          h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
      unsigned t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    unsigned sums[] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
      digests[message * 8 + i] = sums[i] + start[i];
  }
}

static void md5Run(Data &data) {
  static const int turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
  const Byte *all = data.get<Byte>(0);
  const unsigned *sines = data.get<unsigned>(1);
  unsigned *digests = data.get<unsigned>(2);
#pragma omp parallel for
  for (int message = 0; message < Messages; message++) {
    Byte text[64];
    unsigned w[16];
    padded(all + message * Length, text);
    std::memcpy(w, text, 64);
    w[14] = Length * 8;
    const unsigned start[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    unsigned a = start[0], b = start[1], c = start[2], d = start[3];
    auto step = [&](int i, unsigned f, int g) {
      f += a + sines[i] + w[g % 16];
      a = d, d = c, c = b;
      b += rotl(f, turns[i / 16 * 4 + i % 4]);
    };
    for (int i = 0; i < 16; i++)
      step(i, (b & c) | (~b & d), i);
    for (int i = 16; i < 32; i++)
      step(i, (d & b) | (~d & c), 5 * i + 1);
    for (int i = 32; i < 48; i++)
      step(i, b ^ c ^ d, 3 * i + 5);
    for (int i = 48; i < 64; i++)
      step(i, c ^ (b | ~d), 7 * i);
    unsigned sums[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
      digests[message * 4 + i] = sums[i] + start[i];
  }
}

/// Substitution and mixing of a column in one table of words.
static void aesRun(Data &data) {
  const Byte *plain = data.get<Byte>(0), *box = data.get<Byte>(1), *keys = data.get<Byte>(2);
  Byte *cipher = data.get<Byte>(3);
  unsigned mixed[4][256];
  for (int value = 0; value < 256; value++) {
    unsigned s = box[value], two = (s << 1 ^ (s & 0x80 ? 0x11b : 0)),
             word = two | s << 8 | s << 16 | (two ^ s) << 24;
    for (int row = 0; row < 4; row++)
      mixed[row][value] = row ? rotl(word, 8 * row) : word;
  }
#pragma omp parallel for
  for (int block = 0; block < AesBlocks; block++) {
    unsigned state[4], next[4], key[4];
    std::memcpy(state, plain + block * 16, 16);
    std::memcpy(key, keys, 16);
    for (int c = 0; c < 4; c++)
      state[c] ^= key[c];
    for (int round = 1; round < 10; round++) {
      std::memcpy(key, keys + round * 16, 16);
      for (int c = 0; c < 4; c++)
        next[c] = mixed[0][state[c] & 255] ^ mixed[1][state[(c + 1) % 4] >> 8 & 255] ^
                  mixed[2][state[(c + 2) % 4] >> 16 & 255] ^ mixed[3][state[(c + 3) % 4] >> 24] ^
                  key[c];
      std::memcpy(state, next, 16);
    }
    for (int c = 0; c < 4; c++)
      for (int row = 0; row < 4; row++)
        cipher[block * 16 + c * 4 + row] =
            box[state[(c + row) % 4] >> 8 * row & 255] ^ keys[160 + c * 4 + row];
  }
}

static void xxhashRun(Data &data) {
  constexpr unsigned P1 = 2654435761u, P2 = 2246822519u, P3 = 3266489917u;
  const unsigned *all = data.get<unsigned>(0);
  unsigned *hashes = data.get<unsigned>(1);
#pragma omp parallel for
  for (int chunk = 0; chunk < Chunks; chunk++) {
    const unsigned *in = all + chunk * ChunkBytes / 4;
    unsigned v[4] = {P1 + P2, P2, 0, 0u - P1};
    for (int i = 0; i < ChunkBytes / 4; i += 4)
      for (int j = 0; j < 4; j++)
        v[j] = rotl(v[j] + in[i + j] * P2, 13) * P1;
    unsigned h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18) + ChunkBytes;
    h = (h ^ h >> 15) * P2;
    h = (h ^ h >> 13) * P3;
    hashes[chunk] = h ^ h >> 16;
  }
}

static void crcRun(Data &data) {
  const Byte *bytes = data.get<Byte>(0);
  const unsigned *table = data.get<unsigned>(1);
  unsigned *sums = data.get<unsigned>(2);
#pragma omp parallel for
  for (int row = 0; row < Rows; row++) {
    unsigned crc = ~0u;
    for (int i = 0; i < RowBytes; i++)
      crc = table[(crc ^ bytes[row * RowBytes + i]) & 255] ^ crc >> 8;
    sums[row] = ~crc;
  }
}

/// One after the other; a buffer of 64 bits is written out when a word is full.
static void huffmanRun(Data &data) {
  const Byte *letters = data.get<Byte>(0);
  const unsigned *codes = data.get<unsigned>(1);
  const int *lengths = data.get<int>(2);
  unsigned *packed = data.get<unsigned>(4);
  uint64_t buffer = 0;
  int bits = 0, word = 0;
  for (int i = 0; i < Letters; i++) {
    buffer |= uint64_t(codes[letters[i]]) << bits;
    bits += lengths[letters[i]];
    if (bits >= 32) {
      packed[word++] = unsigned(buffer);
      buffer >>= 32;
      bits -= 32;
    }
  }
  for (; word < packedWords(); buffer >>= 32)
    packed[word++] = unsigned(buffer);
}

static void base64Run(Data &data) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
#pragma omp parallel for firstprivate(in, out)
  for (int i = 0; i < Groups; i++) {
    int bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    for (int j = 0; j < 4; j++)
      out[4 * i + j] = Byte(letters[bits >> (18 - 6 * j) & 63]);
  }
}

static void searchRun(Data &data) {
  const Byte *text = data.get<Byte>(0), *pattern = data.get<Byte>(1);
  Byte *found = data.get<Byte>(2);
#pragma omp parallel for
  for (int i = 0; i <= Letters - Pattern; i++)
    found[i] = std::memcmp(text + i, pattern, Pattern) == 0;
}

static void hammingRun(Data &data) {
  const unsigned *all = data.get<unsigned>(0), *sought = data.get<unsigned>(1);
  int *nearest = data.get<int>(2), *distances = data.get<int>(3);
#pragma omp parallel for
  for (int word = 0; word < Words; word++) {
    int best = 0, least = 1 << 20;
    for (int pattern = 0; pattern < Patterns; pattern++) {
      int distance = 0;
      for (int i = 0; i < Bits; i++)
        distance += __builtin_popcount(all[word * Bits + i] ^ sought[pattern * Bits + i]);
      if (distance < least) {
        least = distance;
        best = pattern;
      }
    }
    nearest[word] = best;
    distances[word] = least;
  }
}

static bool isLetter(Byte c) { return Byte((c | 32) - 'a') < 26; }

static void capitalsRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1), *starts = data.get<Byte>(2);
  starts[0] = isLetter(in[0]);
// Private copies of the pointers: bytes that are stored might else change them.
#pragma omp parallel for simd firstprivate(in, out)
  for (int i = 0; i < Letters; i++) {
    Byte c = in[i];
    out[i] = Byte(c - 'a') < 26 ? c - 32 : c;
  }
#pragma omp parallel for simd firstprivate(in, starts)
  for (int i = 1; i < Letters; i++)
    starts[i] = isLetter(in[i]) & !isLetter(in[i - 1]);
}

BENCHMARK("sha256", sha256, shaRun)
BENCHMARK("md5", md5, md5Run)
BENCHMARK("aes", aes, aesRun)
BENCHMARK("xxhash", xxhash, xxhashRun)
BENCHMARK("crc32", crc32, crcRun)
BENCHMARK("huffman", huffman, huffmanRun)
BENCHMARK("base64", base64, base64Run)
BENCHMARK("string_search", search, searchRun)
BENCHMARK("hamming", hamming, hammingRun)
BENCHMARK("capitals", capitals, capitalsRun)
