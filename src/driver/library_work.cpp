// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA's libraries tell (lib/support/stream_work.cpp). Their work runs on the host, so checks have to
// hear what it writes, and profiles that there was some.
#include "check/allocations.h"
#include "check/host_access.h"
#include "check/host_stack.h"
#include "check/init/init.h"
#include "device/checks.h"
#include "driver/call.h"
#include "profile/count/counting.h"

#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace {

/// What the program has called; as long as the process.
const char *nameOfCall() {
  static std::mutex mutex;
  static auto &names = *new std::set<std::string>;
  std::string name = heddle::check::libraryNameOf(heddle::check::hostStackHere());
  std::lock_guard guard(mutex);
  return names.insert(name.empty() ? "a library's function" : std::move(name)).first->c_str();
}

thread_local bool saysAccesses = false;

struct Rows {
  uint64_t width, pitch, count;
};
/// For initcheck: what it writes is written, and what it reads should be.
void noteContent(const uint8_t *first, const Rows &rows, bool isWrite) {
  uint64_t unwritten = 0;
  for (uint64_t row = 0; row < rows.count; ++row, first += rows.pitch)
    if (isWrite)
      heddle::check::initWritten(first, rows.width);
    else
      unwritten += heddle::check::readByLibrary(first, rows.width);
  if (unwritten && unwritten == rows.width * rows.count)
    heddle::check::reportUnwrittenRead(first - rows.pitch, unwritten,
                                       heddle::check::stackOfLibraryWork());
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
/// What the calling thread asks for until it says otherwise is work of the device.
HEDDLE_FOR_LIBRARIES void heddle_library_asks(bool isOfDevice) {
  heddle::driver::thread().asksForDevice = isOfDevice;
}
/// What has begun accesses rows of memory. Who says so says all that it accesses.
HEDDLE_FOR_LIBRARIES void heddle_library_accesses(const void *first, uint64_t width, uint64_t pitch,
                                                  uint64_t rows, bool isWrite) {
  using heddle::device::Touch;
  saysAccesses = true;
  heddle::device::noteTouched(
      {first, width, rows, pitch, 1, 0, isWrite ? Touch::Write : Touch::Read});
  noteContent(static_cast<const uint8_t *>(first), {width, pitch, rows}, isWrite);
}
HEDDLE_FOR_LIBRARIES void heddle_library_worked() {
  if (!std::exchange(saysAccesses, false))
    heddle::check::initUnknown();
  if (heddle::driver::isChecked)
    heddle::check::endLibraryWork();
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
