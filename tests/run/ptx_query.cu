// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// txq, suq and istypep, st.bulk, and multimem on memory of one device.
// NVCC: -arch=sm_100 -std=c++17
#include "ptx.h"

#include <vector>

#define ASK(text, object) asm volatile(text " %0, [%1];" : "=r"(out[i++]) : "l"(object))

__global__ void askTexture(cudaTextureObject_t t, unsigned *out) {
  int i = 0;
  ASK("txq.width.b32", t);
  ASK("txq.height.b32", t);
  ASK("txq.depth.b32", t);
  ASK("txq.array_size.b32", t);
  ASK("txq.channel_data_type.b32", t);
  ASK("txq.channel_order.b32", t);
  ASK("txq.num_mipmap_levels.b32", t);
  ASK("txq.num_samples.b32", t);
  ASK("txq.normalized_coords.b32", t);
  ASK("txq.force_unnormalized_coords.b32", t);
  ASK("txq.filter_mode.b32", t);
  ASK("txq.addr_mode_0.b32", t);
  ASK("txq.addr_mode_1.b32", t);
  asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(out[i++]) : "l"(t), "r"(int(out[6]) - 1));
  asm volatile("{ .reg .pred p; istypep.texref p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(out[i++]) : "l"(t));
  asm volatile("{ .reg .pred p; istypep.surfref p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(out[i++]) : "l"(t));
  asm volatile("{ .reg .pred p; istypep.texref p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(out[i++]) : "l"(0ll));
}

__global__ void askSurface(cudaSurfaceObject_t s, unsigned *out) {
  int i = 0;
  ASK("suq.width.b32", s);
  ASK("suq.height.b32", s);
  ASK("suq.depth.b32", s);
  ASK("suq.array_size.b32", s);
  ASK("suq.channel_data_type.b32", s);
  ASK("suq.channel_order.b32", s);
  asm volatile("{ .reg .pred p; istypep.surfref p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(out[i++]) : "l"(s));
  asm volatile("{ .reg .pred p; istypep.samplerref p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(out[i++]) : "l"(s));
}

__global__ void fill(unsigned *out) {
  __shared__ __align__(16) unsigned words[16];
  for (int i = 0; i < 16; ++i)
    words[i] = 7;
  asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"((unsigned)__cvta_generic_to_shared(words + 4)), "l"(16ll) : "memory");
  for (int i = 0; i < 16; ++i)
    out[i] = words[i];
}

/// Of memory that no other device shares.
__global__ void reduceAll(unsigned *p, float *f, unsigned *out) {
  asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 5;" ::"l"(p) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u32 %0, [%1];" : "=r"(out[0]) : "l"(p));
    float4 v;
    asm volatile("multimem.ld_reduce.weak.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(f));
    out[1] = unsigned(v.x + 10 * v.y + 100 * v.z + 1000 * v.w);
    asm volatile("multimem.st.weak.global.u32 [%0], 9;" ::"l"(p) : "memory");
    out[2] = *p;
  }
}

int main() {
  Buffer<unsigned> out(std::vector<unsigned>(32));
  cudaMipmappedArray_t levels;
  const cudaChannelFormatDesc halves = cudaCreateChannelDescHalf2();
  CUDA_OK(cudaMallocMipmappedArray(&levels, &halves, make_cudaExtent(64, 32, 0), 3));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  cudaTextureDesc settings = {};
  settings.normalizedCoords = 1;
  settings.maxMipmapLevelClamp = 2;
  settings.addressMode[0] = cudaAddressModeMirror;
  settings.addressMode[1] = cudaAddressModeBorder;
  settings.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  CUDA_OK(cudaCreateTextureObject(&texture, &resource, &settings, nullptr));
  askTexture<<<1, 1>>>(texture, out);
  checkLaunch();
  auto found = out.get();
  found.resize(17);
  expectAll("a mipmapped texture", found, {64, 32, 1, 1, 0x10dd, 0x10b2, 3, 1, 1, 0, 1, 1, 4, 16, 1, 0, 0});

  cudaArray_t array;
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  CUDA_OK(cudaMalloc3DArray(&array, &bytes, make_cudaExtent(20, 10, 6), cudaArrayLayered | cudaArraySurfaceLoadStore));
  resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CUDA_OK(cudaCreateSurfaceObject(&surface, &resource));
  askSurface<<<1, 1>>>(surface, out);
  checkLaunch();
  found = out.get();
  found.resize(8);
  expectAll("a layered surface", found, {20, 10, 1, 6, 0x10da, 0x10b5, 1, 0});

  fill<<<1, 1>>>(out);
  checkLaunch();
  found = out.get();
  found.resize(16);
  expectAll("st.bulk", found, {7, 7, 7, 7, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7});

  Buffer<unsigned> word(std::vector<unsigned>{100});
  Buffer<float> floats(std::vector<float>{1, 2, 3, 4});
  reduceAll<<<1, 32>>>(word, floats, out);
  checkLaunch();
  found = out.get();
  found.resize(3);
  expectAll("multimem", found, {260, 4321, 9});
  return finish();
}
