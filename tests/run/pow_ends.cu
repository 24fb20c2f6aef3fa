// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers of doubles whose results lie at the ends of their range.
#include <cmath>
#include <cstdio>

constexpr double Most = 0x1.fffffffffffffp1023;
static const double Pairs[][2] = {{Most, 1},  {-Most, 1},  {Most, -1},   {Most, 0.5},    {0x1.fffffffffffffp511, 2}, {0x1p512, 2},
                                  {2, 1024},  {2, -1074},  {-2, 1023},   {-0x1p-537, 2}, {0x1p1022, 1},              {Most, 1.0000000000000002},
                                  {-2, 1025}, {-2, -1075}, {0x1p-1074, 1}, {-0x1p-1074, -1}};
constexpr int Count = sizeof(Pairs) / sizeof(Pairs[0]);

__global__ void powers(const double (*pairs)[2], double *out) {
  out[threadIdx.x] = pow(pairs[threadIdx.x][0], pairs[threadIdx.x][1]);
}

int main() {
  double(*pairs)[2], *out;
  cudaMallocManaged(&pairs, sizeof(Pairs));
  cudaMallocManaged(&out, Count * sizeof(double));
  cudaMemcpy(pairs, Pairs, sizeof(Pairs), cudaMemcpyDefault);
  powers<<<1, Count>>>(pairs, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < Count; ++i) {
    const double wanted = std::pow(Pairs[i][0], Pairs[i][1]);
    const bool isSame = out[i] == wanted || (std::isfinite(wanted) && std::fabs(out[i] / wanted - 1) < 0x1p-51);
    if (!isSame)
      printf("pow(%a, %a): %a, not %a\n", Pairs[i][0], Pairs[i][1], out[i], wanted), ++wrong;
  }
  return wrong != 0;
}
