// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
// RUN: env HEDDLE_WORKERS=1 %t
// RUN: env HEDDLE_WORKERS=7 %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %if x86 %{ env HEDDLE_CPU=x86-64-v2 %t %}
// RUN: %all env HEDDLE_DISABLE=coarsen-blocks %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of one thread, neighbours of which run as lanes of one program: grids of one, two and three dimensions, narrower
// and wider than a program, with rests of all sizes. Elements are added to, so that no block runs twice or not at all.
// Also kernels whose blocks are left alone, since something of theirs belongs to a block.
#include "support.h"

#include <algorithm>

struct Place {
  int x, y, z, at;
};

__device__ Place place() {
  int x = blockIdx.x, y = blockIdx.y, z = blockIdx.z;
  return {x, y, z, int((z * gridDim.y + y) * gridDim.x) + x};
}

/// Indices and sizes.
__global__ void indices(const int *in, long long *out) {
  auto [x, y, z, at] = place();
  out[at] += in[at] + 3ll * x + 1000ll * y + 1000000ll * z + (threadIdx.x + threadIdx.y + threadIdx.z) * 17 +
             blockDim.x + 2 * blockDim.y + 4 * blockDim.z + 7 * gridDim.x;
}

/// Elements of all sizes, some behind guards.
template <typename T> __global__ void guarded(int n, const T *in, T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = T(out[i] + in[i] * T(3));
}

/// From far away, and to there.
__global__ void permuted(const int *to, const int *in, int *out) {
  int at = place().at;
  out[to[at]] += in[to[at] / 2] + at;
}

/// Each block takes another number of steps, some none, and a barrier concerns nobody.
__global__ void steps(const int *in, int *out) {
  int at = place().at;
  unsigned value = in[at];
  if (value % 7 == 3)
    return;
  int count = 0;
  for (; value > 1 && count < 200; ++count) {
    if (value % 2) {
      value = 3 * value + 1;
      __syncthreads();
    } else {
      value /= 2;
    }
    if (value % 61 == 60)
      break;
  }
  __syncwarp();
  out[at] += count * 4 + value % 3;
}

static int stepsOf(unsigned value) {
  int count = 0;
  for (; value > 1 && count < 200; ++count) {
    value = value % 2 ? 3 * value + 1 : value / 2;
    if (value % 61 == 60)
      break;
  }
  return count * 4 + value % 3;
}

/// Sums with the same order of additions everywhere.
__global__ void sums(int n, const float *rows, const float *columns, float *out) {
  auto [x, y, z, at] = place();
  float sum = z;
  for (int k = 0; k < n; ++k)
    sum = __fmaf_rn(rows[y * n + k], columns[k * gridDim.x + x], sum);
  out[at] += sum;
}

__global__ void strides(int n, const int *in, int *out) {
  for (int i = blockIdx.x; i < n; i += gridDim.x)
    out[i] += in[i] * 5;
}

__global__ void localArrays(const int *in, int *out) {
  int at = place().at, seen[16] = {};
  for (int k = 0; k < 40; ++k)
    ++seen[(in[at] >> k % 20) & 15];
  int best = 0;
  for (int k = 1; k < 16; ++k)
    if (seen[k] > seen[best])
      best = k;
  out[at] += best * 100 + seen[best];
}

static int mostSeen(int value) {
  int seen[16] = {};
  for (int k = 0; k < 40; ++k)
    ++seen[(value >> k % 20) & 15];
  return int(std::max_element(seen, seen + 16) - seen) * 100 + *std::max_element(seen, seen + 16);
}

struct Counts {
  int bins[64], sum, most, tickets, wins;
  unsigned last;
};

/// Additions that may wait, and those whose results are used.
__global__ void counts(const int *in, Counts *counts) {
  int value = in[place().at];
  atomicAdd(&counts->bins[value & 63], 1);
  atomicAdd(&counts->sum, value & 255);
}
__global__ void tickets(const int *in, Counts *counts, int *out) {
  int at = place().at;
  atomicMax(&counts->most, in[at]);
  if (atomicCAS(&counts->wins, 0, at + 1) == 0)
    atomicAdd(&counts->wins, 1000000);
  if (in[at] & 1)
    out[atomicAdd(&counts->tickets, 1)] = at + 1;
}

/// The last block adds up what all have found.
__global__ void lastBlock(const int *in, int *found, unsigned *arrived, long long *result) {
  int at = place().at, all = gridDim.x * gridDim.y * gridDim.z;
  int value = in[at], sum = 0;
  for (int k = 0; k < (value & 15); ++k)
    sum += value >> k;
  found[at] = sum;
  __threadfence();
  if (atomicInc(arrived, all - 1) == unsigned(all - 1)) {
    long long total = 0;
    for (int i = 0; i < all; ++i)
      total += static_cast<volatile int *>(found)[i];
    *result = total;
  }
}

/// What belongs to a block.
__global__ void sharedOfBlock(const int *in, int *out) {
  __shared__ int mine[32];
  int at = place().at;
  for (int k = 0; k < 32; ++k)
    mine[k] = in[at] >> k & 1;
  __syncthreads();
  int ones = 0;
  for (int k = 0; k < 32; ++k)
    ones += mine[k];
  out[at] += ones;
}
__global__ void warpOfBlock(const int *in, int *out) {
  int at = place().at;
  out[at] += __popc(__activemask()) + __shfl_sync(1, in[at], 0) + __popc(__ballot_sync(1, 1));
}
__global__ void heapOfThread(const int *in, int *out) {
  int at = place().at;
  int *p = static_cast<int *>(malloc(16));
  if (!p)
    return;
  for (int k = 0; k < 4; ++k)
    p[k] = in[at] + k;
  out[at] += p[in[at] & 3];
  free(p);
}
__global__ void locked(int *lock, int *sum) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *static_cast<volatile int *>(sum) += blockIdx.x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

static Random randoms(7);

/// 64-bit divisions.
__global__ void divided(long long n, const int *in, long long *out) {
  int i = blockIdx.x;
  out[i] += in[i] * 1000003ll % (n + i) + n * n / (in[i] + 1);
}

static std::vector<int> randomInts(size_t n) {
  std::vector<int> values(n);
  for (int &value : values)
    value = randoms.below(1 << 20);
  return values;
}

static std::string name(const char *what, dim3 grid) {
  return what + (" " + std::to_string(grid.x)) + "x" + std::to_string(grid.y) + "x" + std::to_string(grid.z);
}

static void values(dim3 grid) {
  int n = grid.x * grid.y * grid.z;
  std::vector<int> in = randomInts(n), zeros(n), wanted(n);
  Buffer<int> deviceIn(in), out(n);
  Buffer<long long> wide(n);
  indices<<<grid, 1>>>(deviceIn.data, wide.data);
  std::vector<long long> wantedWide(n);
  for (int i = 0; i < n; ++i)
    wantedWide[i] = in[i] + 3ll * (i % grid.x) + 1000ll * (i / grid.x % grid.y) + 1000000ll * (i / grid.x / grid.y) + 7 +
                    7 * grid.x;
  expectAll(name("indices", grid), wide.get(), wantedWide);

  auto check = [&](const char *what, auto launch, auto want) {
    for (int i = 0; i < n; ++i)
      wanted[i] += want(i);
    launch();
    expectAll(name(what, grid), out.get(), wanted);
  };
  check("steps", [&] { steps<<<grid, 1>>>(deviceIn.data, out.data); },
        [&](int i) { return in[i] % 7 == 3 ? 0 : stepsOf(in[i]); });
  check("localArrays", [&] { localArrays<<<grid, 1>>>(deviceIn.data, out.data); }, [&](int i) { return mostSeen(in[i]); });
  check("sharedOfBlock", [&] { sharedOfBlock<<<grid, 1>>>(deviceIn.data, out.data); },
        [&](int i) { return __builtin_popcount(in[i]); });
  check("warpOfBlock", [&] { warpOfBlock<<<grid, 1>>>(deviceIn.data, out.data); }, [&](int i) { return 2 + in[i]; });
  check("heapOfThread", [&] { heapOfThread<<<grid, 1>>>(deviceIn.data, out.data); },
        [&](int i) { return in[i] + (in[i] & 3); });
  std::vector<int> to(n);
  for (int i = 0; i < n; ++i)
    std::swap(to[i] = i, to[randoms.below(i + 1)]);
  Buffer<int> deviceTo(to);
  for (int i = 0; i < n; ++i)
    wanted[to[i]] += in[to[i] / 2] + i;
  permuted<<<grid, 1>>>(deviceTo.data, deviceIn.data, out.data);
  expectAll(name("permuted", grid), out.get(), wanted);
}

static void floats(dim3 grid, int n) {
  std::vector<float> rows(grid.y * n), columns(grid.x * n), wanted(grid.x * grid.y * grid.z);
  for (float &value : rows)
    value = float(randoms.between(-1, 1));
  for (float &value : columns)
    value = float(randoms.between(-1, 1));
  Buffer<float> deviceRows(rows), deviceColumns(columns), out(wanted.size());
  sums<<<grid, 1>>>(n, deviceRows.data, deviceColumns.data, out.data);
  for (size_t i = 0; i < wanted.size(); ++i) {
    float sum = float(i / grid.x / grid.y);
    for (int k = 0; k < n; ++k)
      sum = std::fmaf(rows[i / grid.x % grid.y * n + k], columns[k * grid.x + i % grid.x], sum);
    wanted[i] += sum;
  }
  expectAll(name("sums", grid), out.get(), wanted);
}

template <typename T> static void guards(int blocks, int n) {
  std::vector<T> in(n), wanted(n);
  for (int i = 0; i < n; ++i) {
    in[i] = T(randoms.below(1000));
    wanted[i] = i < blocks ? T(in[i] * T(3)) : T(0);
  }
  Buffer<T> deviceIn(in), out(n);
  guarded<<<blocks, 1>>>(n, deviceIn.data, out.data);
  expectAll("guarded", out.get(), wanted);
}

static void atomics(dim3 grid) {
  int n = grid.x * grid.y * grid.z, odd = 0;
  std::vector<int> in = randomInts(n);
  Counts wanted = {};
  long long total = 0;
  std::vector<int> wantedTickets(n);
  for (int i = 0; i < n; ++i) {
    ++wanted.bins[in[i] & 63];
    wanted.sum += in[i] & 255;
    wanted.most = std::max(wanted.most, in[i]);
    if (in[i] & 1)
      wantedTickets[odd++] = i + 1;
    for (int k = 0; k < (in[i] & 15); ++k)
      total += in[i] >> k;
  }
  Buffer<int> deviceIn(in), out(n), found(n);
  Buffer<Counts> device(1);
  Buffer<unsigned> arrived(1);
  Buffer<long long> result(1);
  counts<<<grid, 1>>>(deviceIn.data, device.data);
  tickets<<<grid, 1>>>(deviceIn.data, device.data, out.data);
  lastBlock<<<grid, 1>>>(deviceIn.data, found.data, arrived.data, result.data);
  Counts got = device.get()[0];
  for (int k = 0; k < 64; ++k)
    expect(name("bins", grid), k, got.bins[k], wanted.bins[k]);
  expect(name("sum", grid), 0, got.sum, wanted.sum);
  expect(name("most", grid), 0, got.most, wanted.most);
  expect(name("tickets", grid), 0, got.tickets, odd);
  expectTrue(name("one wins", grid), got.wins > 1000000 && got.wins <= 1000000 + n);
  std::vector<int> gotTickets = out.get();
  std::sort(gotTickets.begin(), gotTickets.begin() + odd);
  expectAll(name("blocks with tickets", grid), gotTickets, wantedTickets);
  expect(name("last block", grid), 0, result.get()[0], total);
}

static void divisions(int n, long long by) {
  std::vector<int> in = randomInts(n);
  std::vector<long long> wanted(n);
  for (int i = 0; i < n; ++i)
    wanted[i] = in[i] * 1000003ll % (by + i) + by * by / (in[i] + 1);
  Buffer<int> deviceIn(in);
  Buffer<long long> out(n);
  divided<<<n, 1>>>(by, deviceIn.data, out.data);
  expectAll("divided", out.get(), wanted);
}

static void stridesOf(int blocks, int n) {
  std::vector<int> in = randomInts(n), wanted(n);
  for (int i = 0; i < n; ++i)
    wanted[i] = in[i] * 5;
  Buffer<int> deviceIn(in), out(n);
  strides<<<blocks, 1>>>(n, deviceIn.data, out.data);
  expectAll("strides", out.get(), wanted);
}

int main() {
  const unsigned widths[] = {1, 2, 3, 7, 8, 15, 17, 31, 32, 33, 63, 64, 100, 127, 128, 129, 255, 256, 257, 300, 511, 515, 1031};
  for (unsigned x : widths)
    for (dim3 grid : {dim3(x), dim3(x, 3), dim3(x, 2, 3)}) {
      values(grid);
      floats(grid, 37);
      atomics(grid);
    }
  values(dim3(1, 1000));
  values(dim3(40000));
  floats(dim3(333, 70), 129);
  atomics(dim3(20011));
  for (int x : {1, 5, 32, 100, 256, 1000, 10007})
    for (int n : {x, x - x / 3, x + 4}) {
      guards<signed char>(x, n);
      guards<short>(x, n);
      guards<float>(x, n);
      guards<double>(x, n);
      stridesOf(x, 3 * n + 1);
    }
  divisions(777, 1000001);
  Buffer<int> lock(2);
  locked<<<200, 1>>>(lock.data, lock.data + 1);
  expect("locked", 0, lock.get()[1], 199 * 200 / 2);
  return finish();
}
