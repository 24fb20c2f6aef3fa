// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels run on a stack of their own, far from everything else. A kernel that writes below or
// above an array of its own hits its other variables, registers that its functions have put by, and
// return addresses; and then, were it on the worker's stack, what the worker has there. So the
// stack ends shortly above a kernel's frame, at inaccessible memory as large as that below it, and
// what is kept of the worker meanwhile lies on the other stack. A damaged frame then can do no more
// than fault, and that is a fault of the kernel's. What the worker goes on with it finds by its
// thread, not by a register.
//
// It costs a change of stacks for each call of runGuarded, some tens of instructions.
#include "device/cpu/engine/worker.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#endif

namespace heddle::device::cpu {

namespace {

// ASan wants to know which stack is used, by two calls for a change, and has a fake stack for each,
// where locals lie. That of kernels is kept from one to the next: to make one takes milliseconds.
// After an escape it is full of frames that nobody leaves any more, and goes. Who cancels a launch
// interrupts its workers, but not between the two: a worker that escapes there would begin a
// change within a change.
#if __has_feature(address_sanitizer)
void leaveOwnStack(Worker &worker) {
  blockFaults();
  __sanitizer_start_switch_fiber(&worker.ownFakeStack, worker.stack, worker.stackBytes);
}
void arriveOnKernelStack(Worker &worker) {
  __sanitizer_finish_switch_fiber(worker.kernelFakeStack, &worker.ownStackBegin,
                                  &worker.ownStackBytes);
  worker.isOnKernelStack = true;
  unblockFaults();
}
void leaveKernelStack(Worker &worker, bool keepFakeStack) {
  blockFaults();
  worker.isOnKernelStack = false;
  worker.kernelFakeStack = nullptr;
  __sanitizer_start_switch_fiber(keepFakeStack ? &worker.kernelFakeStack : nullptr,
                                 worker.ownStackBegin, worker.ownStackBytes);
}
void arriveOnOwnStack(Worker &worker) {
  __sanitizer_finish_switch_fiber(worker.ownFakeStack, nullptr, nullptr);
  unblockFaults();
}
#else
void leaveOwnStack(Worker &) {}
void arriveOnKernelStack(Worker &) {}
void leaveKernelStack(Worker &, bool) {}
void arriveOnOwnStack(Worker &) {}
#endif

struct Call {
  void (*body)(void *);
  void *argument;
};

/// Is never returned from, which tools that count calls and returns must not see.
__attribute__((disable_sanitizer_instrumentation)) void enter(void *argument) {
  arriveOnKernelStack(*currentWorker());
  {
    const Call &call = *static_cast<const Call *>(argument);
    call.body(call.argument);
  }
  Worker *worker = currentWorker();
  leaveKernelStack(*worker, /*keepFakeStack=*/true);
  switchStack(worker->kernelStack, worker->ownStack);
  __builtin_unreachable();
}

} // namespace

void runOnKernelStack(Worker &worker, void (*body)(void *), void *argument) {
  Call call{body, argument};
  prepareStack(worker.kernelStack, worker.stack, worker.stack + worker.stackBytes, enter, &call);
  leaveOwnStack(worker);
  switchStack(worker.ownStack, worker.kernelStack);
  arriveOnOwnStack(worker);
}

void noteEscape(Worker &worker) {
  if (!worker.isOnKernelStack) // interrupted before or behind the kernel
    return;
  leaveKernelStack(worker, /*keepFakeStack=*/false);
  arriveOnOwnStack(worker);
}

} // namespace heddle::device::cpu
