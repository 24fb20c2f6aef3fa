// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: %t -I%build/lib/heddle/include
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the system's CUB that run within a warp or block, in programs of NVRTC.
#include "rtc.h"

static const char *Source = R"(
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/iterator/counting_input_iterator.cuh>
#include <cub/iterator/transform_input_iterator.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>

struct Twice {
  __device__ int operator()(int x) const { return 2 * x; }
};

// 128 numbers in reverse, sorted; then 32 sums of twice the thread's number below it, the last with all of them.
extern "C" __global__ void kernel(int *out) {
  using Sort = cub::BlockRadixSort<int, 32, 4>;
  using Load = cub::BlockLoad<int, 32, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 32, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Reduce = cub::BlockReduce<int, 32>;
  using Scan = cub::WarpScan<int>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } memory;
  __shared__ int numbers[128];
  for (int i = threadIdx.x; i < 128; i += 32)
    numbers[i] = 127 - i;
  __syncthreads();
  int keys[4];
  Load(memory.load).Load(numbers, keys);
  __syncthreads();
  Sort(memory.sort).Sort(keys);
  __syncthreads();
  Store(memory.store).Store(numbers, keys);
  __syncthreads();
  cub::CountingInputIterator<int> count(0);
  cub::TransformInputIterator<int, Twice, cub::CountingInputIterator<int>> twice(count, Twice());
  const int own = twice[threadIdx.x], all = Reduce(memory.reduce).Sum(own);
  __syncthreads();
  int below;
  Scan(memory.scan).ExclusiveSum(own, below);
  bool isSorted = true;
  for (int i = 0; i < 128; i++)
    isSorted &= numbers[i] == i;
  out[threadIdx.x] = !isSorted ? -1 : below + (threadIdx.x == 0 ? all : 0);
}
)";

int main(int, char **words) {
  useDevice();
  Rtc rtc(Source);
  rtc.compile({words[1], "-arch=sm_90", "-std=c++17"});
  if (rtc.result != NVRTC_SUCCESS)
    std::puts(rtc.log().c_str());
  CHECK(rtc.result == NVRTC_SUCCESS);
  const std::vector<int> values = run(load(rtc.cubin()), "kernel");
  for (int i = 0; i < 32; i++)
    CHECK(values[i] == i * (i - 1) + (i == 0 ? 992 : 0));
  Rtc nowhere(Source);
  CHECK(nowhere.compile().result == NVRTC_ERROR_COMPILATION);
  std::puts("ok");
}
