// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user reads when a kernel faults. One report a context: the first fault loses it.
#include "device/cpu/faults/report.h"
#include "device/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/faults/replay.h"
#include "device/cpu/memory/allocator.h"
#include "device/hooks.h"
#include "device/launch_fault.h"

#include "base/image/module_image.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>

namespace heddle::device::cpu {

namespace {

/// Where the fault is in the source: the pc if it lies in the kernel's object, otherwise the call of
/// the service that the kernel was in, or the first return address on the stack that does.
bool findPosition(const FaultRecord &record, const KernelInfo &kernel, SourcePosition &position) {
  Dl_info object;
  if (!dladdr(entryOf(*kernel.code), &object))
    return false;
  auto tryAddress = [&](uintptr_t pc) {
    Dl_info at;
    return dladdr(reinterpret_cast<void *>(pc), &at) && at.dli_fbase == object.dli_fbase &&
           symbolize(kernel.objectPath, pc - reinterpret_cast<uintptr_t>(object.dli_fbase),
                     position);
  };
  if (tryAddress(record.pc) || (record.caller && tryAddress(record.caller - 1)))
    return true;
  for (uint32_t i = 0; i < record.stackWords; ++i)
    if (record.stack[i] && tryAddress(record.stack[i] - 1))
      return true;
  return false;
}

} // namespace

const void *entryOf(const KernelCode &code) {
  return code.runBlocks ? reinterpret_cast<const void *>(code.runBlocks)
                        : reinterpret_cast<const void *>(code.start);
}

void describePlace(Report &report, const FaultRecord &record, const KernelInfo &kernel) {
  SourcePosition position = {};
  if (record.where.file)
    report.line("    at %s:%u", record.where.file, record.where.line);
  else if ((record.signal || record.caller) && findPosition(record, kernel, position) &&
           position.line)
    report.line("    at %s:%u", position.file, position.line);
  if (record.other.file)
    report.line("    its threads parted at %s:%u", record.other.file, record.other.line);
}

Culprits culpritsOf(const Block &block, const KernelCode &code, uint32_t lanes) {
  if (lanes) { // a service was told a CUDA warp, or a part of one
    uint32_t first =
        block.currentWarp * std::min(code.width, 32u) + static_cast<uint32_t>(__builtin_ctz(lanes));
    return {first, first, static_cast<uint32_t>(__builtin_popcount(lanes)) - 1};
  }
  auto [first, end] = threadsOfProgram(block, code);
  return {first, end - 1};
}

void describeThreads(Report &report, const uint32_t (&dim)[3], const uint32_t (&b)[3],
                     const Culprits &culprits, const BlocksAsOne &blocks) {
  auto [first, last, more] = culprits;
  auto x = [&](uint32_t t) { return t % dim[0]; };
  auto y = [&](uint32_t t) { return t / dim[0] % dim[1]; };
  auto z = [&](uint32_t t) { return t / (dim[0] * dim[1]); };
  char others[48] = "";
  if (more)
    snprintf(others, sizeof(others), ", and %u more of its warp", more);
  uint32_t lastBlock[3] = {b[0], b[1], b[2]};
  lastBlock[blocks.dimension] += blocks.count - 1;
  if (blocks.count > 1)
    report.line("    by a thread of block (%u,%u,%u) to (%u,%u,%u); which one was not found", b[0],
                b[1], b[2], lastBlock[0], lastBlock[1], lastBlock[2]);
  else if (first == last)
    report.line("    by thread (%u,%u,%u) in block (%u,%u,%u)%s", x(first), y(first), z(first),
                b[0], b[1], b[2], others);
  else
    report.line(
        "    by a thread of (%u,%u,%u) to (%u,%u,%u) in block (%u,%u,%u); which one was not found",
        x(first), y(first), z(first), x(last), y(last), z(last), b[0], b[1], b[2]);
}

static std::string hexadecimal(uintptr_t value) {
  char text[24];
  snprintf(text, sizeof(text), "%zx", value);
  return text;
}

void describeAllocation(Report &report, uintptr_t address, CpuDevice &device) {
  AllocationInfo info;
  size_t heapBytes;
  if ((address & HostMemoryTag) == HostMemoryTag) {
    report.line("    address 0x%zx is pageable host memory: the kernel was given a host pointer",
                address & ~HostMemoryTag);
    return;
  }
  if (device.heap().find(reinterpret_cast<void *>(address), info.base, heapBytes)) {
    info.bytes = heapBytes;
    info.kind = "kernel heap";
  } else if (!findAllocation(reinterpret_cast<void *>(address), info)) {
    report.line("    address 0x%zx is near no allocation", address);
    return;
  }
  auto base = reinterpret_cast<uintptr_t>(info.base);
  std::string what =
      std::to_string(info.bytes) + " bytes of " + info.kind + " memory at 0x" + hexadecimal(base);
  if (!info.variables.empty())
    what = "the program's __device__ variables: " + info.variables;
  const char *nearest = info.variables.empty() ? "the nearest allocation: " : "";
  if (address - base < info.bytes) {
    report.line("    address 0x%zx is inside an allocation of %s", address, what.c_str());
    return;
  }
  bool isBefore = address < base;
  report.line("    address 0x%zx is %zu bytes %s %s%s", address,
              isBefore ? base - address : address - base - info.bytes,
              isBefore ? "before" : "after", nearest, what.c_str());
  // As docs/runtime.md says; a freed allocation, or one far off, is another matter.
  if ((isBefore ? base - address : address - base - info.bytes) < Allocator::MarginBytes)
    sayPasses(report);
}

Arena *sharedBeside(Worker &worker, const void *address) {
  if (worker.shared.inGuard(address))
    return &worker.shared;
  auto *found = std::find_if(std::begin(worker.sharedAbreast), std::end(worker.sharedAbreast),
                             [&](const Arena &shared) { return shared.inGuard(address); });
  return found == std::end(worker.sharedAbreast) ? nullptr : found;
}

bool inOwnGuard(Worker &worker, uintptr_t address, const char *&what) {
  auto *p = reinterpret_cast<const uint8_t *>(address);
  if (sharedBeside(worker, p))
    what = "outside shared memory";
  else if ((p < worker.stack && p >= worker.stack - StackGuardBytes) ||
           (worker.currentFibers && worker.currentFibers->inGuard(p)))
    what = "stack overflow (recursion too deep)";
  else if (const uint8_t *end = worker.stack + worker.stackBytes;
           p >= end && p < end + StackGuardBytes)
    what = "beyond a thread's local memory";
  else if (worker.frames.inGuard(p))
    what = "outside a warp's frame";
  else
    return false;
  return true;
}

namespace {

/// What has happened, for those who check.
void nameFault(Worker &worker, const FaultRecord &record, FaultedLaunch &fault) {
  const char *access = record.isWrite ? "write" : "read", *what;
  fault.kind = "out-of-bounds-access";
  if (!record.signal)
    fault.kind = "kernel-fault", fault.text = record.text;
  else if (record.signal == SIGFPE)
    fault.kind = "arithmetic-exception", fault.text = "Arithmetic exception";
  else if (record.signal == SIGILL)
    fault.kind = "illegal-instruction", fault.text = "Illegal instruction";
  else if (!record.hasAddress)
    fault.text = "Invalid global access: the address is not one that a pointer can hold";
  else if (inOwnGuard(worker, record.address, what))
    fault.text = std::string("Invalid ") + access + ": " + what;
  else
    fault.text = std::string("global ") + access,
    fault.address = reinterpret_cast<const void *>(record.address);
}

/// Those who check the launch tell of it in their way.
bool tellsChecker(Worker &worker, Op &op, const KernelInfo &kernel, const Culprits &culprits,
                  const BlocksAsOne &blocks) {
  const FaultRecord &record = worker.record;
  if (!checker())
    return false;
  FaultedLaunch fault = {};
  fault.launch = &op.launch.abi;
  nameFault(worker, record, fault);
  if (record.where.file) {
    fault.where.line = record.where.line;
    snprintf(fault.where.file, sizeof(fault.where.file), "%s", record.where.file);
  } else if (!(record.signal || record.caller) || !findPosition(record, kernel, fault.where)) {
    fault.where = {};
  }
  fault.hasThread = worker.current && culprits.first == culprits.last && blocks.count == 1;
  if (fault.hasThread)
    std::copy_n(worker.current->blockIdx, 3, fault.block);
  fault.thread = culprits.first;
  fault.count = culprits.more + 1;
  return checker()->faulted(fault);
}

void describeFault(Report &report, Worker &worker, Op &op) {
  const FaultRecord &record = worker.record;
  const KernelInfo &kernel = *worker.form;
  const char *access = record.isWrite ? "write" : "read";
  const char *what = "";
  if (!record.signal) {
    report.line("%s in kernel %s", record.text, kernel.name);
  } else if (record.signal == SIGFPE) {
    report.line("arithmetic exception in kernel %s", kernel.name);
  } else if (record.signal == SIGILL) {
    report.line("illegal instruction in kernel %s", kernel.name);
  } else if (!record.hasAddress) {
    report.line(
        "invalid global access in kernel %s: the address is not one that a pointer can hold",
        kernel.name);
  } else if (inOwnGuard(worker, record.address, what)) {
    report.line("invalid %s in kernel %s: %s", access, kernel.name, what);
  } else {
    report.line("invalid global %s in kernel %s", access, kernel.name);
  }
}

} // namespace

void sayPasses(Report &report) {
  report.line(
      Allocator::get().passesOverruns()
          ? "    (a GPU lets small overruns pass, too; HEDDLE_GUARD=error ends the kernel)"
          : "    (a GPU lets small overruns pass; so does Heddle without HEDDLE_GUARD=error)");
}

void sayLost(Report &report) { report.line("    the launch is cancelled and the context is lost"); }

static std::atomic<int> reportsUnderWay{0};

void reportOnce(Op &op, Fault fault, const std::function<void(Report &)> &write) {
  CpuDevice &device = *op.queue->device;
  if (!device.claimFault())
    return;
  reportsUnderWay.fetch_add(1);
  {
    Report report;
    write(report);
  }
  device.loseFor(fault);
  noteLost(op, fault);
  reportsUnderWay.fetch_sub(1);
}

namespace {

/// Of the threads that faulted when they ran one by one: the first that did so at the line where
/// the warp did, or else the first that did so in the same way. Null if there is none.
const ThreadFault *pickThread(const Replay &replay, const FaultRecord &record,
                              const KernelInfo &kernel) {
  SourcePosition where = {}, there = {};
  bool known = findPosition(record, kernel, where);
  const ThreadFault *first = nullptr;
  for (uint32_t i = 0; i < replay.count(); ++i) {
    const ThreadFault &fault = replay[i];
    if (fault.record.fault != record.fault || fault.record.signal != record.signal)
      continue;
    if (!first)
      first = &fault;
    if (known && findPosition(fault.record, replay.kernel(), there) && there.line == where.line)
      return &fault;
  }
  return first;
}

uint32_t othersAt(const Replay &replay, const ThreadFault &picked) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < replay.count(); ++i)
    count += &replay[i] != &picked && replay[i].record.pc == picked.record.pc &&
             replay[i].thread / 32 == picked.thread / 32;
  return count;
}

void writeFault(Report &report, Worker &worker, Op &op) {
  const KernelInfo *kernel = worker.form;
  Culprits culprits;
  BlocksAsOne blocks = {0, 1};
  if (worker.current) {
    culprits = culpritsOf(*worker.current, *kernel->code, worker.record.lanes);
    if (!worker.record.lanes)
      blocks = blocksAsOne(*kernel->code, *worker.current);
  }
  Replay replay(worker, op);
  if (const ThreadFault *fault = pickThread(replay, worker.record, *kernel)) {
    worker.record = fault->record;
    culprits = {fault->thread, fault->thread, othersAt(replay, *fault)};
    kernel = &replay.kernel();
    worker.current->blockIdx[blocks.dimension] += replay.block();
    blocks.count = 1;
  }
  if (tellsChecker(worker, op, *kernel, culprits, blocks))
    return;
  const FaultRecord &record = worker.record;
  describeFault(report, worker, op);
  describePlace(report, record, *kernel);
  if (worker.current)
    describeThreads(report, op.launch.abi.blockDim, worker.current->blockIdx, culprits, blocks);
  const char *what;
  if (record.hasAddress && !inOwnGuard(worker, record.address, what))
    describeAllocation(report, record.address, *op.queue->device);
  sayLost(report);
}

} // namespace

void reportFault(Worker &worker, Op &op) {
  reportOnce(op, worker.record.fault, [&](Report &report) {
    if (!worker.record.printed)
      writeFault(report, worker, op);
  });
}

} // namespace heddle::device::cpu

namespace heddle::device {

void finishReports() {
  if (isForkedCopy())
    return;                      // they are written elsewhere
  constexpr int Patience = 5000; // ms: a process that ends must end
  for (int i = 0; i < Patience && cpu::reportsUnderWay.load() > 0; ++i)
    usleep(1000);
}

} // namespace heddle::device
