// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long tests with random input run: HEDDLE_FUZZ=FACTOR[,SEED].
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace heddle::test {

struct FuzzRun {
  unsigned factor = 1; ///< times as many attempts as in `make test`
  uint64_t seed = 1;

  FuzzRun() {
    unsigned long long first = seed;
    if (const char *text = std::getenv("HEDDLE_FUZZ");
        text && std::sscanf(text, "%u,%llu", &factor, &first) > 1)
      seed = first;
    if (factor == 0)
      factor = 1;
  }
};

} // namespace heddle::test
