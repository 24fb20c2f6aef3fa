// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blackscholes.h"

#include <cmath>

static float normal(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  float tail = 0.39894228f * std::exp(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1.0f - tail : tail;
}

static void run(bench::Data &data) {
  using namespace blackscholes;
  const float *price = data.get<float>(0), *strike = data.get<float>(1), *years = data.get<float>(2);
  float *call = data.get<float>(3), *put = data.get<float>(4);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    float root = std::sqrt(years[i]);
    float d1 = (std::log(price[i] / strike[i]) + (Rate + 0.5f * Volatility * Volatility) * years[i]) /
               (Volatility * root);
    float d2 = d1 - Volatility * root;
    float n1 = normal(d1), n2 = normal(d2), discount = std::exp(-Rate * years[i]);
    call[i] = price[i] * n1 - strike[i] * discount * n2;
    put[i] = strike[i] * discount * (1.0f - n2) - price[i] * (1.0f - n1);
  }
}

BENCHMARK("blackscholes", blackscholes::problem, run)
