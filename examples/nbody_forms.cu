// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.8, figures B.8.12 to B.8.14 and "Using
// Multiple Threads per Body" (all-pairs N-body: serial, one thread per body, shared-memory tiles,
// (p, q) threads, unrolled).
//
// All forms compute the same accelerations. As in the text, bodies and accelerations are global
// variables. The number of bodies is arbitrary: a tile is filled up with bodies of mass zero, which
// pull nobody.
#include "common.h"

#include <algorithm>

constexpr int MaxBodies = 2048, MaxTile = 256;
constexpr float SofteningSquared = 0.01f;

__constant__ int bodies;
__device__ float4 body[MaxBodies]; // x, y, z, mass
__device__ float3 accel[MaxBodies];
__shared__ float4 tile[MaxTile]; // a shared variable may stand outside of the kernels that use it

/// Adds to `sum` the pull of `other` on `own`: G m r / (|r|^2 + s^2)^(3/2), with G = 1.
__host__ __device__ inline float3 interact(float3 sum, float4 own, float4 other) {
  float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
  float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SofteningSquared);
  float pull = other.w * inverse * inverse * inverse;
  return make_float3(sum.x + dx * pull, sum.y + dy * pull, sum.z + dz * pull);
}

__device__ inline float4 bodyOrNothing(int i) {
  return i < bodies ? body[i] : make_float4(0, 0, 0, 0);
}

static void serial(const std::vector<float4> &body, std::vector<float3> &accel) {
  for (size_t i = 0; i < body.size(); ++i) {
    float3 sum = make_float3(0, 0, 0);
    for (size_t j = 0; j < body.size(); ++j)
      sum = interact(sum, body[i], body[j]);
    accel[i] = sum;
  }
}

__global__ void oneThreadPerBody() {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= bodies)
    return;
  float3 sum = make_float3(0, 0, 0);
  for (int j = 0; j < bodies; ++j)
    sum = interact(sum, body[i], body[j]);
  accel[i] = sum;
}

__global__ void tiled() {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  int p = blockDim.x;
  float3 sum = make_float3(0, 0, 0);
  float4 own = bodyOrNothing(i);
  for (int j = 0; j < bodies; j += p) { // every thread loads one body of the tile
    tile[threadIdx.x] = bodyOrNothing(j + threadIdx.x);
    __syncthreads();
    for (int k = 0; k < p; ++k)
      sum = interact(sum, own, tile[k]);
    __syncthreads();
  }
  if (i < bodies)
    accel[i] = sum;
}

/// Blocks of (p, q): the q threads of a column work for the same body, each on another p bodies of
/// the tile.
__global__ void severalThreadsPerBody() {
  __shared__ float3 partial[MaxTile];
  int p = blockDim.x, q = blockDim.y, tx = threadIdx.x, ty = threadIdx.y;
  int i = tx + p * blockIdx.x;
  float3 sum = make_float3(0, 0, 0);
  float4 own = bodyOrNothing(i);
  for (int j = 0; j < bodies; j += p * q) {
    tile[ty * p + tx] = bodyOrNothing(j + ty * p + tx);
    __syncthreads();
    for (int k = ty * p; k < (ty + 1) * p; ++k)
      sum = interact(sum, own, tile[k]);
    __syncthreads();
  }
  partial[ty * p + tx] = sum;
  __syncthreads();
  if (ty == 0 && i < bodies) {
    for (int row = 1; row < q; ++row) {
      float3 part = partial[row * p + tx];
      sum = make_float3(sum.x + part.x, sum.y + part.y, sum.z + part.z);
    }
    accel[i] = sum;
  }
}

/// Tiles of a fixed size, and `Unroll` interactions per turn of the inner loop.
template <int P, int Unroll> __global__ void unrolled() {
  int i = threadIdx.x + P * blockIdx.x;
  float3 sum = make_float3(0, 0, 0);
  float4 own = bodyOrNothing(i);
  for (int j = 0; j < bodies; j += P) {
    tile[threadIdx.x] = bodyOrNothing(j + threadIdx.x);
    __syncthreads();
    for (int k = 0; k < P; k += Unroll) {
#pragma unroll
      for (int u = 0; u < Unroll; ++u)
        sum = interact(sum, own, tile[k + u]);
    }
    __syncthreads();
  }
  if (i < bodies)
    accel[i] = sum;
}

/// The largest difference, relative to the largest acceleration.
static double difference(const std::vector<float3> &got, const std::vector<float3> &want) {
  double error = 0, scale = 1e-30;
  for (size_t i = 0; i < got.size(); ++i) {
    double dx = got[i].x - want[i].x, dy = got[i].y - want[i].y, dz = got[i].z - want[i].z;
    error = std::max(error, std::sqrt(dx * dx + dy * dy + dz * dz));
    scale =
        std::max(scale, std::sqrt(double(want[i].x) * want[i].x + double(want[i].y) * want[i].y +
                                  double(want[i].z) * want[i].z));
    if (std::isnan(dx + dy + dz))
      return INFINITY;
  }
  return error / scale;
}

static void run(int n) {
  Random random(44);
  std::vector<float4> start(n);
  for (float4 &b : start)
    b = make_float4(random.unit() * 2 - 1, random.unit() * 2 - 1, random.unit() * 2 - 1,
                    random.unit());
  std::vector<float3> want(n);
  serial(start, want);
  CUDA_CHECK(cudaMemcpyToSymbol(bodies, &n, sizeof n));
  CUDA_CHECK(cudaMemcpyToSymbol(body, start.data(), n * sizeof(float4)));

  auto verify = [&](const char *name, auto launch) {
    std::vector<float3> got(n, make_float3(NAN, NAN, NAN));
    CUDA_CHECK(cudaMemcpyToSymbol(accel, got.data(), n * sizeof(float3)));
    launch();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyFromSymbol(got.data(), accel, n * sizeof(float3)));
    check(difference(got, want) < 2e-5, "%s, %d bodies", name, n);
  };
  auto blocks = [n](int size) { return (n + size - 1) / size; };
  verify("one thread per body", [&] { oneThreadPerBody<<<blocks(128), 128>>>(); });
  verify("tiles of 256", [&] { tiled<<<blocks(256), 256>>>(); });
  verify("tiles of 50", [&] { tiled<<<blocks(50), 50>>>(); });
  verify("64 x 4 threads", [&] { severalThreadsPerBody<<<blocks(64), dim3(64, 4)>>>(); });
  verify("32 x 2 threads", [&] { severalThreadsPerBody<<<blocks(32), dim3(32, 2)>>>(); });
  verify("21 x 3 threads", [&] { severalThreadsPerBody<<<blocks(21), dim3(21, 3)>>>(); });
  verify("tiles of 128, unrolled by 4", [&] { unrolled<128, 4><<<blocks(128), 128>>>(); });
  verify("tiles of 256, unrolled by 8", [&] { unrolled<256, 8><<<blocks(256), 256>>>(); });
}

int main() {
  for (int n : {1, 2, 33, 100, 256, 777, 1024})
    run(n);
  return exitCode();
}
