// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of the machine that is loaded when its first function is wanted, so that a program that
// links libcublas.so and does not use it starts as fast as one that does not.
//
//   static CpuLibrary openblas{"libopenblas.so.0", "libopenblas0-pthread"};
//   static CpuFunction<decltype(cblas_sgemm)> sgemm{openblas, "cblas_sgemm"};
//   if (!sgemm) return CUBLAS_STATUS_NOT_INITIALIZED;
//   sgemm(...);
#pragma once

#include <atomic>
#include <mutex>

namespace heddle::library {

class CpuLibrary {
public:
  /// `file`: as the dynamic linker takes it; `package`: what to install where it is missing.
  constexpr CpuLibrary(const char *file, const char *package) : file(file), package(package) {}

  /// The function's address; null if the library or the function is missing, which is said once on
  /// stderr.
  void *find(const char *name);

private:
  void *open();

  const char *file, *package;
  std::once_flag once;
  void *handle = nullptr;
};

template <typename F> class CpuFunction;

template <typename R, typename... A> class CpuFunction<R(A...)> {
public:
  constexpr CpuFunction(CpuLibrary &library, const char *name) : library(library), name(name) {}

  explicit operator bool() { return address() != nullptr; }
  R operator()(A... arguments) { return address()(arguments...); }

private:
  using Pointer = R (*)(A...);

  Pointer address() {
    Pointer known = found.load(std::memory_order_acquire);
    if (known)
      return known;
    known = reinterpret_cast<Pointer>(library.find(name));
    found.store(known, std::memory_order_release);
    return known;
  }

  CpuLibrary &library;
  const char *name;
  std::atomic<Pointer> found{nullptr};
};

} // namespace heddle::library
