// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A peer is one executable that holds every benchmark in one way of programming. main.cpp is the
// same in all of them; peer_cuda.cu, peer_opencl.cpp and peer_openmp.cpp give it memory and
// synchronisation.
#pragma once

#include "problem.h"

namespace bench {

/// The arrays of a problem where the peer computes: device pointers, cl_mem handles or host
/// pointers.
struct Data {
  std::vector<void *> arrays;
  template <class T> T *get(size_t index) const { return static_cast<T *>(arrays[index]); }
};

struct Benchmark {
  const char *name;
  Problem (*problem)();
  void (*run)(Data &); ///< enqueues or does one run; must give the same result however often it is repeated
};

std::vector<Benchmark> &benchmarks();

struct Register {
  Register(const char *name, Problem (*problem)(), void (*run)(Data &)) {
    benchmarks().push_back({name, problem, run});
  }
};

#define BENCH_JOIN2(a, b) a##b
#define BENCH_JOIN(a, b) BENCH_JOIN2(a, b)
/// Registers a benchmark: BENCHMARK("saxpy", saxpy::problem, run).
#define BENCHMARK(name, problem, run)                                                              \
  static const ::bench::Register BENCH_JOIN(registered, __LINE__)(name, problem, run);

/// Ends the process; the message reaches the table.
[[noreturn]] void fail(const std::string &message);

// What each peer defines.
void *allocate(size_t bytes);
void release(void *array);
void upload(void *array, const void *source, size_t bytes);
void download(void *target, void *array, size_t bytes);
void synchronize(); ///< waits for all work; fails if any of it failed

} // namespace bench
