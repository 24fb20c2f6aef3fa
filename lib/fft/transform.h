// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem as FFTW solves it: one direction, in place or not, for aligned data or for any.
#pragma once

#include "fft/problem.h"

#include <memory>

namespace heddle::fft {

struct Variant {
  bool inPlace, forward, aligned;
};

class Transform {
public:
  virtual ~Transform() = default;

  /// Transforms, on as many threads as the plan is for. Several threads may run the same transform
  /// at once.
  virtual void run(void *in, void *out) const = 0;

  /// FFTW overwrites the input, or cannot work in place with these layouts: it wants a copy of the
  /// input.
  bool wantsCopy = false;
};

/// The transform of a problem; of half and bfloat16 that of the same layout in float. Made once in
/// a process, by and large: the latest ones are kept. Null if FFTW is missing or has no plan. Data
/// is never touched.
std::shared_ptr<const Transform> findTransform(const Problem &problem, Variant variant);

/// False, after a line on stderr, if FFTW for these numbers is missing.
bool isAvailable(Number number);

/// True if vector code may load and store at the address.
bool isAligned(Number number, const void *data);

} // namespace heddle::fft
