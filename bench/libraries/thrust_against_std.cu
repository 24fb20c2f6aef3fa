// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thrust::sort, reduce and inclusive_scan of 10^7 elements against the standard library's with the
// parallel policy (libstdc++ runs it with oneTBB): pairs in turn, the median ratio of the time that
// passes, and of the processor time of all threads, which what else the machine does changes less.
// Build and run:
//
//     nvcc -O2 -std=c++17 bench/libraries/thrust_against_std.cu -ltbb -o against && ./against
//     [elements] [rounds]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <time.h>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

struct Cost {
  double elapsed, processor; ///< seconds
};

double secondsOf(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template <class Body> Cost costOf(Body body) {
  const Cost begin = {secondsOf(CLOCK_MONOTONIC), secondsOf(CLOCK_PROCESS_CPUTIME_ID)};
  body();
  cudaDeviceSynchronize();
  return {secondsOf(CLOCK_MONOTONIC) - begin.elapsed, secondsOf(CLOCK_PROCESS_CPUTIME_ID) - begin.processor};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Prints the medians of (ours / theirs); `prepare` runs before each pair and is not timed.
template <class Prepare, class Ours, class Theirs>
void compare(const std::string &name, int rounds, Prepare prepare, Ours ours, Theirs theirs) {
  std::vector<double> elapsed, processor;
  for (int round = -1; round < rounds; round++) { // the first compiles the kernels
    prepare();
    const Cost mine = costOf(ours), other = costOf(theirs);
    if (round < 0)
      continue;
    elapsed.push_back(mine.elapsed / other.elapsed);
    processor.push_back(mine.processor / other.processor);
  }
  std::printf("%-24s %6.2f times the standard library's time, %6.2f times its processor time\n", name.c_str(),
              median(elapsed), median(processor));
  std::fflush(stdout);
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
  compare("reduce " + name, rounds, nothing,
          [&] { sink = thrust::reduce(original.begin(), original.end(), T(0)); },
          [&] { sink = std::reduce(std::execution::par, source.begin(), source.end(), T(0)); });
  compare("inclusive_scan " + name, rounds, nothing,
          [&] { thrust::inclusive_scan(original.begin(), original.end(), out.begin()); },
          [&] { std::inclusive_scan(std::execution::par, source.begin(), source.end(), scanned.begin()); });
  compare("sort " + name, rounds,
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
