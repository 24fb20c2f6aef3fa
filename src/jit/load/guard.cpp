// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/load/guard.h"

#include "llvm/Support/ErrorHandling.h"

#include <csetjmp>
#include <mutex>

namespace heddle::jit {

using namespace llvm;

namespace {

struct Landing {
  std::jmp_buf point;
  std::string *message;
};

thread_local Landing *landing = nullptr;

/// LLVM prints the message and exits when this returns: the case of a thread that is not in
/// survive().
void onFatalError(void *, const char *reason, bool) {
  if (!landing)
    return;
  *landing->message = reason;
  std::longjmp(landing->point, 1);
}

} // namespace

bool survive(function_ref<void()> action, std::string &message) {
  static std::once_flag once;
  std::call_once(once, [] { install_fatal_error_handler(onFatalError); });
  Landing here;
  here.message = &message;
  landing = &here;
  if (setjmp(here.point) != 0) {
    landing = nullptr;
    return false;
  }
  action();
  landing = nullptr;
  return true;
}

} // namespace heddle::jit
