// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic: bodies, chains of sums and products by intensity, and caches that are read again and again.
#include "points.h"

using namespace points;

/// Each thread takes a body and goes through all in tiles of a block (GPU Gems 3, chapter 31).
template <class T, class T4> __device__ void interact(T4 &sum, T4 own, T4 other) {
  const T x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
  const T square = x * x + y * y + z * z + T(0.01);
  const T inverse = rsqrt(square), cube = inverse * inverse * inverse, s = other.w * cube;
  sum.x += x * s, sum.y += y * s, sum.z += z * s;
}
template <class T, class T4>
__global__ void bodies(T4 *newPositions, const T4 *positions, T4 *velocities, int n, T step) {
  extern __shared__ unsigned char bytes[];
  T4 *tile = reinterpret_cast<T4 *>(bytes);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T4 own = positions[i], sum = {0, 0, 0, 0};
  for (int from = 0; from < n; from += blockDim.x) {
    tile[threadIdx.x] = positions[from + threadIdx.x];
    __syncthreads();
#pragma unroll 128
    for (int k = 0; k < blockDim.x; ++k)
      interact<T, T4>(sum, own, tile[k]);
    __syncthreads();
  }
  T4 v = velocities[i];
  v.x += sum.x * step, v.y += sum.y * step, v.z += sum.z * step;
  own.x += v.x * step, own.y += v.y * step, own.z += v.z * step;
  newPositions[i] = own, velocities[i] = v;
}
POINT(bodies) {
  const int n = int(a("n", 16384)), block = int(a("block", 256));
  const bool isDouble = a("double", 0);
  Array<double4> x(n), y(n), v(n);
  twice([&] {
    if (isDouble)
      bodies<double, double4><<<n / block, block, block * sizeof(double4)>>>(y, x, v, n, 0.01);
    else
      bodies<float, float4><<<n / block, block, block * sizeof(float4)>>>(
          reinterpret_cast<float4 *>((double4 *)y), reinterpret_cast<float4 *>((double4 *)x),
          reinterpret_cast<float4 *>((double4 *)v), n, 0.01f);
  });
  return {0, (isDouble ? 30.0 : 20.0) * n * n};
}

/// `Chain` products and sums for each element that is read, in `Side` independent chains.
template <class T, int Chain> __global__ void intensity(const T *in, T *out, long n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T value = in[i], other = value + T(1);
  for (int k = 0; k < Chain / 2; ++k) {
    value = value * value + T(0.3);
    other = other * other + T(0.7);
  }
  if (value + other == T(1.2345))
    out[i] = value;
}
template <class T> Work chains(const Arguments &a) {
  const long n = a("n", 1 << 25), chain = a("chain", 32);
  Array<T> x(n), z(1);
  const unsigned grid = blocksFor(n, 256);
  twice([&] {
    switch (chain) {
    case 2: intensity<T, 2><<<grid, 256>>>(x, z, n); break;
    case 8: intensity<T, 8><<<grid, 256>>>(x, z, n); break;
    case 32: intensity<T, 32><<<grid, 256>>>(x, z, n); break;
    case 64: intensity<T, 64><<<grid, 256>>>(x, z, n); break;
    case 128: intensity<T, 128><<<grid, 256>>>(x, z, n); break;
    default: intensity<T, 256><<<grid, 256>>>(x, z, n);
    }
  });
  return {double(n) * sizeof(T), 2.0 * n * chain};
}
POINT(intensity) {
  const std::string type = a.text("type", "float");
  return type == "double" ? chains<double>(a) : type == "int" ? chains<int>(a) : chains<float>(a);
}

/// A thread follows a ring of pointers; the work is the number of its steps. The second run begins where the first one
/// ended, so that a ring longer than both is in no cache.
__global__ void follow(void **from, void **out, int steps) {
  void **at = from;
  for (int i = 0; i < steps; ++i)
    at = static_cast<void **>(*at);
  *out = at;
}
POINT(chase) {
  const size_t line = 16, count = size_t(a("bytes", 32768)) / (line * sizeof(void *)), step = size_t(a("step", 7));
  const int steps = int(a("steps", 20000));
  Array<void *> ring(count * line), out(1);
  void **host = new void *[count * line]();
  for (size_t i = 0; i < count; ++i) // one ring: `step` is odd and `count` a power of two
    host[i * line] = ring + (i + step) % count * line;
  cudaMemcpy(ring, host, count * line * sizeof(void *), cudaMemcpyHostToDevice);
  delete[] host;
  size_t at = 0;
  twice([&] {
    follow<<<1, 1>>>(ring + at * line, out, steps);
    at = (at + steps * step) % count;
  });
  return {0, double(steps)};
}

/// Each block reads `Count` elements of its own again and again, or all blocks read the same.
template <int Count, int Block> __global__ void rereads(const float *data, float *out, int times, long apart) {
  const float *from = data + blockIdx.x * apart + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < times; ++t) {
#pragma unroll
    for (int i = 0; i < Count / 2; i += Block)
      sum += from[i] * from[i + Count / 2];
    from += times >> 30; // so that loads stay in the loop
  }
  if (sum == 1.2345f)
    out[threadIdx.x] = sum;
}
template <int Kilobytes> Work reread(const Arguments &a) {
  constexpr int Count = Kilobytes * 256;
  const long blocks = a("blocks", 132), times = a("times", 20);
  const bool isShared = a("shared", 0);
  Array<float> data(Count * (isShared ? 1 : blocks)), out(1024);
  twice([&] { rereads<Count, 1024><<<unsigned(blocks), 1024>>>(data, out, int(times), isShared ? 0 : Count); });
  return {double(Count) * sizeof(float) * blocks * times, 0};
}
POINT(rereads) {
  switch (a("kilobytes", 64)) {
  case 16: return reread<16>(a);
  case 64: return reread<64>(a);
  case 1024: return reread<1024>(a);
  default: return reread<4096>(a);
  }
}
