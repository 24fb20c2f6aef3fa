// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libraries for learning do with a tensor: four elements of a thread, softmax and normalisation of rows.
#include "points.h"

using namespace points;

__device__ float4 each(float4 v, float (*f)(float)) { return make_float4(f(v.x), f(v.y), f(v.z), f(v.w)); }
__device__ float gelu(float x) { return x * 0.5f * (1.0f + erff(x * 0.70710678f)); }
__device__ float hyperbolic(float x) { return tanhf(x); }
__device__ float positive(float x) { return x > 0 ? x : 0.0f; }

template <int Kind> __global__ void elementwise(const float4 *a, const float4 *b, float4 *out) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  float4 value = a[i];
  if (Kind == 0) {
    const float4 other = b[i];
    value = make_float4(value.x + other.x, value.y + other.y, value.z + other.z, value.w + other.w);
  } else {
    value = each(value, Kind == 1 ? hyperbolic : Kind == 2 ? gelu : positive);
  }
  out[i] = value;
}
POINT(elementwise) {
  const long n = a("rows", 32768) * a("columns", 1024), threads = n / 4;
  const std::string kind = a.text("kind", "add");
  const unsigned grid = unsigned(threads / 128);
  Array<float4> x(threads), y(kind == "add" ? threads : 1), z(threads);
  twice([&] {
    if (kind == "add")
      elementwise<0><<<grid, 128>>>(x, y, z);
    else if (kind == "tanh")
      elementwise<1><<<grid, 128>>>(x, y, z);
    else if (kind == "gelu")
      elementwise<2><<<grid, 128>>>(x, y, z);
    else
      elementwise<3><<<grid, 128>>>(x, y, z);
  });
  return {(kind == "add" ? 12.0 : 8.0) * n, double(n)};
}

/// Over the block, by shuffles and a word of shared memory for each warp.
template <class Op> __device__ float overBlock(float value, float neutral, float *words, Op op) {
  for (int step = 16; step; step /= 2)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, step));
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  __syncthreads();
  if (lane == 0)
    words[warp] = value;
  __syncthreads();
  value = lane < blockDim.x / 32 ? words[lane] : neutral;
  for (int step = 16; step; step /= 2)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, step));
  return value;
}

/// A block for a row: its greatest element, the sum of exponentials, the quotients.
__global__ void softmax(const float4 *in, float4 *out, int columns) {
  __shared__ float words[32];
  const float4 *row = in + long(blockIdx.x) * columns;
  float4 *to = out + long(blockIdx.x) * columns;
  float most = -1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float4 v = row[i];
    most = fmaxf(most, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  most = overBlock(most, -1e30f, words, [](float x, float y) { return fmaxf(x, y); });
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float4 v = row[i];
    sum += expf(v.x - most) + expf(v.y - most) + expf(v.z - most) + expf(v.w - most);
  }
  sum = overBlock(sum, 0, words, [](float x, float y) { return x + y; });
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float4 v = row[i];
    to[i] = make_float4(expf(v.x - most) / sum, expf(v.y - most) / sum, expf(v.z - most) / sum,
                        expf(v.w - most) / sum);
  }
}
POINT(softmax) {
  const int rows = int(a("rows", 16384)), columns = int(a("columns", 5120)), block = int(a("block", 512));
  Array<float4> x(size_t(rows) * columns / 4), z(size_t(rows) * columns / 4);
  twice([&] { softmax<<<rows, block>>>(x, z, columns / 4); });
  return {8.0 * rows * columns, double(rows) * columns};
}

/// A block of four warps for a row: mean and deviation in one pass, then the scaled row.
__global__ void normalise(const float4 *in, const float4 *gamma, const float4 *beta, float4 *out, int columns) {
  __shared__ float words[32], more[32];
  const float4 *row = in + long(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float4 v = row[i];
    sum += v.x + v.y + v.z + v.w;
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  sum = overBlock(sum, 0, words, [](float x, float y) { return x + y; });
  squares = overBlock(squares, 0, more, [](float x, float y) { return x + y; });
  const float mean = sum / (4 * columns), scale = rsqrtf(squares / (4 * columns) - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float4 v = row[i], g = gamma[i], b = beta[i];
    out[long(blockIdx.x) * columns + i] =
        make_float4((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y,
                    (v.z - mean) * scale * g.z + b.z, (v.w - mean) * scale * g.w + b.w);
  }
}
POINT(normalise) {
  const int rows = int(a("rows", 8192)), columns = int(a("columns", 6400));
  const size_t all = size_t(rows) * columns / 4;
  Array<float4> x(all), z(all), gamma(columns / 4), beta(columns / 4);
  twice([&] { normalise<<<rows, 128>>>(x, gamma, beta, z, columns / 4); });
  return {8.0 * rows * columns, double(rows) * columns};
}
