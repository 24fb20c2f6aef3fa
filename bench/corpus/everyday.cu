// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "everyday.h"
using namespace everyday;
using bench::Data;

__global__ static void columnsKernel(const float *in, float *out, int rows, int length) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = 0; i < length; i++)
    sum += in[row * length + i] * in[row * length + i];
  out[row] = sum;
}
static void columnsRun(Data &d) {
  columnsKernel<<<cover(Tall, 128), 128>>>(d.get<float>(0), d.get<float>(1), Tall, Long);
}

/// Axes (0, 1, 2, 3) to (0, 2, 3, 1).
__global__ static void permuteKernel(const float *in, float *out, int n, int d1, int d2, int d3) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int b = i % d1, t = i / d1;
  int d = t % d3;
  t /= d3;
  int c = t % d2, a = t / d2;
  out[i] = in[((a * d1 + b) * d2 + c) * d3 + d];
}
static void permuteRun(Data &d) {
  constexpr int n = D0 * D1 * D2 * D3;
  permuteKernel<<<cover(n, 256), 256>>>(d.get<float>(0), d.get<float>(1), n, D1, D2, D3);
}

struct Mat4 {
  float m[4][4];
};
__global__ static void mat4Kernel(const Mat4 *a, const Mat4 *b, Mat4 *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Mat4 x = a[i], y = b[i], z;
  for (int r = 0; r < 4; r++)
    for (int s = 0; s < 4; s++) {
      float sum = 0;
      for (int k = 0; k < 4; k++)
        sum += x.m[r][k] * y.m[k][s];
      z.m[r][s] = sum;
    }
  c[i] = z;
}
static void mat4Run(Data &d) {
  mat4Kernel<<<cover(Matrices, 128), 128>>>(d.get<Mat4>(0), d.get<Mat4>(1), d.get<Mat4>(2),
                                            Matrices);
}

__global__ static void rmsKernel(const float *in, const float *weight, float *out, int width) {
  __shared__ float parts[32];
  const float *row = in + blockIdx.x * width;
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    sum += row[i] * row[i];
  for (int o = 16; o > 0; o /= 2)
    sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int o = 16; o > 0; o /= 2)
      sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x == 0)
      parts[0] = rsqrtf(sum / width + 1e-6f);
  }
  __syncthreads();
  float scale = parts[0];
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[blockIdx.x * width + i] = row[i] * scale * weight[i];
}
static void rmsRun(Data &d) {
  rmsKernel<<<Tokens, 256>>>(d.get<float>(0), d.get<float>(1), d.get<float>(2), Width);
}

__global__ static void swigluKernel(const float *gate, const float *up, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float g = gate[i];
    out[i] = g / (1.0f + expf(-g)) * up[i];
  }
}
static void swigluRun(Data &d) {
  swigluKernel<<<cover(Gates, 256), 256>>>(d.get<float>(0), d.get<float>(0) + Gates,
                                           d.get<float>(1), Gates);
}

__device__ static float grey(uchar4 p) { return 0.299f * p.x + 0.587f * p.y + 0.114f * p.z; }
__global__ static void sobelKernel(const uchar4 *in, uchar4 *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int l = max(x - 1, 0), r = min(x + 1, w - 1), u = max(y - 1, 0), d = min(y + 1, h - 1);
  float a = grey(in[u * w + l]), b = grey(in[u * w + x]), c = grey(in[u * w + r]);
  float e = grey(in[y * w + l]), f = grey(in[y * w + r]);
  float g = grey(in[d * w + l]), i = grey(in[d * w + x]), j = grey(in[d * w + r]);
  float dx = c + 2 * f + j - a - 2 * e - g, dy = g + 2 * i + j - a - 2 * b - c;
  unsigned char v = (unsigned char)fminf(sqrtf(dx * dx + dy * dy), 255.0f);
  out[y * w + x] = make_uchar4(v, v, v, in[y * w + x].w);
}
static void sobelRun(Data &d) {
  sobelKernel<<<dim3(cover(SobelW, 16), cover(SobelH, 16)), dim3(16, 16)>>>(
      d.get<uchar4>(0), d.get<uchar4>(1), SobelW, SobelH);
}

__global__ static void waveKernel(const float *now, const float *before, float *next, int nx,
                                  int ny, int nz, float c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  for (int z = 1; z < nz - 1; z++) {
    int i = (z * ny + y) * nx + x;
    float lap = now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] + now[i - nx * ny] +
                now[i + nx * ny] - 6 * now[i];
    next[i] = 2 * now[i] - before[i] + c * lap;
  }
}
static void waveRun(Data &d) {
  waveKernel<<<dim3(cover(WaveX, 32), cover(WaveY, 8)), dim3(32, 8)>>>(
      d.get<float>(0), d.get<float>(1), d.get<float>(2), WaveX, WaveY, WaveZ, 0.1f);
}

__global__ static void kmeansKernel(const float *points, const float *centres, int *nearest, int n,
                                    int k, int dims) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float best = 1e30f;
  int at = 0;
  for (int c = 0; c < k; c++) {
    float sum = 0;
    for (int d = 0; d < dims; d++) {
      float diff = points[i * dims + d] - centres[c * dims + d];
      sum += diff * diff;
    }
    if (sum < best) {
      best = sum;
      at = c;
    }
  }
  nearest[i] = at;
}
static void kmeansRun(Data &d) {
  kmeansKernel<<<cover(Points, 256), 256>>>(d.get<float>(0), d.get<float>(1), d.get<int>(2), Points,
                                            Centres, Dims);
}

__global__ static void scanKernel(const int *in, int *out) {
  __shared__ int s[512];
  int t = threadIdx.x, i = blockIdx.x * 512 + t;
  s[t] = in[i];
  for (int o = 1; o < 512; o *= 2) {
    __syncthreads();
    int v = t >= o ? s[t - o] : 0;
    __syncthreads();
    s[t] += v;
  }
  out[i] = s[t];
}
static void scanRun(Data &d) { scanKernel<<<Summed / 512, 512>>>(d.get<int>(0), d.get<int>(1)); }

__global__ static void upsampleKernel(const float *in, float *out, int n, int h, int w, int scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int ow = w * scale, oh = h * scale;
  int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
  out[i] = in[(c * h + y / scale) * w + x / scale];
}
static void upsampleRun(Data &d) {
  constexpr int n = UpC * UpH * UpW * 4;
  upsampleKernel<<<cover(n, 256), 256>>>(d.get<float>(0), d.get<float>(1), n, UpH, UpW, 2);
}

__global__ static void affineKernel(const float *in, const float *mean, const float *weight,
                                    float *out, long total, int channels, int area, int perGroup) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < total;
       i += (long)blockDim.x * gridDim.x) {
    int c = i / area % channels, n = i / area / channels;
    out[i] = (in[i] - mean[n * (channels / perGroup) + c / perGroup]) * weight[c];
  }
}
static void affineRun(Data &d) {
  constexpr int n = GroupN * GroupC * GroupHW;
  affineKernel<<<60, 256>>>(d.get<float>(0), d.get<float>(1), d.get<float>(2), d.get<float>(3), n,
                            GroupC, GroupHW, 4);
}

BENCHMARK("row_squares", columns, columnsRun)
BENCHMARK("flat_permute", permute, permuteRun)
BENCHMARK("mat4_products", mat4, mat4Run)
BENCHMARK("rmsnorm", rmsnorm, rmsRun)
BENCHMARK("swiglu", swiglu, swigluRun)
BENCHMARK("sobel_uchar4", sobel4, sobelRun)
BENCHMARK("wave3d", wave, waveRun)
BENCHMARK("kmeans_assign", kmeans, kmeansRun)
BENCHMARK("scan_block", scan, scanRun)
BENCHMARK("flat_upsample", upsample, upsampleRun)
BENCHMARK("flat_affine", groupAffine, affineRun)
