// RUN: %heddle cc %s -o %t -lcufft
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution by cuFFT between kernels of the program, in two streams and as a captured graph, against sums.
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                \
  if (int code = int(call)) {                                                                      \
    std::printf("line %d: " #call " gives %d\n", __LINE__, code);                                  \
    return 1;                                                                                      \
  }

constexpr int N = 1000, Taps = 37, Padded = 1040, Row = Padded / 2 + 1;

// Real data in rows of 2 * Row numbers, as a padded transform in place wants them.
__global__ void fill(float *signal, const float *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 2 * Row)
    signal[i] = i < count ? values[i] : 0;
}

__global__ void multiply(float2 *a, const float2 *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Row)
    return;
  float2 x = a[i], y = b[i];
  a[i] = {(x.x * y.x - x.y * y.y) / Padded, (x.x * y.y + x.y * y.x) / Padded};
}

struct Convolution {
  cufftHandle there, back;
  float *signal, *filter, *values, *taps;
};

int enqueue(const Convolution &c, cudaStream_t stream) {
  CHECK(cufftSetStream(c.there, stream));
  CHECK(cufftSetStream(c.back, stream));
  constexpr int Block = 96, Blocks = (2 * Row + Block - 1) / Block;
  fill<<<Blocks, Block, 0, stream>>>(c.signal, c.values, N);
  fill<<<Blocks, Block, 0, stream>>>(c.filter, c.taps, Taps);
  CHECK(cufftExecR2C(c.there, c.signal, reinterpret_cast<float2 *>(c.signal)));
  CHECK(cufftExecR2C(c.there, c.filter, reinterpret_cast<float2 *>(c.filter)));
  multiply<<<Blocks, Block, 0, stream>>>(reinterpret_cast<float2 *>(c.signal),
                                         reinterpret_cast<float2 *>(c.filter));
  CHECK(cufftExecC2R(c.back, reinterpret_cast<float2 *>(c.signal), c.signal));
  return 0;
}

int check(const Convolution &c, const std::vector<float> &values, const std::vector<float> &taps) {
  std::vector<float> result(N + Taps - 1);
  CHECK(cudaMemcpy(result.data(), c.signal, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < N + Taps - 1; ++i) {
    double sum = 0;
    for (int j = 0; j < Taps; ++j)
      if (i >= j && i - j < N)
        sum += double(values[i - j]) * taps[j];
    if (std::fabs(result[i] - sum) > 1e-3) {
      std::printf("number %d is %g, not %g\n", i, result[i], sum);
      return 1;
    }
  }
  CHECK(cudaMemset(c.signal, 0xff, 2 * Row * sizeof(float)));
  return 0;
}

int main() {
  std::vector<float> values(N), taps(Taps);
  unsigned seed = 1;
  for (std::vector<float> *numbers : {&values, &taps})
    for (float &v : *numbers)
      v = float((seed = seed * 1664525 + 1013904223) >> 16) / 65536 - 0.5f;

  Convolution c;
  CHECK(cufftPlan1d(&c.there, Padded, CUFFT_R2C, 1));
  CHECK(cufftPlan1d(&c.back, Padded, CUFFT_C2R, 1));
  CHECK(cudaMalloc(&c.signal, 2 * Row * sizeof(float)));
  CHECK(cudaMalloc(&c.filter, 2 * Row * sizeof(float)));
  CHECK(cudaMalloc(&c.values, N * sizeof(float)));
  CHECK(cudaMalloc(&c.taps, Taps * sizeof(float)));
  CHECK(cudaMemcpy(c.values, values.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(c.taps, taps.data(), Taps * sizeof(float), cudaMemcpyHostToDevice));

  if (enqueue(c, nullptr) || check(c, values, taps))
    return 1;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  if (enqueue(c, stream) || cudaStreamSynchronize(stream) || check(c, values, taps))
    return 1;

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  if (enqueue(c, stream))
    return 1;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (check(c, values, taps))
      return 1;
  }
  CHECK(cufftDestroy(c.there));
  CHECK(cufftDestroy(c.back));
  std::printf("ok\n");
}
