// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/block/block_runner.h"
#include "device/cpu/block/stack_switch.h"
#include "device/cpu/engine/checks.h"
#include "device/cpu/engine/engine.h"
#include "device/cpu/memory/pages.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <type_traits>

namespace heddle::device::cpu {

/// Bytes of shared memory of a block, the static ones first.
inline uint32_t sharedBytesOf(const KernelCode &code, uint32_t dynamic) {
  return (code.staticShared + 15) / 16 * 16 + dynamic;
}

/// What a block's shared memory must be aligned to: a cache line at least, for whole vectors.
inline uint32_t sharedAlignOf(const KernelCode &code) {
  return std::max(code.sharedAlign, uint32_t(128));
}

/// A block's shared memory. With `meetsGuard` its end is at a guard page, up to the padding, so that
/// an access beyond it faults. Otherwise as much as its alignment lies between: lanes that are
/// switched off often point there (`s[t + 1]`), and a processor takes hundreds of cycles to find
/// that what a masked access does not touch is in a page that is absent (jit/memory/lower_masked.h).
/// What belongs to its shadow lies before it.
inline uint8_t *reserveShared(Arena &arena, const Launch &launch, const KernelCode &code,
                              bool meetsGuard) {
  uint32_t align = sharedAlignOf(code);
  uint64_t before = sharedShadowOf(launch);
  uint8_t *start = arena.reserve(before + launch.sharedBytes + align, align);
  return start ? start + before + (meetsGuard ? align : 0) : nullptr;
}

class DeviceHeap;
struct BlockSlot;

/// What ended a kernel. Filled by a signal handler or a service, read after the jump back to the
/// worker.
struct FaultRecord {
  Fault fault;
  int signal; ///< 0: found by a service
  bool isWrite, hasAddress;
  uintptr_t address, pc;
  uint32_t lanes;  ///< the lanes that asked for it; 0: unknown
  bool printed;    ///< the service has said all
  char text[1024]; ///< what a service has to say
  SourceLoc where, other;
  uintptr_t caller; ///< where the kernel called the service that found it or faulted; 0: in none
  /// The link register, if there is one, and the words above the stack pointer: where to look for a
  /// return address into the kernel when the fault is in a function that it called.
  uintptr_t stack[256];
  uint32_t stackWords;
};

/// On both sides of a kernel's stack. No frame reaches over it: 512 KB of local memory a thread at
/// most (CUDA guide, "Compute Capabilities"), up to 256 threads in one program.
inline constexpr size_t StackGuardBytes = 256u << 20;

/// One thread that runs kernels, and its memory.
struct alignas(CacheLine) Worker : Sleeper {
  uint32_t index = 0;
  bool isExtra = false;   ///< beyond the processors, for blocks that wait for others (stuck.cpp)
  Op *assigned = nullptr; ///< what an extra worker is for
  pthread_t thread = {};
  int threadId = 0;

  // While a kernel runs.
  jmp_buf escape;                     ///< back to the worker
  std::atomic<Op *> running{nullptr}; ///< set while compiled code runs
  std::atomic<int> inService{0};      ///< must not be cut off (service_guard.h)
  std::atomic<bool> wasKicked{false}; ///< there
  uintptr_t serviceCaller = 0;        ///< while a service looks at what the kernel gave it
  DeviceHeap *lockedHeap = nullptr;   ///< a service is inside
  Block *current = nullptr;           ///< the block that runs
  const KernelInfo *form = nullptr;   ///< of the launch's kernel, that runs (kernel_forms.h)
  Launch launchOfForm;                ///< if it differs from what the launch says
  FaultRecord record;
  FaultRecord overrun; ///< of an access that went on (faults/overrun.cpp), if there is one
  Block overrunBlock;
  bool hasOverrun = false, hasOverrunBlock = false;

  Block block;
  Arena shared, frames;
  Arena sharedAbreast[MostAbreast - 1]; ///< of the blocks that take turns with the first
  bool sharedMeetsGuard = false;        ///< see reserveShared
  WarpState *warps = nullptr;
  uint8_t *scratch = nullptr;
  DeferredAdds *deferred = nullptr; ///< made when first needed, empty between launches
  Fibers fibers;
  Arena *currentFrames = nullptr; ///< those of the block that runs
  Fibers *currentFibers = nullptr;
  uint8_t *stack = nullptr; ///< the kernel's (kernel_stack.cpp)
  size_t stackBytes = 0;
  StackContext ownStack, kernelStack;
  void *ownFakeStack = nullptr, *kernelFakeStack = nullptr; ///< ASan's, of the two
  const void *ownStackBegin = nullptr;
  size_t ownStackBytes = 0;
  bool isOnKernelStack = false; ///< as ASan knows it
  uintptr_t signalStack = 0;
  BlockSlot *spareSlot = nullptr; ///< memory for a block that may poll (block_slot.h)
  Op *busyWith = nullptr;         ///< what it executes; under the engine's lock

  /// Where it waits beside a launch for the next one (team.cpp): another worker writes it.
  alignas(CacheLine) std::atomic<uintptr_t> nextLaunch{0};

  /// For the watcher (hang.cpp): whether it goes round blocks that may poll, and turns of these in
  /// which one got on, or polled in vain; what the watcher saw of them last.
  alignas(CacheLine) std::atomic<bool> polls{false};
  std::atomic<uint64_t> turnsOn{0}, turnsInVain{0};
  uint64_t seenTurnsOn = 0, seenTurnsInVain = 0;
};

/// The worker that this thread is, or null.
Worker *currentWorker();
void setCurrentWorker(Worker *);

/// While one lives in a service, the report of a fault names the place from which the kernel called
/// it: __builtin_return_address(0) of the service.
class ServiceCaller {
public:
  explicit ServiceCaller(const void *caller) {
    currentWorker()->serviceCaller = reinterpret_cast<uintptr_t>(caller);
  }
  ~ServiceCaller() { currentWorker()->serviceCaller = 0; }
  ServiceCaller(const ServiceCaller &) = delete;
  ServiceCaller &operator=(const ServiceCaller &) = delete;
};

/// Ends the running kernel from inside a service: record is filled. Jumps to the worker.
[[noreturn]] void escapeKernel(Worker &);

/// If the launch has been cancelled, the same without a record.
void leaveCancelled(Worker &);

/// Keeps back what kicks a worker, until the next unblockFaults.
void blockFaults();

/// The handlers block nothing, but who stands between the system and them may (ThreadSanitizer
/// blocks all signals).
void unblockFaults();

/// Calls `body(argument)` on the worker's stack for kernels. Whatever that has done to the stack and
/// to registers, the worker's own are as they were.
void runOnKernelStack(Worker &, void (*body)(void *), void *argument);
/// After an escape: tells ASan that the worker's own stack is used again.
void noteEscape(Worker &);

/// Says what `worker.overrun` holds.
void reportOverrun(Worker &, Op &);

/// Runs `body` as kernel code; false if it was cut off: `worker.record` says why, Fault::None if
/// the launch had been cancelled by another worker. Nothing with a destructor may live across
/// `body`.
template <typename F> bool runGuarded(Worker &worker, Op *op, F &&body) {
  if (_setjmp(worker.escape) == 0) {
    // In one order with what `body` looks at, launch.cancelled: either it sees that, or who cancels
    // the launch sees this worker in it (cancelLaunch).
    worker.running.store(op, std::memory_order_seq_cst);
    using Body = std::remove_reference_t<F>;
    runOnKernelStack(worker, [](void *it) { (*static_cast<Body *>(it))(); }, &body);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    worker.running.store(nullptr, std::memory_order_relaxed);
    if (worker.hasOverrun) [[unlikely]]
      reportOverrun(worker, *op);
    return true;
  }
  worker.running.store(nullptr, std::memory_order_relaxed);
  worker.inService.store(0, std::memory_order_relaxed);
  worker.wasKicked.store(false, std::memory_order_relaxed);
  worker.serviceCaller = 0;
  noteEscape(worker);
  unblockFaults();
  if (worker.hasOverrun)
    reportOverrun(worker, *op);
  return false;
}

/// Takes SIGSEGV, SIGBUS, SIGFPE and SIGILL; what does not come from a kernel goes on to who had
/// them.
void installFaultHandlers();
/// Takes them again where a program has gone past faults/signal_actions.cpp. Costs one system call.
void keepFaultSignals();
/// The worker's stack for handlers; called on its thread.
void installSignalStack(Worker &);
/// Makes a worker that runs a cancelled launch leave it.
void kick(Worker &);
/// Says what the record holds, once for a device, and loses the context.
void reportFault(Worker &, Op &);
/// The same for a block in which no warp can go on.
void reportDeadlock(Worker &, Op &, const BlockRun &);
/// The same for a cooperative grid of which some blocks ended while others wait.
void reportUnevenGrid(Op &, uint64_t atGrid, uint64_t ended);

/// Ends a launch after a fault: `worker.record` says what it was.
void failLaunch(Worker &, Op &);
/// The same where the kernel cannot be given what it needs. Returns false.
bool failForMemory(Worker &, Op &, const char *what, uint64_t bytes);

/// Runs blocks of a kernel whose blocks take turns (KernelCode::abreast). False if the launch has
/// failed.
bool runAbreast(Worker &, Op &, uint64_t first, uint64_t count);

/// Runs a launch until no blocks are left for this worker. Called without the engine's lock.
void runLaunch(Worker &, Op &);
/// Stops a launch: no new blocks, and the workers in it leave. Without the engine's lock.
void cancelLaunch(Op &);
/// The last worker has left the launch: true if the op is to be finished, false if there are blocks
/// left, or another round of a cooperative grid. Under the engine's lock.
bool launchIsOver(Op &);
/// Before a launch starts: makes what a cooperative grid needs, or cuts the grid into parts.
/// Returns how many workers are worth it. `hasTeam`: some come at once. Under the lock.
uint64_t prepareLaunch(Op &, bool hasTeam);
/// How many more workers are worth waking for what is left.
Helpers helpersFor(const Op &);
/// Whether a worker that finds no block left may leave the launch to the others: nothing else is to
/// be done.
bool isTeamwork(const Op &);
/// Whether a worker of this one's team waits for a launch (team.cpp).
bool hasTeam(const Worker &);

/// Workers are never taken away. The first `processorWorkers` are ordinary ones.
inline constexpr unsigned MaxWorkers = 8192;
extern Worker *allWorkers[MaxWorkers];
extern std::atomic<unsigned> allWorkerCount;
extern unsigned processorWorkers;

} // namespace heddle::device::cpu
