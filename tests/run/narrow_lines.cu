// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of 8 and 16 bits that count from thread to thread and wrap around: as values of 32 and 64 bits, as numbers of
// floating point, as indices, in comparisons and in loops.
#include "support.h"

template <class T> struct Results {
  long long wide;
  unsigned word;
  float number;
  int loaded, quotient, below;
};

template <class T> __host__ __device__ Results<T> compute(unsigned x, unsigned y, int factor, T start, const int *table) {
  T line = T(x * 20), product = T(T(x) * T(factor)), row = T(y * 77 + x), moved = T(start + x), shifted = T(x << 4);
  T mirrored = T(start - x), bit = T((x * 20) ^ 0x40);
  T walked = T(x * 8);
  for (int i = 0; i < 5; ++i)
    walked = T(walked + 100);
  Results<T> r;
  r.wide = (long long)line * 3 + (long long)row + ((long long)walked << 20);
  r.word = unsigned(product) + unsigned(moved) * 5u;
  r.number = float(line) + 2 * float(shifted);
  r.loaded = table[(unsigned char)line] + table[(unsigned char)moved + 1] + table[(unsigned char)T(line + row) + 2] +
             table[256 + int((signed char)line)] + table[256 + (signed char)mirrored] + table[(unsigned char)bit];
  r.quotient = line / 7 + row % 5 + (int(line) >> 2) + int(unsigned(product) >> 1);
  r.below = (line < T(100)) + 2 * (row > moved) + 4 * (mirrored >= start) + 8 * (T(x * 20) == T(y * 20));
  return r;
}

template <class T> __global__ void kernel(Results<T> *out, int factor, T start, const int *table) {
  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[t] = compute<T>(threadIdx.x, threadIdx.y, factor, start, table);
}

/// Constant factors and starts: only then all of it is known of the block's shape.
template <class T> __global__ void constants(int *out, const int *table) {
  unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
  out[t] = table[(unsigned char)(threadIdx.x * 20)] + int((signed char)(threadIdx.x * 20)) +
           int(T(threadIdx.x * 3000 + 60000)) + table[(unsigned char)(threadIdx.y * 40 + 200)] +
           table[256 + (signed char)(threadIdx.y * 33 + threadIdx.x)];
}

template <class T> void check(const char *name) {
  std::vector<int> table(1024);
  Random random(7);
  for (int &value : table)
    value = int(random.bits());
  Buffer<int> deviceTable(table);
  for (dim3 block : {dim3(32), dim3(256), dim3(16, 16), dim3(8, 32), dim3(48, 5), dim3(100), dim3(512, 2)}) {
    unsigned threads = block.x * block.y;
    Buffer<Results<T>> out(threads);
    for (T start : {T(0), T(120), T(250), T(32760), T(65530)})
      for (int factor : {1, 20, 127, 255, 3000}) {
        kernel<T><<<1, block>>>(out, factor, start, deviceTable);
        checkLaunch();
        std::vector<Results<T>> got = out.get();
        for (unsigned t = 0; t < threads; ++t) {
          Results<T> want = compute<T>(t % block.x, t / block.x, factor, start, table.data()), have = got[t];
          expect(std::string(name) + ".wide", t, have.wide, want.wide);
          expect(std::string(name) + ".word", t, have.word, want.word);
          expect(std::string(name) + ".number", t, have.number, want.number);
          expect(std::string(name) + ".loaded", t, have.loaded, want.loaded);
          expect(std::string(name) + ".quotient", t, have.quotient, want.quotient);
          expect(std::string(name) + ".below", t, have.below, want.below);
        }
      }
    Buffer<int> sums(threads);
    constants<T><<<1, block>>>(sums, deviceTable);
    checkLaunch();
    std::vector<int> got = sums.get();
    for (unsigned t = 0; t < threads; ++t) {
      unsigned x = t % block.x, y = t / block.x;
      int want = int(unsigned(table[(unsigned char)(x * 20)]) + unsigned(int((signed char)(x * 20))) +
                     unsigned(int(T(x * 3000 + 60000))) + unsigned(table[(unsigned char)(y * 40 + 200)]) +
                     unsigned(table[256 + (signed char)(y * 33 + x)]));
      expect(std::string(name) + ".constants", t, got[t], want);
    }
  }
}

int main() {
  check<unsigned char>("unsigned char");
  check<signed char>("signed char");
  check<unsigned short>("unsigned short");
  check<short>("short");
  return finish();
}
