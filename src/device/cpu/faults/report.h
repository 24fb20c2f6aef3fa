// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reports about kernels are made of.
#pragma once

#include "device/cpu/engine/worker.h"
#include "device/cpu/faults/replay.h"

#include "base/messages/messages.h"

#include <cstdarg>
#include <cstdio>
#include <functional>
#include <string>

namespace heddle::device::cpu {

/// Gathers the report, so that it comes out in one piece.
class Report {
public:
  __attribute__((format(printf, 2, 3))) void line(const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    text_ += "========= ";
    text_ += text;
    text_ += '\n';
  }
  /// Each line of `text`, behind `indent`.
  void lines(const char *indent, const std::string &text) {
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      line("%s%s", indent, text.substr(at, end - at).c_str());
      at = end + 1;
    }
  }
  ~Report() { tell(text_); }

private:
  std::string text_;
};

/// Who faulted: one thread, and `more` of its warp at the same place, or some thread of [first,
/// last].
struct Culprits {
  uint32_t first = 0, last = 0;
  uint32_t more = 0;
};

/// Where a kernel's code begins. Also for handlers of signals.
const void *entryOf(const KernelCode &);

Culprits culpritsOf(const Block &, const KernelCode &, uint32_t lanes);
/// The line of the source, if it is found.
void describePlace(Report &, const FaultRecord &, const KernelInfo &);
/// `block`: from this one on, one of `blocks`, of threads `dim`.
void describeThreads(Report &, const uint32_t (&dim)[3], const uint32_t (&block)[3],
                     const Culprits &, const BlocksAsOne &blocks);
/// Where the address lies.
void describeAllocation(Report &, uintptr_t address, CpuDevice &);
/// The block's shared memory in whose guard pages an address lies, or null.
Arena *sharedBeside(Worker &, const void *address);
/// Whether it is in the guard pages of the worker's own memory for kernels; `what` says of which.
bool inOwnGuard(Worker &, uintptr_t address, const char *&what);
/// That such an access goes on, or would.
void sayPasses(Report &);
void sayLost(Report &);
/// Writes the report and loses the context, if this is its first fault.
void reportOnce(Op &, Fault, const std::function<void(Report &)> &write);

} // namespace heddle::device::cpu
