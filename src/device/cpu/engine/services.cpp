// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/engine/services.h"

#include "device/checks.h"

#include "base/abi/local_memory.h"
#include "base/messages/messages.h"
#include "device/checks.h"
#include "device/cpu/engine/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/graph.h"
#include "device/cpu/engine/grid_children.h"
#include "device/cpu/engine/worker.h"
#include "device/cpu/memory/tensor_copy.h"
#include "device/debugger.h"
#include "device/hooks.h"
#include "device/service_guard.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <sched.h>

namespace heddle::device::cpu {

namespace {

CpuDevice &deviceOf(Block *block) {
  return *static_cast<Op *>(block->launch->runner)->queue->device;
}

/// The return address of the function that it stands in.
#define HEDDLE_CALLER __builtin_return_address(0)

int32_t print(Block *block, const char *format, const void *args) {
  ServiceGuard guard;
  ServiceCaller caller(HEDDLE_CALLER);
  // One string a thread: a fault while formatting (a bad %s) leaves it usable and leaks nothing.
  static thread_local std::string text;
  text.clear();
  int count = formatDevicePrintf(text, format, args);
  deviceOf(block).print().append(text);
  return count;
}

FaultRecord &beginRecord(Worker &worker, Fault fault, Block *block, uint32_t warp, uint32_t lanes) {
  FaultRecord &record = worker.record;
  record = {};
  record.fault = fault;
  record.lanes = lanes;
  worker.current = block;
  block->currentWarp = warp;
  return record;
}

void assertFail(Block *block, uint32_t warp, uint32_t lanes, const char *message, const char *file,
                uint32_t line, const char *function) {
  Worker &worker = *currentWorker();
  worker.inService.store(1, std::memory_order_relaxed);
  FaultRecord &record = beginRecord(worker, Fault::Assert, block, warp, lanes);
  record.printed = true;
  const uint32_t *dim = block->launch->blockDim;
  uint32_t width = std::min(worker.form->code->width, 32u);
  for (uint32_t lane = 0; lane < width; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    uint32_t thread = warp * width + lane;
    tellf("%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
          function, block->blockIdx[0], block->blockIdx[1], block->blockIdx[2], thread % dim[0],
          thread / dim[0] % dim[1], thread / (dim[0] * dim[1]), message);
  }
  escapeKernel(worker);
}

void trap(Block *block, uint32_t warp, uint32_t lanes, const SourceLoc *where) {
  Worker &worker = *currentWorker();
  FaultRecord &record = beginRecord(worker, Fault::Trap, block, warp, lanes);
  snprintf(record.text, sizeof(record.text), "trap instruction");
  if (where)
    record.where = *where;
  escapeKernel(worker);
}

/// True the first time, whatever form of the kernel asks.
bool isNews(const SourceLoc *where, const char *kernel) {
  static thread_local const SourceLoc *last = nullptr;
  if (where && std::exchange(last, where) == where)
    return false;
  static std::mutex mutex;
  static auto &known = *new std::set<std::tuple<std::string, uint32_t, uint32_t>>;
  std::lock_guard lock(mutex);
  return where ? known.emplace(where->file, where->line, where->column).second
               : known.emplace(kernel, 0, 0).second;
}

/// CUDA leaves open what happens. Hardware mostly goes on: up to compute capability 6.x a warp has
/// come when some of its threads have, and later ones count those that have ended. So the warp has
/// come, and the program is told of it, once for each barrier.
/// "(3,0,0) in block (1,0,0)": a lane of what services are told as a warp.
std::string threadText(const Block &block, const KernelCode &code, uint32_t warp, uint32_t lane) {
  const uint32_t *dim = block.launch->blockDim, *at = block.blockIdx;
  uint32_t thread = warp * std::min(code.width, 32u) + lane;
  char text[96];
  snprintf(text, sizeof(text), "(%u,%u,%u) in block (%u,%u,%u)", thread % dim[0],
           thread / dim[0] % dim[1], thread / (dim[0] * dim[1]), at[0], at[1], at[2]);
  return text;
}

void divergentBarrier(Block *block, uint32_t warp, uint32_t present, uint32_t live,
                      const SourceLoc *barrier, const SourceLoc *branch) {
  ServiceGuard guard;
  const KernelInfo &kernel = *static_cast<Op *>(block->launch->runner)->launch.kernel;
  if (!isNews(barrier, kernel.name))
    return;
  std::string text =
      "========= warning: divergent barrier: " + std::to_string(__builtin_popcount(present)) +
      " of " + std::to_string(__builtin_popcount(live)) +
      " live threads of a warp reach it; the warp goes on as if all did, in kernel " + kernel.name +
      "\n";
  auto addPlace = [&](const char *what, const SourceLoc *where) {
    if (where)
      text += std::string("=========     ") + what + where->file + ":" +
              std::to_string(where->line) + "\n";
  };
  addPlace("at ", barrier);
  const KernelCode &code = *currentWorker()->form->code;
  if (!(code.flags & KernelInterchanged)) // whose lanes are other threads
    text += "=========     by thread " +
            threadText(*block, code, warp, static_cast<uint32_t>(__builtin_ctz(present))) +
            ", and " + std::to_string(__builtin_popcount(present) - 1) + " more of its warp\n";
  addPlace("its threads parted at ", branch);
  tell(text);
}

void badCall(Block *block, uint32_t warp, uint64_t target, const SourceLoc *where) {
  Worker &worker = *currentWorker();
  FaultRecord &record = beginRecord(worker, Fault::IllegalInstruction, block, warp, 0);
  snprintf(record.text, sizeof(record.text), "call of 0x%llx, which is no device function",
           static_cast<unsigned long long>(target));
  if (where)
    record.where = *where;
  escapeKernel(worker);
}

void *allocate(Block *block, uint64_t bytes) {
  Worker &worker = *currentWorker();
  const bool isLocal = bytes & LocalBytes;
  bytes &= ~LocalBytes;
  CpuDevice &device = deviceOf(block);
  void *p;
  {
    ServiceGuard guard;
    ServiceCaller caller(HEDDLE_CALLER);
    worker.lockedHeap = isLocal ? &device.locals() : &device.heap();
    p = worker.lockedHeap->allocate(bytes);
    worker.lockedHeap = nullptr;
  }
  if (p || !isLocal)
    return p;
  FaultRecord &record = beginRecord(worker, Fault::Trap, block, block->currentWarp, 0);
  record.caller = reinterpret_cast<uintptr_t>(HEDDLE_CALLER);
  snprintf(record.text, sizeof(record.text), "no memory for alloca of %llu bytes",
           static_cast<unsigned long long>(bytes));
  escapeKernel(worker);
}

void release(Block *block, void *p) {
  Worker &worker = *currentWorker();
  CpuDevice &device = deviceOf(block);
  bool good;
  {
    ServiceGuard guard;
    ServiceCaller caller(HEDDLE_CALLER);
    bool isLocal = device.locals().contains(reinterpret_cast<uintptr_t>(p));
    worker.lockedHeap = isLocal ? &device.locals() : &device.heap();
    good = worker.lockedHeap->release(p);
    worker.lockedHeap = nullptr;
  }
  if (good)
    return;
  FaultRecord &record = beginRecord(worker, Fault::Trap, block, block->currentWarp, 0);
  record.caller = reinterpret_cast<uintptr_t>(HEDDLE_CALLER);
  snprintf(record.text, sizeof(record.text),
           "free of %p, which malloc in a kernel did not give or was freed before", p);
  escapeKernel(worker);
}

/// What a kernel does may depend on the time: a poll that has a bound ends.
void noteClock() {
  if (Worker *worker = currentWorker())
    worker->turnsOn.store(worker->turnsOn.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
}

uint64_t clockCycles() {
  noteClock();
  return __builtin_readcyclecounter();
}

uint64_t globalTimer() {
  noteClock();
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

/// Zero: compiled code is in a loop that waits for another block (simt/polls.h). What it waits for
/// mostly comes soon from another processor, but if there are more threads than processors, one of
/// them must run first.
void waitABit() {
  constexpr uint32_t TurnsPerYield = 64;
  static thread_local uint32_t turns = 0;
  pauseCpu();
  if (++turns % TurnsPerYield == 0)
    sched_yield();
}

void sleepFor(uint32_t nanoseconds) {
  if (nanoseconds == 0)
    return waitABit();
  timespec t = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  ::nanosleep(&t, nullptr);
}

void breakpoint(Block *, uint32_t) {
  ServiceGuard guard;
  if (isDebuggerAttached())
    raise(SIGTRAP);
}

void misaligned(Block *block, uint32_t warp, uint32_t lanes, const void *address, uint32_t align,
                const SourceLoc *where) {
  Worker &worker = *currentWorker();
  FaultRecord &record = beginRecord(worker, Fault::MisalignedAddress, block, warp, lanes);
  snprintf(record.text, sizeof(record.text), "misaligned address: %p is no multiple of %u", address,
           align);
  if (where)
    record.where = *where;
  escapeKernel(worker);
}

void otherPhase(Block *block, uint32_t warp, uint32_t lanes, const SourceLoc *where) {
  Worker &worker = *currentWorker();
  FaultRecord &record = beginRecord(worker, Fault::Trap, block, warp, lanes);
  snprintf(record.text, sizeof(record.text),
           "threads of a warp arrive at a barrier in different phases (HEDDLE_WIDTH=1 lets each go "
           "by itself)");
  if (where)
    record.where = *where;
  escapeKernel(worker);
}

bool onStack(Block *, const void *p) {
  const Worker &worker = *currentWorker();
  auto address = reinterpret_cast<uintptr_t>(p), stack = reinterpret_cast<uintptr_t>(worker.stack);
  return address - stack < worker.stackBytes ||
         (worker.currentFrames && worker.currentFrames->contains(p)) ||
         (worker.currentFibers && worker.currentFibers->endOfStack(address));
}

void setGraphValue(Block *block, uint64_t handle, uint32_t value) {
  const Op &op = *static_cast<const Op *>(block->launch->runner);
  if (op.queue->graph)
    op.queue->graph->root->set(handle, value);
}

/// 16-byte compare and swap.
void cas128(void *address, const void *expected, const void *desired, void *result) {
  unsigned __int128 old, want, fresh;
  std::memcpy(&want, expected, 16);
  std::memcpy(&fresh, desired, 16);
#if defined(__x86_64__) // clang calls a library without -mcx16
  uint64_t low = static_cast<uint64_t>(want), high = static_cast<uint64_t>(want >> 64);
  asm volatile("lock cmpxchg16b %0"
               : "+m"(*static_cast<unsigned __int128 *>(address)), "+a"(low), "+d"(high)
               : "b"(static_cast<uint64_t>(fresh)), "c"(static_cast<uint64_t>(fresh >> 64))
               : "memory", "cc");
  old = static_cast<unsigned __int128>(high) << 64 | low;
#else
  old = __sync_val_compare_and_swap(static_cast<unsigned __int128 *>(address), want, fresh);
#endif
  std::memcpy(result, &old, 16);
}

/// What the kernel has written before, children see: non-temporal stores, too.
uint32_t deviceCall(Block *block, uint32_t function, void *call) {
  ServiceGuard guard;
  ServiceCaller caller(HEDDLE_CALLER);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Op &op = *static_cast<Op *>(block->launch->runner);
  return answerDeviceCall(
      {op.queue->device, op.launch.kernel, op.launch.abi.globals, &childrenOf(op), block}, function,
      call);
}

/// The offset of an address in the shared memory of the cluster's block that it lies in; ~0 if it
/// lies in none.
uint64_t sharedOffset(const Block &block, const void *address) {
  auto within = [&](const uint8_t *base) {
    return base ? static_cast<uint64_t>(static_cast<const uint8_t *>(address) - base)
                : ~uint64_t(0);
  };
  uint64_t offset = within(block.shared);
  for (const uint8_t *base : block.clusterShared)
    offset = std::min(offset, within(base));
  return offset < block.launch->sharedBytes ? offset : ~uint64_t(0);
}

/// For initcheck. What reductions write counts as written.
void noteTensorCopy(Block *block, const TensorCopy &copy, uint64_t offset) {
  const CheckServices &services = *block->launch->check->services;
  forEachTensorPiece(copy, offset, [&](const TensorPiece &piece) {
    if (copy.action == TensorAction::Load) {
      services.copyShadow(block, piece.shared, nullptr, piece.bytes);
      if (piece.global)
        services.copyShadow(block, piece.shared + piece.first, piece.global, piece.inside);
    } else if (piece.global) {
      bool isStore = copy.action == TensorAction::Store;
      services.copyShadow(block, piece.global, isStore ? piece.shared + piece.first : nullptr,
                          piece.inside);
    }
  });
}

/// Without a guard: memory that is not there is the kernel's fault, as in its own code.
uint32_t tensorCopy(Block *block, void *request, const SourceLoc *where) {
  const auto &copy = *static_cast<const TensorCopy *>(request);
  uint64_t offset = copy.isPrefetch ? 0 : sharedOffset(*block, copy.shared);
  const char *error = findTensorCopyError(copy);
  if (!error && offset == ~uint64_t(0))
    error = "a tensor copy to or from an address that is not in shared memory";
  bool isMisaligned = !error && offset % 128 != 0;
  if (isMisaligned)
    error = "a tensor copy to or from an address in shared memory that is no multiple of 128";
  if (error) {
    Worker &worker = *currentWorker();
    FaultRecord &record =
        beginRecord(worker, isMisaligned ? Fault::MisalignedAddress : Fault::IllegalInstruction,
                    block, block->currentWarp, 0);
    snprintf(record.text, sizeof(record.text), "%s", error);
    if (where)
      record.where = *where;
    escapeKernel(worker);
  }
  if (copy.isPrefetch)
    return copy.isPrefetch == DroppedCopy ? static_cast<uint32_t>(tensorBoxBytes(*copy.map)) : 0;
  copyTensor(copy, offset);
  if (block->launch->check && hasShadows())
    noteTensorCopy(block, copy, offset);
  return static_cast<uint32_t>(tensorBoxBytes(*copy.map));
}

/// Where the debugger stops, the threads gather. It shows who waits here at the beginning of the
/// statement, not at the call in front of it: as if a signal had come in between.
__attribute__((noinline)) void gather(Block *block) {
  asm volatile(".cfi_signal_frame");
  WarpState &state = block->warps[block->currentWarp];
  state.wait = WaitKind::Yield;
  Fibers::suspend(block);
  asm volatile("" ::: "memory"); // no jump in place of the call: this frame is looked for
}

/// In a frame of its own, which a debugger steps over.
void atStatement(Block *block) {
  ++block->warps[block->currentWarp].polls;
  if (hasBreakpoint(__builtin_return_address(0))) [[clang::musttail]]
    return gather(block);
}

} // namespace

const DebugServices cpuServices = {{print, assertFail, trap, divergentBarrier, allocate, release,
                                    clockCycles, globalTimer, sleepFor, breakpoint, badCall, cas128,
                                    Fibers::suspend, onStack, misaligned, setGraphValue, deviceCall,
                                    tensorCopy, otherPhase},
                                   atStatement};

} // namespace heddle::device::cpu

namespace heddle::device {

// Only the worker itself writes the number.
ServiceGuard::ServiceGuard() {
  if (cpu::Worker *worker = cpu::currentWorker())
    worker->inService.store(worker->inService.load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
}

ServiceGuard::~ServiceGuard() {
  cpu::Worker *worker = cpu::currentWorker();
  if (!worker)
    return;
  const int left = worker->inService.load(std::memory_order_relaxed) - 1;
  worker->inService.store(left, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst); // a kick from here on cuts off by itself
  if (left == 0 && worker->wasKicked.load(std::memory_order_relaxed)) [[unlikely]]
    cpu::leaveCancelled(*worker);
}

bool freeInHeap(Block *block, void *p) {
  using namespace cpu;
  ServiceGuard guard;
  Worker &worker = *currentWorker();
  ServiceCaller caller(HEDDLE_CALLER);
  worker.lockedHeap = &cpu::deviceOf(block).heap();
  bool good = worker.lockedHeap->release(p);
  worker.lockedHeap = nullptr;
  return good;
}

bool isDebuggerAttached() {
  FILE *status = fopen("/proc/self/status", "r");
  if (!status)
    return false;
  char line[256];
  int tracer = 0;
  while (fgets(line, sizeof(line), status))
    if (sscanf(line, "TracerPid: %d", &tracer) == 1)
      break;
  fclose(status);
  return tracer != 0;
}

} // namespace heddle::device
