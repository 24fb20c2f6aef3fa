// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blackscholes.h"

__device__ static float normal(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = 0.39894228f * expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1.0f - tail : tail;
}

__global__ static void blackScholes(int n, float rate, float volatility, const float *price, const float *strike,
                                    const float *years, float *call, float *put) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float root = sqrtf(years[i]);
  float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal(d1), n2 = normal(d2), discount = expf(-rate * years[i]);
  call[i] = price[i] * n1 - strike[i] * discount * n2;
  put[i] = strike[i] * discount * (1.0f - n2) - price[i] * (1.0f - n1);
}

static void run(bench::Data &data) {
  using namespace blackscholes;
  blackScholes<<<(N + 127) / 128, 128>>>(N, Rate, Volatility, data.get<float>(0), data.get<float>(1),
                                         data.get<float>(2), data.get<float>(3), data.get<float>(4));
}

BENCHMARK("blackscholes", blackscholes::problem, run)
