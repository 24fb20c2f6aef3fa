// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "numbers.h"

#include <algorithm>
#include <numeric>

using namespace numbers;
using bench::Data;

static double normal(double d) {
  double k = 1 / (1 + 0.2316419 * std::fabs(d));
  double sum = k * (0.31938153 +
                    k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  double tail = 0.39894228040143267794 * std::exp(-0.5 * d * d) * sum;
  return d > 0 ? 1 - tail : tail;
}

static void blackscholesRun(Data &data) {
  const double rate = 0.02, volatility = 0.3;
  const double *prices = data.get<double>(0), *strikes = data.get<double>(1),
               *years = data.get<double>(2);
  double *calls = data.get<double>(3), *puts = data.get<double>(4);
#pragma omp parallel for simd
  for (int i = 0; i < Options; i++) {
    double s = prices[i], x = strikes[i], t = years[i], root = std::sqrt(t);
    double d1 =
        (std::log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
    double n1 = normal(d1), n2 = normal(d1 - volatility * root),
           discounted = x * std::exp(-rate * t);
    calls[i] = s * n1 - discounted * n2;
    puts[i] = discounted * (1 - n2) - s * (1 - n1);
  }
}

static void binomialRun(Data &data) {
  const double *prices = data.get<double>(0), *strikes = data.get<double>(1);
  double *calls = data.get<double>(2);
  const double step = 0.3 * std::sqrt(1.0 / TreeSteps), discount = std::exp(-0.02 / TreeSteps);
  const double up = std::exp(step), down = std::exp(-step), p = (1 / discount - down) / (up - down);
#pragma omp parallel for
  for (int tree = 0; tree < Trees; tree++) {
    double values[TreeSteps + 1];
    for (int leaf = 0; leaf <= TreeSteps; leaf++)
      values[leaf] =
          std::max(prices[tree] * std::exp(step * (2.0 * leaf - TreeSteps)) - strikes[tree], 0.0);
    for (int level = TreeSteps; level > 0; level--)
      for (int leaf = 0; leaf < level; leaf++)
        values[leaf] = discount * (p * values[leaf + 1] + (1 - p) * values[leaf]);
    calls[tree] = values[0];
  }
}

static unsigned nextOf(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static float uniformOf(unsigned &state) { return (nextOf(state) >> 8) * (1.0f / 16777216); }

static void asianRun(Data &data) {
  const int *seeds = data.get<int>(0);
  float *pays = data.get<float>(1);
#pragma omp parallel for
  for (int i = 0; i < Paths; i++) {
    unsigned state = seeds[i] | 1;
    float price = 100, sum = 0;
    for (int step = 0; step < PathSteps; step++) {
      float u = uniformOf(state) + 1e-7f, v = uniformOf(state);
      float gauss = std::sqrt(-2 * std::log(u)) * std::cos(6.2831853f * v);
      price *= std::exp(0.0002f + 0.02f * gauss);
      sum += price;
    }
    pays[i] = std::max(sum / PathSteps - 95, 0.0f);
  }
}

static void piRun(Data &data) {
  const int *seeds = data.get<int>(0);
  int *inside = data.get<int>(1);
#pragma omp parallel for simd
  for (int i = 0; i < Streams; i++) {
    unsigned state = seeds[i] | 1;
    int count = 0;
    for (int point = 0; point < Drawn; point++) {
      float x = uniformOf(state), y = uniformOf(state);
      count += x * x + y * y <= 1;
    }
    inside[i] = count;
  }
}

static void philoxRun(Data &data) {
  unsigned *words = data.get<unsigned>(0);
#pragma omp parallel for simd
  for (int i = 0; i < Blocks; i++) {
    unsigned c0 = i, c1 = 0, c2 = 0, c3 = 0, k0 = 17, k1 = 42;
    for (int round = 0; round < 10; round++) {
      uint64_t p0 = uint64_t(0xd2511f53u) * c0, p1 = uint64_t(0xcd9e8d57u) * c2;
      c0 = unsigned(p1 >> 32) ^ c1 ^ k0;
      c1 = unsigned(p1);
      c2 = unsigned(p0 >> 32) ^ c3 ^ k1;
      c3 = unsigned(p0);
      k0 += 0x9e3779b9u;
      k1 += 0xbb67ae85u;
    }
    words[4 * i] = c0;
    words[4 * i + 1] = c1;
    words[4 * i + 2] = c2;
    words[4 * i + 3] = c3;
  }
}

static double ratio(double x, double scale) {
  return std::fabs(x) < 1e-7 ? scale : scale * x / (std::exp(x) - 1);
}

static void myocyteRun(Data &data) {
  const double *start = data.get<double>(0), dt = 0.01;
  double *out = data.get<double>(1);
#pragma omp parallel for
  for (int cell = 0; cell < Cells; cell++) {
    double v = start[cell], m = 0.05, h = 0.6, g = 0.32;
    for (int step = 0; step < CellSteps; step++) {
      double am = ratio(-(v + 40) / 10, 1.0), bm = 4 * std::exp(-(v + 65) / 18);
      double ah = 0.07 * std::exp(-(v + 65) / 20), bh = 1 / (1 + std::exp(-(v + 35) / 10));
      double ag = ratio(-(v + 55) / 10, 0.1), bg = 0.125 * std::exp(-(v + 65) / 80);
      double current =
          120 * m * m * m * h * (v - 50) + 36 * g * g * g * g * (v + 77) + 0.3 * (v + 54.4);
      v += dt * (10 - current);
      m += dt * (am * (1 - m) - bm * m);
      h += dt * (ah * (1 - h) - bh * h);
      g += dt * (ag * (1 - g) - bg * g);
    }
    out[4 * cell] = v, out[4 * cell + 1] = m, out[4 * cell + 2] = h, out[4 * cell + 3] = g;
  }
}

struct Vector {
  float x, y, z;
};
static Vector slope(Vector p) {
  return {10 * (p.y - p.x), p.x * (28 - p.z) - p.y, p.x * p.y - 2.6666667f * p.z};
}
static Vector along(Vector p, Vector d, float t) {
  return {p.x + t * d.x, p.y + t * d.y, p.z + t * d.z};
}

static void lorenzRun(Data &data) {
  const float *start = data.get<float>(0), dt = 0.002f;
  float *end = data.get<float>(1);
#pragma omp parallel for simd
  for (int i = 0; i < Orbits; i++) {
    Vector p = {start[3 * i], start[3 * i + 1], start[3 * i + 2]};
    for (int step = 0; step < OrbitSteps; step++) {
      Vector a = slope(p), b = slope(along(p, a, dt / 2)), c = slope(along(p, b, dt / 2)),
             d = slope(along(p, c, dt));
      p = along(p, along(along(along(a, b, 2), c, 2), d, 1), dt / 6);
    }
    end[3 * i] = p.x;
    end[3 * i + 1] = p.y;
    end[3 * i + 2] = p.z;
  }
}

static void primesRun(Data &data) {
  const int *numbers = data.get<int>(0);
  int *isPrime = data.get<int>(1);
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < Tested; i++) {
    int number = numbers[i], prime = number > 1;
    for (int divisor = 2; prime && divisor * divisor <= number; divisor++)
      prime = number % divisor != 0;
    isPrime[i] = prime;
  }
}

static void gcdRun(Data &data) {
  const int *a = data.get<int>(0), *b = data.get<int>(1);
  int *out = data.get<int>(2);
#pragma omp parallel for
  for (int i = 0; i < Tested; i++)
    out[i] = std::gcd(a[i], b[i]);
}

static void collatzRun(Data &data) {
  const int *numbers = data.get<int>(0);
  int *steps = data.get<int>(1);
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < Tested; i++) {
    int64_t number = numbers[i] + 1;
    int count = 0;
    for (; number > 1; count++)
      number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    steps[i] = count;
  }
}

/// The turn is carried along, without a remainder.
static void dftRun(Data &data) {
  const float *signal = data.get<float>(0), *turns = data.get<float>(1);
  float *spectrum = data.get<float>(2);
#pragma omp parallel for
  for (int k = 0; k < Signal; k++) {
    float real = 0, imaginary = 0;
    for (int i = 0, turn = 0; i < Signal; i++) {
      real += signal[2 * i] * turns[2 * turn] - signal[2 * i + 1] * turns[2 * turn + 1];
      imaginary += signal[2 * i] * turns[2 * turn + 1] + signal[2 * i + 1] * turns[2 * turn];
      turn = turn + k < Signal ? turn + k : turn + k - Signal;
    }
    spectrum[2 * k] = real;
    spectrum[2 * k + 1] = imaginary;
  }
}

static void besselRun(Data &data) {
  const double *xs = data.get<double>(0);
  double *values = data.get<double>(1);
#pragma omp parallel for simd
  for (int i = 0; i < Series; i++) {
    double quarter = -0.25 * xs[i] * xs[i], term = 1, sum = 1;
    for (int k = 1; k < Terms; k++) {
      term *= quarter / (double(k) * k);
      sum += term;
    }
    values[i] = sum;
  }
}

static void systemsRun(Data &data) {
  const float *matrices = data.get<float>(0), *sides = data.get<float>(1);
#pragma omp parallel for
  for (int system = 0; system < Systems; system++) {
    float a[Unknowns][Unknowns], *b = data.get<float>(2) + system * Unknowns;
    std::memcpy(a, matrices + system * Unknowns * Unknowns, sizeof(a));
    std::memcpy(b, sides + system * Unknowns, sizeof(a[0]));
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
    }
  }
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
