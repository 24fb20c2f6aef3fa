// RUN: %heddle cc -fatbin -DMODULE %s -o %t.fatbin
// RUN: %heddle cc %s -o %t.exe -lcuda
// RUN: %widths %t.exe %t.fatbin
// RUN: %heddle cc -default-stream per-thread %s -o %t.thread -lcuda && %t.thread %t.fatbin
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs as they are written with the driver API: vectors are added, matrices multiplied in tiles of shared memory, a
// picture is turned by a texture object and a surface object.
#ifdef MODULE

extern "C" __global__ void addVectors(const float *a, const float *b, float *sum, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    sum[i] = a[i] + b[i];
}

// One thread for each element of c, in blocks of Tile x Tile.
template <int Tile>
static __device__ void multiplyTiles(float *c, const float *a, const float *b, int inner,
                                     int columns) {
  __shared__ float left[Tile][Tile], right[Tile][Tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * Tile + y, column = blockIdx.x * Tile + x;
  float sum = 0;
  for (int at = 0; at < inner; at += Tile) {
    left[y][x] = a[row * inner + at + x];
    right[y][x] = b[(at + y) * columns + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  c[row * columns + column] = sum;
}
extern "C" __global__ void multiply16(float *c, const float *a, const float *b, int inner,
                                      int columns) {
  multiplyTiles<16>(c, a, b, inner, columns);
}

extern "C" __global__ void turn(cudaTextureObject_t picture, float *out, int width, int height) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) // by 180 degrees
    out[y * width + x] = tex2D<float>(picture, 1 - (x + 0.5f) / width, 1 - (y + 0.5f) / height);
}
extern "C" __global__ void fillSurface(cudaSurfaceObject_t target, int width, int height) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    surf2Dwrite(float(100 * y + x), target, x * sizeof(float), y);
}

#else

#include "driver.h"

static std::vector<float> randomFloats(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(random.below(16)); // sums are exact
  return values;
}
template <class T> static std::vector<T> hostCopy(const Buffer<T> &buffer) {
  std::vector<T> values(buffer.count);
  CUDA_OK(cudaMemcpy(values.data(), buffer, buffer.count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

static void addVectors(CUmodule module) {
  int n = 5000;
  const std::vector<float> a = randomFloats(size_t(n), 1), b = randomFloats(size_t(n), 2);
  Buffer<float> deviceA(a), deviceB(b), sum{size_t(n)};
  void *args[] = {&deviceA.data, &deviceB.data, &sum.data, &n};
  DRIVER_OK(cuLaunchKernel(functionOf(module, "addVectors"), unsigned(n + 255) / 256, 1, 1, 256, 1,
                           1, 0, nullptr, args, nullptr));
  DRIVER_OK(cuCtxSynchronize());
  const std::vector<float> found = hostCopy(sum);
  for (size_t i = 0; i < found.size(); ++i)
    expect("sum", int(i), found[i], a[i] + b[i]);
}

static void multiplyMatrices(CUmodule module) {
  int rows = 32, inner = 48, columns = 64;
  const std::vector<float> a = randomFloats(size_t(rows * inner), 3),
                           b = randomFloats(size_t(inner * columns), 4);
  Buffer<float> deviceA(a), deviceB(b), product{size_t(rows * columns)};
  struct {
    float *c, *a, *b;
    int inner, columns;
  } params = {product, deviceA, deviceB, inner, columns};
  size_t bytes = sizeof params;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  DRIVER_OK(cuLaunchKernel(functionOf(module, "multiply16"), unsigned(columns) / 16,
                           unsigned(rows) / 16, 1, 16, 16, 1, 0, nullptr, nullptr, extra));
  const std::vector<float> found = hostCopy(product);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float want = 0;
      for (int k = 0; k < inner; ++k)
        want += a[size_t(i * inner + k)] * b[size_t(k * columns + j)];
      expect("product", i * columns + j, found[size_t(i * columns + j)], want);
    }
}

static CUDA_RESOURCE_DESC resourceOf(cudaArray_t array) {
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = (CUarray)array;
  return resource;
}

static void turnPicture(CUmodule module) {
  int width = 40, height = 24;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CUDA_OK(
      cudaMallocArray(&array, &format, size_t(width), size_t(height), cudaArraySurfaceLoadStore));
  const CUDA_RESOURCE_DESC resource = resourceOf(array);
  CUsurfObject surface;
  DRIVER_OK(cuSurfObjectCreate(&surface, &resource));
  void *fillArgs[] = {&surface, &width, &height};
  DRIVER_OK(cuLaunchKernel(functionOf(module, "fillSurface"), 5, 3, 1, 8, 8, 1, 0, nullptr,
                           fillArgs, nullptr));
  DRIVER_OK(cuSurfObjectDestroy(surface));
  CUDA_TEXTURE_DESC settings = {};
  settings.addressMode[0] = settings.addressMode[1] = CU_TR_ADDRESS_MODE_WRAP;
  settings.filterMode = CU_TR_FILTER_MODE_POINT;
  settings.flags = CU_TRSF_NORMALIZED_COORDINATES;
  CUtexObject texture;
  DRIVER_OK(cuTexObjectCreate(&texture, &resource, &settings, nullptr));
  Buffer<float> out{size_t(width * height)};
  void *args[] = {&texture, &out.data, &width, &height};
  DRIVER_OK(
      cuLaunchKernel(functionOf(module, "turn"), 5, 3, 1, 8, 8, 1, 0, nullptr, args, nullptr));
  const std::vector<float> found = hostCopy(out);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      expect("picture", y * width + x, found[size_t(y * width + x)],
             float(100 * (height - 1 - y) + width - 1 - x));
  DRIVER_OK(cuTexObjectDestroy(texture));
  CUDA_OK(cudaFreeArray(array));
}

int main(int, char **argv) {
  DRIVER_OK(cuInit(0));
  makeContext(); // the runtime works in it, too
  CUmodule module;
  DRIVER_OK(cuModuleLoad(&module, argv[1]));
  addVectors(module);
  multiplyMatrices(module);
  turnPicture(module);
  DRIVER_OK(cuModuleUnload(module));
  return finish();
}

#endif
