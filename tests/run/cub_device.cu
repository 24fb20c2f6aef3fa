// REQUIRES: slow
// RUN: %nvcc %s -o %t
// RUN: %t
// RUN: %all %widths %t
// RUN: %all %heddle check --tool all --error-exitcode 9 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB's algorithms of the whole device, as the system has it. Scans, selections, runs and sorts look back at other
// blocks, which must get on meanwhile.
#include "support.h"

#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

/// Asks for the memory that `call` needs, and calls it with that.
template <class Call> void withStorage(Call call) {
  size_t bytes = 0;
  CUDA_OK(call(nullptr, bytes));
  Buffer<char> storage(bytes);
  CUDA_OK(call(static_cast<void *>(storage.data), bytes));
  checkLaunch();
}

template <class T> std::vector<T> firstOf(const Buffer<T> &buffer, int count) {
  std::vector<T> all = buffer.get();
  all.resize(count);
  return all;
}

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

void testReduce(const std::vector<int> &in) {
  const int n = int(in.size());
  Buffer<int> device(in), out(1);
  withStorage([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, device.data, out.data, n); });
  expect("Sum", n, out.get()[0], std::accumulate(in.begin(), in.end(), 0));
  Buffer<cub::KeyValuePair<int, int>> place(1);
  withStorage([&](void *s, size_t &b) { return cub::DeviceReduce::ArgMin(s, b, device.data, place.data, n); });
  expect("ArgMin", n, place.get()[0].key, int(std::min_element(in.begin(), in.end()) - in.begin()));

  std::vector<int> offsets = {0, 0, n / 3, n / 3 + 1, n}, want;
  for (size_t i = 0; i + 1 < offsets.size(); i++)
    want.push_back(std::accumulate(in.begin() + offsets[i], in.begin() + offsets[i + 1], 0));
  Buffer<int> deviceOffsets(offsets), sums(want.size());
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceSegmentedReduce::Sum(s, b, device.data, sums.data, int(want.size()), deviceOffsets.data,
                                           deviceOffsets.data + 1);
  });
  expectAll("SegmentedReduce", sums.get(), want);
}

void testScan(const std::vector<int> &in) {
  const int n = int(in.size());
  Buffer<int> device(in), out(n);
  std::vector<int> want(n);
  withStorage([&](void *s, size_t &b) { return cub::DeviceScan::InclusiveSum(s, b, device.data, out.data, n); });
  std::partial_sum(in.begin(), in.end(), want.begin());
  expectAll("InclusiveSum", out.get(), want);
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceScan::ExclusiveScan(s, b, device.data, out.data, cub::Max(), -5, n);
  });
  std::exclusive_scan(in.begin(), in.end(), want.begin(), -5, [](int a, int b) { return std::max(a, b); });
  expectAll("ExclusiveScan", out.get(), want);
}

void testSelect(const std::vector<int> &in) {
  const int n = int(in.size());
  Buffer<int> device(in), out(n), count(1), lengths(n);
  std::vector<int> want;
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceSelect::If(s, b, device.data, out.data, count.data, n, IsOdd());
  });
  std::copy_if(in.begin(), in.end(), std::back_inserter(want), IsOdd());
  expectAll("Select::If", firstOf(out, count.get()[0]), want);

  withStorage([&](void *s, size_t &b) {
    return cub::DevicePartition::If(s, b, device.data, out.data, count.data, n, IsOdd());
  });
  expect("Partition::If", n, count.get()[0], int(want.size()));
  std::vector<int> others; // come last, backwards
  std::remove_copy_if(in.begin(), in.end(), std::back_inserter(others), IsOdd());
  want.insert(want.end(), others.rbegin(), others.rend());
  expectAll("Partition::If", out.get(), want);

  withStorage([&](void *s, size_t &b) {
    return cub::DeviceRunLengthEncode::Encode(s, b, device.data, out.data, lengths.data, count.data, n);
  });
  std::vector<int> wantValues, wantLengths;
  for (int i = 0; i < n; i++) {
    if (i == 0 || in[i] != in[i - 1])
      wantValues.push_back(in[i]), wantLengths.push_back(0);
    wantLengths.back()++;
  }
  expectAll("RunLengthEncode: values", firstOf(out, count.get()[0]), wantValues);
  expectAll("RunLengthEncode: lengths", firstOf(lengths, count.get()[0]), wantLengths);
}

void testHistogram(const std::vector<int> &in) {
  const int n = int(in.size());
  std::vector<float> samples(in.begin(), in.end());
  std::vector<int> want(10);
  for (float x : samples)
    if (x >= 0 && x < 500)
      want[int(x) / 50]++;
  Buffer<float> device(samples);
  Buffer<int> bins(10);
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceHistogram::HistogramEven(s, b, device.data, bins.data, 11, 0.f, 500.f, n);
  });
  expectAll("HistogramEven", bins.get(), want);
}

template <class Key> void testSort(const char *name, const std::vector<Key> &keys) {
  const int n = int(keys.size());
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  Buffer<Key> in(keys), out(n);
  Buffer<int> inValues(values), outValues(n);
  withStorage([&](void *s, size_t &b) {
    return cub::DeviceRadixSort::SortPairs(s, b, in.data, out.data, inValues.data, outValues.data, n);
  });
  std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  expectAll(name, outValues.get(), values);
}

int main() {
  Random random(12);
  for (int n : {1, 3001, 50021}) {
    std::vector<int> in(n);
    for (int &x : in)
      x = random.below(3) ? random.below(700) - 100 : 17;
    testReduce(in);
    testScan(in);
    testSelect(in);
    testHistogram(in);
    std::vector<float> floats(n);
    for (float &x : floats)
      x = float(random.between(-100, 100));
    testSort("SortPairs of float", floats);
  }
  return finish();
}
