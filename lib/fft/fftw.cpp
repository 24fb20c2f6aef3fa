// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft/fftw.h"

#include "fft/wisdom.h"

namespace heddle::fft {

namespace {

template <typename T> std::mutex &plannerMutex() {
  static std::mutex mutex;
  return mutex;
}

template <typename T> bool setUp() {
  using F = Fftw<T>;
  if (!F::init_threads || !F::init_threads())
    return false;
  F::make_planner_thread_safe();
  readWisdom<T>();
  return true;
}

} // namespace

template <typename T>
Planning<T>::Planning()
    : lock(plannerMutex<T>()), ready([] {
        static const bool done = setUp<T>();
        return done;
      }()) {}

template struct Planning<float>;
template struct Planning<double>;

} // namespace heddle::fft
