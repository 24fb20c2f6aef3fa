// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hashes.h"

using namespace hashes;
using bench::Data;

__device__ static unsigned rotr(unsigned x, int n) { return x >> n | x << (32 - n); }
__device__ static unsigned rotl(unsigned x, int n) { return x << n | x >> (32 - n); }

__global__ static void shaKernel(int messages, const Byte *all, const unsigned *k,
                                 const unsigned *start, unsigned *digests) {
  int message = blockIdx.x * blockDim.x + threadIdx.x;
  if (message >= messages)
    return;
  const Byte *text = all + message * Length;
  unsigned w[64], h[8];
  for (int i = 0; i < 16; i++) {
    w[i] = 0;
    for (int b = 0; b < 4; b++) {
      int at = i * 4 + b;
      Byte byte = at < Length ? text[at] : at == Length ? 0x80 : 0;
      w[i] = w[i] << 8 | byte;
    }
  }
  w[15] = Length * 8;
  for (int i = 16; i < 64; i++) {
    unsigned s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    unsigned s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  for (int i = 0; i < 8; i++)
    h[i] = start[i];
  for (int i = 0; i < 64; i++) {
    unsigned s1 = rotr(h[4], 6) ^ rotr(h[4], 11) ^ rotr(h[4], 25),
             ch = (h[4] & h[5]) ^ (~h[4] & h[6]);
    unsigned t1 = h[7] + s1 + ch + k[i] + w[i];
    unsigned s0 = rotr(h[0], 2) ^ rotr(h[0], 13) ^ rotr(h[0], 22);
    unsigned t2 = s0 + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
    h[7] = h[6], h[6] = h[5], h[5] = h[4], h[4] = h[3] + t1;
    h[3] = h[2], h[2] = h[1], h[1] = h[0], h[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++)
    digests[message * 8 + i] = h[i] + start[i];
}

static void shaRun(Data &data) {
  shaKernel<<<cover(Messages, 128), 128>>>(Messages, data.get<Byte>(0), data.get<unsigned>(1),
                                           data.get<unsigned>(2), data.get<unsigned>(3));
}

__constant__ static int Turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

__global__ static void md5Kernel(int messages, const Byte *all, const unsigned *sines,
                                 unsigned *digests) {
  int message = blockIdx.x * blockDim.x + threadIdx.x;
  if (message >= messages)
    return;
  const Byte *text = all + message * Length;
  unsigned w[16];
  for (int i = 0; i < 16; i++) {
    w[i] = 0;
    for (int b = 3; b >= 0; b--) {
      int at = i * 4 + b;
      w[i] = w[i] << 8 | (at < Length ? text[at] : at == Length ? 0x80 : 0);
    }
  }
  w[14] = Length * 8;
  unsigned a0 = 0x67452301, b0 = 0xefcdab89, c0 = 0x98badcfe, d0 = 0x10325476, a = a0, b = b0,
           c = c0, d = d0;
  for (int i = 0; i < 64; i++) {
    unsigned f;
    int g;
    if (i < 16) {
      f = (b & c) | (~b & d);
      g = i;
    } else if (i < 32) {
      f = (d & b) | (~d & c);
      g = (5 * i + 1) % 16;
    } else if (i < 48) {
      f = b ^ c ^ d;
      g = (3 * i + 5) % 16;
    } else {
      f = c ^ (b | ~d);
      g = 7 * i % 16;
    }
    f += a + sines[i] + w[g];
    a = d, d = c, c = b;
    b += rotl(f, Turns[i / 16 * 4 + i % 4]);
  }
  digests[message * 4] = a0 + a;
  digests[message * 4 + 1] = b0 + b;
  digests[message * 4 + 2] = c0 + c;
  digests[message * 4 + 3] = d0 + d;
}

static void md5Run(Data &data) {
  md5Kernel<<<cover(Messages, 128), 128>>>(Messages, data.get<Byte>(0), data.get<unsigned>(1),
                                           data.get<unsigned>(2));
}

__device__ static Byte twice(Byte x) { return Byte(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }

/// The state is a local array of bytes; the substitution lies in shared memory.
__global__ static void aesKernel(int blocks, const Byte *plain, const Byte *box, const Byte *keys,
                                 Byte *cipher) {
  __shared__ Byte s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    s[i] = box[i];
  __syncthreads();
  int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= blocks)
    return;
  Byte state[16], moved[16];
  for (int i = 0; i < 16; i++)
    state[i] = plain[block * 16 + i] ^ keys[i];
  for (int round = 1; round <= 10; round++) {
    for (int column = 0; column < 4; column++)
      for (int row = 0; row < 4; row++)
        moved[column * 4 + row] = s[state[(column + row) % 4 * 4 + row]];
    for (int column = 0; column < 4; column++) {
      Byte *c = moved + column * 4, *to = state + column * 4;
      if (round == 10) {
        for (int row = 0; row < 4; row++)
          to[row] = c[row];
      } else {
        Byte all = c[0] ^ c[1] ^ c[2] ^ c[3];
        for (int row = 0; row < 4; row++)
          to[row] = c[row] ^ all ^ twice(c[row] ^ c[(row + 1) % 4]);
      }
    }
    for (int i = 0; i < 16; i++)
      state[i] ^= keys[round * 16 + i];
  }
  for (int i = 0; i < 16; i++)
    cipher[block * 16 + i] = state[i];
}

static void aesRun(Data &data) {
  aesKernel<<<cover(AesBlocks, 128), 128>>>(AesBlocks, data.get<Byte>(0), data.get<Byte>(1),
                                            data.get<Byte>(2), data.get<Byte>(3));
}

constexpr unsigned P1 = 2654435761u, P2 = 2246822519u, P3 = 3266489917u;

/// XXH32 with seed 0 of whole stripes of 16 bytes.
__global__ static void xxhashKernel(int chunks, int words, const unsigned *all, unsigned *hashes) {
  int chunk = blockIdx.x * blockDim.x + threadIdx.x;
  if (chunk >= chunks)
    return;
  const unsigned *in = all + chunk * words;
  unsigned v[4] = {P1 + P2, P2, 0, 0u - P1};
  for (int i = 0; i < words; i += 4)
    for (int j = 0; j < 4; j++)
      v[j] = rotl(v[j] + in[i + j] * P2, 13) * P1;
  unsigned h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18) + words * 4;
  h = (h ^ h >> 15) * P2;
  h = (h ^ h >> 13) * P3;
  hashes[chunk] = h ^ h >> 16;
}

static void xxhashRun(Data &data) {
  xxhashKernel<<<cover(Chunks, 64), 64>>>(Chunks, ChunkBytes / 4, data.get<unsigned>(0),
                                          data.get<unsigned>(1));
}

__global__ static void crcKernel(int rows, int length, const Byte *bytes, const unsigned *table,
                                 unsigned *sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  unsigned crc = ~0u;
  for (int i = 0; i < length; i++)
    crc = table[(crc ^ bytes[row * length + i]) & 255] ^ crc >> 8;
  sums[row] = ~crc;
}

static void crcRun(Data &data) {
  crcKernel<<<cover(Rows, 64), 64>>>(Rows, RowBytes, data.get<Byte>(0), data.get<unsigned>(1),
                                     data.get<unsigned>(2));
}

/// Each letter's code goes to its place, over one border of words at most.
__global__ static void huffmanKernel(int n, const Byte *letters, const unsigned *codes,
                                     const int *lengths, const int *places, unsigned *packed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned code = codes[letters[i]];
  int length = lengths[letters[i]], word = places[i] / 32, bit = places[i] % 32;
  atomicOr(&packed[word], code << bit);
  if (bit + length > 32)
    atomicOr(&packed[word + 1], code >> (32 - bit));
}

static void huffmanRun(Data &data) {
  cudaMemsetAsync(data.get<unsigned>(4), 0, packedWords() * sizeof(unsigned));
  huffmanKernel<<<cover(Letters, 256), 256>>>(Letters, data.get<Byte>(0), data.get<unsigned>(1),
                                              data.get<int>(2), data.get<int>(3),
                                              data.get<unsigned>(4));
}

__device__ static Byte letterOf(int value) {
  if (value < 26)
    return Byte('A' + value);
  if (value < 52)
    return Byte('a' + value - 26);
  if (value < 62)
    return Byte('0' + value - 52);
  return value == 62 ? '+' : '/';
}

__global__ static void base64Kernel(int groups, const Byte *in, Byte *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups)
    return;
  int bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
  for (int j = 0; j < 4; j++)
    out[4 * i + j] = letterOf(bits >> (18 - 6 * j) & 63);
}

static void base64Run(Data &data) {
  base64Kernel<<<cover(Groups, 256), 256>>>(Groups, data.get<Byte>(0), data.get<Byte>(1));
}

__global__ static void searchKernel(int n, int m, const Byte *text, const Byte *pattern,
                                    Byte *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - m)
    return;
  int j = 0;
  while (j < m && text[i + j] == pattern[j])
    j++;
  found[i] = j == m;
}

static void searchRun(Data &data) {
  searchKernel<<<cover(Letters, 256), 256>>>(Letters, Pattern, data.get<Byte>(0), data.get<Byte>(1),
                                             data.get<Byte>(2));
}

__global__ static void hammingKernel(int words, int patterns, const unsigned *all,
                                     const unsigned *sought, int *nearest, int *distances) {
  int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= words)
    return;
  int best = 0, least = 1 << 20;
  for (int pattern = 0; pattern < patterns; pattern++) {
    int distance = 0;
    for (int i = 0; i < Bits; i++)
      distance += __popc(all[word * Bits + i] ^ sought[pattern * Bits + i]);
    if (distance < least) {
      least = distance;
      best = pattern;
    }
  }
  nearest[word] = best;
  distances[word] = least;
}

static void hammingRun(Data &data) {
  hammingKernel<<<cover(Words, 128), 128>>>(Words, Patterns, data.get<unsigned>(0),
                                            data.get<unsigned>(1), data.get<int>(2),
                                            data.get<int>(3));
}

__device__ static bool isLetter(Byte c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

__global__ static void capitalsKernel(int n, const Byte *in, Byte *out, Byte *starts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Byte c = in[i];
  if (c >= 'a' && c <= 'z')
    c -= 'a' - 'A';
  out[i] = c;
  starts[i] = isLetter(in[i]) && (i == 0 || !isLetter(in[i - 1]));
}

static void capitalsRun(Data &data) {
  capitalsKernel<<<cover(Letters, 256), 256>>>(Letters, data.get<Byte>(0), data.get<Byte>(1),
                                               data.get<Byte>(2));
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
