// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What keeps a stream until an operation that it takes part in is done: a thread that polls, as in
// NCCL itself. It reads the clock, so that however long the other ranks take it is not taken for a
// wait that cannot end.
#include "nccl/gate.h"

namespace {

__global__ void waitForFlag(volatile int *flag) {
  long long now = 0;
  while (!*flag)
    now += clock64();
  if (now == -1) // never, but then the clock must be read
    *flag = 2;
}

} // namespace

cudaError_t heddle::nccl::enqueueGate(int *flag, cudaStream_t stream) {
  void *arguments[] = {&flag};
  return cudaLaunchKernel(reinterpret_cast<const void *>(waitForFlag), 1, 1, arguments, 0, stream);
}
