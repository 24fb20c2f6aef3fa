// REQUIRES: slow
// RUN: %nvcc %s -o %t
// RUN: %t
// RUN: %all %widths %t
// RUN: %all %heddle check --tool all --error-exitcode 9 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrust as the system has it, on device vectors, against the same algorithms of the standard library:
// reductions, scans, compactions, by keys, of sets, searches, iterators.
#include "support.h"

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

using Ints = std::vector<int>;
using DeviceInts = thrust::device_vector<int>;

Ints toHost(const DeviceInts &v) {
  Ints host(v.size());
  thrust::copy(v.begin(), v.end(), host.begin());
  return host;
}

Ints randomInts(Random &random, int count, int below) {
  Ints v(count);
  for (int &x : v)
    x = random.below(below);
  return v;
}

struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct Square {
  __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};
/// a*x + y, with a state.
struct Axpy {
  int a;
  __host__ __device__ int operator()(int x, int y) const { return a * x + y; }
};
struct SumOfPair {
  __host__ __device__ int operator()(const thrust::tuple<int, int> &t) const {
    return thrust::get<0>(t) - 2 * thrust::get<1>(t);
  }
};

void reductions(const Ints &host) {
  const DeviceInts device(host.begin(), host.end());
  const long long n = (long long)host.size();
  expect("reduce", n, thrust::reduce(device.begin(), device.end(), 0ll),
         std::accumulate(host.begin(), host.end(), 0ll));
  expect("reduce maximum", n, thrust::reduce(device.begin(), device.end(), -1, thrust::maximum<int>()),
         std::accumulate(host.begin(), host.end(), -1, [](int a, int b) { return std::max(a, b); }));
  expect("transform_reduce", n,
         thrust::transform_reduce(device.begin(), device.end(), Square(), 0ll, thrust::plus<long long>()),
         std::accumulate(host.begin(), host.end(), 0ll, [](long long a, int b) { return a + Square()(b); }));
  expect("inner_product", n,
         thrust::inner_product(device.begin(), device.end(), thrust::make_counting_iterator(3), 0),
         std::inner_product(host.begin(), host.end(), thrust::make_counting_iterator(3), 0));
  expect("count_if", n, (long long)thrust::count_if(device.begin(), device.end(), IsEven()),
         (long long)std::count_if(host.begin(), host.end(), IsEven()));
  expect("max_element", n, (long long)(thrust::max_element(device.begin(), device.end()) - device.begin()),
         (long long)(std::max_element(host.begin(), host.end()) - host.begin()));
  expect("minmax_element", n,
         (long long)(thrust::minmax_element(device.begin(), device.end()).first - device.begin()),
         (long long)(std::min_element(host.begin(), host.end()) - host.begin()));
  expectTrue("any_of", thrust::any_of(device.begin(), device.end(), IsEven()) ==
                           std::any_of(host.begin(), host.end(), IsEven()));
  expect("find_if", n, (long long)(thrust::find_if(device.begin(), device.end(), IsEven()) - device.begin()),
         (long long)(std::find_if(host.begin(), host.end(), IsEven()) - host.begin()));
}

void scans(const Ints &host, const Ints &keys) {
  const DeviceInts device(host.begin(), host.end()), deviceKeys(keys.begin(), keys.end());
  DeviceInts out(host.size());
  Ints want(host.size());
  thrust::inclusive_scan(device.begin(), device.end(), out.begin());
  std::partial_sum(host.begin(), host.end(), want.begin());
  expectAll("inclusive_scan", toHost(out), want);
  thrust::exclusive_scan(device.begin(), device.end(), out.begin(), 7, thrust::maximum<int>());
  std::exclusive_scan(host.begin(), host.end(), want.begin(), 7, [](int a, int b) { return std::max(a, b); });
  expectAll("exclusive_scan", toHost(out), want);
  thrust::inclusive_scan_by_key(deviceKeys.begin(), deviceKeys.end(), device.begin(), out.begin());
  for (size_t i = 0; i < host.size(); i++)
    want[i] = host[i] + (i && keys[i] == keys[i - 1] ? want[i - 1] : 0);
  expectAll("inclusive_scan_by_key", toHost(out), want);
  thrust::adjacent_difference(device.begin(), device.end(), out.begin());
  std::adjacent_difference(host.begin(), host.end(), want.begin());
  expectAll("adjacent_difference", toHost(out), want);
}

void compactions(const Ints &host, const Ints &keys) {
  DeviceInts out(host.size()), sums(host.size());
  Ints want;
  auto check = [&](const char *name, auto end) {
    expectAll(name, toHost(DeviceInts(out.begin(), end)), want);
    want.clear();
  };
  const DeviceInts device(host.begin(), host.end()), deviceKeys(keys.begin(), keys.end());
  std::copy_if(host.begin(), host.end(), std::back_inserter(want), IsEven());
  check("copy_if", thrust::copy_if(device.begin(), device.end(), out.begin(), IsEven()));
  std::remove_copy_if(host.begin(), host.end(), std::back_inserter(want), IsEven());
  check("remove_copy_if", thrust::remove_copy_if(device.begin(), device.end(), out.begin(), IsEven()));
  std::unique_copy(keys.begin(), keys.end(), std::back_inserter(want));
  check("unique_copy", thrust::unique_copy(deviceKeys.begin(), deviceKeys.end(), out.begin()));

  Ints wantSums;
  for (size_t i = 0; i < host.size(); i++) {
    if (i == 0 || keys[i] != keys[i - 1])
      want.push_back(keys[i]), wantSums.push_back(0);
    wantSums.back() += host[i];
  }
  auto ends = thrust::reduce_by_key(deviceKeys.begin(), deviceKeys.end(), device.begin(), out.begin(), sums.begin());
  check("reduce_by_key: keys", ends.first);
  expectAll("reduce_by_key: sums", toHost(DeviceInts(sums.begin(), ends.second)), wantSums);

  want = host;
  std::stable_partition(want.begin(), want.end(), IsEven());
  out = device;
  thrust::stable_partition(out.begin(), out.end(), IsEven());
  check("stable_partition", out.end());
}

void sets(Ints a, Ints b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const DeviceInts da(a.begin(), a.end()), db(b.begin(), b.end());
  DeviceInts out(a.size() + b.size());
  Ints want;
  auto check = [&](const char *name, auto end) {
    expectAll(name, toHost(DeviceInts(out.begin(), end)), want);
    want.clear();
  };
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
  check("merge", thrust::merge(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
  check("set_union", thrust::set_union(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
  check("set_difference", thrust::set_difference(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
  for (int x : b)
    want.push_back(int(std::lower_bound(a.begin(), a.end(), x) - a.begin()));
  check("lower_bound", thrust::lower_bound(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
}

void iterators(const Ints &host, Random &random) {
  const int n = int(host.size());
  const DeviceInts device(host.begin(), host.end());
  Ints places(n), want(n);
  std::iota(places.begin(), places.end(), 0);
  for (int i = n - 1; i > 0; i--)
    std::swap(places[i], places[random.below(i + 1)]);
  const DeviceInts devicePlaces(places.begin(), places.end());
  DeviceInts out(n);
  thrust::transform(device.begin(), device.end(), devicePlaces.begin(), out.begin(), Axpy{3});
  for (int i = 0; i < n; i++)
    want[i] = 3 * host[i] + places[i];
  expectAll("transform", toHost(out), want);

  thrust::gather(devicePlaces.begin(), devicePlaces.end(), device.begin(), out.begin());
  for (int i = 0; i < n; i++)
    want[i] = host[places[i]];
  expectAll("gather", toHost(out), want);
  expect("permutation_iterator", n,
         thrust::reduce(thrust::make_permutation_iterator(device.begin(), devicePlaces.begin()),
                        thrust::make_permutation_iterator(device.begin(), devicePlaces.begin() + n / 3)),
         std::accumulate(want.begin(), want.begin() + n / 3, 0));

  auto pairs = thrust::make_zip_iterator(thrust::make_tuple(device.begin(), devicePlaces.begin()));
  thrust::transform(pairs, pairs + n, out.begin(), SumOfPair());
  for (int i = 0; i < n; i++)
    want[i] = host[i] - 2 * places[i];
  expectAll("zip_iterator", toHost(out), want);

  thrust::sequence(thrust::device, out.begin(), out.end(), 5, 3);
  for (int i = 0; i < n; i++)
    want[i] = 5 + 3 * i;
  expectAll("sequence", toHost(out), want);
  thrust::fill_n(out.begin(), n / 2, -1);
  std::fill_n(want.begin(), n / 2, -1);
  out[0] = 12;
  want[0] = 12;
  expectAll("fill_n", toHost(out), want);
}

/// Thrust on the host, and with the pointers of other code.
void otherSystems(const Ints &host) {
  thrust::host_vector<int> copy(host.begin(), host.end());
  expect("host reduce", 0, thrust::reduce(copy.begin(), copy.end()), std::accumulate(host.begin(), host.end(), 0));
  thrust::inclusive_scan(thrust::host, copy.begin(), copy.end(), copy.begin());
  Ints want(host.size());
  std::partial_sum(host.begin(), host.end(), want.begin());
  expectAll("host scan", Ints(copy.begin(), copy.end()), want);
  Buffer<int> buffer(host);
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreate(&stream));
  expect("reduce in a stream", 0, thrust::reduce(thrust::cuda::par.on(stream), buffer.data, buffer.data + host.size()),
         std::accumulate(host.begin(), host.end(), 0));
  CUDA_OK(cudaStreamDestroy(stream));
}

int main() {
  Random random(21);
  for (int n : {1, 777, 40123}) {
    const Ints values = randomInts(random, n, 1000), keys = randomInts(random, n, 3);
    reductions(values);
    scans(values, keys);
    compactions(values, keys);
    sets(values, randomInts(random, n / 2 + 5, 1500));
    iterators(values, random);
    otherSystems(values);
  }
  return finish();
}
