// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %if avx512 %{ env HEDDLE_CPU=x86-64-v3 %t %}
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms of bytes in shared memory, which long loops count in pairs: bytes of all values, one value only (whose
// counters come round), bins for a part of the values with others' words around them, other bins than the bytes, odd
// lengths and addresses.
#include "support.h"

constexpr int Around = 300; // words before and behind the bins that must stay as they are
constexpr unsigned Untouched = 0x5a5a5a5a;

struct Bytes {
  static constexpr int Values = 256, Bins = 256;
  using Count = unsigned;
  static constexpr Count By = 1;
  __host__ __device__ static int bin(unsigned char byte) { return byte; }
};

/// Only some bytes come, and only they have bins.
struct Few : Bytes {
  static constexpr int Values = 40, Bins = 40;
};

struct Threes : Bytes {
  using Count = unsigned long long;
  static constexpr Count By = 3;
};

struct Eighths : Bytes {
  static constexpr int Bins = 32;
  static constexpr Count By = -5;
  __host__ __device__ static int bin(unsigned char byte) { return byte >> 3; }
};

struct Mixed : Bytes {
  static constexpr int Bins = 64;
  __host__ __device__ static int bin(unsigned char byte) { return (byte ^ 21) & 63; }
};

template <class Kind>
__global__ void countBytes(int n, const unsigned char *in, typename Kind::Count *bins, unsigned *around) {
  using Count = typename Kind::Count;
  __shared__ struct {
    unsigned before[Around];
    Count bins[Kind::Bins];
    unsigned behind[Around];
  } mine;
  int thread = threadIdx.x;
  for (int i = thread; i < Around; i += blockDim.x)
    mine.before[i] = mine.behind[i] = Untouched;
  for (int i = thread; i < Kind::Bins; i += blockDim.x)
    mine.bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine.bins[Kind::bin(in[i])], Kind::By);
  __syncthreads();
  for (int i = thread; i < Kind::Bins; i += blockDim.x)
    atomicAdd(&bins[i], mine.bins[i]);
  for (int i = thread; i < Around; i += blockDim.x)
    if (mine.before[i] != Untouched || mine.behind[i] != Untouched)
      atomicAdd(around, 1u);
}

template <class Kind> static void check(const char *what, const std::vector<unsigned char> &bytes, int blocks, int block) {
  using Count = typename Kind::Count;
  std::vector<Count> want(Kind::Bins, 0);
  for (size_t i = 1; i < bytes.size(); ++i)
    want[Kind::bin(bytes[i])] += Kind::By;
  Buffer<unsigned char> in(bytes);
  Buffer<Count> bins(std::vector<Count>(Kind::Bins, 0));
  Buffer<unsigned> around(std::vector<unsigned>(1, 0));
  countBytes<Kind><<<blocks, block>>>(int(bytes.size()) - 1, in + 1, bins, around);
  checkLaunch();
  expectAll(what, bins.get(), want);
  expectAll(std::string(what) + ": words around", around.get(), std::vector<unsigned>(1, 0));
}

template <class Kind> static void checkAll(const char *what, Random &random) {
  for (int n : {1, 1000, 32768 + 256, 200'001, 1'000'003})
    for (int spread : {1, 2, 1000}) {
      std::vector<unsigned char> bytes(n + 1);
      int first = int(random.bits() % Kind::Values);
      for (unsigned char &byte : bytes)
        byte = (unsigned char)((first + random.bits() % spread) % Kind::Values);
      check<Kind>(what, bytes, 1, 256);
      check<Kind>(what, bytes, 3, 64);
      check<Kind>(what, bytes, 2, 96);
    }
}

int main() {
  Random random(8);
  checkAll<Bytes>("256 bins", random);
  checkAll<Few>("40 bins", random);
  checkAll<Threes>("by 3", random);
  checkAll<Eighths>("eight values a bin", random);
  checkAll<Mixed>("mixed", random);
  return finish();
}
