// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
float normal(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float tail = 0.39894228f * exp(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1.0f - tail : tail;
}

kernel void blackScholes(int n, float rate, float volatility, global const float *price,
                         global const float *strike, global const float *years, global float *call,
                         global float *put) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float root = sqrt(years[i]);
  float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal(d1), n2 = normal(d2), discount = exp(-rate * years[i]);
  call[i] = price[i] * n1 - strike[i] * discount * n2;
  put[i] = strike[i] * discount * (1.0f - n2) - price[i] * (1.0f - n1);
}
