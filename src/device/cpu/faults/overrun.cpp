// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small overruns. A GPU's memory is mapped in pieces of 2 MiB, so a kernel without a test of its
// index, or with an array that is some bytes short, mostly runs there and gives what its author
// expects. So it does here: the handler of faults makes the page beside the allocation accessible,
// notes who it was, and the instruction runs again. What is written there changes no other
// allocation; so with the page beside a block's shared memory. When the blocks that the worker was running have ended, it reports the overrun: once
// for each instruction, MostReports in all.
//
// HEDDLE_GUARD=error makes such an access a fault like any other, and memcheck tells of it in its
// own way.
#include "device/cpu/faults/overrun.h"
#include "device/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/faults/report.h"
#include "device/cpu/memory/allocator.h"

#include <dlfcn.h>
#include <unistd.h>

namespace heddle::device::cpu {

namespace {

constexpr unsigned MostReports = 8;
bool isSilent = false;

/// Whether the instruction, or the allocation that host code overruns, is a new one, and there is
/// room for it.
bool isNew(uintptr_t what) {
  if (isSilent)
    return false;
  static std::atomic<uintptr_t> seen[MostReports];
  for (std::atomic<uintptr_t> &place : seen) {
    uintptr_t found = 0;
    if (place.compare_exchange_strong(found, what))
      return true;
    if (found == what)
      return false;
  }
  return false;
}

/// Of code that is no kernel: the program's, or a library's that works for a call of the API. Written
/// in the handler, so without the heap.
void tellOfHostCode(const FaultRecord &record, const Allocation &beside) {
  Dl_info object = {};
  dladdr(reinterpret_cast<void *>(record.pc), &object);
  const char *file = object.dli_fname ? object.dli_fname : "?";
  const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
  bool isBefore = record.address < reinterpret_cast<uintptr_t>(beside.base);
  size_t distance = isBefore
                        ? reinterpret_cast<uintptr_t>(beside.base) - record.address
                        : record.address - reinterpret_cast<uintptr_t>(beside.base) - beside.bytes;
  char text[1024];
  int length = snprintf(
      text, sizeof(text),
      "========= warning: host code %s memory that it has not allocated\n"
      "=========     in %s (%s+0x%zx)\n"
      "=========     address 0x%zx is %zu bytes %s an allocation of %zu bytes at 0x%zx\n"
      "=========     (with a GPU small overruns pass, too; HEDDLE_GUARD=error ends the program)\n",
      record.isWrite ? "writes" : "reads", object.dli_sname ? object.dli_sname : "the program",
      name, static_cast<size_t>(record.pc - reinterpret_cast<uintptr_t>(object.dli_fbase)),
      record.address, distance, isBefore ? "before" : "after", beside.bytes,
      reinterpret_cast<size_t>(beside.base));
  if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0)
    return; // nobody reads it
}

bool pass(Worker *worker, const void *address, Allocation &found) {
  Allocator &allocator = Allocator::get();
  if (!allocator.passesOverruns())
    return false;
  if (Arena *shared = worker ? sharedBeside(*worker, address) : nullptr)
    return shared->openGuard(address);
  return allocator.passBeside(address, found);
}

} // namespace

void silenceOverruns() { isSilent = true; }

bool passOverrun(Worker *worker, const FaultRecord &record) {
  Allocation found;
  const bool isFound = checker() && checker()->findsOverruns;
  if (!record.hasAddress || isFound ||
      !pass(worker, reinterpret_cast<void *>(record.address), found))
    return false;
  if (worker ? worker->hasOverrun || !isNew(record.pc)
             : !isNew(reinterpret_cast<uintptr_t>(found.base)))
    return true;
  if (!worker) {
    tellOfHostCode(record, found);
    return true;
  }
  worker->overrun = record;
  worker->hasOverrunBlock = worker->current != nullptr;
  if (worker->current)
    worker->overrunBlock = *worker->current;
  worker->hasOverrun = true;
  return true;
}

void reportOverrun(Worker &worker, Op &op) {
  worker.hasOverrun = false;
  const FaultRecord &record = worker.overrun;
  const KernelInfo &kernel = *worker.form;
  const char *access = record.isWrite ? "write" : "read", *what = "";
  const bool isShared = inOwnGuard(worker, record.address, what);
  Report report;
  if (isShared)
    report.line("warning: invalid %s in kernel %s: %s", access, kernel.name, what);
  else
    report.line("warning: invalid global %s in kernel %s", access, kernel.name);
  describePlace(report, record, kernel);
  if (worker.hasOverrunBlock)
    describeThreads(report, op.launch.abi.blockDim, worker.overrunBlock.blockIdx,
                    culpritsOf(worker.overrunBlock, *kernel.code, record.lanes),
                    blocksAsOne(*kernel.code, worker.overrunBlock));
  if (isShared)
    sayPasses(report);
  else
    describeAllocation(report, record.address, *op.queue->device);
}

} // namespace heddle::device::cpu
