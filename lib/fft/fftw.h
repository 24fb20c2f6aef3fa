// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FFTW, for one type of numbers: its functions, loaded when the first is wanted, and the rules of
// its planner.
//
// FFTW runs plans from any number of threads at once and makes them from one (FFTW manual, "Thread
// safety"). So what plans holds planning(), which also sets FFTW up the first time. A program may
// use FFTW beside cuFFT, and then it is the same FFTW: its planner is made safe for threads, and
// what we set for a plan is set back.
#pragma once

#include "support/cpu_libraries.h"

#include <fftw3.h>

#include <mutex>

namespace heddle::fft {

template <typename T> struct Fftw;

#define HEDDLE_FFTW(T, prefix, name)                                                               \
  template <> struct Fftw<T> {                                                                     \
    using Plan = prefix##plan;                                                                     \
    using Complex = prefix##complex;                                                               \
    static inline library::CpuLibrary library{library::name.file, library::name.package};          \
    HEDDLE_FFTW_FUNCTION(prefix, plan_guru64_dft)                                                  \
    HEDDLE_FFTW_FUNCTION(prefix, plan_guru64_dft_r2c)                                              \
    HEDDLE_FFTW_FUNCTION(prefix, plan_guru64_dft_c2r)                                              \
    HEDDLE_FFTW_FUNCTION(prefix, execute)                                                          \
    HEDDLE_FFTW_FUNCTION(prefix, execute_dft)                                                      \
    HEDDLE_FFTW_FUNCTION(prefix, execute_dft_r2c)                                                  \
    HEDDLE_FFTW_FUNCTION(prefix, execute_dft_c2r)                                                  \
    HEDDLE_FFTW_FUNCTION(prefix, print_plan)                                                       \
    HEDDLE_FFTW_FUNCTION(prefix, cost)                                                             \
    HEDDLE_FFTW_FUNCTION(prefix, flops)                                                            \
    HEDDLE_FFTW_FUNCTION(prefix, destroy_plan)                                                     \
    HEDDLE_FFTW_FUNCTION(prefix, alignment_of)                                                     \
    HEDDLE_FFTW_FUNCTION(prefix, init_threads)                                                     \
    HEDDLE_FFTW_FUNCTION(prefix, make_planner_thread_safe)                                         \
    HEDDLE_FFTW_FUNCTION(prefix, plan_with_nthreads)                                               \
    HEDDLE_FFTW_FUNCTION(prefix, planner_nthreads)                                                 \
    HEDDLE_FFTW_FUNCTION(prefix, set_timelimit)                                                    \
    HEDDLE_FFTW_FUNCTION(prefix, export_wisdom_to_string)                                          \
    HEDDLE_FFTW_FUNCTION(prefix, import_wisdom_from_string)                                        \
    HEDDLE_FFTW_FUNCTION(prefix, malloc)                                                           \
    HEDDLE_FFTW_FUNCTION(prefix, free)                                                             \
  };
#define HEDDLE_FFTW_FUNCTION(prefix, name)                                                         \
  static inline library::CpuFunction<decltype(prefix##name)> name{library, #prefix #name};
HEDDLE_FFTW(float, fftwf_, FftwSingle)
HEDDLE_FFTW(double, fftw_, FftwDouble)
#undef HEDDLE_FFTW_FUNCTION
#undef HEDDLE_FFTW

/// The right to make and destroy plans. FFTW is loaded and set up, with what it learned in earlier
/// processes; false in `ready` if there is no FFTW.
template <typename T> struct Planning {
  Planning();
  const std::lock_guard<std::mutex> lock;
  const bool ready;
};

extern template struct Planning<float>;
extern template struct Planning<double>;

} // namespace heddle::fft
