// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on all cores, for calls that are large enough to want them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace heddle::rand {

/// Calls function(first, last) for parts of [0, count), each on a thread of its own. `cost` is
/// about how many numbers all of it makes: few are made on this thread.
template <typename F> void inParallel(size_t count, size_t cost, F &&function) {
  constexpr size_t PerThread = 1 << 18;
  size_t threads = std::min<size_t>({std::thread::hardware_concurrency(), count, cost / PerThread});
  if (threads <= 1)
    return function(size_t(0), count);
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i)
    others.emplace_back([&, i] { function(count * i / threads, count * (i + 1) / threads); });
  function(size_t(0), count / threads);
  for (std::thread &other : others)
    other.join();
}

} // namespace heddle::rand
