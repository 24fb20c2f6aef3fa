// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts' programs that measure with events. Of the CUDA Fortran book 16 MB between host and device, in four streams
// with a kernel between both ways, and from one device to another; of the course on GPU programming matrix products with
// all that belongs to them: three allocations, copies from and to pageable memory, the kernel.
//   timed copies | streams | peers | products        prints a line for each: name, GB/s or ms
#include <cstdio>
#include <cstring>
#include <functional>

constexpr int N = 4 * 1024 * 256 * 4, Streams = 4, Part = N / Streams, Block = 256;
constexpr size_t Bytes = size_t(N) * sizeof(float);

__global__ void kernel(float *a, int offset) {
  int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
  float x = i;
  a[i] = a[i] + sqrtf(sinf(x) * sinf(x) + cosf(x) * cosf(x));
}

static float milliseconds(const std::function<void()> &work) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, 0);
  work();
  cudaEventRecord(end, 0);
  cudaEventSynchronize(end);
  float time;
  cudaEventElapsedTime(&time, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return time;
}

static void tellRate(const char *name, const std::function<void()> &work) {
  std::printf("%s %.5g\n", name, Bytes / 1e6 / milliseconds(work));
}

static void copies() {
  float *device, *pinned, *pageable = new float[N]();
  cudaMalloc(&device, Bytes);
  cudaMallocHost(&pinned, Bytes);
  tellRate("pageable-to-device", [&] { cudaMemcpy(device, pageable, Bytes, cudaMemcpyHostToDevice); });
  tellRate("pageable-to-host", [&] { cudaMemcpy(pageable, device, Bytes, cudaMemcpyDeviceToHost); });
  tellRate("pinned-to-device", [&] { cudaMemcpy(device, pinned, Bytes, cudaMemcpyHostToDevice); });
  tellRate("pinned-to-host", [&] { cudaMemcpy(pinned, device, Bytes, cudaMemcpyDeviceToHost); });
}

static void streams() {
  float *a, *b;
  cudaMallocHost(&a, Bytes);
  cudaMalloc(&b, Bytes);
  cudaStream_t stream[Streams];
  cudaEvent_t dummy;
  cudaEventCreate(&dummy);
  for (cudaStream_t &one : stream)
    cudaStreamCreate(&one);
  auto in = [&](int i) {
    cudaMemcpyAsync(b + i * Part, a + i * Part, Bytes / Streams, cudaMemcpyHostToDevice, stream[i]);
  };
  auto run = [&](int i) { kernel<<<Part / Block, Block, 0, stream[i]>>>(b, i * Part); };
  auto out = [&](int i) {
    cudaMemcpyAsync(a + i * Part, b + i * Part, Bytes / Streams, cudaMemcpyDeviceToHost, stream[i]);
  };
  auto each = [](auto... steps) {
    for (int i = 0; i < Streams; ++i)
      (steps(i), ...);
  };
  auto tell = [](const char *name, const std::function<void()> &work) {
    std::printf("%s %.5g\n", name, milliseconds(work));
  };
  tell("sequential", [&] {
    cudaMemcpy(b, a, Bytes, cudaMemcpyHostToDevice);
    kernel<<<N / Block, Block>>>(b, 0);
    cudaMemcpy(a, b, Bytes, cudaMemcpyDeviceToHost);
  });
  tell("version-1", [&] { each(in, run, out); });
  tell("version-2", [&] { each(in), each(run), each(out); });
  tell("version-3", [&] {
    each(in);
    each(run, [&](int i) { cudaEventRecord(dummy, stream[i]); });
    each(out);
  });
}

static void peers() {
  float *from, *to;
  cudaSetDevice(1);
  cudaMalloc(&to, Bytes);
  cudaSetDevice(0);
  cudaMalloc(&from, Bytes);
  cudaDeviceEnablePeerAccess(1, 0);
  cudaMemset(from, 0, Bytes);
  tellRate("peer-access", [&] { cudaMemcpyPeer(to, 1, from, 0, Bytes); });
  cudaDeviceDisablePeerAccess(1);
  tellRate("through-the-host", [&] { cudaMemcpyPeer(to, 1, from, 0, Bytes); });
}

constexpr int Width = 1024, Tile = 32;

__global__ void product(const float *m, const float *n, float *p, int width) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  float value = 0;
  for (int k = 0; k < width; ++k)
    value += m[y * width + k] * n[k * width + x];
  p[y * width + x] = value;
}

__global__ void tiledProduct(const float *m, const float *n, float *p, int width) {
  __shared__ float ms[Tile][Tile], ns[Tile][Tile];
  int x = threadIdx.x + blockIdx.x * Tile, y = threadIdx.y + blockIdx.y * Tile;
  float value = 0;
  for (int tile = 0; tile < width / Tile; ++tile) {
    ms[threadIdx.y][threadIdx.x] = m[y * width + tile * Tile + threadIdx.x];
    ns[threadIdx.y][threadIdx.x] = n[(tile * Tile + threadIdx.y) * width + x];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      value += ms[threadIdx.y][k] * ns[k][threadIdx.x];
    __syncthreads();
  }
  p[y * width + x] = value;
}

static void products() {
  constexpr size_t Each = size_t(Width) * Width * sizeof(float);
  float *m = new float[Width * Width](), *p = new float[Width * Width];
  auto tell = [&](const char *name, auto multiply) {
    std::printf("%s %.5g\n", name, milliseconds([&] {
                  float *md, *nd, *pd;
                  for (float **one : {&md, &nd, &pd})
                    cudaMalloc(one, Each);
                  cudaMemcpy(md, m, Each, cudaMemcpyHostToDevice);
                  cudaMemcpy(nd, m, Each, cudaMemcpyHostToDevice);
                  multiply<<<dim3(Width / Tile, Width / Tile), dim3(Tile, Tile)>>>(md, nd, pd, Width);
                  cudaMemcpy(p, pd, Each, cudaMemcpyDeviceToHost);
                }));
  };
  tell("global-memory", product);
  tell("tiles", tiledProduct);
}

int main(int count, char **words) {
  const char *name = count > 1 ? words[1] : "";
  if (!std::strcmp(name, "copies"))
    copies();
  else if (!std::strcmp(name, "streams"))
    streams();
  else if (!std::strcmp(name, "peers"))
    peers();
  else if (!std::strcmp(name, "products"))
    products();
  else
    return 2;
  return cudaDeviceSynchronize();
}
