// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "images.h"

using namespace images;
using bench::Data;

static const dim3 Block(16, 16), Grid(cover(Width, 16), cover(Height, 16));

__global__ static void grayKernel(int w, int h, const Byte *rgb, Byte *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    const Byte *pixel = rgb + 3 * (y * w + x);
    out[y * w + x] = Byte((77 * pixel[0] + 151 * pixel[1] + 28 * pixel[2]) / 256);
  }
}

static void grayRun(Data &data) {
  grayKernel<<<Grid, Block>>>(Width, Height, data.get<Byte>(0), data.get<Byte>(1));
}

/// The mean of those points around that lie in the picture.
__global__ static void boxKernel(int w, int h, const Byte *in, Byte *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int sum = 0, count = 0;
  for (int dy = -Radius; dy <= Radius; dy++)
    for (int dx = -Radius; dx <= Radius; dx++) {
      int xx = x + dx, yy = y + dy;
      if (xx >= 0 && xx < w && yy >= 0 && yy < h) {
        sum += in[yy * w + xx];
        count++;
      }
    }
  out[y * w + x] = Byte(sum / count);
}

static void boxRun(Data &data) {
  boxKernel<<<Grid, Block>>>(Width, Height, data.get<Byte>(0), data.get<Byte>(1));
}

__global__ static void gaussRows(int w, int h, const float *in, const float *taps, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int i = -2; i <= 2; i++)
    sum += taps[i + 2] * in[y * w + min(max(x + i, 0), w - 1)];
  out[y * w + x] = sum;
}

__global__ static void gaussColumns(int w, int h, const float *in, const float *taps, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int i = -2; i <= 2; i++)
    sum += taps[i + 2] * in[min(max(y + i, 0), h - 1) * w + x];
  out[y * w + x] = sum;
}

static void gaussRun(Data &data) {
  gaussRows<<<Grid, Block>>>(Width, Height, data.get<float>(0), data.get<float>(1),
                             data.get<float>(2));
  gaussColumns<<<Grid, Block>>>(Width, Height, data.get<float>(2), data.get<float>(1),
                                data.get<float>(3));
}

__global__ static void sobelKernel(int w, int h, const Byte *in, Byte *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    out[y * w + x] = 0;
    return;
  }
  const Byte *p = in + y * w + x;
  int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
  int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
  out[y * w + x] = Byte(min(abs(gx) + abs(gy), 255));
}

static void sobelRun(Data &data) {
  sobelKernel<<<Grid, Block>>>(Width, Height, data.get<Byte>(0), data.get<Byte>(1));
}

/// The fifth of nine by bubble sort.
__global__ static void medianKernel(int w, int h, const Byte *in, Byte *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1)
    return;
  Byte near[9];
  for (int i = 0; i < 9; i++)
    near[i] = in[(y + i / 3 - 1) * w + x + i % 3 - 1];
  for (int i = 0; i < 5; i++)
    for (int j = i + 1; j < 9; j++)
      if (near[i] > near[j]) {
        Byte swapped = near[i];
        near[i] = near[j];
        near[j] = swapped;
      }
  out[y * w + x] = near[4];
}

static void medianRun(Data &data) {
  medianKernel<<<Grid, Block>>>(Width, Height, data.get<Byte>(0), data.get<Byte>(1));
}

__global__ static void bilinearKernel(int w, int h, int newW, int newH, const float *in,
                                      float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= newW || y >= newH)
    return;
  float fx = (x + 0.5f) * w / newW - 0.5f, fy = (y + 0.5f) * h / newH - 0.5f;
  fx = fminf(fmaxf(fx, 0), w - 1);
  fy = fminf(fmaxf(fy, 0), h - 1);
  int x0 = int(fx), y0 = int(fy), x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  float dx = fx - x0, dy = fy - y0;
  float top = in[y0 * w + x0] * (1 - dx) + in[y0 * w + x1] * dx;
  float bottom = in[y1 * w + x0] * (1 - dx) + in[y1 * w + x1] * dx;
  out[y * newW + x] = top * (1 - dy) + bottom * dy;
}

static void bilinearRun(Data &data) {
  bilinearKernel<<<dim3(cover(ScaledWidth, 16), cover(ScaledHeight, 16)), Block>>>(
      Width, Height, ScaledWidth, ScaledHeight, data.get<float>(0), data.get<float>(1));
}

/// The least of a cross of five, from a tile with a rim.
__global__ static void erodeKernel(int w, int h, const Byte *in, Byte *out) {
  __shared__ Byte tile[18][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
    int xx = int(blockIdx.x) * 16 + i % 18 - 1, yy = int(blockIdx.y) * 16 + i / 18 - 1;
    tile[i / 18][i % 18] = xx >= 0 && xx < w && yy >= 0 && yy < h ? in[yy * w + xx] : 255;
  }
  __syncthreads();
  if (x >= w || y >= h)
    return;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  Byte least = tile[ty][tx];
  least = min(least, tile[ty - 1][tx]);
  least = min(least, tile[ty + 1][tx]);
  least = min(least, tile[ty][tx - 1]);
  least = min(least, tile[ty][tx + 1]);
  out[y * w + x] = least;
}

static void erodeRun(Data &data) {
  erodeKernel<<<Grid, Block>>>(Width, Height, data.get<Byte>(0), data.get<Byte>(1));
}

/// A level of the 5/3 wavelet along the rows: low halves to the left, high ones to the right.
__global__ static void dwtRows(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, half = n / 2;
  if (x >= half)
    return;
  const float *row = in + y * n;
  int next = x + 1 < half ? 2 * x + 2 : 2 * x;
  float high = row[2 * x + 1] - 0.5f * (row[2 * x] + row[next]);
  float before = x > 0 ? row[2 * x - 1] - 0.5f * (row[2 * x - 2] + row[2 * x]) : high;
  out[y * n + x] = row[2 * x] + 0.25f * (before + high);
  out[y * n + half + x] = high;
}

__global__ static void dwtColumns(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, half = n / 2;
  if (x >= n)
    return;
  int next = y + 1 < half ? 2 * y + 2 : 2 * y;
  float high = in[(2 * y + 1) * n + x] - 0.5f * (in[2 * y * n + x] + in[next * n + x]);
  float before =
      y > 0 ? in[(2 * y - 1) * n + x] - 0.5f * (in[(2 * y - 2) * n + x] + in[2 * y * n + x]) : high;
  out[y * n + x] = in[2 * y * n + x] + 0.25f * (before + high);
  out[(half + y) * n + x] = high;
}

static void dwtRun(Data &data) {
  dwtRows<<<dim3(cover(Wavelet / 2, 64), Wavelet), 64>>>(Wavelet, data.get<float>(0),
                                                         data.get<float>(1));
  dwtColumns<<<dim3(cover(Wavelet, 64), Wavelet / 2), 64>>>(Wavelet, data.get<float>(1),
                                                            data.get<float>(2));
}

__global__ static void countGreys(int n, const Byte *in, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[in[i]], 1);
}

/// One block: the scanned histogram as greys.
__global__ static void greyTable(int n, const int *bins, int *table) {
  __shared__ int sums[256];
  int thread = threadIdx.x;
  sums[thread] = bins[thread];
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    int left = thread >= distance ? sums[thread - distance] : 0;
    __syncthreads();
    sums[thread] += left;
    __syncthreads();
  }
  table[thread] = int(255LL * sums[thread] / n);
}

__global__ static void mapGreys(int n, const Byte *in, const int *table, Byte *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Byte(table[in[i]]);
}

static void equaliseRun(Data &data) {
  cudaMemsetAsync(data.get<int>(1), 0, 256 * sizeof(int));
  countGreys<<<cover(Count, 256), 256>>>(Count, data.get<Byte>(0), data.get<int>(1));
  greyTable<<<1, 256>>>(Count, data.get<int>(1), data.get<int>(2));
  mapGreys<<<cover(Count, 256), 256>>>(Count, data.get<Byte>(0), data.get<int>(2),
                                       data.get<Byte>(3));
}

__device__ static Byte clamped(float value) { return Byte(fminf(fmaxf(value, 0.0f), 255.0f)); }

__global__ static void lumaKernel(int n, const uchar4 *in, Byte *luma, Byte *blue, Byte *red) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uchar4 p = in[i];
  luma[i] = clamped(0.25f * p.x + 0.5f * p.y + 0.125f * p.z + 16.0f);
  blue[i] = clamped(-0.125f * p.x - 0.25f * p.y + 0.4375f * p.z + 128.0f);
  red[i] = clamped(0.4375f * p.x - 0.375f * p.y - 0.0625f * p.z + 128.0f);
}

static void lumaRun(Data &data) {
  lumaKernel<<<cover(Count, 256), 256>>>(Count, data.get<uchar4>(0), data.get<Byte>(1),
                                         data.get<Byte>(2), data.get<Byte>(3));
}

/// A block a point, a thread a displacement of its template.
__global__ static void heartwallKernel(int w, const float *in, const int *corners,
                                       const float *templates, float *scores) {
  constexpr int Side = 2 * Reach + 1;
  int point = blockIdx.x, dx = threadIdx.x, dy = threadIdx.y;
  int left = corners[2 * point] + dx - Reach, top = corners[2 * point + 1] + dy - Reach;
  const float *patch = templates + point * Patch * Patch;
  float sum = 0;
  for (int y = 0; y < Patch; y++)
    for (int x = 0; x < Patch; x++) {
      float difference = in[(top + y) * w + left + x] - patch[y * Patch + x];
      sum += difference * difference;
    }
  scores[(point * Side + dy) * Side + dx] = sum;
}

static void heartwallRun(Data &data) {
  heartwallKernel<<<Points, dim3(2 * Reach + 1, 2 * Reach + 1)>>>(
      Width, data.get<float>(0), data.get<int>(1), data.get<float>(2), data.get<float>(3));
}

/// The best circle around each point: the square of the mean over the variance of the gradient
/// along its radius.
__global__ static void leukocyteKernel(int w, int h, const float *gx, const float *gy,
                                       const float *sines, const float *cosines, const int *xs,
                                       const int *ys, float *scores) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  constexpr int Rim = Circles + 4;
  float best = 0;
  if (x >= Rim && x < w - Rim && y >= Rim && y < h - Rim)
    for (int circle = 0; circle < Circles; circle++) {
      float sum = 0, squares = 0;
      for (int angle = 0; angle < Angles; angle++) {
        int at = (y + ys[circle * Angles + angle]) * w + x + xs[circle * Angles + angle];
        float along = gx[at] * cosines[angle] + gy[at] * sines[angle];
        sum += along;
        squares += along * along;
      }
      float mean = sum / Angles, variance = squares / Angles - mean * mean;
      best = fmaxf(best, mean * mean / variance);
    }
  scores[y * w + x] = best;
}

static void leukocyteRun(Data &data) {
  leukocyteKernel<<<dim3(cover(CellWidth, 32), cover(CellHeight, 4)), dim3(32, 4)>>>(
      CellWidth, CellHeight, data.get<float>(0), data.get<float>(1), data.get<float>(2),
      data.get<float>(3), data.get<int>(4), data.get<int>(5), data.get<float>(6));
}

__global__ static void juliaKernel(int w, int h, int *steps) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h)
    return;
  float x = 3.0f * px / w - 1.5f, y = 2.4f * py / h - 1.2f;
  int step = 0;
  while (step < JuliaSteps && x * x + y * y < 4) {
    float next = x * x - y * y - 0.8f;
    y = 2 * x * y + 0.156f;
    x = next;
    step++;
  }
  steps[py * w + px] = step;
}

static void juliaRun(Data &data) {
  juliaKernel<<<dim3(cover(JuliaWidth, 16), cover(JuliaHeight, 16)), Block>>>(
      JuliaWidth, JuliaHeight, data.get<int>(0));
}

/// Rows by a thread each, then columns.
__global__ static void integralRows(int w, int h, const Byte *in, int *out) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h)
    return;
  int sum = 0;
  for (int x = 0; x < w; x++)
    out[y * w + x] = sum += in[y * w + x];
}

__global__ static void integralColumns(int w, int h, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w)
    return;
  int sum = 0;
  for (int y = 0; y < h; y++)
    out[y * w + x] = sum += out[y * w + x];
}

static void integralRun(Data &data) {
  integralRows<<<cover(Height, 64), 64>>>(Width, Height, data.get<Byte>(0), data.get<int>(1));
  integralColumns<<<cover(Width, 64), 64>>>(Width, Height, data.get<int>(1));
}

BENCHMARK("gray", gray, grayRun)
BENCHMARK("box_blur", filter, boxRun)
BENCHMARK("gauss_separable", gauss, gaussRun)
BENCHMARK("sobel", filter, sobelRun)
BENCHMARK("median", filter, medianRun)
BENCHMARK("bilinear", scaled, bilinearRun)
BENCHMARK("erosion", filter, erodeRun)
BENCHMARK("dwt2d", dwt, dwtRun)
BENCHMARK("equalise", equalised, equaliseRun)
BENCHMARK("luma", luma, lumaRun)
BENCHMARK("heartwall", heartwall, heartwallRun)
BENCHMARK("leukocyte", leukocyte, leukocyteRun)
BENCHMARK("julia", julia, juliaRun)
BENCHMARK("integral", integral, integralRun)
