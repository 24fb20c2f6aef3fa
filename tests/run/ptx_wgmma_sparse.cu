// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async.sp: rows of A of 32 bytes, in shared memory or in registers, with metadata that say which half of
// their elements they are. Lines of B have 64 bytes. Without swizzle; ptx_wgmma.cu has the layouts.
// NVCC: -arch=sm_90a -std=c++17
#include "ptx_sparse.h"

constexpr int Columns = 8, Threads = 128, Words = 2048;
constexpr unsigned RightStart = 4096;

#define D4(x) "+" x(d[0]), "+" x(d[1]), "+" x(d[2]), "+" x(d[3])
#define KERNEL_OF(name, type, instruction, ...)                                                               \
  __global__ void name(const u32 *memory, u64 a, u64 b, const u32 *registers, const u32 *metadata, u32 *out) { \
    __shared__ __align__(1024) u32 words[Words];                                                             \
    for (int i = threadIdx.x; i < Words; i += Threads)                                                       \
      words[i] = memory[i];                                                                                  \
    __syncthreads();                                                                                         \
    u64 start = __cvta_generic_to_shared(words) >> 4;                                                        \
    a += start, b += start;                                                                                  \
    u32 r[4], e = metadata[threadIdx.x];                                                                     \
    for (int i = 0; i < 4; ++i)                                                                              \
      r[i] = registers[4 * threadIdx.x + i];                                                                 \
    type d[4] = {};                                                                                          \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.fence.sync.aligned; wgmma.mma_async.sp.sync.aligned.m64n8" instruction \
                 "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }" : __VA_ARGS__);       \
    for (int i = 0; i < 4; ++i)                                                                              \
      memcpy(&out[4 * threadIdx.x + i], &d[i], 4);                                                           \
  }
#define MEMORY " {%0, %1, %2, %3}, %4, %5, %6"
#define REGISTERS " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, %9"
#define BOTH "l"(a), "l"(b), "r"(e)
#define LEFT "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b), "r"(e)

KERNEL_OF(halves0, float, "k32.f32.f16.f16" MEMORY ", 0, p, 1, 1, 0, 0", D4("f") : BOTH)
KERNEL_OF(halves1, float, "k32.f32.f16.f16" REGISTERS ", 1, p, 1, 1, 0", D4("f") : LEFT)
KERNEL_OF(bytes, u32, "k64.s32.s8.u8" REGISTERS ", 0, p", D4("r") : LEFT)

using Kernel = void (*)(const u32 *, u64, u64, const u32 *, const u32 *, u32 *);

/// Where byte `at` of a line lies: cores of 8 lines of 16 bytes, one after the other along the line.
static unsigned place(unsigned line, unsigned at, unsigned lineBytes) {
  return line / 8 * 8 * lineBytes + at / 16 * 128 + line % 8 * 16 + at % 16;
}

static u64 descriptor(unsigned start, unsigned lineBytes) {
  return start >> 4 | u64(128 >> 4) << 16 | u64(8 * lineBytes >> 4) << 32;
}

static void check(const char *name, Kernel kernel, Type left, Type right, int selector) {
  Random random(31);
  const int bits = bitsOf(left), there = 256 / bits, depth = 2 * there, perWord = 32 / bits;
  std::vector<Row> rows(64);
  std::vector<int> a(64 * there), b(Columns * depth);
  std::vector<u64> metadata(Threads);
  for (int &x : a)
    x = randomElement(random, left);
  for (int &x : b)
    x = randomElement(random, right);
  for (u64 &word : metadata)
    word = u32(random.bits());
  for (int i = 0; i < 64; ++i) {
    rows[i] = randomRow(random, left, depth);
    for (size_t chunk = 0; chunk < rows[i].chunks.size(); ++chunk)
      putMetadata(&metadata[i / 16 * 32], left, int(rows[i].chunks.size()), selector, i % 16, int(chunk), rows[i].chunks[chunk]);
  }
  std::vector<u32> words(Words), registers(4 * Threads), e(metadata.begin(), metadata.end());
  auto *memory = reinterpret_cast<unsigned char *>(words.data());
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < there; ++k) {
      const u64 element = encode(left, a[i * there + k]);
      memcpy(memory + place(i, k * bits / 8, 32), &element, bits / 8);
      const int word = k / perWord, thread = i / 16 * 32 + i % 8 * 4 + word % 4;
      registers[4 * thread + word / 4 * 2 + i % 16 / 8] |= u32(element << (k % perWord * bits));
    }
  for (int j = 0; j < Columns; ++j)
    for (int k = 0; k < depth; ++k) {
      const u64 element = encode(right, b[j * depth + k]);
      memcpy(memory + RightStart + place(j, k * bits / 8, 64), &element, bits / 8);
    }
  Buffer<u32> deviceWords(words), deviceRegisters(registers), deviceMetadata(e), out(std::vector<u32>(4 * Threads));
  kernel<<<1, Threads>>>(deviceWords, descriptor(0, 32), descriptor(RightStart, 64), deviceRegisters, deviceMetadata, out);
  checkLaunch();
  const std::vector<u32> got = out.get();
  for (int thread = 0; thread < Threads; ++thread)
    for (int i = 0; i < 4; ++i) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 * 8, column = 2 * (thread % 4) + i % 2;
      int sum = 0;
      for (int k = 0; k < there; ++k)
        sum += a[row * there + k] * b[column * depth + rows[row].places[k]];
      expect(name, row * Columns + column, sumOf(bits == 8 ? Sum::Int : Sum::Float, got[4 * thread + i], 0), double(sum));
    }
}

int main() {
  check("f16, 0", halves0, Type::F16, Type::F16, 0);
  check("f16 in registers, 1", halves1, Type::F16, Type::F16, 1);
  check("s8, u8", bytes, Type::S8, Type::U8, 0);
  return finish();
}
