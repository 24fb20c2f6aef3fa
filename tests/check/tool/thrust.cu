// REQUIRES: check-all
// RUN: %nvcc -g %s -o %t
// RUN: %heddle check --tool all --error-exitcode 9 %t
// RUN: not %heddle check --tool racecheck,initcheck --error-exitcode 9 %t known 2>&1 | FileCheck %s
// CHECK-DAG: Race between write and read of global memory (4 bytes), in kernel {{.*}}unique
// CHECK-DAG: Race between two writes of shared memory {{.*}}DeviceRleSweepKernel
// CHECK-DAG: Uninitialized global read of 8 bytes, in kernel {{.*}}DeviceScanKernel
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms of Thrust's and CUB's have none of the errors that checks look for. (Others: tests/run/thrust_algorithms.cu,
// cub_device.cu, cub_block.cu.) Odd sizes: parts of tiles, of warps and of items. `known`: those of which docs/check.md tells.
#include "../../run/support.h"

#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

using Ints = std::vector<int>;
using DeviceInts = thrust::device_vector<int>;

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct IsMore {
  __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};
struct Times3 {
  __host__ __device__ int operator()(int x) const { return int(3u * x); }
};

Ints randomInts(Random &random, int count, int below) {
  Ints v(count);
  for (int &x : v)
    x = random.below(below);
  return v;
}

Ints toHost(const DeviceInts &v) {
  Ints host(v.size());
  thrust::copy(v.begin(), v.end(), host.begin());
  return host;
}

void sorts(const Ints &host) {
  DeviceInts keys(host.begin(), host.end()), values(host.size());
  thrust::tabulate(values.begin(), values.end(), Times3());
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin(), IsMore()); // by merging
  Ints want = host;
  std::sort(want.begin(), want.end(), IsMore());
  expectAll("stable_sort_by_key", toHost(keys), want);
}

void inPlace(const Ints &host) {
  DeviceInts v(host.begin(), host.end()), w = v;
  thrust::partition(v.begin(), v.end(), IsOdd());
  expectTrue("partition", thrust::is_partitioned(v.begin(), v.end(), IsOdd()));
  thrust::replace_if(v.begin(), v.end(), IsOdd(), 4);
  thrust::reverse(v.begin(), v.end());
  thrust::exclusive_scan(v.begin(), v.end(), v.begin());
  thrust::swap_ranges(v.begin(), v.end(), w.begin());
  expectAll("swap_ranges", toHost(v), host);
}

void merges(Ints a, Ints b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  DeviceInts da(a.begin(), a.end()), db(b.begin(), b.end()), va = da, vb = db, out(a.size() + b.size()), values(out.size());
  Ints want(out.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
  thrust::merge_by_key(da.begin(), da.end(), db.begin(), db.end(), va.begin(), vb.begin(), out.begin(), values.begin());
  expectAll("merge_by_key", toHost(values), want);
  want.resize(std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), want.begin()) - want.begin());
  auto end = thrust::set_intersection(da.begin(), da.end(), db.begin(), db.end(), out.begin());
  expectAll("set_intersection", toHost(DeviceInts(out.begin(), end)), want);
  thrust::set_symmetric_difference_by_key(da.begin(), da.end(), db.begin(), db.end(), va.begin(), vb.begin(), out.begin(),
                                          values.begin());
}

/// Asks for the memory that `call` needs, and calls it with that.
template <class Call> void withStorage(Call call) {
  size_t bytes = 0;
  CUDA_OK(call(nullptr, bytes));
  Buffer<char> storage(bytes);
  CUDA_OK(call(static_cast<void *>(storage.data), bytes));
  checkLaunch();
}

void devices(const Ints &host, const Ints &keys) {
  const int n = int(host.size());
  Buffer<int> in(host), key(keys), out(n + 4), outKeys(n), count(1), offsets(Ints{0, n / 5, n / 5, n - n / 3, n});
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceReduce::ReduceByKey(s, b, key.data, outKeys.data, in.data, out.data, count.data, cub::Sum(), n);
  });
  withStorage([&](void *s, size_t &b) { return cub::DeviceSelect::Unique(s, b, key.data, out.data, count.data, n); });
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceSegmentedReduce::Max(s, b, in.data, out.data, 4, offsets.data, offsets.data + 1);
  });
  const int last = n / 3 ? *std::max_element(host.end() - n / 3, host.end()) : std::numeric_limits<int>::lowest();
  expect("Max", n, out.get()[3], last);
}

void known(const Ints &keys) {
  const int n = int(keys.size());
  DeviceInts v(keys.begin(), keys.end());
  Ints want = keys;
  want.erase(std::unique(want.begin(), want.end()), want.end());
  v.erase(thrust::unique(v.begin(), v.end()), v.end());
  expectAll("unique", toHost(v), want);
  thrust::shuffle(v.begin(), v.end(), thrust::default_random_engine(3));
  Buffer<int> key(keys), out(n), lengths(n), count(1);
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceRunLengthEncode::NonTrivialRuns(s, b, key.data, out.data, lengths.data, count.data, n);
  });
}

int main(int argc, char **) {
  Random random(5);
  if (argc > 1)
    known(randomInts(random, 6007, 3));
  for (int n : {1, 333}) {
    if (argc > 1)
      break;
    const Ints values = randomInts(random, n, 1000);
    sorts(values);
    inPlace(values);
    merges(values, randomInts(random, n / 2 + 5, 1500));
    devices(values, randomInts(random, n, 3));
  }
  return finish();
}
