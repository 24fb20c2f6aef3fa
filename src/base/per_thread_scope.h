// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

namespace heddle {

/// While a twin (_ptds, _ptsz) of a library's function runs: a null stream is the calling thread's
/// own. The driver's library and the runtime's have a state each: the runtime's twins call the
/// driver's.
class PerThreadScope {
public:
  PerThreadScope() : before_(std::exchange(isActive_, true)) {}
  ~PerThreadScope() { isActive_ = before_; }
  PerThreadScope(const PerThreadScope &) = delete;
  PerThreadScope &operator=(const PerThreadScope &) = delete;
  static bool isActive() { return isActive_; }

private:
  static inline constinit thread_local bool isActive_ = false;
  bool before_;
};

} // namespace heddle
