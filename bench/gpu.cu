// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of textbooks in sizes for a GPU, with their times in microseconds: built once by heddle and once by nvcc, and run
// on the same GPU (docs/gpu.md).
#include <cstdio>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

constexpr int N = 1 << 24, Side = 4096, Edge = 1024;

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void productNaive(const float *a, const float *b, float *c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__global__ void productTiles(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    as[ty][tx] = a[y * n + t * 16 + tx];
    bs[ty][tx] = b[(t * 16 + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

__device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float p = 0.39894228f * expf(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - p : p;
}
__global__ void blackScholes(const float *s, const float *x, const float *t, float *call, float *put, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float root = sqrtf(t[i]), d1 = (logf(s[i] / x[i]) + (0.02f + 0.5f * 0.3f * 0.3f) * t[i]) / (0.3f * root);
    float d2 = d1 - 0.3f * root, c1 = normal(d1), c2 = normal(d2), e = expf(-0.02f * t[i]);
    call[i] = s[i] * c1 - x[i] * e * c2;
    put[i] = x[i] * e * (1.0f - c2) - s[i] * (1.0f - c1);
  }
}

__global__ void nbody(const float4 *p, float4 *out, int n) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; ++k) {
      float4 o = tile[k];
      float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), s = o.w * inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    __syncthreads();
  }
  out[i] = make_float4(ax, ay, az, 0);
}

__global__ void mandelbrot(int *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = 0;
  float cx = -2 + 3.0f * x / n, cy = -1.5f + 3.0f * y / n, zx = 0, zy = 0;
  for (; i < 256 && zx * zx + zy * zy < 4; ++i) {
    float w = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy, zx = w;
  }
  out[y * n + x] = i;
}

__global__ void stencil(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    out[y * n + x] = 0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

__global__ void reduce(const float *in, float *out, int n) {
  __shared__ float sums[256];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    sum += in[i];
  sums[threadIdx.x] = sum;
  for (int s = 128; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s)
      sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0)
    atomicAdd(out, sums[0]);
}

__global__ void histogram(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAdd(&bins[in[i] & 255], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void scan(const float *in, float *out) {
  __shared__ float part[2][1024];
  int t = threadIdx.x, from = 0;
  part[0][t] = in[blockIdx.x * 1024 + t];
  for (int step = 1; step < 1024; step *= 2) {
    __syncthreads();
    part[1 - from][t] = part[from][t] + (t >= step ? part[from][t - step] : 0);
    from = 1 - from;
  }
  out[blockIdx.x * 1024 + t] = part[from][t];
}

__global__ void bitonic(unsigned *v, int j, int k) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i && ((i & k) == 0) == (v[i] > v[other])) {
    unsigned w = v[i];
    v[i] = v[other], v[other] = w;
  }
}

__global__ void spmv(int rows, const int *starts, const int *columns, const float *values, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__constant__ float weights[17];
__global__ void convolution(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = -8; k <= 8; ++k)
    if (i + k >= 0 && i + k < n)
      sum += in[i + k] * weights[k + 8];
  out[i] = sum;
}

__global__ void sines(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sinf(in[i]) * cosf(in[i]) + powf(in[i] + 1.0f, 1.7f) + tanhf(in[i]) + log2f(in[i] + 2.0f);
}

__global__ void doubles(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = exp(-in[i]) * sin(in[i]) + sqrt(in[i]) / (1 + log(in[i] + 1));
}

static void measure(const char *name, const std::function<void()> &launch) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  launch();
  cudaDeviceSynchronize();
  float best = 1e30f;
  for (int round = 0; round < 9; ++round) {
    float ms = 0;
    cudaEventRecord(start);
    for (int i = 0; i < 5; ++i)
      launch();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    best = ms < best ? ms : best;
  }
  cudaError_t error = cudaGetLastError();
  std::printf("%-14s %10.2f%s%s\n", name, best * 1000 / 5, error ? " " : "", error ? cudaGetErrorString(error) : "");
}

template <class T> static T *fill(size_t n, T (*value)(size_t)) {
  std::vector<T> host(n);
  for (size_t i = 0; i < n; ++i)
    host[i] = value(i);
  T *device = nullptr;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

int main() {
  float *a = fill<float>(N, [](size_t i) { return float(i * 2654435761u % 1000) / 1000 + 0.5f; });
  float *b = fill<float>(N, [](size_t i) { return float(i % 997) / 997 + 0.5f; });
  float *c = fill<float>(N, [](size_t i) { return float(i % 991) / 991 + 0.1f; }), *d, *e;
  unsigned *words = fill<unsigned>(N, [](size_t i) { return unsigned(i * 2654435761u); });
  double *reals = fill<double>(N, [](size_t i) { return double(i % 1000) / 100; }), *results;
  int *starts = fill<int>(N / 16 + 1, [](size_t i) { return int(i * 16); });
  int *columns = fill<int>(N, [](size_t i) { return int(i * 2654435761u % (N / 16)); });
  cudaMalloc(&d, N * 4), cudaMalloc(&e, N * 4), cudaMalloc(&results, N * 8);
  float ones[17];
  for (float &w : ones)
    w = 1 / 17.0f;
  cudaMemcpyToSymbol(weights, ones, sizeof ones);
  const dim3 plane(Side / 32, Side / 32), block(32, 8), square(16, 16);
  measure("saxpy", [&] { saxpy<<<N / 256, 256>>>(N, 2, a, d); });
  measure("transpose", [&] { transpose<<<plane, block>>>(a, d, Side); });
  measure("product naive", [&] { productNaive<<<dim3(Edge / 16, Edge / 16), square>>>(a, b, d, Edge); });
  measure("product tiles", [&] { productTiles<<<dim3(Edge / 16, Edge / 16), square>>>(a, b, d, Edge); });
  measure("black scholes", [&] { blackScholes<<<1024, 256>>>(a, b, c, d, e, N); });
  measure("n-body", [&] { nbody<<<64, 256>>>((float4 *)a, (float4 *)d, 16384); });
  measure("mandelbrot", [&] { mandelbrot<<<dim3(Side / 16, Side / 16), square>>>((int *)d, Side); });
  measure("stencil", [&] { stencil<<<dim3(Side / 32, Side / 8), block>>>(a, d, Side); });
  measure("reduce", [&] { reduce<<<512, 256>>>(a, d, N); });
  measure("histogram", [&] { histogram<<<512, 256>>>(words, (unsigned *)d, N); });
  measure("scan", [&] { scan<<<N / 1024, 1024>>>(a, d); });
  measure("bitonic", [&] { bitonic<<<N / 256, 256>>>(words, 64, 4096); });
  measure("spmv", [&] { spmv<<<N / 16 / 256, 256>>>(N / 16, starts, columns, a, b, d); });
  measure("convolution", [&] { convolution<<<N / 256, 256>>>(a, d, N); });
  measure("sines", [&] { sines<<<N / 256, 256>>>(a, d, N); });
  measure("doubles", [&] { doubles<<<N / 256, 256>>>(reals, results, N); });
  return cudaDeviceSynchronize() != cudaSuccess;
}
