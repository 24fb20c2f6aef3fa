// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/openblas.h"
#include "support/cpu_libraries.h"

#include <mutex>

namespace heddle::blas {

namespace openblas {

library::CpuLibrary library{library::OpenBlas.file, library::OpenBlas.package};

#define HEDDLE_CBLAS(name)                                                                         \
  library::CpuFunction<decltype(cblas_##name)> name{library, "cblas_" #name};
#define HEDDLE_FORTRAN(name, type) library::CpuFunction<type> name{library, #name "_"};
#include "blas/openblas.def"

library::CpuFunction<decltype(openblas_set_num_threads)> setThreads{library,
                                                                    "openblas_set_num_threads"};
library::CpuFunction<decltype(openblas_get_num_threads)> getThreads{library,
                                                                    "openblas_get_num_threads"};

} // namespace openblas

namespace {
std::mutex threadsMutex;
int threadsUsers = 0, threadsBefore = 1;
} // namespace

OneThreadEach::OneThreadEach() {
  std::lock_guard lock(threadsMutex);
  if (threadsUsers++ > 0)
    return;
  threadsBefore = openblas::getThreads();
  openblas::setThreads(1);
}

OneThreadEach::~OneThreadEach() {
  std::lock_guard lock(threadsMutex);
  if (--threadsUsers == 0)
    openblas::setThreads(threadsBefore);
}

} // namespace heddle::blas
