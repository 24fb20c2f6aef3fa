// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcu++ as the system has it: atomics of all scopes, barriers, latches, semaphores, pipelines, asynchronous
// copies, and what cuda::std has of the standard library, in kernels.
#include "support.h"

#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/ratio>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cooperative_groups.h>
#include <nv/target>

#include <algorithm>
#include <complex>
#include <numeric>

/// Sums, extremes and exchanges by all threads of a grid, through references and objects.
__global__ void atomics(int *cells, double *sum, cuda::atomic<unsigned, cuda::thread_scope_device> *tickets,
                        unsigned *taken) {
  const int t = int(threadInGrid());
  cuda::atomic_ref<int, cuda::thread_scope_device> total(cells[0]), most(cells[1]), bits(cells[3]);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> least(*reinterpret_cast<unsigned *>(cells + 2));
  total.fetch_add(t, cuda::std::memory_order_relaxed);
  most.fetch_max(t * 7 % 101);
  least.fetch_min(1000u - unsigned(t * 5 % 97)); // the first libcu++ compares int as unsigned
  bits.fetch_xor(1 << t % 31, cuda::std::memory_order_acq_rel);
  cuda::atomic_ref<double, cuda::thread_scope_system> reals(*sum); // the first libcu++ has no sums of them
  for (double real = reals.load(); !reals.compare_exchange_weak(real, real + 0.5 * t);)
    ;
  taken[tickets->fetch_add(1, cuda::memory_order_seq_cst)] = unsigned(t);
  cuda::std::atomic_ref<int> product(cells[4]);
  int seen = product.load();
  while (!product.compare_exchange_weak(seen, seen * 3 + 1)) // as many times as there are threads
    ;
}

void testAtomics() {
  constexpr int Blocks = 5, Threads = 77, Count = Blocks * Threads;
  std::vector<int> want(5);
  want[2] = 5000;
  double wantSum = 0;
  for (int t = 0; t < Count; t++) {
    want[0] += t;
    want[1] = std::max(want[1], t * 7 % 101);
    want[2] = std::min(want[2], 1000 - t * 5 % 97);
    want[3] ^= 1 << t % 31;
    want[4] = int(unsigned(want[4]) * 3 + 1);
    wantSum += 0.5 * t;
  }
  Buffer<int> cells(std::vector<int>{0, 0, 5000, 0, 0});
  Buffer<double> sum(1);
  Buffer<unsigned> tickets(1), taken(Count);
  atomics<<<Blocks, Threads>>>(cells, sum, reinterpret_cast<cuda::atomic<unsigned, cuda::thread_scope_device> *>(tickets.data),
                               taken);
  checkLaunch();
  expectAll("atomics", cells.get(), want);
  expect("atomic double", 0, sum.get()[0], wantSum);
  std::vector<unsigned> order = taken.get(), all(Count);
  std::sort(order.begin(), order.end());
  std::iota(all.begin(), all.end(), 0u);
  expectAll("tickets", order, all);
}

/// Rounds of a block barrier with tokens; the completion function counts them.
struct CountPhases {
  int *phases;
  __device__ void operator()() const noexcept { ++*phases; }
};

__global__ void barriers(const int *in, int *out, int *phases, int rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> plain;
  __shared__ alignas(cuda::std::barrier<CountPhases>) char storage[sizeof(cuda::std::barrier<CountPhases>)];
  __shared__ int cells[2][256];
  auto *counting = reinterpret_cast<cuda::std::barrier<CountPhases> *>(storage);
  const int t = int(threadIdx.x), n = int(blockDim.x);
  if (t == 0) {
    init(&plain, n);
    new (counting) cuda::std::barrier<CountPhases>(n, CountPhases{phases + blockIdx.x});
  }
  __syncthreads();
  int v = in[t];
  for (int round = 0; round < rounds; round++) {
    cells[round & 1][t] = v;
    auto token = plain.arrive();
    v = v * 3 + round;
    plain.wait(cuda::std::move(token));
    v += cells[round & 1][(t + 1) % n];
    counting->arrive_and_wait();
  }
  out[blockIdx.x * n + t] = v;
}

void testBarriers(Random &random) {
  for (int threads : {33, 128}) {
    constexpr int Rounds = 6, Blocks = 3;
    std::vector<int> in(threads), want;
    for (int &x : in)
      x = random.below(100);
    std::vector<int> v = in;
    for (int round = 0; round < Rounds; round++) {
      std::vector<int> before = v;
      for (int t = 0; t < threads; t++)
        v[t] = before[t] * 3 + round + before[(t + 1) % threads];
    }
    for (int b = 0; b < Blocks; b++)
      want.insert(want.end(), v.begin(), v.end());
    Buffer<int> source(in), out(want.size()), phases(Blocks);
    barriers<<<Blocks, threads>>>(source, out, phases, Rounds);
    checkLaunch();
    expectAll("barriers", out.get(), want);
    expectAll("phases", phases.get(), std::vector<int>(Blocks, Rounds));
  }
}

/// A pipeline of two stages that brings tiles to shared memory, each when all have read what was there before; and
/// copies that a barrier waits for.
__global__ void pipelines(const int *in, int *out, int tiles) {
  namespace cg = cooperative_groups;
  constexpr int Tile = 96;
  __shared__ int stages[2][Tile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  auto bring = [&](int tile) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, stages[tile & 1], in + tile * Tile, sizeof(int) * Tile, pipe);
    pipe.producer_commit();
  };
  int sum = 0;
  bring(0);
  for (int tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles)
      bring(tile + 1);
    pipe.consumer_wait();
    sum = sum * 5 + stages[tile & 1][(threadIdx.x * 7 + 1) % Tile];
    pipe.consumer_release();
  }
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  if (threadIdx.x == 0)
    init(&arrived, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, stages[0], in, cuda::aligned_size_t<16>(sizeof(int) * Tile), arrived);
  arrived.arrive_and_wait();
  out[threadIdx.x] = sum + stages[0][Tile - 1 - threadIdx.x];
}

void testPipelines(Random &random) {
  constexpr int Tiles = 5, Tile = 96;
  std::vector<int> in(Tiles * Tile), want(Tile);
  for (int &x : in)
    x = random.below(1000);
  for (int t = 0; t < Tile; t++) {
    for (int tile = 0; tile < Tiles; tile++)
      want[t] = want[t] * 5 + in[tile * Tile + (t * 7 + 1) % Tile];
    want[t] += in[Tile - 1 - t];
  }
  Buffer<int> source(in), out(Tile);
  pipelines<<<1, Tile>>>(source, out, Tiles);
  checkLaunch();
  expectAll("pipelines", out.get(), want);
}

/// At most two threads at a time; all before the latch.
__global__ void semaphores(cuda::counting_semaphore<cuda::thread_scope_device, 2> *places, int *inside, int *most,
                           cuda::latch<cuda::thread_scope_device> *latch, int *sum, int *late) {
  places->acquire();
  const int now = atomicAdd(inside, 1) + 1;
  atomicMax(most, now);
  atomicSub(inside, 1);
  places->release();
  atomicAdd(sum, 1);
  latch->arrive_and_wait();
  if (cuda::atomic_ref<int, cuda::thread_scope_device>(*sum).load() != int(gridDim.x * blockDim.x))
    atomicAdd(late, 1);
}

void testSemaphores() {
  using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 2>;
  using Latch = cuda::latch<cuda::thread_scope_device>;
  Semaphore *places;
  Latch *latch;
  CUDA_OK(cudaMallocManaged(&places, sizeof *places));
  CUDA_OK(cudaMallocManaged(&latch, sizeof *latch));
  new (places) Semaphore(2);
  new (latch) Latch(2 * 40);
  Buffer<int> inside(1), most(1), sum(1), late(1);
  semaphores<<<2, 40>>>(places, inside, most, latch, sum, late);
  checkLaunch();
  expectTrue("semaphore lets in one or two", most.get()[0] == 1 || most.get()[0] == 2);
  expect("latch: arrived", 0, sum.get()[0], 80);
  expect("latch: went on too early", 0, late.get()[0], 0);
  CUDA_OK(cudaFree(places));
  CUDA_OK(cudaFree(latch));
}

struct Values {
  __host__ __device__ long long operator()(int x) const {
    cuda::std::tuple<int, long long, short> t(x, x * 2ll, short(x & 63));
    cuda::std::array<int, 4> list = {cuda::std::get<0>(t), int(x * 2ll), cuda::std::get<2>(t), 4};
    long long sum = cuda::std::get<1>(t);
    for (int v : list)
      sum = sum * 3 + v;
    cuda::std::chrono::milliseconds wait(x);
    sum += cuda::std::chrono::duration_cast<cuda::std::chrono::microseconds>(wait).count();
    sum += cuda::std::numeric_limits<short>::max();
    sum += cuda::std::plus<int>()(x, 1) + int(cuda::std::is_same<decltype(wait.count()), int>::value);
    sum += cuda::std::popcount(unsigned(x)) + cuda::std::countl_zero(unsigned(x) | 1u);
    return sum;
  }
};

struct Products {
  __host__ __device__ int operator()(int x) const {
    cuda::std::complex<float> a(float(x % 17), 2.0f), b(1.0f, float(x % 5));
    auto c = a * b + cuda::std::conj(a);
    return int(c.real()) * 1000 + int(c.imag());
  }
};

struct Where {
  __host__ __device__ int operator()(int x) const {
    int there = 0;
    NV_IF_TARGET(NV_IS_DEVICE, (there = 1;), (there = 1;))
    NV_IF_TARGET(NV_PROVIDES_SM_70, (there += 2;), (there += 2;))
    return x + there;
  }
};

/// Atomics on the host, and a word that host and device share.
__global__ void addToShared(cuda::atomic<int, cuda::thread_scope_system> *word) { word->fetch_add(3); }

void testHost() {
  using Word = cuda::atomic<int, cuda::thread_scope_system>;
  Word *word;
  CUDA_OK(cudaMallocManaged(&word, sizeof *word));
  new (word) Word(4);
  word->fetch_add(2);
  addToShared<<<2, 33>>>(word);
  checkLaunch();
  int expected = 6 + 3 * 66;
  expectTrue("exchange on the host", word->compare_exchange_strong(expected, 1) && word->load() == 1);
  CUDA_OK(cudaFree(word));
}

__global__ void annotated(int *data) {
  cuda::annotated_ptr<int, cuda::access_property::persisting> p(data);
  p[threadIdx.x] = p[threadIdx.x] + 1;
}

int main() {
  Random random(5);
  testAtomics();
  testBarriers(random);
  testPipelines(random);
  testSemaphores();
  std::vector<int> in(1000);
  for (int &x : in)
    x = random.below(100000);
  mapOnDevice<Values>("values", in);
  mapOnDevice<Products>("complex", in);
  mapOnDevice<Where>("NV_IF_TARGET", in);
  testHost();
  Buffer<int> data(in);
  annotated<<<1, 100>>>(data);
  checkLaunch();
  for (int i = 0; i < 100; i++)
    in[i]++;
  expectAll("annotated_ptr", data.get(), in);
  return finish();
}
