// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums in three levels, and histograms of zeros (all elements in one bin).
#include "points.h"

using namespace points;

/// Each level scans blocks and leaves their sums; `addSums` adds them to what the level below has.
__global__ void koggeStone(const unsigned *in, unsigned *out, int n, unsigned *sums) {
  extern __shared__ unsigned part[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n)
    part[t] = in[i];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s <<= 1) {
    if (t >= s)
      part[blockDim.x + t] = part[t] + part[t - s];
    __syncthreads();
    if (t >= s)
      part[t] = part[blockDim.x + t];
    __syncthreads();
  }
  if (i < n)
    out[i] = part[t];
  if (sums && t == blockDim.x - 1)
    sums[blockIdx.x] = part[t];
}
__global__ void brentKung(const unsigned *in, unsigned *out, int n, unsigned *sums) {
  extern __shared__ unsigned part[];
  const unsigned t = threadIdx.x, b = blockDim.x;
  const int i = 2 * blockIdx.x * b + t;
  part[t] = i < n ? in[i] : 0;
  part[t + b] = i + b < n ? in[i + b] : 0;
  __syncthreads();
  for (unsigned s = 1; s <= b; s <<= 1) {
    const unsigned k = (t + 1) * s * 2 - 1;
    if (k < 2 * b)
      part[k] += part[k - s];
    __syncthreads();
  }
  for (unsigned s = b / 2; s > 0; s >>= 1) {
    const unsigned k = (t + 1) * s * 2 - 1;
    if (k + s < 2 * b)
      part[k + s] += part[k];
    __syncthreads();
  }
  if (i < n)
    out[i] = part[t];
  if (i + b < n)
    out[i + b] = part[t + b];
  if (sums && t == b - 1)
    sums[blockIdx.x] = part[2 * b - 1];
}
/// A thread scans its own elements, then the last ones of all threads are scanned and added.
__global__ void threePhase(const unsigned *in, unsigned *out, int n, int section, unsigned *sums) {
  extern __shared__ unsigned part[];
  const int t = threadIdx.x, from = blockIdx.x * section, each = section / blockDim.x;
  for (int j = t; j < section; j += blockDim.x)
    part[j] = from + j < n ? in[from + j] : 0;
  __syncthreads();
  unsigned sum = 0;
  for (int j = t * each; j < (t + 1) * each; ++j)
    part[j] = sum += part[j];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s <<= 1) {
    const int last = (t + 1) * each - 1;
    unsigned before = 0;
    if (t >= s)
      before = part[last - s * each];
    __syncthreads();
    part[last] += before;
    __syncthreads();
  }
  if (t > 0) {
    const unsigned before = part[t * each - 1];
    for (int j = t * each; j < (t + 1) * each - 1; ++j)
      part[j] += before;
  }
  __syncthreads();
  for (int j = t; j < section; j += blockDim.x)
    if (from + j < n)
      out[from + j] = part[j];
  if (sums && t == 0)
    sums[blockIdx.x] = part[section - 1];
}
__global__ void addSums(unsigned *out, const unsigned *sums, int n, int section) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i >= section)
    out[i] += sums[i / section - 1];
}
POINT(scan) {
  const int n = int(a("n", 1 << 26)), block = int(a("block", 512));
  const std::string kind = a.text("kind", "kogge");
  const int section = kind == "kogge" ? block : kind == "brent" ? 2 * block : int(a("section", 4096));
  Array<unsigned> data(n), sums(n / section + 1), more(n / section / section + 2);
  auto scan = [&](const unsigned *in, unsigned *out, int count, unsigned *to) {
    const unsigned grid = blocksFor(count, section);
    if (kind == "kogge")
      koggeStone<<<grid, block, 2 * block * 4>>>(in, out, count, to);
    else if (kind == "brent")
      brentKung<<<grid, block, 2 * block * 4>>>(in, out, count, to);
    else
      threePhase<<<grid, block, section * 4>>>(in, out, count, section, to);
  };
  twice([&] {
    const int blocks = (n + section - 1) / section, groups = (blocks + section - 1) / section;
    scan(data, data, n, sums);
    scan(sums, sums, blocks, more);
    if (groups > 1) {
      scan(more, more, groups, nullptr);
      addSums<<<blocksFor(blocks, block), block>>>(sums, more, blocks, section);
    }
    addSums<<<blocksFor(n, block), block>>>(data, sums, n, section);
  });
  return {16.0 * n, double(n)};
}

__global__ void countGlobal(const unsigned *in, unsigned *bins, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[in[i]], 1);
}
__global__ void countShared(const unsigned *in, unsigned *bins, unsigned n, unsigned count) {
  extern __shared__ unsigned own[];
  for (unsigned b = threadIdx.x; b < count; b += blockDim.x)
    own[b] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&own[in[i]], 1);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < count; b += blockDim.x)
    atomicAdd(&bins[b], own[b]);
}
POINT(histogram) {
  const unsigned n = unsigned(a("n", 1 << 26)), block = unsigned(a("block", 512)), bins = unsigned(a("bins", 512));
  const unsigned grid = unsigned(a("grid", blocksFor(n, block)));
  Array<unsigned> in(n), out(bins);
  twice([&] {
    if (a("shared", 0))
      countShared<<<grid, block, bins * 4>>>(in, out, n, bins);
    else
      countGlobal<<<grid, block>>>(in, out, n);
  });
  return {4.0 * n, double(n)};
}
