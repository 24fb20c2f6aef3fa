// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of inline PTX share: EITHER(asm, plain C++) is the first in device code and the second on the host,
// so that mapOnDevice compares them; inputs of all kinds with many special ones.
#pragma once

#include "support.h"

#ifdef __CUDA_ARCH__
#define EITHER(device, host) device
#else
#define EITHER(device, host) host
#endif

struct Words {
  uint32_t a, b, c, d;
};
struct Longs {
  uint64_t a, b, c, d;
};

inline uint32_t randomWord(Random &random) {
  static const uint32_t special[] = {0, 1, 2, 31, 32, 33, 64, 255, 256, 0x7fffffff, 0x80000000, 0x80000001, ~0u, ~1u};
  switch (random.below(4)) {
  case 0:
    return special[random.below(14)];
  case 1:
    return random.bits() >> random.below(32);
  default:
    return random.bits();
  }
}

inline uint64_t randomLong(Random &random) {
  static const uint64_t special[] = {0, 1, 63, 64, 65, 0xffffffff, 1ull << 32, ~0ull >> 1, 1ull << 63, ~0ull, ~1ull};
  switch (random.below(4)) {
  case 0:
    return special[random.below(11)];
  case 1:
    return random.next() >> random.below(64);
  default:
    return random.next();
  }
}

inline std::vector<Words> randomWords(int n = 501) {
  Random random(20);
  std::vector<Words> words(n);
  for (Words &w : words)
    w = {randomWord(random), randomWord(random), randomWord(random), randomWord(random)};
  return words;
}

inline std::vector<Longs> randomLongs(int n = 501) {
  Random random(21);
  std::vector<Longs> longs(n);
  for (Longs &l : longs)
    l = {randomLong(random), randomLong(random), randomLong(random), randomLong(random)};
  return longs;
}

/// Tests of a file, in the order in which they stand there. Their types lie in namespaces, for nvcc takes no type of a
/// function for the argument of a kernel's template.
struct Tests {
  static std::vector<void (*)()> &all() {
    static std::vector<void (*)()> list;
    return list;
  }
  explicit Tests(void (*test)()) { all().push_back(test); }
};
inline void runTests() {
  for (void (*test)() : Tests::all())
    test();
}
/// Whole warps and a part of one. Each test is a kernel, and there are many.
static const std::vector<dim3> OneShape = {dim3(72)};

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEST_NAMESPACE namespace JOIN(test, __COUNTER__)

/// An instruction on words: %0 is the result, %1 to %3 the operands. `host` is the same of a, b, c.
#define WORDS(name, text, host)                                                                    \
  TEST_NAMESPACE {                                                                                 \
    struct name {                                                                                  \
      __host__ __device__ uint32_t operator()(const Words &w) const {                              \
        uint32_t a = w.a, b = w.b, c = w.c, r = 0;                                                 \
        (void)a, (void)b, (void)c;                                                                 \
        EITHER(asm(text : "+r"(r) : "r"(a), "r"(b), "r"(c)), r = uint32_t(host));                  \
        return r;                                                                                  \
      }                                                                                            \
    };                                                                                             \
    static const Tests added([] { mapOnDevice<name>(#name, WORD_INPUTS, OneShape); });                       \
  }
#define WORD_INPUTS randomWords()
#define LONGS(name, text, host)                                                                    \
  TEST_NAMESPACE {                                                                                 \
    struct name {                                                                                  \
      __host__ __device__ uint64_t operator()(const Longs &w) const {                              \
        uint64_t a = w.a, b = w.b, c = w.c, r = 0;                                                 \
        (void)a, (void)b, (void)c;                                                                 \
        EITHER(asm(text : "+l"(r) : "l"(a), "l"(b), "l"(c)), r = uint64_t(host));                  \
        return r;                                                                                  \
      }                                                                                            \
    };                                                                                             \
    static const Tests added([] { mapOnDevice<name>(#name, randomLongs(), OneShape); });                     \
  }
