// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that simt maps to SLEEF (math.def), as the device gets them: one lane of the vector
// function. For accuracy_test.cpp.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace heddle::devlib {

#if defined(__x86_64__)
inline constexpr const char *SleefTarget = "sse4";
#else
inline constexpr const char *SleefTarget = "advsimd";
#endif

/// The vector function's address; ends the test program if there is none.
inline void *sleefFunction(const char *device) {
  struct Entry {
    const char *name;
    int bits, arity;
    const char *sleef, *accuracy, *scalar;
  };
  static const Entry table[] = {
#define HEDDLE_MATH(NAME, BITS, ARITY, SLEEF, ACCURACY, SCALAR)                                    \
  {#NAME, BITS, ARITY, SLEEF, ACCURACY, SCALAR},
#include "simt/math.def"
  };
  for (const Entry &entry : table) {
    if (strcmp(entry.name, device) != 0)
      continue;
    std::string symbol =
        std::string("Sleef_") + entry.sleef + (entry.bits == 32 ? "f4_" : "d2_") + entry.accuracy;
    if (void *address = dlsym(RTLD_DEFAULT, (symbol + SleefTarget).c_str()))
      return address;
  }
  fprintf(stderr, "no SLEEF function for %s\n", device);
  exit(1);
}

template <class T> struct Lanes;
template <> struct Lanes<float> {
  typedef float Vector __attribute__((vector_size(16)));
};
template <> struct Lanes<double> {
  typedef double Vector __attribute__((vector_size(16)));
};

template <class T> auto sleef1(const char *device) {
  using V = typename Lanes<T>::Vector;
  auto *function = (V (*)(V))sleefFunction(device);
  return [function](T x) -> T { return function(V{} + x)[0]; };
}
template <class T> auto sleef2(const char *device) {
  using V = typename Lanes<T>::Vector;
  auto *function = (V (*)(V, V))sleefFunction(device);
  return [function](T x, T y) -> T { return function(V{} + x, V{} + y)[0]; };
}

} // namespace heddle::devlib

using namespace heddle::devlib;

#define HEDDLE_SHIM_32_1(NAME)                                                                     \
  extern "C" float NAME(float x) {                                                                 \
    static const auto function = sleef1<float>(#NAME);                                             \
    return function(x);                                                                            \
  }
#define HEDDLE_SHIM_64_1(NAME)                                                                     \
  extern "C" double NAME(double x) {                                                               \
    static const auto function = sleef1<double>(#NAME);                                            \
    return function(x);                                                                            \
  }
#define HEDDLE_SHIM_32_2(NAME)                                                                     \
  extern "C" float NAME(float x, float y) {                                                        \
    static const auto function = sleef2<float>(#NAME);                                             \
    return function(x, y);                                                                         \
  }
#define HEDDLE_SHIM_64_2(NAME)                                                                     \
  extern "C" double NAME(double x, double y) {                                                     \
    static const auto function = sleef2<double>(#NAME);                                            \
    return function(x, y);                                                                         \
  }
#define HEDDLE_MATH(NAME, BITS, ARITY, SLEEF, ACCURACY, SCALAR) HEDDLE_SHIM_##BITS##_##ARITY(NAME)
#include "simt/math.def"
