// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/steps.h"

#include "base/messages/line_log.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <ctime>

namespace heddle::jit {

using namespace llvm;

namespace {

double read(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

} // namespace

Steps::Time Steps::Time::now() { return {read(CLOCK_MONOTONIC), read(CLOCK_THREAD_CPUTIME_ID)}; }

bool Steps::timesPasses() {
  const char *value = std::getenv("HEDDLE_TIME_JIT");
  return value && std::strcmp(value, "passes") == 0;
}

Steps::Steps(const char *what)
    : where_(std::getenv("HEDDLE_TIME_JIT")), what_(what), begin_(Time::now()), last_(begin_) {}

Steps::~Steps() {
  if (where_)
    print("total", begin_);
}

void Steps::print(const char *step, Time since) {
  Time now = Time::now();
  std::string line;
  raw_string_ostream(line) << "jit " << what_ << ": " << step << ' '
                           << format("%.2f", now.wall - since.wall) << " ms, cpu "
                           << format("%.2f", now.cpu - since.cpu) << " ms";
  if (*where_ == '/')
    appendLine(where_, line);
  else
    errs() << line << '\n';
}

void Steps::end(const char *step) {
  if (!where_)
    return;
  print(step, last_);
  last_ = Time::now();
}

} // namespace heddle::jit
