// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuRAND's generators against std::mt19937, each filling an array of 2^22 numbers, in one run: how
// many times as fast a generator is. What counts is the time of processors, of all threads
// together, so the numbers are those of one core. The rounds of both sides take turns.
//
//   g++ -O2 -std=c++20 curand.cpp -I<toolkit>/include -L<toolkit>/lib64 -lcurand -lcudart
#include <cuda_runtime_api.h>
#include <curand.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace {

constexpr int Rounds = 9;
constexpr size_t Count = 1 << 22;

void expect(bool right, const char *what) {
  if (right)
    return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}
#define CALL(call) expect((call) == 0, #call)

/// Of all threads.
double processorSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

template <typename F> double timeOf(F &&work) {
  double begin = processorSeconds();
  work();
  return processorSeconds() - begin;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Case {
  const char *name;
  curandRngType_t type;
};
const Case Cases[] = {{"XORWOW", CURAND_RNG_PSEUDO_XORWOW},
                      {"MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A},
                      {"MTGP32", CURAND_RNG_PSEUDO_MTGP32},
                      {"MT19937", CURAND_RNG_PSEUDO_MT19937},
                      {"Philox4x32-10", CURAND_RNG_PSEUDO_PHILOX4_32_10},
                      {"Sobol", CURAND_RNG_QUASI_SOBOL32}};

enum Distribution { Integers, Floats, Normals };
const char *const Names[] = {"integers", "floats", "normals"};

void generate(curandGenerator_t generator, Distribution distribution, void *out) {
  switch (distribution) {
  case Integers:
    return CALL(curandGenerate(generator, static_cast<unsigned *>(out), Count));
  case Floats:
    return CALL(curandGenerateUniform(generator, static_cast<float *>(out), Count));
  default:
    return CALL(curandGenerateNormal(generator, static_cast<float *>(out), Count, 0, 1));
  }
}

void generateByStandard(std::mt19937 &engine, Distribution distribution, void *out) {
  auto fill = [&](auto *numbers, auto next) { std::generate_n(numbers, Count, next); };
  std::uniform_real_distribution<float> uniform;
  std::normal_distribution<float> normal;
  switch (distribution) {
  case Integers:
    return fill(static_cast<unsigned *>(out), [&] { return unsigned(engine()); });
  case Floats:
    return fill(static_cast<float *>(out), [&] { return uniform(engine); });
  default:
    return fill(static_cast<float *>(out), [&] { return normal(engine); });
  }
}

double ratioOf(const Case &c, Distribution distribution, void *device, void *host) {
  curandGenerator_t generator;
  CALL(curandCreateGenerator(&generator, c.type));
  std::mt19937 engine;
  auto ours = [&] {
    generate(generator, distribution, device);
    CALL(cudaDeviceSynchronize());
  };
  ours(); // makes the states, and the memory
  std::vector<double> mine, theirs;
  for (int round = 0; round < Rounds; ++round) {
    mine.push_back(timeOf(ours));
    theirs.push_back(timeOf([&] { generateByStandard(engine, distribution, host); }));
  }
  CALL(curandDestroyGenerator(generator));
  return median(theirs) / median(mine);
}

} // namespace

int main() {
  void *device;
  CALL(cudaMalloc(&device, Count * sizeof(unsigned)));
  std::vector<unsigned> host(Count);
  std::printf("times as fast as std::mt19937 with one core\n%-14s", "");
  for (const char *name : Names)
    std::printf(" %9s", name);
  for (const Case &c : Cases) {
    std::printf("\n%-14s", c.name);
    for (Distribution distribution : {Integers, Floats, Normals})
      std::printf(" %9.2f", ratioOf(c, distribution, device, host.data()));
  }
  std::printf("\n");
  cudaFree(device);
}
