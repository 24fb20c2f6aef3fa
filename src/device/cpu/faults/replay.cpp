// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread was it? A warp program that faults says which warp, not which lane: an address in a
// vector register belongs to one of 32 threads, and after LLVM has cut, merged and moved the
// vectors, nothing in the machine code tells which. So the block runs once more, as a program of
// single threads (width 1), and the thread that faults there is the one to name, with its own
// address and line.
//
// The second run takes place in a child process. It starts from the memory as the fault left it,
// copied on write, so neither device memory nor managed or mapped memory that the host still reads
// is written a second time, and nothing is printed. A run that does not end (it waits for a block
// that no longer runs) is killed after PatienceMs. The child is made by the bare system call, with
// no exit signal: no SIGCHLD, nothing for the program's wait(), no atfork handlers. Only this
// thread lives on in it, so it keeps away from locks.
//
// Where several blocks ran as one program (KernelCode::together, neighbours), they run again in
// order, up to the first in which a thread faults.
//
// The warp's threads run one after another, each from its start, if the kernel's threads do not
// wait for each other; then all that fault are found. Otherwise the whole block runs, up to the
// first fault. The memory is not what it was when the block began, so the run may take another way;
// what faults outside the warp that faulted first is not believed. Then the report names the warp
// only, and says so.
//
// Rejected: to decode the faulting instruction and its registers (the lanes' order in them is known
// only to LLVM's type legaliser), and to keep lane numbers beside each access (costs where nothing
// is wrong).
#include "device/cpu/faults/replay.h"

#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/faults/overrun.h"
#include "device/cpu/launch/float_mode.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace heddle::device::cpu {

/// In memory that parent and child share.
struct Replay::Findings {
  uint32_t count;
  uint32_t block;       ///< after the first of those that ran together
  ThreadFault faults[]; ///< room for the warp's threads
};

namespace {

constexpr int PatienceMs = 3000;

int32_t formatOnly(Block *, const char *format, const void *args) {
  ServiceCaller caller(__builtin_return_address(0));
  std::string text;
  return formatDevicePrintf(text, format, args);
}

void noteAssert(Block *, uint32_t, uint32_t lanes, const char *, const char *, uint32_t,
                const char *) {
  Worker &worker = *currentWorker();
  worker.record = {};
  worker.record.fault = Fault::Assert;
  worker.record.lanes = lanes;
  escapeKernel(worker);
}

void ignoreBreakpoint(Block *, uint32_t) {}

/// The child has no other threads to launch anything on.
uint32_t refuseDeviceCall(Block *, uint32_t, void *) {
  constexpr uint32_t Unknown = 999; // cudaErrorUnknown
  return Unknown;
}

/// A copy of this process with this thread only.
int cloneProcess() {
  return static_cast<int>(syscall(SYS_clone, CLONE_FILES, nullptr, nullptr, nullptr, nullptr));
}

void waitFor(int child) {
  for (int i = 0; i < PatienceMs * 4; ++i) {
    int got = waitpid(child, nullptr, __WALL | WNOHANG);
    if (got == child || (got < 0 && errno != EINTR))
      return;
    usleep(250);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, __WALL);
}

} // namespace

std::pair<uint32_t, uint32_t> threadsOfProgram(const Block &block, const KernelCode &code) {
  const uint32_t *dim = block.launch->blockDim;
  uint32_t threads = dim[0] * dim[1] * dim[2];
  if (code.flags & KernelInterchanged || code.neighbours > 1)
    return {0, threads};
  uint32_t first = block.currentWarp * code.width;
  return {first, std::min(first + code.width, threads)};
}

Replay::Replay(Worker &worker, Op &op) {
  const KernelInfo &faulted = *worker.form;
  if (!worker.current || worker.record.lanes || faulted.code->width == 1 || !faulted.makeThreadwise)
    return;
  kernel_ = faulted.makeThreadwise(faulted);
  if (!kernel_)
    return;
  std::tie(first_, last_) = threadsOfProgram(*worker.current, *faulted.code);
  if (first_ >= last_)
    return;
  bytes_ = sizeof(Findings) + (last_ - first_) * sizeof(ThreadFault);
  void *memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  findings_ = static_cast<Findings *>(memory);
  int child = cloneProcess();
  if (child == 0) {
    runChild(worker, op);
    syscall(SYS_exit_group, 0);
  }
  if (child > 0)
    waitFor(child);
}

Replay::~Replay() {
  if (findings_)
    munmap(findings_, bytes_);
}

uint32_t Replay::count() const { return findings_ ? findings_->count : 0; }
uint32_t Replay::block() const { return findings_->block; }
const ThreadFault &Replay::operator[](uint32_t i) const { return findings_->faults[i]; }

void Replay::note(const FaultRecord &record, uint32_t thread) {
  if (record.fault == Fault::None || thread < first_ || thread >= last_ ||
      count() == last_ - first_)
    return;
  ThreadFault &fault = findings_->faults[findings_->count];
  fault.thread = thread;
  fault.record = record;
  ++findings_->count; // last: what a killed child has noted is whole
}

void Replay::runChild(Worker &worker, Op &op) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);
  silenceOverruns();
  const KernelCode &code = *kernel_->code;
  Services services = *op.launch.abi.services;
  services.print = formatOnly;
  services.assertFail = noteAssert;
  services.breakpoint = ignoreBreakpoint;
  services.deviceCall = refuseDeviceCall;
  Launch launch = op.launch.abi;
  launch.services = &services;
  Block block = *worker.current;
  block.launch = &launch;
  block.warps = worker.warps;
  block.warpScratch = worker.scratch;
  block.frameTop = worker.frames.reserve(code.frameBytes * code.warpsPerBlock, 64);
  block.frameEnd = worker.frames.end();
  worker.currentFrames = &worker.frames;
  if (!block.frameTop)
    return;
  FloatMode mode(code.flags & KernelFlushDenormals);
  BlocksAsOne blocks = blocksAsOne(*worker.form->code, block);
  worker.form = &*kernel_; // whose code is on the stack (fault.cpp)
  uint8_t *frames = block.frameTop;
  uint32_t &ran = findings_->block;
  for (; ran < blocks.count && findings_->count == 0; ++ran, ++block.blockIdx[blocks.dimension]) {
    block.frameTop = frames;
    if (code.flags & KernelSeparable)
      runThreads(worker, op, block);
    else
      runBlock(worker, op, block);
  }
  --ran; // the last one that did
}

BlocksAsOne blocksAsOne(const KernelCode &code, const Block &block) {
  const uint32_t *grid = block.launch->gridDim;
  if (code.neighbours > 1)
    return {0, std::min(code.neighbours, grid[0] - block.blockIdx[0])};
  uint32_t y = block.blockIdx[1], rows = std::max(1u, code.together);
  return {1, y % rows == 0 && y + rows <= grid[1] ? rows : 1};
}

void Replay::runThreads(Worker &worker, Op &op, Block &block) {
  uint8_t *frames = block.frameTop;
  for (uint32_t thread = first_; thread < last_; ++thread) {
    block.frameTop = frames;
    block.currentWarp = thread;
    block.warps[thread] = {};
    if (!runGuarded(worker, &op, [&] { kernel_->code->start(&block, thread); }))
      note(worker.record, thread);
  }
}

void Replay::runBlock(Worker &worker, Op &op, Block &block) {
  std::atomic<bool> cancelled{false};
  BlockRun run;
  if ((kernel_->code->flags & KernelFibers) && !worker.fibers.reserve(kernel_->code->warpsPerBlock))
    return;
  worker.currentFibers = &worker.fibers;
  run.init(*kernel_->code, block, worker.fibers, cancelled);
  // At a grid barrier the other blocks are taken to have come there: what they wrote is in memory.
  if (!runGuarded(worker, &op, [&] {
        for (BlockEnd end = run.start(); end == BlockEnd::AtGrid;)
          end = run.continueFromGrid();
      }))
    note(worker.record, block.currentWarp);
}

} // namespace heddle::device::cpu
