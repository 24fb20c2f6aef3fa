// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/checks.h"

#include <string>

namespace heddle::check {

/// A copy or a fill of the API accesses memory: compared with kernels that nothing orders with it.
void raceOfCopy(const void *operation, const device::TouchedRows &);

/// Memory of a pool is allocated, or freed.
enum class Lifetime : uint8_t { None, Begins, Ends };
Lifetime lifetimeOf(const AccessSite *);
inline std::string textOf(Lifetime lifetime) {
  return lifetime == Lifetime::Begins ? "allocation" : "release";
}
inline const char *kindOf(Lifetime lifetime) {
  return lifetime == Lifetime::Begins ? "race-use-before-alloc" : "race-use-after-free";
}

/// Tells of races between copies.
void tellCopyRaces();

} // namespace heddle::check
