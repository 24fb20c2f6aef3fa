// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engines whose every result is made of one word: MTGP32, MT19937 and Sobol's sequences.
#pragma once

#include "convert.h"
#include "poisson_table.h"

#include <algorithm>
#include <cstring>

namespace heddle::rand {

/// Makes results of up to WordsAtOnce words of 32 bits. `middle`: uniform numbers are those of
/// toMiddle, as MT19937's are on a GPU.
constexpr size_t WordsAtOnce = 1024;
void convertWords(const uint32_t *words, size_t count, const Request &request, size_t at,
                  bool middle = false);
/// The same of words of 64 bits.
void convertWords(const uint64_t *words, size_t count, const Request &request, size_t at);

/// Fills results [at, at + count) of the request with words that `next(words, n)` makes in order.
template <typename Word, typename F>
void convertAll(const Request &request, size_t at, size_t count, F &&next) {
  Word words[WordsAtOnce];
  while (count != 0) {
    size_t n = std::min(count, WordsAtOnce);
    next(words, n);
    convertWords(words, n, request, at);
    at += n, count -= n;
  }
}

} // namespace heddle::rand
