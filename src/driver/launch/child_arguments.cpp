// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/launch/child_arguments.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

namespace heddle::driver {

namespace {

/// The bytes, by where they begin. Never destroyed.
struct Arguments {
  std::mutex mutex;
  std::map<uintptr_t, size_t> live;
};
Arguments &arguments() {
  static Arguments &arguments = *new Arguments;
  return arguments;
}

} // namespace

void noteArguments(const void *base, size_t bytes) {
  std::lock_guard lock(arguments().mutex);
  arguments().live[reinterpret_cast<uintptr_t>(base)] = bytes;
}

void forgetArguments(const void *base) {
  std::lock_guard lock(arguments().mutex);
  arguments().live.erase(reinterpret_cast<uintptr_t>(base));
}

bool isInArguments(const void *address) {
  auto at = reinterpret_cast<uintptr_t>(address);
  std::lock_guard lock(arguments().mutex);
  auto behind = arguments().live.upper_bound(at);
  return behind != arguments().live.begin() &&
         at - std::prev(behind)->first < std::prev(behind)->second;
}

} // namespace heddle::driver
