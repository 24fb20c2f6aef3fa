// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/finding.h"

#include <algorithm>

#include <tuple>

namespace heddle::check {

bool Thread::operator<(const Thread &other) const {
  auto order = [](const Thread &t) {
    return std::tuple(t.block[2], t.block[1], t.block[0], t.thread[2], t.thread[1], t.thread[0]);
  };
  return order(*this) < order(other);
}

std::string Finding::key() const {
  std::string key = kind + '\n' + kernel;
  if (frames.empty())
    key += '\n' + text;
  for (const Frame &frame : frames)
    key += '\n' + frame.file + ':' + std::to_string(frame.line) + ':' +
           std::to_string(frame.column) + ':' + std::to_string(frame.offset);
  return key;
}

uint64_t countErrors(const std::vector<Finding> &findings) {
  return static_cast<uint64_t>(
      std::count_if(findings.begin(), findings.end(), [](auto &one) { return !one.isInfo; }));
}

} // namespace heddle::check
