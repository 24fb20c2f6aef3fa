// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/steps.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace heddle::jit {

using namespace llvm;

namespace {

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

} // namespace

Steps::Steps(const char *what)
    : prints_(std::getenv("HEDDLE_TIME_JIT")), what_(what), begin_(Clock::now()), last_(begin_) {}

Steps::~Steps() {
  if (prints_)
    errs() << "jit " << what_ << ": total " << format("%.2f", milliseconds(Clock::now() - begin_))
           << " ms\n";
}

void Steps::end(const char *step) {
  Clock::time_point now = Clock::now();
  if (prints_)
    errs() << "jit " << what_ << ": " << step << ' ' << format("%.2f", milliseconds(now - last_))
           << " ms\n";
  last_ = now;
}

} // namespace heddle::jit
