// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS against OpenBLAS called directly, on the same data in one run: for each call the ratio of
// the times, the median of paired rounds. A batch is compared with a loop of direct calls.
//
//   g++ -O2 -std=c++20 cublas.cpp -I<toolkit>/include -L<toolkit>/lib64 -lcublas -lcudart
//   -lopenblas
#include <cblas.h>
#include <cublas_v2.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int Rounds = 15;

void expect(bool right, const char *what) {
  if (right)
    return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}
#define CALL(call) expect((call) == 0, #call)

template <typename F> double seconds(F f) {
  auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Prints how the direct calls compare with ours: over 1, ours are faster.
template <typename F, typename G> void compare(const char *name, F ours, G direct) {
  ours(), direct();
  std::vector<double> ratios;
  for (int i = 0; i < Rounds; ++i) {
    double first = seconds(ours);
    ratios.push_back(seconds(direct) / first);
  }
  std::nth_element(ratios.begin(), ratios.begin() + Rounds / 2, ratios.end());
  std::printf("%-32s %.2f of direct\n", name, ratios[Rounds / 2]);
}

float *numbers(size_t count) {
  float *device;
  CALL(cudaMalloc(reinterpret_cast<void **>(&device), count * sizeof(float)));
  std::vector<float> host(count);
  for (size_t i = 0; i < count; ++i)
    host[i] = float(i % 17) / 16;
  CALL(cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  return device;
}

void product(cublasHandle_t handle, const char *name, int n, int batch) {
  size_t size = size_t(n) * n;
  float *A = numbers(size * batch), *B = numbers(size * batch), *C = numbers(size * batch);
  float one = 1, zero = 0;
  compare(
      name,
      [&] {
        CALL(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, A, n, size,
                                       B, n, size, &zero, C, n, size, batch));
        CALL(cudaDeviceSynchronize());
      },
      [&] {
        for (int i = 0; i < batch; ++i)
          cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, one, A + i * size, n,
                      B + i * size, n, zero, C + i * size, n);
      });
  for (float *device : {A, B, C})
    CALL(cudaFree(device));
}

} // namespace

int main() {
  cublasHandle_t handle;
  CALL(cublasCreate(&handle));
  product(handle, "sgemm 2048", 2048, 1);
  product(handle, "sgemm 256", 256, 1);
  product(handle, "sgemm 16, 4096 of them", 16, 4096);
  product(handle, "sgemm 64, 512 of them", 64, 512);
  product(handle, "sgemm 160, 64 of them", 160, 64);
  constexpr int N = 1 << 22;
  float *x = numbers(N), *y = numbers(N), alpha = 0.5f;
  compare(
      "saxpy 4194304",
      [&] {
        CALL(cublasSaxpy(handle, N, &alpha, x, 1, y, 1));
        CALL(cudaDeviceSynchronize());
      },
      [&] { cblas_saxpy(N, alpha, x, 1, y, 1); });
  float result;
  compare(
      "sdot 4194304", [&] { CALL(cublasSdot(handle, N, x, 1, y, 1, &result)); },
      [&] { result = cblas_sdot(N, x, 1, y, 1); });
  CALL(cublasDestroy(handle));
}
