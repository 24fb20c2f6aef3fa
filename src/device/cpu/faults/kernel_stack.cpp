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

namespace heddle::device::cpu {

namespace {

struct Call {
  void (*body)(void *);
  void *argument;
};

void enter(void *argument) {
  {
    const Call &call = *static_cast<const Call *>(argument);
    call.body(call.argument);
  }
  Worker *worker = currentWorker();
  switchStack(worker->kernelStack, worker->ownStack);
  __builtin_unreachable();
}

} // namespace

void runOnKernelStack(Worker &worker, void (*body)(void *), void *argument) {
  Call call{body, argument};
  prepareStack(worker.kernelStack, worker.stack, worker.stack + worker.stackBytes, enter, &call);
  switchStack(worker.ownStack, worker.kernelStack);
}

} // namespace heddle::device::cpu
