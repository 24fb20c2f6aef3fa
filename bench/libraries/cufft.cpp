// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFT against FFTW called directly, on the same data with as many threads, in one run: for each
// transform the ratio of the times. FFTW plans with FFTW_MEASURE up to the size to which cuFFT's
// plans are measured, else with FFTW_ESTIMATE.
//
//   g++ -O2 -std=c++20 cufft.cpp -I<toolkit>/include -L<toolkit>/lib64 -lcufft -lcudart
//   -lfftw3f_threads -lfftw3f
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <fftw3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr int Rounds = 31;
constexpr long MaxMeasured = 1 << 14, PointsPerThread = 16384;

void expect(bool right, const char *what) {
  if (right)
    return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}
#define CALL(call) expect((call) == 0, #call)

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Case {
  const char *name;
  cufftType type;
  std::vector<int> n;
  int batch;
};

fftwf_plan directPlan(const Case &c, void *in, void *out, long points) {
  int rank = int(c.n.size()), whole = 1, half = 1;
  for (int i = 0; i < rank; ++i)
    whole *= c.n[i], half *= i == rank - 1 ? c.n[i] / 2 + 1 : c.n[i];
  unsigned flags = points <= MaxMeasured ? FFTW_MEASURE : FFTW_ESTIMATE;
  auto *from = static_cast<fftwf_complex *>(in), *to = static_cast<fftwf_complex *>(out);
  switch (c.type) {
  case CUFFT_R2C:
    return fftwf_plan_many_dft_r2c(rank, c.n.data(), c.batch, static_cast<float *>(in), nullptr, 1,
                                   whole, to, nullptr, 1, half, flags);
  case CUFFT_C2R:
    return fftwf_plan_many_dft_c2r(rank, c.n.data(), c.batch, from, nullptr, 1, half,
                                   static_cast<float *>(out), nullptr, 1, whole, flags);
  default:
    return fftwf_plan_many_dft(rank, c.n.data(), c.batch, from, nullptr, 1, whole, to, nullptr, 1,
                               whole, FFTW_FORWARD, flags);
  }
}

void execute(cufftHandle plan, cufftType type, void *in, void *out) {
  auto *from = static_cast<cufftComplex *>(in), *to = static_cast<cufftComplex *>(out);
  switch (type) {
  case CUFFT_R2C:
    return CALL(cufftExecR2C(plan, static_cast<float *>(in), to));
  case CUFFT_C2R:
    return CALL(cufftExecC2R(plan, from, static_cast<float *>(out)));
  default:
    return CALL(cufftExecC2C(plan, from, to, CUFFT_FORWARD));
  }
}

/// The time of `calls` calls and what waits for them.
template <typename Call, typename Wait> double timeOf(int calls, Call call, Wait wait) {
  double begin = seconds();
  for (int i = 0; i < calls; ++i)
    call();
  wait();
  return seconds() - begin;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void compare(const Case &c) {
  long points = c.batch;
  for (int n : c.n)
    points *= n;
  size_t bytes = size_t(points + c.batch * 2 * points / c.n.back()) * sizeof(cufftComplex);
  void *in, *out;
  CALL(cudaMalloc(&in, bytes));
  CALL(cudaMalloc(&out, bytes));
  void *directIn = fftwf_malloc(bytes), *directOut = fftwf_malloc(bytes);
  long cores = std::max(1u, std::thread::hardware_concurrency());
  fftwf_plan_with_nthreads(int(std::clamp(points / PointsPerThread, 1l, cores)));
  fftwf_plan direct = directPlan(c, directIn, directOut, points);
  std::fill_n(static_cast<char *>(directIn), bytes, 0);
  CALL(cudaMemset(in, 0, bytes));
  cufftHandle plan;
  CALL(cufftPlanMany(&plan, int(c.n.size()), const_cast<int *>(c.n.data()), nullptr, 1, 0, nullptr,
                     1, 0, c.type, c.batch));
  int calls = int(std::max(1l, (1l << 20) / points));
  std::vector<double> ratios, times;
  for (int round = -3; round < Rounds; ++round) {
    double ours = timeOf(
        calls, [&] { execute(plan, c.type, in, out); }, [] { CALL(cudaDeviceSynchronize()); });
    double theirs = timeOf(calls, [&] { fftwf_execute(direct); }, [] {});
    if (round >= 0)
      ratios.push_back(ours / theirs), times.push_back(ours / calls);
  }
  std::printf("%-28s %10.1f us  %5.2f of FFTW's time\n", c.name, median(times) * 1e6,
              median(ratios));
  CALL(cufftDestroy(plan));
  fftwf_destroy_plan(direct);
  CALL(cudaFree(in));
  CALL(cudaFree(out));
  fftwf_free(directIn);
  fftwf_free(directOut);
}

} // namespace

int main() {
  expect(fftwf_init_threads(), "fftwf_init_threads");
  for (const Case &c :
       {Case{"C2C 64", CUFFT_C2C, {64}, 1}, Case{"C2C 1,024", CUFFT_C2C, {1024}, 1},
        Case{"C2C 1,024 x 64", CUFFT_C2C, {1024}, 64}, Case{"C2C 65,536", CUFFT_C2C, {65536}, 1},
        Case{"C2C 2^20", CUFFT_C2C, {1 << 20}, 1}, Case{"C2C 512 x 512", CUFFT_C2C, {512, 512}, 1},
        Case{"C2C 128^3", CUFFT_C2C, {128, 128, 128}, 1}, Case{"R2C 65,536", CUFFT_R2C, {65536}, 1},
        Case{"R2C 1,000 x 1,000", CUFFT_R2C, {1000, 1000}, 1},
        Case{"C2R 65,536", CUFFT_C2R, {65536}, 1},
        Case{"C2R 1,000 x 1,000", CUFFT_C2R, {1000, 1000}, 1}})
    compare(c);
}
