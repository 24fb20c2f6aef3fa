// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thrust::sort, reduce and inclusive_scan of 10^7 elements against the standard library's with the parallel
// policy (libstdc++ runs it with oneTBB): pairs in turn, the median ratio of each. Build and run:
//
//     nvcc -O2 -std=c++17 bench/libraries/thrust_against_std.cu -ltbb -o against && ./against [elements] [rounds]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

template <class Body> double seconds(Body body) {
  auto begin = std::chrono::steady_clock::now();
  body();
  cudaDeviceSynchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Prints the median of (ours / theirs); `prepare` runs before each call and is not timed.
template <class Prepare, class Ours, class Theirs>
void compare(const char *name, int rounds, Prepare prepare, Ours ours, Theirs theirs) {
  std::vector<double> ratios;
  for (int round = -1; round < rounds; round++) { // the first compiles the kernels
    prepare();
    const double mine = seconds(ours), other = seconds(theirs);
    if (round >= 0)
      ratios.push_back(mine / other);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("%-24s %6.2f times the standard library's time (%.2f to %.2f)\n", name, ratios[ratios.size() / 2],
              ratios.front(), ratios.back());
}

template <class T> void compareAll(const char *type, size_t count, int rounds) {
  std::vector<T> source(count), host(count), scanned(count);
  std::mt19937 random(1);
  for (T &x : source)
    x = T(random() >> 8);
  const thrust::device_vector<T> original(source.begin(), source.end());
  thrust::device_vector<T> device = original, out(count);
  const std::string name = type;
  volatile T sink = 0;
  auto nothing = [] {};
  compare(("reduce " + name).c_str(), rounds, nothing,
          [&] { sink = thrust::reduce(original.begin(), original.end(), T(0)); },
          [&] { sink = std::reduce(std::execution::par, source.begin(), source.end(), T(0)); });
  compare(("inclusive_scan " + name).c_str(), rounds, nothing,
          [&] { thrust::inclusive_scan(original.begin(), original.end(), out.begin()); },
          [&] { std::inclusive_scan(std::execution::par, source.begin(), source.end(), scanned.begin()); });
  compare(("sort " + name).c_str(), rounds,
          [&] {
            device = original;
            host = source;
          },
          [&] { thrust::sort(device.begin(), device.end()); },
          [&] { std::sort(std::execution::par, host.begin(), host.end()); });
  thrust::copy(device.begin(), device.end(), source.begin());
  if (source != host)
    std::printf("%s: the sorted values differ\n", type);
}

int main(int argc, char **argv) {
  const size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  compareAll<int>("int", count, rounds);
  compareAll<float>("float", count, rounds);
}
