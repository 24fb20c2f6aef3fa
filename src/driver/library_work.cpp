// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA's libraries tell (lib/support/stream_work.cpp). Their work runs on the host, so checks have to
// hear what it writes, and profiles that there was some.
#include "check/allocations.h"
#include "check/host_access.h"
#include "check/host_stack.h"
#include "check/init/init.h"
#include "driver/call.h"
#include "profile/count/counting.h"

#include <mutex>
#include <set>
#include <string>

namespace {

/// What the program has called; as long as the process.
const char *nameOfCall() {
  static std::mutex mutex;
  static auto &names = *new std::set<std::string>;
  std::string name = heddle::check::libraryNameOf(heddle::check::hostStackHere());
  std::lock_guard guard(mutex);
  return names.insert(name.empty() ? "a library's function" : std::move(name)).first->c_str();
}

} // namespace

#define HEDDLE_FOR_LIBRARIES extern "C" __attribute__((visibility("default")))

/// Where the program asks for some work, and by which function: null unless somebody counts.
HEDDLE_FOR_LIBRARIES uint32_t heddle_library_stack() {
  return heddle::driver::isChecked ? heddle::check::hostStackHere() : 0;
}
HEDDLE_FOR_LIBRARIES const char *heddle_library_name() {
  return heddle::profile::counts() ? nameOfCall() : nullptr;
}

/// It begins; it is over, and has written device memory.
HEDDLE_FOR_LIBRARIES void heddle_library_works(uint32_t stack, const char *name) {
  if (heddle::driver::isChecked)
    heddle::check::beginLibraryWork(stack);
  if (name && heddle::profile::counts() && heddle::profile::countsLaunch(name))
    heddle::profile::noteUncounted(name, "libraries run on the processor, and are not modelled");
}
HEDDLE_FOR_LIBRARIES void heddle_library_worked() {
  if (heddle::driver::isChecked)
    heddle::check::endLibraryWork();
  heddle::check::initUnknown();
}

/// Fortran: what was allocated there is a variable of the program's.
HEDDLE_FOR_LIBRARIES void heddle_is_variable(const void *p) {
  if (heddle::driver::isChecked)
    heddle::check::noteVariable(p);
}

/// Host code of theirs has written device memory.
HEDDLE_FOR_LIBRARIES void heddle_host_wrote(const void *p, size_t bytes) {
  heddle::check::initWritten(p, bytes);
}
