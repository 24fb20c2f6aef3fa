// RUN: %heddle cc %s -o %t -lcurand
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators in kernels, against numbers that an H200 printed (CUDA 13.0), and against the host API.
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#define CHECK(call)                                                                                \
  if (int code = int(call)) {                                                                      \
    std::printf("line %d: " #call " gives %d\n", __LINE__, code);                                  \
    return 1;                                                                                      \
  }

static int wrong = 0;

void expect(const char *what, unsigned found, unsigned expected) {
  if (found == expected)
    return;
  std::printf("%s: %x, expected %x\n", what, found, expected);
  ++wrong;
}

struct Drawn {
  unsigned bits[3], uniform, skipped, sequence;
  float normal[2];
  double normalDouble[2], uniformDouble;
};

template <typename S> __global__ void draw(Drawn *drawn, unsigned long long first) {
  S start;
  curand_init(1234, first + threadIdx.x, 0, &start);
  Drawn &d = drawn[threadIdx.x];
  S s = start;
  for (unsigned &bits : d.bits)
    bits = curand(&s);
  s = start, d.uniform = __float_as_uint(curand_uniform(&s));
  s = start, skipahead(5ull, &s), d.skipped = curand(&s);
  s = start, curand(&s), skipahead_sequence(3ull, &s), d.sequence = curand(&s);
  s = start, d.normal[0] = curand_normal(&s), d.normal[1] = curand_normal(&s);
  s = start, d.normalDouble[0] = curand_normal_double(&s), d.normalDouble[1] = curand_normal_double(&s);
  s = start, d.uniformDouble = curand_uniform_double(&s);
}

/// Of subsequence 0.
struct Expected {
  unsigned bits[3], uniform, skipped, sequence;
  float normal[2];
  double normalDouble, uniformDouble;
};

template <typename S> int check(const char *name, const Expected &e) {
  Drawn *d;
  CHECK(cudaMallocManaged(&d, 37 * sizeof *d));
  draw<S><<<1, 37>>>(d, 0);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; ++i)
    expect(name, d[0].bits[i], e.bits[i]);
  expect(name, d[0].uniform, e.uniform);
  expect(name, d[0].skipped, e.skipped);
  expect(name, d[0].sequence, e.sequence);
  for (int i = 0; i < 2; ++i)
    wrong += !(std::fabs(d[0].normal[i] - e.normal[i]) < 1e-5);
  wrong += !(std::fabs(d[0].normalDouble[0] - e.normalDouble) < 1e-13);
  wrong += d[0].uniformDouble != e.uniformDouble;
  // Every lane's subsequence, as the host makes it.
  for (int i = 0; i < 37; ++i) {
    S s;
    curand_init(1234, i, 0, &s);
    expect(name, d[i].bits[0], curand(&s));
  }
  CHECK(cudaFree(d));
  return 0;
}

__global__ void drawFours(uint4 *words, uint4 *counts) {
  curandStatePhilox4_32_10_t s;
  curand_init(1234, 0, 1, &s);
  *words = curand4(&s);
  curand_init(1234, 0, 0, &s);
  *counts = curand_poisson4(&s, 5.0);
}

__global__ void drawSobol(unsigned (*vectors)[32], unsigned *numbers) {
  curandStateSobol32 s;
  curand_init(vectors[threadIdx.x], 6, &s);
  numbers[threadIdx.x] = curand(&s);
  skipahead(12344, &s);
  numbers[blockDim.x + threadIdx.x] = curand(&s);
}

__global__ void drawMtgp(curandStateMtgp32 *states, unsigned *numbers, int rounds) {
  for (int r = 0; r < rounds; ++r)
    numbers[(blockIdx.x * rounds + r) * blockDim.x + threadIdx.x] = curand(&states[blockIdx.x]);
}

__global__ void drawDiscrete(curandDiscreteDistribution_t distribution, unsigned *numbers) {
  curandState s;
  curand_init(1234, 0, 0, &s);
  for (int i = 0; i < 8; ++i)
    numbers[i] = curand_discrete(&s, distribution);
  curand_init(1234, 0, 0, &s);
  for (int i = 0; i < 4; ++i)
    numbers[8 + i] = curand_poisson(&s, 3.0);
  curand_init(1234, 0, 0, &s);
  numbers[12] = curand_poisson(&s, 4500.0);
}

__global__ void sumPoissons(unsigned (*vectors)[32], double lambda, unsigned *sum) {
  curandStateSobol32 s;
  curand_init(*vectors, threadIdx.x, &s);
  atomicAdd(sum, curand_poisson(&s, lambda));
}

unsigned long long hashOf(const unsigned *words, size_t count) {
  unsigned long long hash = 1469598103934665603ull;
  for (size_t i = 0; i < 4 * count; ++i)
    hash = (hash ^ reinterpret_cast<const unsigned char *>(words)[i]) * 1099511628211ull;
  return hash;
}

int main() {
  CHECK(check<curandStateXORWOW>("xorwow", {{0x253d5e15, 0x6f558604, 0xdee6daf2}, 0x3e14f578, 0x95195c6b, 0x4efd7f5a,
                                            {0.78097361f, -1.80157793f}, 0x1.6f597c59bea14p-2, 0x1.bd561cb7abc2bp-2}));
  CHECK(check<curandStateMRG32k3a>("mrg32k3a", {{0xc96891f0, 0x9650c684, 0x0cbc7881}, 0x3f496892, 0xfa61def9, 0xc002c927,
                                                {-0.36065355f, -0.59128135f}, -0x1.714f307ceeb23p-2, 0x1.92d123e0dcbe5p-1}));
  CHECK(check<curandStatePhilox4_32_10_t>("philox", {{0x2090b348, 0xda7cf0ab, 0x4401906f}, 0x3e0242cd, 0x1cbe137c, 0xbf4a632d,
                                                     {-1.61649048f, 1.22915518f}, -0x1.143cd7d47b538p-1, 0x1.04859a48p-3}));
  uint4 *fours;
  CHECK(cudaMallocManaged(&fours, 2 * sizeof *fours));
  drawFours<<<1, 1>>>(fours, fours + 1);
  CHECK(cudaDeviceSynchronize());
  expect("curand4", fours[0].x, 0xda7cf0ab);
  expect("curand4", fours[0].w, 0x9eeede35);
  expect("curand_poisson4", fours[1].x << 12 | fours[1].y << 8 | fours[1].z << 4 | fours[1].w, 0x5634);

  unsigned *numbers, (*vectors)[32];
  CHECK(cudaMallocManaged(&numbers, 200 * 5 * 256 * sizeof *numbers));
  CHECK(cudaMallocManaged(&vectors, 2 * sizeof *vectors));
  curandDirectionVectors32_t *table;
  CHECK(curandGetDirectionVectors32(&table, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
  std::memcpy(vectors, table, 2 * sizeof *vectors);
  drawSobol<<<1, 2>>>(vectors, numbers);
  CHECK(cudaDeviceSynchronize());
  expect("sobol32", numbers[1], 0x20000000);
  expect("sobol32", numbers[3], 0xf03c0000);

  for (auto [lambda, sum] : {std::pair(510., 130419u), std::pair(990., 253252u), std::pair(1000., 255800u)}) {
    *numbers = 0;
    sumPoissons<<<1, 256>>>(vectors, lambda, numbers);
    CHECK(cudaDeviceSynchronize());
    expect("curand_poisson of sobol32", *numbers, sum);
  }

  mtgp32_kernel_params_t *parameters;
  curandStateMtgp32 *states;
  CHECK(cudaMalloc(&parameters, sizeof *parameters));
  CHECK(cudaMalloc(&states, 200 * sizeof *states));
  CHECK(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters));
  CHECK(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, 200, 1234));
  drawMtgp<<<200, 256>>>(states, numbers, 5);
  CHECK(cudaDeviceSynchronize());
  wrong += hashOf(numbers, 200 * 5 * 256) != 0xa0119ae1f667cf48ull;
  CHECK(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, 201, 1) != CURAND_STATUS_OUT_OF_RANGE);

  curandDiscreteDistribution_t distribution;
  CHECK(curandCreatePoissonDistribution(20, &distribution));
  drawDiscrete<<<1, 1>>>(distribution, numbers);
  CHECK(cudaDeviceSynchronize());
  const unsigned discrete[] = {0x1a, 0x15, 0x10, 0x15, 0x10, 0x13, 0x19, 0x11, 3, 4, 5, 2, 0x11ac};
  for (int i = 0; i < 13; ++i)
    expect(i < 8 ? "curand_discrete" : "curand_poisson", numbers[i], discrete[i]);
  CHECK(curandDestroyDistribution(distribution));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
