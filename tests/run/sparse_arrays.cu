// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t -lcuda
// RUN: %widths %t
// NVCC: -lcuda
//
// Sparse arrays: copies, and kernels where the driver takes surfaces of them (an H200's does not), write tiles that
// cuMemMapArrayAsync has mapped, and kernels sample them; a tile's memory, mapped to a second array, has what the first one
// wrote there. The levels of a mipmapped one are sampled, its tail too.
#include "support.h"

#include <cuda.h>

#define CU_OK(call)                                                                                \
  do {                                                                                             \
    if (CUresult status_ = (call)) {                                                               \
      std::printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, int(status_));                     \
      std::exit(2);                                                                                \
    }                                                                                              \
  } while (0)

constexpr unsigned Width = 300, Height = 200;

__global__ void writeAll(cudaSurfaceObject_t s, unsigned width, unsigned height, unsigned salt) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height)
    surf2Dwrite(x * 1000 + y + salt, s, x * 4, y);
}

__global__ void sample(cudaTextureObject_t t, unsigned *out, unsigned width, unsigned height,
                       float level) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height)
    out[y * width + x] = tex2DLod<unsigned>(t, (x + 0.5f) / width, (y + 0.5f) / height, level);
}

dim3 gridFor(unsigned width, unsigned height) { return dim3((width + 63) / 64, height); }

cudaResourceDesc resourceOf(cudaArray_t array) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  return r;
}

std::vector<unsigned> sampled(const cudaResourceDesc &resource, unsigned width, unsigned height,
                              unsigned level) {
  cudaTextureDesc settings = {};
  settings.normalizedCoords = 1;
  settings.maxMipmapLevelClamp = 20;
  cudaTextureObject_t texture;
  CUDA_OK(cudaCreateTextureObject(&texture, &resource, &settings, nullptr));
  unsigned *out;
  CUDA_OK(cudaMallocManaged(&out, width * height * sizeof *out));
  sample<<<gridFor(width, height), 64>>>(texture, out, width, height, float(level));
  CUDA_OK(cudaDeviceSynchronize());
  std::vector<unsigned> all(out, out + width * height);
  CUDA_OK(cudaFree(out));
  CUDA_OK(cudaDestroyTextureObject(texture));
  return all;
}

/// By a kernel if the array's flags allow it.
void write(cudaArray_t array, unsigned width, unsigned height, unsigned salt, unsigned flags) {
  if (!(flags & cudaArraySurfaceLoadStore)) {
    std::vector<unsigned> texels(width * height);
    for (unsigned i = 0; i < width * height; ++i)
      texels[i] = i % width * 1000 + i / width + salt;
    CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, height,
                                cudaMemcpyHostToDevice));
    return;
  }
  cudaSurfaceObject_t surface;
  const cudaResourceDesc resource = resourceOf(array);
  CUDA_OK(cudaCreateSurfaceObject(&surface, &resource));
  writeAll<<<gridFor(width, height), 64>>>(surface, width, height, salt);
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaDestroySurfaceObject(surface));
}

CUmemGenericAllocationHandle makePool(size_t bytes) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
  CUmemGenericAllocationHandle pool;
  CU_OK(cuMemCreate(&pool, bytes, &properties, 0));
  return pool;
}

CUarrayMapInfo mapInfo(CUmemGenericAllocationHandle pool, size_t offset) {
  CUarrayMapInfo info = {};
  info.memOperationType = CU_MEM_OPERATION_TYPE_MAP;
  info.memHandle.memHandle = pool;
  info.offset = offset;
  info.deviceBitMask = 1;
  info.subresource.sparseLevel.extentDepth = 1;
  return info;
}

constexpr size_t TileBytes = 64 << 10;
unsigned tilesIn(unsigned size, unsigned tile) { return (size + tile - 1) / tile; }

void testTiles(cudaStream_t stream, CUmemGenericAllocationHandle pool, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
  cudaArray_t array, other;
  CUDA_OK(cudaMalloc3DArray(&array, &format, {Width, Height, 0}, flags));
  cudaArraySparseProperties sparse;
  CUDA_OK(cudaArrayGetSparseProperties(&sparse, array));
  const unsigned tileWidth = sparse.tileExtent.width, tileHeight = sparse.tileExtent.height;
  expect("bytes of a tile", 0, size_t(tileWidth) * tileHeight * 4, TileBytes);
  CUarrayMapInfo info = mapInfo(pool, 0);
  info.resource.array = CUarray(array);
  info.subresource.sparseLevel.extentWidth = Width;
  info.subresource.sparseLevel.extentHeight = Height;
  CU_OK(cuMemMapArrayAsync(&info, 1, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  write(array, Width, Height, 7, flags);
  std::vector<unsigned> seen = sampled(resourceOf(array), Width, Height, 0);
  for (unsigned y = 0; y < Height; ++y)
    for (unsigned x = 0; x < Width; ++x)
      expect("texel", y * Width + x, seen[y * Width + x], x * 1000 + y + 7);

  // The second row of tiles begins behind those of the first.
  const unsigned width = Width < tileWidth ? Width : tileWidth;
  CUDA_OK(cudaMalloc3DArray(&other, &format, {width, tileHeight, 0}, flags));
  info.resource.array = CUarray(other);
  info.subresource.sparseLevel.extentWidth = width;
  info.subresource.sparseLevel.extentHeight = tileHeight;
  info.offset = tilesIn(Width, tileWidth) * TileBytes;
  CU_OK(cuMemMapArrayAsync(&info, 1, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  seen = sampled(resourceOf(other), width, tileHeight, 0);
  for (unsigned y = 0; y < tileHeight && y + tileHeight < Height; ++y)
    for (unsigned x = 0; x < width; ++x)
      expect("texel of the second array", y * width + x, seen[y * width + x],
             x * 1000 + y + tileHeight + 7);
  CUDA_OK(cudaFreeArray(array));
  CUDA_OK(cudaFreeArray(other));
}

void testLevels(cudaStream_t stream, CUmemGenericAllocationHandle pool, unsigned flags) {
  constexpr unsigned Size = 256, Levels = 9;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
  cudaMipmappedArray_t mipmap;
  CUDA_OK(cudaMallocMipmappedArray(&mipmap, &format, {Size, Size, 0}, Levels, flags));
  cudaArraySparseProperties sparse;
  CUDA_OK(cudaMipmappedArrayGetSparseProperties(&sparse, mipmap));
  std::vector<CUarrayMapInfo> maps;
  size_t offset = 0;
  for (unsigned level = 0; level < sparse.miptailFirstLevel; ++level) {
    CUarrayMapInfo info = mapInfo(pool, offset);
    info.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    info.resource.mipmap = CUmipmappedArray(mipmap);
    auto &part = info.subresource.sparseLevel;
    part.level = level;
    part.extentWidth = part.extentHeight = Size >> level;
    maps.push_back(info);
    offset += size_t(tilesIn(Size >> level, sparse.tileExtent.width)) *
              tilesIn(Size >> level, sparse.tileExtent.height) * TileBytes;
  }
  CUarrayMapInfo tail = mapInfo(pool, offset);
  tail.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  tail.resource.mipmap = CUmipmappedArray(mipmap);
  tail.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
  tail.subresource = {};
  tail.subresource.miptail.size = sparse.miptailSize;
  maps.push_back(tail);
  CU_OK(cuMemMapArrayAsync(maps.data(), unsigned(maps.size()), stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  for (unsigned level = 0; level < Levels; ++level) {
    cudaArray_t array;
    CUDA_OK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
    write(array, Size >> level, Size >> level, level, flags);
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmap;
  for (unsigned level = 0; level < Levels; ++level) {
    const unsigned size = Size >> level;
    const std::vector<unsigned> seen = sampled(resource, size, size, level);
    for (unsigned i = 0; i < size * size; ++i)
      expect("texel of a level", i, seen[i], i % size * 1000 + i / size + level);
  }
  CUDA_OK(cudaFreeMipmappedArray(mipmap));
}

bool takesSurfaces() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
  cudaArray_t array;
  const cudaError_t status = cudaMalloc3DArray(&array, &format, {Width, Height, 0},
                                               cudaArraySparse | cudaArraySurfaceLoadStore);
  if (status == cudaSuccess)
    CUDA_OK(cudaFreeArray(array));
  else
    std::printf("no surfaces of sparse arrays: %s\n", cudaGetErrorName(cudaGetLastError()));
  return status == cudaSuccess;
}

int main() {
  CUDA_OK(cudaFree(nullptr));
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreate(&stream));
  const CUmemGenericAllocationHandle pool = makePool(4 << 20);
  testTiles(stream, pool, cudaArraySparse);
  testLevels(stream, pool, cudaArraySparse);
  if (takesSurfaces()) {
    testTiles(stream, pool, cudaArraySparse | cudaArraySurfaceLoadStore);
    testLevels(stream, pool, cudaArraySparse | cudaArraySurfaceLoadStore);
  }
  CU_OK(cuMemRelease(pool));
  CUDA_OK(cudaStreamDestroy(stream));
  return finish();
}
