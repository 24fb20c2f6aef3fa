// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices of 32 bits that wrap around between the threads of a warp: where arithmetic of 64 bits follows, and in arrays
// of more than 2^32 elements, in which threads on both sides of the wrap have elements.
#include "support.h"

/// Threads before the wrap store.
__global__ void before(int *out, unsigned base, unsigned long long least) {
  unsigned i = base + threadIdx.x;
  if (i >= least)
    out[(unsigned long long)i - least] = threadIdx.x + 1;
}

/// Threads behind it: `i - 1` of the first thread is 2^32 - 1.
__global__ void behind(int *out, unsigned base, unsigned count) {
  unsigned i = base + threadIdx.x;
  if (i < count)
    out[i] = threadIdx.x + 1;
}

/// As signed numbers.
__global__ void asSigned(int *out, unsigned base, long long least, long long most) {
  long long i = (int)(base + threadIdx.x);
  if (i >= least && i <= most)
    out[i - least] = threadIdx.x + 1;
}

/// Rows of a block.
__global__ void rows(int *out, unsigned base, unsigned pitch, unsigned long long least, unsigned long long count) {
  unsigned i = base + threadIdx.y * pitch + threadIdx.x;
  unsigned long long place = (unsigned long long)i - least;
  if (place < count)
    out[place] = threadIdx.y * blockDim.x + threadIdx.x + 1;
}

/// Columns of a block.
__global__ void columns(int *out, unsigned base, unsigned pitch, unsigned long long least, unsigned long long count) {
  unsigned i = base + threadIdx.x * pitch + threadIdx.y;
  unsigned long long place = (unsigned long long)i - least;
  if (place < count)
    out[place] = threadIdx.y * blockDim.x + threadIdx.x + 1;
}

/// In a loop, whose counter wraps.
__global__ void loop(int *out, unsigned base, unsigned long long least, unsigned long long count, int rounds) {
  unsigned i = base + threadIdx.x;
  for (int round = 0; round < rounds; ++round, i += blockDim.x) {
    unsigned long long place = (unsigned long long)i - least;
    if (place < count)
      out[place] += round + 1;
  }
}

/// Falling indices.
__global__ void falling(int *out, unsigned base, unsigned long long least, unsigned long long count) {
  unsigned i = base - threadIdx.x;
  unsigned long long place = (unsigned long long)i - least;
  if (place < count)
    out[place] = threadIdx.x + 1;
}

/// Bits that are known to be apart in some threads only.
__global__ void apart(int *out, int n) {
  int i = n - (int)threadIdx.x;
  if (i >= 0 && i < 16)
    out[i | 16] = threadIdx.x + 1;
}

__global__ void inHugeArray(const unsigned char *in, int *out, unsigned base) {
  unsigned i = base + threadIdx.x;
  out[threadIdx.x] = in[i];
}

__global__ void intoHugeArray(unsigned char *out, unsigned base, unsigned pitch) {
  unsigned i = base + threadIdx.y * pitch + threadIdx.x;
  out[i] = threadIdx.y * blockDim.x + threadIdx.x + 1;
}

__global__ void signedInHugeArray(const unsigned char *middle, int *out, unsigned base) {
  int i = (int)(base + threadIdx.x);
  out[threadIdx.x] = middle[i];
}

__global__ void tiled(const unsigned char *in, int *out, unsigned base, int rounds) {
  __shared__ int tile[64];
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    unsigned i = base + round * 64 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    for (int k = 0; k < 64; ++k)
      sum += tile[k] * (k + 1);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

void expectPlaces(const char *name, const Buffer<int> &out, const std::vector<int> &want) { expectAll(name, out.get(), want); }

int main() {
  constexpr unsigned long long Wrap = 1ull << 32;
  std::vector<unsigned> bases = {0xffffffe0u, 0xfffffff0u, 0xfffffff5u, 0xffffffffu, 0xffffff9cu, 0, 5};
  for (unsigned threads : {32, 64, 100, 256})
    for (unsigned base : bases) {
      Buffer<int> a(1024), b(1024), c(1024), d(1024), e(1024);
      std::vector<int> wantA(1024), wantB(1024), wantC(1024), wantD(1024), wantE(1024);
      unsigned long long least = Wrap - 512, middle = 0x80000000ull;
      for (unsigned t = 0; t < threads; ++t) {
        unsigned i = base + t;
        if (i >= least)
          wantA[i - least] = t + 1;
        if (i < 300)
          wantB[i] = t + 1;
        unsigned shifted = i + 0x80000000u; // wraps as signed numbers do
        long long number = int(shifted);
        if (number >= (long long)(middle) - 512)
          wantC[number - ((long long)(middle) - 512)] = t + 1;
        if (number <= -(long long)(middle) + 511)
          wantD[number + (long long)(middle)] = t + 1;
        unsigned down = base + 20 - t;
        if (down >= least)
          wantE[down - least] = t + 1;
      }
      before<<<1, threads>>>(a, base, least);
      behind<<<1, threads>>>(b, base, 300);
      asSigned<<<1, threads>>>(c, base + 0x80000000u, (long long)(middle) - 512, (long long)(middle));
      asSigned<<<1, threads>>>(d, base + 0x80000000u, -(long long)(middle), -(long long)(middle) + 511);
      falling<<<1, threads>>>(e, base + 20, least, 512);
      checkLaunch();
      expectPlaces("before", a, wantA), expectPlaces("behind", b, wantB), expectPlaces("as signed, above", c, wantC);
      expectPlaces("as signed, below", d, wantD), expectPlaces("falling", e, wantE);

      Buffer<int> looped(2048);
      std::vector<int> wantLoop(2048);
      for (int round = 0; round < 4; ++round)
        for (unsigned t = 0; t < threads; ++t)
          if (unsigned i = base + round * threads + t; i >= Wrap - 2048)
            wantLoop[i - (Wrap - 2048)] += round + 1;
      loop<<<1, threads>>>(looped, base, Wrap - 2048, 2048, 4);
      checkLaunch();
      expectPlaces("loop", looped, wantLoop);
    }
  for (dim3 block : {dim3(32, 8), dim3(16, 16), dim3(8, 32)})
    for (unsigned base : bases)
      for (unsigned pitch : {16u, 37u, 0x08000000u}) { // 32 rows of the last are 2^32
        Buffer<int> byRows(1024), byColumns(1024);
        std::vector<int> wantRows(1024), wantColumns(1024);
        for (unsigned y = 0; y < block.y; ++y)
          for (unsigned x = 0; x < block.x; ++x) {
            if (unsigned i = base + y * pitch + x; i >= Wrap - 1024)
              wantRows[i - (Wrap - 1024)] = std::max<int>(wantRows[i - (Wrap - 1024)], y * block.x + x + 1);
            if (unsigned i = base + x * pitch + y; i >= Wrap - 1024)
              wantColumns[i - (Wrap - 1024)] = std::max<int>(wantColumns[i - (Wrap - 1024)], y * block.x + x + 1);
          }
        if (pitch < 37 && (block.x > pitch || block.y > pitch)) // several threads store at a place
          continue;
        rows<<<1, block>>>(byRows, base, pitch, Wrap - 1024, 1024);
        columns<<<1, block>>>(byColumns, base, pitch, Wrap - 1024, 1024);
        checkLaunch();
        expectPlaces("rows", byRows, wantRows), expectPlaces("columns", byColumns, wantColumns);
      }
  for (int n : {3, 15, 20, 31, 40}) {
    Buffer<int> out(64);
    std::vector<int> want(64);
    for (int t = 0; t < 64; ++t)
      if (n - t >= 0 && n - t < 16)
        want[(n - t) | 16] = t + 1;
    apart<<<1, 64>>>(out, n);
    checkLaunch();
    expectPlaces("apart", out, want);
  }

  // An array of more than 2^32 bytes, of which few are touched.
  unsigned char *huge;
  CUDA_OK(cudaMalloc(reinterpret_cast<void **>(&huge), Wrap + 65536));
  std::vector<unsigned char> start(4096), end(4096);
  Random random(3);
  for (auto *part : {&start, &end})
    for (unsigned char &byte : *part)
      byte = (unsigned char)(random.bits());
  CUDA_OK(cudaMemcpy(huge, start.data(), 4096, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(huge + Wrap - 4096, end.data(), 4096, cudaMemcpyHostToDevice));
  auto at = [&](unsigned i) { return i < 4096 ? start[i] : end[i - (0u - 4096u)]; };
  for (unsigned base : bases) {
    if (base == 0xffffff9cu)
      base = 0xffffffc0u;
    Buffer<int> out(256), out2(256), sums(64);
    std::vector<int> want(256), wantSums(64);
    for (unsigned t = 0; t < 256; ++t)
      want[t] = at(base + t);
    inHugeArray<<<1, 256>>>(huge, out, base);
    signedInHugeArray<<<1, 256>>>(huge + Wrap / 2, out2, base + 0x80000000u);
    checkLaunch();
    expectPlaces("in a huge array", out, want);
    int sum = 0;
    for (unsigned round = 0; round < 3; ++round)
      for (unsigned k = 0; k < 64; ++k)
        sum += at(base + round * 64 + k) * int(k + 1);
    tiled<<<1, 64>>>(huge, sums, base, 3);
    checkLaunch();
    expectPlaces("tiles of a huge array", sums, std::vector<int>(64, sum));
    std::vector<int> wantSigned(256);
    for (unsigned t = 0; t < 256; ++t) {
      long long place = (long long)(Wrap / 2) + int(base + 0x80000000u + t);
      wantSigned[t] = place < 4096 ? start[place] : end[place - (long long)(Wrap - 4096)];
    }
    expectPlaces("signed, in a huge array", out2, wantSigned);
  }
  for (unsigned base : {0xfffffff0u, 0xffffff80u}) {
    intoHugeArray<<<1, dim3(16, 8)>>>(huge, base, 16);
    checkLaunch();
    for (unsigned t = 0; t < 128; ++t) {
      unsigned char byte;
      CUDA_OK(cudaMemcpy(&byte, huge + (base + t), 1, cudaMemcpyDeviceToHost));
      expect("into a huge array", t, byte, (unsigned char)(t + 1));
    }
  }
  CUDA_OK(cudaFree(huge));
  return finish();
}
