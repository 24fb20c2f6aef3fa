// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async of all types and layouts of shared memory: the host puts the elements of random matrices where the PTX
// ISA says ("Shared Memory Matrix Layout") and multiplies plainly. Numbers are whole and small.
// NVCC: -arch=sm_90a -std=c++17
#include "ptx_matrices.h"

#include <vector>

constexpr int Columns = 16, Threads = 128, Bytes = 1 << 14;

#define D8(x) "+" x(d[0]), "+" x(d[1]), "+" x(d[2]), "+" x(d[3]), "+" x(d[4]), "+" x(d[5]), "+" x(d[6]), "+" x(d[7])
#define D4 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define TARGETS8 "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define TARGETS4 "{%0, %1, %2, %3}"

/// One instruction by a group of four warps: `memory` is what lies at offset 0 of shared memory, `registers` has A.
#define KERNEL_OF(name, type, instruction, ...)                                                    \
  __global__ void name(const u32 *memory, u64 a, u64 b, const u32 *registers, u32 *out, u32 keep) { \
    __shared__ __align__(1024) u32 words[Bytes / 4];                                               \
    for (int i = threadIdx.x; i < Bytes / 4; i += Threads)                                         \
      words[i] = memory[i];                                                                        \
    __syncthreads();                                                                               \
    u64 start = __cvta_generic_to_shared(words) >> 4;                                              \
    a += start, b += start;                                                                        \
    u32 r[4];                                                                                      \
    for (int i = 0; i < 4; ++i)                                                                    \
      r[i] = registers[4 * threadIdx.x + i];                                                       \
    type d[8];                                                                                     \
    for (int i = 0; i < 8; ++i)                                                                    \
      memcpy(&d[i], &out[8 * threadIdx.x + i], 4);                                                 \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, " instruction "}" : __VA_ARGS__);                 \
    for (int i = 0; i < 8; ++i)                                                                    \
      memcpy(&out[8 * threadIdx.x + i], &d[i], 4);                                                 \
  }
#define BOTH "l"(a), "l"(b), "r"(keep)
#define LEFT "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b), "r"(keep)
#define OF_FLOATS(name, rest) KERNEL_OF(name, float, "%10, 0; wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n16" \
                                        rest "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", D8("f") : BOTH)
#define OF_INTS(name, rest) KERNEL_OF(name, u32, "%10, 0; wgmma.mma_async.sync.aligned.m64n16" rest ";", D8("r") : BOTH)
#define MEMORY8 TARGETS8 ", %8, %9, p"

OF_FLOATS(halves, "k16.f32.f16.f16 " MEMORY8 ", 1, 1, 0, 0")
OF_FLOATS(halvesA, "k16.f32.f16.f16 " MEMORY8 ", 1, 1, 1, 0")
OF_FLOATS(halvesB, "k16.f32.f16.f16 " MEMORY8 ", 1, 1, 0, 1")
OF_FLOATS(brains, "k16.f32.bf16.bf16 " MEMORY8 ", -1, 1, 1, 1")
OF_FLOATS(tensors, "k8.f32.tf32.tf32 " MEMORY8 ", 1, -1")
OF_FLOATS(small, "k32.f32.e4m3.e5m2 " MEMORY8 ", 1, 1")
OF_INTS(bytes, "k32.s32.s8.u8 " MEMORY8)
OF_INTS(bytesSaturated, "k32.satfinite.s32.u8.u8 " MEMORY8)
OF_INTS(bits, "k256.s32.b1.b1.and.popc " MEMORY8)
KERNEL_OF(toHalves, u32, "%6, 0; wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 " TARGETS4 ", %4, %5, p, 1, 1, 0, 0;",
          D4 : BOTH)
KERNEL_OF(fromRegisters, float,
          "%13, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " TARGETS8 ", {%8, %9, %10, %11}, %12, p, 1, 1, 1;",
          D8("f") : LEFT)
KERNEL_OF(bytesFromRegisters, u32,
          "%13, 0; wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 " TARGETS8 ", {%8, %9, %10, %11}, %12, p;",
          D8("r") : LEFT)

struct Case {
  const char *name;
  void (*kernel)(const u32 *, u64, u64, const u32 *, u32 *, u32);
  Type a, b;
  int transA = 0, transB = 0, sign = 1;
  bool hasInts = false, hasHalves = false;
};
const Case cases[] = {{"f16", halves, Type::F16, Type::F16},
                      {"f16, A transposed", halvesA, Type::F16, Type::F16, 1},
                      {"f16, B transposed", halvesB, Type::F16, Type::F16, 0, 1},
                      {"bf16, both, negative", brains, Type::BF16, Type::BF16, 1, 1, -1},
                      {"tf32, negative", tensors, Type::TF32, Type::TF32, 0, 0, -1},
                      {"e4m3, e5m2", small, Type::E4M3, Type::E5M2},
                      {"s8, u8", bytes, Type::S8, Type::U8, 0, 0, 1, true},
                      {"u8 saturated", bytesSaturated, Type::U8, Type::U8, 0, 0, 1, true},
                      {"b1", bits, Type::Bit, Type::Bit, 0, 0, 1, true},
                      {"f16 to f16", toHalves, Type::F16, Type::F16, 0, 0, 1, false, true},
                      {"A in registers", fromRegisters, Type::F16, Type::F16, 0, 1},
                      {"bytes in registers", bytesFromRegisters, Type::S8, Type::S8, 0, 0, 1, true}};

/// A matrix of `lines` lines of 32 bytes in shared memory, from `start` on, in the layout of a swizzle mode.
struct Layout {
  int mode, lines, bits, isTransposed;
  unsigned start;

  int span() const { return mode == 0 ? 16 : 256 >> mode; }
  u64 leading() const { return !isTransposed ? 1024 : mode ? 16 * span() : 512; }
  u64 stride() const { return isTransposed ? (mode ? 8 * span() : 1024) : mode ? 8 * span() : 128; }
  u64 descriptor() const { return start >> 4 | leading() >> 4 << 16 | stride() >> 4 << 32 | u64(mode) << 62; }

  /// The place of the byte that element k of a line begins in.
  unsigned place(int line, int k) const {
    int row, word, byte, group = 0; // a row of the swizzle's bytes, a word of 16 bytes in it
    if (isTransposed) {             // 8 lines are a word, 8 places of k a block of rows
      const int words = span() / 16;
      row = k % 8, word = line / 8 % words, byte = line % 8 * 2;
      group = mode ? line / 8 / words * int(leading()) + k / 8 * int(stride())
                   : line / 8 * int(stride()) + k / 8 * int(leading());
    } else {
      const int at = k * bits / 8;
      row = line % 8, word = mode ? at / 16 : 0, byte = at % 16;
      group = line / 8 * int(stride()) + (mode ? 0 : at / 16 * int(leading()));
    }
    // Rows of less than 128 bytes lie several in a row of these.
    word ^= mode == 1 ? row : mode == 2 ? row / 2 : mode == 3 ? row / 4 : 0;
    return start + group + row * span() + word * 16 + byte;
  }
};

static void store(std::vector<unsigned char> &memory, unsigned place, int bits, int k, u64 element) {
  if (bits == 1)
    memory[place] |= (unsigned char)(element << k % 8);
  else
    memcpy(&memory[place], &element, bits / 8);
}

static void test(const Case &one, int mode, bool keeps) {
  Random random(1);
  const int bits = bitsOf(one.a), depth = 256 / bits;
  auto small = [&](Type type) { return type == Type::Bit ? random.below(2) : random.below(7) - (type == Type::U8 ? 0 : 3); };
  std::vector<std::vector<int>> a(64, std::vector<int>(depth)), b(Columns, std::vector<int>(depth));
  for (auto &row : a)
    for (int &x : row)
      x = small(one.a);
  for (auto &column : b)
    for (int &x : column)
      x = small(one.b);
  std::vector<unsigned char> memory(Bytes);
  const Layout left = {mode, 64, bits, one.transA, 0}, right = {mode, Columns, bits, one.transB, Bytes / 2};
  for (int k = 0; k < depth; ++k) {
    for (int i = 0; i < 64; ++i)
      store(memory, left.place(i, k), bits, k, encode(one.a, a[i][k]));
    for (int j = 0; j < Columns; ++j)
      store(memory, right.place(j, k), bits, k, encode(one.b, b[j][k]));
  }
  std::vector<u32> words(Bytes / 4), registers(4 * Threads), d(8 * Threads);
  memcpy(words.data(), memory.data(), Bytes);
  std::vector<u32> expected = d;
  for (int thread = 0; thread < Threads; ++thread) {
    const int group = thread % 32 / 4, member = thread % 4;
    for (int i = 0; i < 4; ++i) { // word 4 (i / 2) + member of a row of 32 bytes
      const int row = thread / 32 * 16 + group + i % 2 * 8, perWord = 32 / bits;
      for (int e = 0; e < perWord; ++e)
        registers[4 * thread + i] |=
            u32(encode(one.a, a[row][(i / 2 * 4 + member) * perWord + e]) << (bits * e));
    }
    for (int i = 0; i < 8; ++i) {
      const int row = thread / 32 * 16 + group + i % 4 / 2 * 8, column = i / 4 * 8 + 2 * member + i % 2;
      int sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += a[row][k] * b[column][k];
      const int before = random.below(100), after = one.sign * sum + (keeps ? before : 0);
      auto put = [&](std::vector<u32> &to, int value) {
        if (one.hasHalves)
          to[8 * thread + i / 2] |= u32(encode(Type::F16, value)) << 16 * (i % 2);
        else
          to[8 * thread + i] = one.hasInts ? u32(value) : u32(encode(Type::TF32, value));
      };
      put(d, before);
      put(expected, after);
    }
  }
  Buffer<u32> deviceWords(words), deviceRegisters(registers), out(d);
  one.kernel<<<1, Threads>>>(deviceWords, left.descriptor(), right.descriptor(), deviceRegisters, out, keeps);
  checkLaunch();
  expectAll((std::string(one.name) + ", mode " + std::to_string(mode)).c_str(), out.get(), expected);
}

int main() {
  for (const Case &one : cases)
    for (int mode = 0; mode < 4; ++mode)
      test(one, mode, mode % 2 == 0);
  return finish();
}
