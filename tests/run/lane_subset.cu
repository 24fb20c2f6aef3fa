// RUN: %heddle cc %s -o %t
// RUN: %widths(64,256) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory accesses behind tests of the thread's index, which few lanes of a program pass: rims of tiles, every n-th
// thread, single ones; contiguous, strided and gathered; combined with tests that only the data decides.
#include "support.h"

struct Args {
  unsigned n, w, which;
};

/// One thread of a block of bx * by threads, t = y * bx + x; `out` is the thread's own, two cells.
__host__ __device__ inline void body(Args a, unsigned x, unsigned y, unsigned bx, unsigned by, unsigned t, unsigned g,
                                     const unsigned *in, unsigned *out) {
  unsigned r = 1;
  if (x == 0 && g > 0)
    r += in[g - 1];
  if (x == bx - 1 && g + 1 < a.n)
    out[2 * g + 1] = in[g + 1] * 3;
  if (y == 0)
    r ^= in[(g * 7 + 5) % a.n];
  if (y == by - 1 && a.w > 2)
    r += in[t];
  if (x % 16 == 3)
    out[2 * g] = in[(in[g] + x) % a.n] + r;
  if ((x < 2 || x == 11) && (in[g] & 1))
    r *= in[(g + a.w) % a.n] | 1;
  if (!(x > 0) || !(y > 0))
    out[2 * g] += in[y];
  if (t == 77 || t == 78)
    r -= in[t + a.which];
  if ((x ^ 5) == 0)
    for (unsigned k = 0; k < a.w; ++k)
      r += in[(g + k * k) % a.n] * k;
  out[2 * g] += r;
}

__global__ static void kernel(Args a, const unsigned *in, unsigned *out) {
  unsigned block = blockIdx.y * gridDim.x + blockIdx.x, t = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned g = block * blockDim.x * blockDim.y + t;
  if (g < a.n)
    body(a, threadIdx.x, threadIdx.y, blockDim.x, blockDim.y, t, g, in, out);
}

/// A tile with a rim, as stencils load it.
template <int X, int Y> __global__ static void tile(int w, int h, const unsigned *in, unsigned *out) {
  __shared__ unsigned cells[Y + 2][X + 2];
  int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (x < w && y < h) {
    cells[ty][tx] = in[y * w + x];
    if (threadIdx.x == 0)
      cells[ty][0] = x > 0 ? in[y * w + x - 1] : 0;
    if (threadIdx.x == X - 1 || x == w - 1)
      cells[ty][tx + 1] = x < w - 1 ? in[y * w + x + 1] : 0;
    if (threadIdx.y == 0)
      cells[0][tx] = y > 0 ? in[(y - 1) * w + x] : 0;
    if (threadIdx.y == Y - 1 || y == h - 1)
      cells[ty + 1][tx] = y < h - 1 ? in[(y + 1) * w + x] : 0;
  }
  __syncthreads();
  if (x < w && y < h)
    out[y * w + x] = cells[ty][tx] * 5 + cells[ty][tx - 1] + 2 * cells[ty][tx + 1] + 3 * cells[ty - 1][tx] +
                     4 * cells[ty + 1][tx];
}

template <class Launch>
static std::vector<unsigned> onDevice(const std::vector<unsigned> &in, size_t count, Launch launch) {
  std::vector<unsigned> out(count, 9);
  unsigned *device;
  CUDA_OK(cudaMalloc(&device, (in.size() + count) * sizeof(unsigned)));
  CUDA_OK(cudaMemcpy(device, in.data(), in.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(device + in.size(), out.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
  launch(device, device + in.size());
  CUDA_OK(cudaMemcpy(out.data(), device + in.size(), count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(device));
  return out;
}

static void checkBodies(dim3 block, Args a, Random &random) {
  std::vector<unsigned> in(a.n + 2000), want(2 * a.n, 9);
  for (unsigned &v : in)
    v = random.bits();
  unsigned threads = block.x * block.y;
  for (unsigned g = 0; g < a.n; ++g)
    body(a, g % threads % block.x, g % threads / block.x, block.x, block.y, g % threads, g, in.data(), want.data());
  std::vector<unsigned> got = onDevice(in, 2 * a.n, [&](unsigned *from, unsigned *to) {
    kernel<<<dim3(2, (a.n + 2 * threads - 1) / (2 * threads)), block>>>(a, from, to);
  });
  expectAll("block " + std::to_string(block.x) + "x" + std::to_string(block.y) + " n " + std::to_string(a.n), got, want);
}

template <int X, int Y> static void checkTile(int w, int h, Random &random) {
  std::vector<unsigned> in(w * h), want(w * h);
  for (unsigned &v : in)
    v = random.bits();
  auto at = [&](int x, int y) { return x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0; };
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      want[y * w + x] = at(x, y) * 5 + at(x - 1, y) + 2 * at(x + 1, y) + 3 * at(x, y - 1) + 4 * at(x, y + 1);
  std::vector<unsigned> got = onDevice(in, in.size(), [&](unsigned *from, unsigned *to) {
    tile<X, Y><<<dim3((w + X - 1) / X, (h + Y - 1) / Y), dim3(X, Y)>>>(w, h, from, to);
  });
  expectAll("tile " + std::to_string(X) + "x" + std::to_string(Y) + " of " + std::to_string(w) + "x" + std::to_string(h),
            got, want);
}

int main() {
  Random random(11);
  for (dim3 block : {dim3(32, 8), dim3(16, 16), dim3(64, 4), dim3(256), dim3(8, 8), dim3(33, 3), dim3(48, 4), dim3(12, 10)})
    for (unsigned n : {1u, 31u, 256u, 1000u, 4099u})
      checkBodies(block, {n, unsigned(random.below(9)), unsigned(random.below(100))}, random);
  for (auto [w, h] : {std::pair(1, 1), std::pair(32, 8), std::pair(100, 37), std::pair(257, 64)}) {
    checkTile<32, 8>(w, h, random);
    checkTile<16, 16>(w, h, random);
    checkTile<64, 2>(w, h, random);
  }
  return finish();
}
