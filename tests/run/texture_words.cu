// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 -w %s -o %t
// RUN: %widths %t
//
// Textures in a kernel that has structs of the same elements as what texture functions of the device library return:
// the linker then takes one of them for it.
#include "support.h"

struct Quad {
  unsigned a, b, c, d;
};

__global__ void readBoth(cudaTextureObject_t colours, const uint4 *work, const Quad *others, float *out) {
  __shared__ uint4 sharedWork;
  __shared__ Quad sharedOther;
  if (threadIdx.x == 0) {
    sharedWork = work[blockIdx.x];
    sharedOther = others[blockIdx.x];
  }
  __syncthreads();
  float4 colour = tex1D<float4>(colours, float(threadIdx.x));
  int4 fetched = make_int4(sharedWork.x, sharedWork.y, sharedOther.c, sharedOther.d);
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      colour.x + 10 * colour.w + 100 * float(fetched.x + fetched.y + fetched.z + fetched.w);
}

int main() {
  const int blocks = 3, threads = 64;
  std::vector<float4> colours(threads);
  for (int i = 0; i < threads; ++i)
    colours[i] = make_float4(float(i), 0, 0, float(i + 1));
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  CUDA_OK(cudaMallocArray(&array, &format, threads, 1));
  CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, colours.data(), threads * sizeof(float4), threads * sizeof(float4), 1,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc settings = {};
  cudaTextureObject_t texture;
  CUDA_OK(cudaCreateTextureObject(&texture, &resource, &settings, nullptr));
  uint4 *work;
  Quad *others;
  float *out;
  CUDA_OK(cudaMallocManaged(&work, blocks * sizeof(uint4)));
  CUDA_OK(cudaMallocManaged(&others, blocks * sizeof(Quad)));
  CUDA_OK(cudaMallocManaged(&out, blocks * threads * sizeof(float)));
  for (unsigned i = 0; i < blocks; ++i) {
    work[i] = make_uint4(i, 1, 0, 0);
    others[i] = {0, 0, 2, i};
  }
  readBoth<<<blocks, threads>>>(texture, work, others, out);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < blocks * threads; ++i)
    expect("colour and words", i, out[i], float(i % threads + 10 * (i % threads + 1) + 100 * (2 * (i / threads) + 3)));
  return finish();
}
