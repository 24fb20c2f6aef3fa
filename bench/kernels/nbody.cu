// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nbody.h"

__global__ static void nbodyKernel(int n, const float4 *bodies, float4 *accelerations) {
  __shared__ float4 tile[nbody::Tile];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += nbody::Tile) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < nbody::Tile; ++j) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + nbody::Softening);
      float force = tile[j].w * inverse * inverse * inverse;
      ax += dx * force;
      ay += dy * force;
      az += dz * force;
    }
    __syncthreads();
  }
  accelerations[i] = make_float4(ax, ay, az, 0);
}

static void run(bench::Data &data) {
  using namespace nbody;
  nbodyKernel<<<N / Tile, Tile>>>(N, data.get<float4>(0), data.get<float4>(1));
}

BENCHMARK("nbody", nbody::problem, run)
