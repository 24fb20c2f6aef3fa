// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes numbers: one class for each kind of generator, behind one function.
//
// An engine is the state that a GPU keeps in its memory. It is made from a generator's settings and
// changes only while it generates, in the order of the stream; so a captured graph continues the
// sequence at each of its launches.
#pragma once

#include <curand.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heddle::rand {

enum class Distribution { Bits, Bits64, Uniform, UniformDouble, Normal, NormalDouble, Poisson };

class PoissonTable;

/// One call's worth of numbers. Of the normal distributions `mean` and `deviation` are set, and
/// `exponential` for the log-normal ones.
struct Request {
  Distribution distribution = Distribution::Normal;
  void *output = nullptr;
  size_t count = 0;
  double mean = 0, deviation = 1;
  bool exponential = false;
  const PoissonTable *poisson = nullptr;

  template <typename T> T *to() const { return static_cast<T *>(output); }
};

/// The settings of a generator.
struct Settings {
  curandRngType_t type;
  curandOrdering_t ordering;
  unsigned long long seed = 0;
  unsigned long long offset = 0;
  unsigned dimensions = 1;
};

class Engine {
public:
  virtual ~Engine() = default;
  virtual void generate(const Request &request) = 0;
};

/// Each is null if there is not memory enough.
std::unique_ptr<Engine> makeXorwow(const Settings &settings);
std::unique_ptr<Engine> makeMrg32k3a(const Settings &settings);
std::unique_ptr<Engine> makeMtgp32(const Settings &settings);
std::unique_ptr<Engine> makeMt19937(const Settings &settings);
std::unique_ptr<Engine> makePhilox(const Settings &settings);
std::unique_ptr<Engine> makeSobol(const Settings &settings);

} // namespace heddle::rand
