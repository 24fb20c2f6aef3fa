// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencils.h"

using namespace stencils;
using bench::Data;

static const dim3 Block(32, 8), Plane(cover(Width, 32), cover(Height, 8));

static float *copied(Data &data, int to, int from, size_t count) {
  cudaMemcpyAsync(data.get<float>(to), data.get<float>(from), count * sizeof(float),
                  cudaMemcpyDeviceToDevice);
  return data.get<float>(to);
}

__global__ static void jacobi1dStep(int n, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}

static void jacobi1dRun(Data &data) {
  float *a = copied(data, 2, 0, Line), *b = copied(data, 1, 0, Line);
  for (int step = 0; step < LineSteps; step += 2) {
    jacobi1dStep<<<cover(Line, 256), 256>>>(Line, a, b);
    jacobi1dStep<<<cover(Line, 256), 256>>>(Line, b, a);
  }
}

__global__ static void jacobi2dStep(int w, int h, const float *a, float *b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 1 && x < w - 1 && y >= 1 && y < h - 1)
    b[y * w + x] = 0.2f * (a[y * w + x] + a[y * w + x - 1] + a[y * w + x + 1] + a[(y + 1) * w + x] +
                           a[(y - 1) * w + x]);
}

static void jacobi2dRun(Data &data) {
  float *a = copied(data, 2, 0, Width * Height), *b = copied(data, 1, 0, Width * Height);
  for (int step = 0; step < Steps; step += 2) {
    jacobi2dStep<<<Plane, Block>>>(Width, Height, a, b);
    jacobi2dStep<<<Plane, Block>>>(Width, Height, b, a);
  }
}

__global__ static void heat3dStep(int n, const float *a, float *b) {
  int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
      i = blockIdx.z;
  if (i < 1 || i >= n - 1 || j < 1 || j >= n - 1 || k < 1 || k >= n - 1)
    return;
  int at = (i * n + j) * n + k;
  b[at] = 0.125f * (a[at + n * n] - 2.0f * a[at] + a[at - n * n]) +
          0.125f * (a[at + n] - 2.0f * a[at] + a[at - n]) +
          0.125f * (a[at + 1] - 2.0f * a[at] + a[at - 1]) + a[at];
}

static void heat3dRun(Data &data) {
  float *from = copied(data, 1, 0, Side * Side * Side),
        *to = copied(data, 2, 0, Side * Side * Side);
  for (int step = 0; step < SpaceSteps; step++) {
    heat3dStep<<<dim3(cover(Side, 32), cover(Side, 4), Side), dim3(32, 4)>>>(Side, from, to);
    std::swap(from, to);
  }
}

__global__ static void fdtdY(int w, int h, int t, float *ey, const float *hz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    if (y == 0)
      ey[x] = t;
    else
      ey[y * w + x] = ey[y * w + x] - 0.5f * (hz[y * w + x] - hz[(y - 1) * w + x]);
  }
}

__global__ static void fdtdX(int w, int h, float *ex, const float *hz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h && x > 0)
    ex[y * w + x] = ex[y * w + x] - 0.5f * (hz[y * w + x] - hz[y * w + x - 1]);
}

__global__ static void fdtdZ(int w, int h, const float *ex, const float *ey, float *hz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w - 1 && y < h - 1)
    hz[y * w + x] -=
        0.7f * (ex[y * w + x + 1] - ex[y * w + x] + ey[(y + 1) * w + x] - ey[y * w + x]);
}

static void fdtd2dRun(Data &data) {
  float *ex = copied(data, 3, 0, Width * Height), *ey = copied(data, 4, 1, Width * Height);
  float *hz = copied(data, 5, 2, Width * Height);
  for (int t = 0; t < Steps; t++) {
    fdtdY<<<Plane, Block>>>(Width, Height, t, ey, hz);
    fdtdX<<<Plane, Block>>>(Width, Height, ex, hz);
    fdtdZ<<<Plane, Block>>>(Width, Height, ex, ey, hz);
  }
}

/// A thread solves the tridiagonal system of its column of u; the solution goes to a column of v.
__global__ static void adiColumns(int n, float a, float b, float c, const float *u, float *v,
                                  float *p, float *q) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1)
    return;
  v[i] = 1;
  p[i * n] = 0;
  q[i * n] = 1;
  for (int j = 1; j < n - 1; j++) {
    p[i * n + j] = -c / (a * p[i * n + j - 1] + b);
    q[i * n + j] = (-a * u[j * n + i - 1] + (1 + 2 * a) * u[j * n + i] - c * u[j * n + i + 1] -
                    a * q[i * n + j - 1]) /
                   (a * p[i * n + j - 1] + b);
  }
  v[(n - 1) * n + i] = 1;
  for (int j = n - 2; j >= 1; j--)
    v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
}

/// The same along the rows, from v to u.
__global__ static void adiRows(int n, float d, float e, float f, float *u, const float *v, float *p,
                               float *q) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1)
    return;
  u[i * n] = 1;
  p[i * n] = 0;
  q[i * n] = 1;
  for (int j = 1; j < n - 1; j++) {
    p[i * n + j] = -f / (d * p[i * n + j - 1] + e);
    q[i * n + j] = (-d * v[(i - 1) * n + j] + (1 + 2 * d) * v[i * n + j] - f * v[(i + 1) * n + j] -
                    d * q[i * n + j - 1]) /
                   (d * p[i * n + j - 1] + e);
  }
  u[i * n + n - 1] = 1;
  for (int j = n - 2; j >= 1; j--)
    u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
}

static void adiRun(Data &data) {
  float *v = data.get<float>(1), *p = data.get<float>(2), *q = data.get<float>(3),
        *u = copied(data, 4, 0, Sweep * Sweep);
  for (int step = 0; step < SweepSteps; step++) {
    adiColumns<<<cover(Sweep - 2, 64), 64>>>(Sweep, -0.4f, 1.8f, -0.4f, u, v, p, q);
    adiRows<<<cover(Sweep - 2, 64), 64>>>(Sweep, -0.3f, 1.6f, -0.3f, u, v, p, q);
  }
}

/// The points (y, x) with 2 y + x = front need only fronts before this one.
__global__ static void seidelFront(int n, int front, float *a) {
  int y = 1 + blockIdx.x * blockDim.x + threadIdx.x, x = front - 2 * y;
  if (y < n - 1 && x >= 1 && x < n - 1)
    a[y * n + x] = (a[(y - 1) * n + x - 1] + a[(y - 1) * n + x] + a[(y - 1) * n + x + 1] +
                    a[y * n + x - 1] + a[y * n + x] + a[y * n + x + 1] + a[(y + 1) * n + x - 1] +
                    a[(y + 1) * n + x] + a[(y + 1) * n + x + 1]) /
                   9.0f;
}

static void seidelRun(Data &data) {
  float *a = copied(data, 1, 0, Sweep * Sweep);
  for (int step = 0; step < SweepSteps; step++)
    for (int front = 3; front <= 3 * (Sweep - 2); front++)
      seidelFront<<<cover(Sweep - 2, 128), 128>>>(Sweep, front, a);
}

/// At the border a point is its own neighbour.
__global__ static void hotspotStep(int w, int h, const float *power, const float *from, float *to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int north = max(y - 1, 0), south = min(y + 1, h - 1), west = max(x - 1, 0),
      east = min(x + 1, w - 1);
  float t = from[y * w + x];
  float dy = from[south * w + x] + from[north * w + x] - 2.0f * t;
  float dx = from[y * w + east] + from[y * w + west] - 2.0f * t;
  to[y * w + x] = t + Step * (power[y * w + x] + dy * 0.5f + dx * 0.7f + (80.0f - t) * 0.01f);
}

static void hotspotRun(Data &data) {
  float *from = copied(data, 3, 0, Width * Height), *to = data.get<float>(2);
  for (int step = 0; step < Steps; step++) {
    hotspotStep<<<Plane, Block>>>(Width, Height, data.get<float>(1), from, to);
    std::swap(from, to);
  }
}

/// A thread goes up through the layers and keeps three of them in registers.
__global__ static void hotspot3dStep(int n, const float *power, const float *from, float *to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  int c = y * n + x, w = x == 0 ? c : c - 1, e = x == n - 1 ? c : c + 1, nn = y == 0 ? c : c - n,
      s = y == n - 1 ? c : c + n, layer = n * n;
  float below = from[c], here = from[c], above = from[c + layer];
  for (int z = 0; z < n; z++) {
    to[c] = here + Step * (power[c] + 0.3f * (from[w] + from[e] - 2 * here) +
                           0.3f * (from[s] + from[nn] - 2 * here) +
                           0.2f * (above + below - 2 * here) + 0.01f * (80.0f - here));
    c += layer, w += layer, e += layer, nn += layer, s += layer;
    below = here;
    here = above;
    if (z < n - 2)
      above = from[c + layer];
  }
}

static void hotspot3dRun(Data &data) {
  float *from = copied(data, 2, 0, Side * Side * Side), *to = data.get<float>(3);
  for (int step = 0; step < SpaceSteps; step++) {
    hotspot3dStep<<<dim3(cover(Side, 64), cover(Side, 4)), dim3(64, 4)>>>(Side, data.get<float>(1),
                                                                          from, to);
    std::swap(from, to);
  }
}

__global__ static void sradCoefficient(int w, int h, float q0, const float *j, float *dn, float *ds,
                                       float *dw, float *de, float *c) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= w * h)
    return;
  int row = at / w, column = at % w;
  float here = j[at];
  float n = (row > 0 ? j[at - w] : here) - here, s = (row < h - 1 ? j[at + w] : here) - here;
  float west = (column > 0 ? j[at - 1] : here) - here,
        e = (column < w - 1 ? j[at + 1] : here) - here;
  float g2 = (n * n + s * s + west * west + e * e) / (here * here), l = (n + s + west + e) / here;
  float num = 0.5f * g2 - 0.0625f * l * l, den = 1 + 0.25f * l, q = num / (den * den);
  float value = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
  dn[at] = n, ds[at] = s, dw[at] = west, de[at] = e;
  c[at] = value < 0 ? 0 : value > 1 ? 1 : value;
}

__global__ static void sradUpdate(int w, int h, float lambda, const float *j, const float *dn,
                                  const float *ds, const float *dw, const float *de, const float *c,
                                  float *out) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= w * h)
    return;
  int row = at / w, column = at % w;
  float south = row < h - 1 ? c[at + w] : c[at], east = column < w - 1 ? c[at + 1] : c[at];
  out[at] =
      j[at] + 0.25f * lambda * (c[at] * dn[at] + south * ds[at] + c[at] * dw[at] + east * de[at]);
}

static void sradRun(Data &data) {
  unsigned blocks = cover(Width * Height, 256);
  float *d[5];
  for (int i = 0; i < 5; i++)
    d[i] = data.get<float>(1 + i);
  sradCoefficient<<<blocks, 256>>>(Width, Height, 0.3f, data.get<float>(0), d[0], d[1], d[2], d[3],
                                   d[4]);
  sradUpdate<<<blocks, 256>>>(Width, Height, 0.5f, data.get<float>(0), d[0], d[1], d[2], d[3], d[4],
                              data.get<float>(6));
}

__global__ static void starKernel(int w, int h, int pitch, const float *in, const float *factors,
                                  float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int centre = (y + Radius) * pitch + x + Radius;
  float sum = factors[0] * in[centre];
  for (int r = 1; r <= Radius; r++) {
    sum += factors[r] * (in[centre - r] + in[centre + r]);
    sum += factors[Radius + r] * (in[centre - r * pitch] + in[centre + r * pitch]);
  }
  out[y * w + x] = sum;
}

static void starRun(Data &data) {
  starKernel<<<Plane, Block>>>(Width, Height, Pitch, data.get<float>(0), data.get<float>(1),
                               data.get<float>(2));
}

constexpr int Tile = 16;

__global__ static void tiledKernel(int w, int h, const float *in, float *out) {
  __shared__ float tile[Tile + 2][Tile + 2];
  int left = blockIdx.x * Tile - 1, top = blockIdx.y * Tile - 1;
  for (int i = threadIdx.y; i < Tile + 2; i += Tile)
    for (int j = threadIdx.x; j < Tile + 2; j += Tile) {
      int x = left + j, y = top + i;
      tile[i][j] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
    }
  __syncthreads();
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sum += tile[threadIdx.y + i][threadIdx.x + j];
  out[y * w + x] = sum / 9;
}

static void tiledRun(Data &data) {
  tiledKernel<<<dim3(cover(Width, Tile), cover(Height, Tile)), dim3(Tile, Tile)>>>(
      Width, Height, data.get<float>(0), data.get<float>(1));
}

BENCHMARK("jacobi1d", jacobi1d, jacobi1dRun)
BENCHMARK("jacobi2d", jacobi2d, jacobi2dRun)
BENCHMARK("heat3d", heat3d, heat3dRun)
BENCHMARK("fdtd2d", fdtd2d, fdtd2dRun)
BENCHMARK("adi", adi, adiRun)
BENCHMARK("seidel", seidel, seidelRun)
BENCHMARK("hotspot", hotspot, hotspotRun)
BENCHMARK("hotspot3d", hotspot3d, hotspot3dRun)
BENCHMARK("srad", srad, sradRun)
BENCHMARK("stencil_star", star, starRun)
BENCHMARK("stencil_tiled", tiled, tiledRun)
