// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain C++ with OpenMP: arrays are host memory, a run is over when it returns.
#include "bench.h"

#include <cstdlib>

namespace bench {

void *allocate(size_t bytes) { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); }
void release(void *array) { std::free(array); }
void upload(void *array, const void *source, size_t bytes) { std::memcpy(array, source, bytes); }
void download(void *target, void *array, size_t bytes) { std::memcpy(target, array, bytes); }
void synchronize() {}

} // namespace bench
