// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "numbers.h"

using namespace numbers;
using bench::Data;

/// The normal distribution by Hastings' polynomial (Abramowitz and Stegun, 26.2.17).
__device__ static double normal(double d) {
  double k = 1 / (1 + 0.2316419 * fabs(d));
  double sum = k * (0.31938153 +
                    k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  double tail = 0.39894228040143267794 * exp(-0.5 * d * d) * sum;
  return d > 0 ? 1 - tail : tail;
}

__global__ static void blackscholesKernel(int n, double rate, double volatility,
                                          const double *prices, const double *strikes,
                                          const double *years, double *calls, double *puts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double s = prices[i], x = strikes[i], t = years[i], root = sqrt(t);
  double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
  double d2 = d1 - volatility * root, discounted = x * exp(-rate * t);
  calls[i] = s * normal(d1) - discounted * normal(d2);
  puts[i] = discounted * (1 - normal(d2)) - s * (1 - normal(d1));
}

static void blackscholesRun(Data &data) {
  blackscholesKernel<<<cover(Options, 128), 128>>>(Options, 0.02, 0.3, data.get<double>(0),
                                                   data.get<double>(1), data.get<double>(2),
                                                   data.get<double>(3), data.get<double>(4));
}

/// A block a tree, a thread a leaf: back level by level in shared memory.
__global__ static void binomialKernel(const double *prices, const double *strikes, double *calls) {
  __shared__ double values[TreeSteps + 1];
  int leaf = threadIdx.x;
  double step = 0.3 * sqrt(1.0 / TreeSteps), discount = exp(-0.02 / TreeSteps);
  double up = exp(step), down = exp(-step), p = (1 / discount - down) / (up - down);
  double price = prices[blockIdx.x] * exp(step * (2.0 * leaf - TreeSteps));
  values[leaf] = fmax(price - strikes[blockIdx.x], 0.0);
  for (int level = TreeSteps; level > 0; level--) {
    __syncthreads();
    double value = leaf < level ? discount * (p * values[leaf + 1] + (1 - p) * values[leaf]) : 0;
    __syncthreads();
    if (leaf < level)
      values[leaf] = value;
  }
  if (leaf == 0)
    calls[blockIdx.x] = values[0];
}

static void binomialRun(Data &data) {
  binomialKernel<<<Trees, TreeSteps + 1>>>(data.get<double>(0), data.get<double>(1),
                                           data.get<double>(2));
}

__device__ static unsigned nextOf(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ static float uniformOf(unsigned &state) {
  return (nextOf(state) >> 8) * (1.0f / 16777216);
}

__global__ static void asianKernel(int n, const int *seeds, float *pays) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i] | 1;
  float price = 100, sum = 0;
  for (int step = 0; step < PathSteps; step++) {
    float u = uniformOf(state) + 1e-7f, v = uniformOf(state);
    float gauss = sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
    price *= expf(0.0002f + 0.02f * gauss);
    sum += price;
  }
  pays[i] = fmaxf(sum / PathSteps - 95, 0);
}

static void asianRun(Data &data) {
  asianKernel<<<cover(Paths, 128), 128>>>(Paths, data.get<int>(0), data.get<float>(1));
}

__global__ static void piKernel(int n, const int *seeds, int *inside) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i] | 1;
  int count = 0;
  for (int point = 0; point < Drawn; point++) {
    float x = uniformOf(state), y = uniformOf(state);
    if (x * x + y * y <= 1)
      count++;
  }
  inside[i] = count;
}

static void piRun(Data &data) {
  piKernel<<<cover(Streams, 256), 256>>>(Streams, data.get<int>(0), data.get<int>(1));
}

/// Philox 4x32 with ten rounds (Salmon and others, 2011).
__global__ static void philoxKernel(int n, uint2 key, uint4 *words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint4 c = make_uint4(i, 0, 0, 0);
  for (int round = 0; round < 10; round++) {
    unsigned high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
    unsigned high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  words[i] = c;
}

static void philoxRun(Data &data) {
  philoxKernel<<<cover(Blocks, 256), 256>>>(Blocks, make_uint2(17, 42), data.get<uint4>(0));
}

/// x / (exp(x) - 1) times scale, as the gates' rates need it.
__device__ static double ratio(double x, double scale) {
  return fabs(x) < 1e-7 ? scale : scale * x / (exp(x) - 1);
}

/// Hodgkin and Huxley's membrane in Euler's steps.
__global__ static void myocyteKernel(int n, double dt, const double *start, double *out) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= n)
    return;
  double v = start[cell], m = 0.05, h = 0.6, g = 0.32;
  for (int step = 0; step < CellSteps; step++) {
    double am = ratio(-(v + 40) / 10, 1.0), bm = 4 * exp(-(v + 65) / 18);
    double ah = 0.07 * exp(-(v + 65) / 20), bh = 1 / (1 + exp(-(v + 35) / 10));
    double ag = ratio(-(v + 55) / 10, 0.1), bg = 0.125 * exp(-(v + 65) / 80);
    double current =
        120 * m * m * m * h * (v - 50) + 36 * g * g * g * g * (v + 77) + 0.3 * (v + 54.4);
    v += dt * (10 - current);
    m += dt * (am * (1 - m) - bm * m);
    h += dt * (ah * (1 - h) - bh * h);
    g += dt * (ag * (1 - g) - bg * g);
  }
  out[4 * cell] = v;
  out[4 * cell + 1] = m;
  out[4 * cell + 2] = h;
  out[4 * cell + 3] = g;
}

static void myocyteRun(Data &data) {
  myocyteKernel<<<cover(Cells, 32), 32>>>(Cells, 0.01, data.get<double>(0), data.get<double>(1));
}

__device__ static float3 slope(float3 p) {
  return make_float3(10 * (p.y - p.x), p.x * (28 - p.z) - p.y, p.x * p.y - 2.6666667f * p.z);
}

__device__ static float3 along(float3 p, float3 d, float t) {
  return make_float3(p.x + t * d.x, p.y + t * d.y, p.z + t * d.z);
}

/// Runge and Kutta's steps of fourth order.
__global__ static void lorenzKernel(int n, float dt, const float *start, float *end) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float3 p = make_float3(start[3 * i], start[3 * i + 1], start[3 * i + 2]);
  for (int step = 0; step < OrbitSteps; step++) {
    float3 a = slope(p), b = slope(along(p, a, dt / 2)), c = slope(along(p, b, dt / 2)),
           d = slope(along(p, c, dt));
    p = along(p, along(along(along(a, b, 2), c, 2), d, 1), dt / 6);
  }
  end[3 * i] = p.x;
  end[3 * i + 1] = p.y;
  end[3 * i + 2] = p.z;
}

static void lorenzRun(Data &data) {
  lorenzKernel<<<cover(Orbits, 64), 64>>>(Orbits, 0.002f, data.get<float>(0), data.get<float>(1));
}

__global__ static void primesKernel(int n, const int *numbers, int *isPrime) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int number = numbers[i], prime = number > 1;
  for (int divisor = 2; divisor * divisor <= number; divisor++)
    if (number % divisor == 0) {
      prime = 0;
      break;
    }
  isPrime[i] = prime;
}

static void primesRun(Data &data) {
  primesKernel<<<cover(Tested, 128), 128>>>(Tested, data.get<int>(0), data.get<int>(1));
}

__global__ static void gcdKernel(int n, const int *as, const int *bs, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int a = as[i], b = bs[i];
  while (b != 0) {
    int rest = a % b;
    a = b;
    b = rest;
  }
  out[i] = a;
}

static void gcdRun(Data &data) {
  gcdKernel<<<cover(Tested, 128), 128>>>(Tested, data.get<int>(0), data.get<int>(1),
                                         data.get<int>(2));
}

__global__ static void collatzKernel(int n, const int *numbers, int *steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  long long number = numbers[i] + 1;
  int count = 0;
  while (number > 1) {
    number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    count++;
  }
  steps[i] = count;
}

static void collatzRun(Data &data) {
  collatzKernel<<<cover(Tested, 128), 128>>>(Tested, data.get<int>(0), data.get<int>(1));
}

__global__ static void dftKernel(int n, const float2 *signal, const float2 *turns,
                                 float2 *spectrum) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n)
    return;
  float real = 0, imaginary = 0;
  for (int i = 0; i < n; i++) {
    float2 s = signal[i], t = turns[i * k % n];
    real += s.x * t.x - s.y * t.y;
    imaginary += s.x * t.y + s.y * t.x;
  }
  spectrum[k] = make_float2(real, imaginary);
}

static void dftRun(Data &data) {
  dftKernel<<<cover(Signal, 64), 64>>>(Signal, data.get<float2>(0), data.get<float2>(1),
                                       data.get<float2>(2));
}

__global__ static void besselKernel(int n, const double *xs, double *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double quarter = -0.25 * xs[i] * xs[i], term = 1, sum = 1;
  for (int k = 1; k < Terms; k++) {
    term *= quarter / (double(k) * k);
    sum += term;
  }
  values[i] = sum;
}

static void besselRun(Data &data) {
  besselKernel<<<cover(Series, 128), 128>>>(Series, data.get<double>(0), data.get<double>(1));
}

/// Gauss without pivots in a local array; each thread's matrix lies in a row of its own.
__global__ static void systemsKernel(int n, const float *matrices, const float *sides,
                                     float *solutions) {
  int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= n)
    return;
  float a[Unknowns][Unknowns], b[Unknowns];
  for (int i = 0; i < Unknowns; i++) {
    b[i] = sides[system * Unknowns + i];
    for (int j = 0; j < Unknowns; j++)
      a[i][j] = matrices[(system * Unknowns + i) * Unknowns + j];
  }
  for (int k = 0; k < Unknowns; k++)
    for (int i = k + 1; i < Unknowns; i++) {
      float factor = a[i][k] / a[k][k];
      for (int j = k; j < Unknowns; j++)
        a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (int i = Unknowns - 1; i >= 0; i--) {
    for (int j = i + 1; j < Unknowns; j++)
      b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
    solutions[system * Unknowns + i] = b[i];
  }
}

static void systemsRun(Data &data) {
  systemsKernel<<<cover(Systems, 64), 64>>>(Systems, data.get<float>(0), data.get<float>(1),
                                            data.get<float>(2));
}

BENCHMARK("blackscholes", blackscholes, blackscholesRun)
BENCHMARK("binomial", binomial, binomialRun)
BENCHMARK("asian", asian, asianRun)
BENCHMARK("pi", pi, piRun)
BENCHMARK("philox", philox, philoxRun)
BENCHMARK("myocyte", myocyte, myocyteRun)
BENCHMARK("lorenz", lorenz, lorenzRun)
BENCHMARK("primes", primes, primesRun)
BENCHMARK("gcd", gcd, gcdRun)
BENCHMARK("collatz", collatz, collatzRun)
BENCHMARK("dft", dft, dftRun)
BENCHMARK("bessel", bessel, besselRun)
BENCHMARK("small_systems", smallSystems, systemsRun)
