// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Experiments whose times were published for some board (points.csv): a name, arguments, and what a run
// moves and computes.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace points {

/// What one run does: bytes that a rate in GB/s counts, operations that one in GFLOPS counts.
struct Work {
  double bytes = 0, operations = 0;
};

/// "name=value" of the command line.
struct Arguments {
  std::map<std::string, std::string> values;

  long operator()(const char *name, long otherwise) const {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : std::atol(found->second.c_str());
  }
  std::string text(const char *name, const char *otherwise) const {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : found->second;
  }
};

using Experiment = Work (*)(const Arguments &);

std::map<std::string, Experiment> &experiments();

struct Registered {
  Registered(const char *name, Experiment run) { experiments()[name] = run; }
};

inline void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// An array on the device, of zeros.
template <class T> class Array {
public:
  explicit Array(size_t count) {
    check(cudaMalloc(&data, count * sizeof(T)), "cudaMalloc");
    check(cudaMemset(data, 0, count * sizeof(T)), "cudaMemset");
  }
  ~Array() { cudaFree(data); }
  Array(const Array &) = delete;
  operator T *() const { return data; }

private:
  T *data = nullptr;
};

/// Runs the launches twice; bench/model_points.py takes the second time.
template <class Launches> void twice(Launches &&launches) {
  for (int run = 0; run < 2; ++run)
    launches();
  check(cudaDeviceSynchronize(), "launch");
}

inline unsigned blocksFor(long items, long block) { return unsigned((items + block - 1) / block); }

} // namespace points

/// POINT(name) { ... return {bytes, operations}; } with `a`, the arguments.
#define POINT(NAME)                                                                                \
  static points::Work run_##NAME(const points::Arguments &a);                                      \
  static const points::Registered registered_##NAME(#NAME, run_##NAME);                            \
  static points::Work run_##NAME([[maybe_unused]] const points::Arguments &a)
