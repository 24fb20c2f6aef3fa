// RUN: %nvcc -arch=sm_90a %s -o %t -lcuda
// RUN: %widths %t
// RUN: %nvcc -arch=sm_90a -cudart shared %s -o %t.shared -lcuda && %t.shared
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps: what the encoding refuses, maps in global and constant memory and changed there by kernels, copies to
// all blocks of a cluster. Linked with -lcuda, and by cudaGetDriverEntryPoint.
// NVCC: -arch=sm_90a -lcuda
#include "tensor.h"

constexpr u32 Width = 40, Height = 24, BoxWidth = 16, BoxHeight = 8;

struct Parameters {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  cuuint32_t rank = 2;
  size_t address = 0; ///< added to that of the tensor
  cuuint64_t sizes[5] = {Width, Height, 1, 1, 1}, strides[4] = {Width * 4, Width * Height * 4, Width * Height * 4, Width * Height * 4};
  cuuint32_t box[5] = {BoxWidth, BoxHeight, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  int lower[3] = {}, upper[3] = {};
  cuuint32_t channels = 4, pixels = 8;
};

CUresult encodeTiled(const Parameters &p, void *tensor, CUtensorMap *map) {
  return cuTensorMapEncodeTiled(map, p.type, p.rank, (char *)tensor + p.address, p.sizes, p.strides, p.box, p.steps, p.interleave, p.swizzle,
                                p.promotion, p.fill);
}
CUresult encodeIm2col(const Parameters &p, void *tensor, CUtensorMap *map) {
  return cuTensorMapEncodeIm2col(map, p.type, p.rank, (char *)tensor + p.address, p.sizes, p.strides, p.lower, p.upper, p.channels, p.pixels,
                                 p.steps, p.interleave, p.swizzle, p.promotion, p.fill);
}

/// What `change` makes of right parameters must give the error, and with `repair` none.
#define TILED(want, change) expect("tiled: " #change, 0, int(tiledWith([](Parameters &p) { change; }, tensor)), int(want))
#define IM2COL(want, change) expect("im2col: " #change, 0, int(im2colWith([](Parameters &p) { change; }, tensor)), int(want))

template <class Change> CUresult tiledWith(Change change, void *tensor) {
  Parameters p;
  change(p);
  CUtensorMap map;
  return encodeTiled(p, tensor, &map);
}
template <class Change> CUresult im2colWith(Change change, void *tensor) {
  Parameters p;
  p.rank = 4;
  change(p);
  CUtensorMap map;
  return encodeIm2col(p, tensor, &map);
}

void testErrors(void *tensor) {
  constexpr CUresult Right = CUDA_SUCCESS, Wrong = CUDA_ERROR_INVALID_VALUE;
  TILED(Right, );
  TILED(Wrong, p.rank = 0);
  TILED(Wrong, p.rank = 6);
  TILED(Right, p.rank = 1);
  TILED(Right, p.rank = 5);
  TILED(Wrong, p.type = CUtensorMapDataType(16));
  TILED(Wrong, p.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B);
  TILED(Wrong, p.address = 8);
  TILED(Right, p.address = 16);
  TILED(Wrong, p.sizes[1] = 0);
  TILED(Right, p.sizes[1] = 1ull << 32);
  TILED(Wrong, p.sizes[1] = (1ull << 32) + 1);
  TILED(Wrong, p.strides[0] = 8 * 19);
  TILED(Wrong, p.strides[0] = 1ull << 40);
  TILED(Right, p.strides[0] = (1ull << 40) - 16);
  TILED(Wrong, p.box[1] = 0);
  TILED(Right, p.box[1] = 256);
  TILED(Wrong, p.box[1] = 257);
  TILED(Wrong, p.box[0] = 5);
  TILED(Right, p.box[0] = 20);
  TILED(Wrong, p.steps[1] = 0);
  TILED(Right, p.steps[1] = 8);
  TILED(Wrong, p.steps[1] = 9);
  TILED(Wrong, p.steps[0] = 9); // as on an H200, though it has no effect
  TILED(Wrong, p.swizzle = CU_TENSOR_MAP_SWIZZLE_32B);
  TILED(Right, p.swizzle = CU_TENSOR_MAP_SWIZZLE_64B);
  TILED(Right, p.swizzle = CU_TENSOR_MAP_SWIZZLE_128B);
  TILED(Wrong, (p.swizzle = CU_TENSOR_MAP_SWIZZLE_128B, p.box[0] = 36));
  TILED(Wrong, p.swizzle = CUtensorMapSwizzle(7));
  TILED(Wrong, p.promotion = CUtensorMapL2promotion(4));
  TILED(Wrong, p.interleave = CUtensorMapInterleave(3));
  TILED(Wrong, p.interleave = CU_TENSOR_MAP_INTERLEAVE_16B); // of two dimensions
  TILED(Wrong, (p.interleave = CU_TENSOR_MAP_INTERLEAVE_32B, p.rank = 3)); // without its swizzle
  TILED(CUDA_ERROR_NOT_SUPPORTED, (p.interleave = CU_TENSOR_MAP_INTERLEAVE_16B, p.rank = 3));
  TILED(Right, p.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  TILED(Wrong, (p.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA, p.type = CU_TENSOR_MAP_DATA_TYPE_INT32));

  IM2COL(Right, );
  IM2COL(Wrong, p.rank = 2);
  IM2COL(Wrong, p.channels = 0);
  IM2COL(Right, p.channels = 256);
  IM2COL(Wrong, p.channels = 260);
  IM2COL(Wrong, p.pixels = 0);
  IM2COL(Right, p.pixels = 1024);
  IM2COL(Wrong, p.pixels = 1025);
  IM2COL(Right, (p.lower[0] = -128, p.upper[1] = 127));
  IM2COL(Wrong, p.lower[0] = -129);
  IM2COL(Wrong, p.upper[1] = 128);
  IM2COL(Right, (p.rank = 3, p.lower[0] = -32768));
  IM2COL(Wrong, (p.rank = 5, p.upper[2] = 16));
  IM2COL(Wrong, p.lower[0] = int(Height)); // an empty box

  CUtensorMap map;
  Parameters right;
  expect("no map", 0, int(encodeTiled(right, tensor, nullptr)), int(Wrong));
  expect("misaligned map", 0, int(encodeTiled(right, tensor, (CUtensorMap *)((char *)&map + 16))), int(Wrong));
  expect("no address", 0, int(cuTensorMapEncodeTiled(&map, right.type, 2, nullptr, right.sizes, right.strides, right.box, right.steps,
                                                     right.interleave, right.swizzle, right.promotion, right.fill)), int(Right)); // it may come later
  expect("encode", 0, int(encodeTiled(right, tensor, &map)), int(Right));
  expect("replace", 0, int(cuTensorMapReplaceAddress(&map, (char *)tensor + 16)), int(Right));
  expect("replace by a misaligned one", 0, int(cuTensorMapReplaceAddress(&map, (char *)tensor + 4)), int(Wrong));
  expect("replace in none", 0, int(cuTensorMapReplaceAddress(nullptr, tensor)), int(Wrong));
}

void testEntryPoints() {
  void *function = &function;
  cudaDriverEntryPointQueryResult found;
  CUDA_OK(cudaGetDriverEntryPoint("cuTensorMapReplaceAddress", &function, cudaEnableDefault, &found));
  expectTrue("entry point", found == cudaDriverEntryPointSuccess && function);
  CUDA_OK(cudaGetDriverEntryPointByVersion("cuTensorMapReplaceAddress", &function, 11080, cudaEnableDefault, &found));
  expectTrue("too new", found == cudaDriverEntryPointVersionNotSufficent && !function);
}

__constant__ CUtensorMap constantMap;
__device__ CUtensorMap globalMap;

__device__ void loadTile(const CUtensorMap *map, float *tile, u64 *barrier, int x, int y, u32 parity) {
  if (threadIdx.x == 0) {
    expectBytes(barrier, BoxWidth * BoxHeight * sizeof(float));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;"
                 ::"r"(windowOf(tile)), "l"(map), "r"(x), "r"(y), "r"(windowOf(barrier)), "l"(u64(0)) : "memory");
  }
  waitFor(barrier, parity);
}

/// A tile by the map in constant memory, one by that in global memory, and one by it after changes.
__global__ void changed(float *out, const float *other) {
  __shared__ alignas(128) float tile[BoxHeight * BoxWidth];
  __shared__ alignas(128) CUtensorMap sharedMap;
  __shared__ u64 barrier;
  if (threadIdx.x == 0)
    initBarrier(&barrier, 1);
  __syncthreads();
  auto keep = [&](int step) {
    for (u32 i = threadIdx.x; i < BoxWidth * BoxHeight; i += blockDim.x)
      out[step * BoxWidth * BoxHeight + i] = tile[i];
    __syncthreads();
  };
  loadTile(&constantMap, tile, &barrier, 0, 0, 0);
  keep(0);
  loadTile(&globalMap, tile, &barrier, 28, 20, 1);
  keep(1);
  if (threadIdx.x == 0)
    sharedMap = globalMap;
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 map = windowOf(&sharedMap);
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(map), "l"(other) : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(map), "r"(20) : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(map), "r"(12) : "memory");
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(map), "l"(u64(80)) : "memory");
    asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 1;" ::"r"(map) : "memory");
  }
  __syncwarp();
  if (threadIdx.x < 32)
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
                 ::"l"(&globalMap), "r"(windowOf(&sharedMap)) : "memory");
  __syncthreads();
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(&globalMap) : "memory");
  loadTile(&globalMap, tile, &barrier, 8, 5, 0);
  keep(2);
}

/// Each block of a cluster has a piece of one tile sent to those in the mask, and plain bytes too.
__global__ void __cluster_dims__(4, 1, 1) multicast(const __grid_constant__ CUtensorMap map, const float *plain, float *out, u16 mask) {
  __shared__ alignas(128) float tile[4][BoxHeight * BoxWidth];
  __shared__ alignas(128) float bytes[4][4];
  __shared__ u64 barrier;
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  bool isIn = mask >> rank & 1;
  if (threadIdx.x == 0) {
    initBarrier(&barrier, 1);
    expectBytes(&barrier, isIn ? sizeof tile + sizeof bytes : 0);
  }
  for (u32 i = threadIdx.x; i < 4 * BoxHeight * BoxWidth; i += blockDim.x)
    (&tile[0][0])[i] = -1;
  if (threadIdx.x < 16)
    (&bytes[0][0])[threadIdx.x] = -1;
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(0), "r"(0) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                 ::"r"(windowOf(tile[rank])), "l"(&map), "r"(rank * 8), "r"(blockIdx.x), "r"(windowOf(&barrier)), "h"(mask) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                 ::"r"(windowOf(bytes[rank])), "l"(plain + 4 * rank), "r"(16), "r"(windowOf(&barrier)), "h"(mask) : "memory");
  }
  waitFor(&barrier, 0);
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  float *mine = out + blockIdx.x * (sizeof tile + sizeof bytes) / 4;
  for (u32 i = threadIdx.x; i < 4 * BoxHeight * BoxWidth; i += blockDim.x)
    mine[i] = (&tile[0][0])[i];
  if (threadIdx.x < 16)
    mine[sizeof tile / 4 + threadIdx.x] = (&bytes[0][0])[threadIdx.x];
}

int main() {
  std::vector<float> values(Width * Height);
  for (u32 i = 0; i < values.size(); ++i)
    values[i] = float(i);
  Buffer<float> tensor(values);
  testErrors(tensor);
  testEntryPoints();

  Parameters p;
  CUtensorMap map;
  expect("encode", 0, int(encodeTiled(p, tensor, &map)), 0);
  CUDA_OK(cudaMemcpyToSymbol(constantMap, &map, sizeof map));
  CUDA_OK(cudaMemcpyToSymbol(globalMap, &map, sizeof map));
  std::vector<float> small(20 * 12);
  for (u32 i = 0; i < small.size(); ++i)
    small[i] = float(10000 + i);
  Buffer<float> other(small), out(3 * BoxWidth * BoxHeight);
  changed<<<1, 64>>>(out, other);
  checkLaunch();
  std::vector<float> got = out.get();
  for (u32 y = 0; y < BoxHeight; ++y)
    for (u32 x = 0; x < BoxWidth; ++x) {
      u32 i = y * BoxWidth + x, n = BoxWidth * BoxHeight;
      expect("constant map", i, got[i], values[y * Width + x]);
      expect("global map", i, got[n + i], x + 28 < Width && y + 20 < Height ? values[(y + 20) * Width + x + 28] : 0);
      bool isInside = x + 8 < 20 && y + 5 < 12;
      expect("changed map", i, got[2 * n + i], isInside ? small[(y + 5) * 20 + x + 8] : NAN);
    }

  const u32 block = 4 * BoxWidth * BoxHeight + 16, blocks = 8;
  for (u16 mask : {u16(15), u16(5), u16(8)}) {
    Buffer<float> all(blocks * block);
    multicast<<<blocks, 64>>>(map, tensor, all, mask);
    checkLaunch();
    got = all.get();
    for (u32 i = 0; i < got.size(); ++i) {
      u32 b = i / block, at = i % block, n = BoxWidth * BoxHeight, from = at < 4 * n ? at / n : (at - 4 * n) / 4;
      u32 x = at % n % BoxWidth + from * 8, y = at % n / BoxWidth + b / 4 * 4 + from;
      float sent = at >= 4 * n ? values[at - 4 * n] : x < Width && y < Height ? values[y * Width + x] : 0;
      expect("multicast", i, got[i], mask >> (b % 4) & 1 ? sent : -1);
    }
  }
  return finish();
}
