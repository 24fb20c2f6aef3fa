// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that faults never takes the process down. The handler runs on the worker's alternate
// stack, notes what happened and jumps back to the worker (runGuarded), which reports it and
// cancels the launch. The handlers do not block their signals (SA_NODEFER), so the jump needs no
// system call to restore a mask. (It is _setjmp that saves none. longjmp, and not _longjmp, which
// ThreadSanitizer does not know.)
//
// Compiled kernel code holds no locks and owns nothing, so cutting it off is safe. A service may
// hold a lock; then the record is taken all the same (a bad pointer given to printf), and
// runGuarded's caller releases what was held.
//
// A cancelled launch's other workers are kicked with the same signal, sent by us: the handler sees
// SI_TKILL and a cancelled launch. A worker in a service leaves at the service's end: it may be in
// malloc, whose lock would stay (service_guard.h).
#include "device/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/worker.h"
#include "device/cpu/faults/overrun.h"
#include "device/cpu/faults/report.h"
#include "device/cpu/faults/signal_actions.h"
#include "device/cpu/memory/allocator.h"
#include "device/cpu/memory/touch.h"
#include "device/cpu/memory/watched.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <ucontext.h>

#if defined(__aarch64__)
#include <asm/sigcontext.h>
#endif

namespace heddle::device::cpu {

namespace {

constexpr size_t SignalStackBytes = 256u << 10; // AVX-512 state alone takes 4 KB

/// Of the instruction that faulted.
struct Registers {
  uintptr_t pc = 0, sp = 0;
  uintptr_t link = 0; ///< where a function without a frame returns to, if that is a register
  bool isWrite = false;
};

#if defined(__x86_64__)
Registers readRegisters(const ucontext_t *context) {
  const auto &registers = context->uc_mcontext.gregs;
  return {static_cast<uintptr_t>(registers[REG_RIP]), static_cast<uintptr_t>(registers[REG_RSP]), 0,
          (registers[REG_ERR] & 2) != 0};
}
#elif defined(__aarch64__)
/// The syndrome of the exception stands in one of the records behind the registers, the last of
/// which has no type. Linux gives it with faults of memory (asm/sigcontext.h); emulators may not.
bool isWriteFault(const ucontext_t *context) {
  constexpr uint64_t DataAbort = 0x24, WriteNotRead = 1 << 6; // Arm ARM, ESR_EL1
  const auto &records = context->uc_mcontext.__reserved;
  for (size_t at = 0; at + sizeof(esr_context) <= sizeof(records);) {
    _aarch64_ctx head;
    std::memcpy(&head, records + at, sizeof(head));
    if (head.magic == ESR_MAGIC) {
      esr_context record;
      std::memcpy(&record, records + at, sizeof(record));
      return (record.esr >> 26 & 0x3f) == DataAbort && (record.esr & WriteNotRead);
    }
    if (head.magic == 0 || head.size == 0)
      break;
    at += head.size;
  }
  return false;
}

Registers readRegisters(const ucontext_t *context) {
  const mcontext_t &registers = context->uc_mcontext;
  return {registers.pc, registers.sp, registers.regs[30], isWriteFault(context)};
}
#else
Registers readRegisters(const ucontext_t *) { return {}; }
#endif

Fault faultOf(int signal) {
  switch (signal) {
  case SIGILL:
    return Fault::IllegalInstruction;
  case SIGFPE:
    return Fault::HostLost; // nothing in a correct translation divides by zero
  default:
    return Fault::IllegalAddress;
  }
}

/// Of the kernel's object, or near it: what may be a return address.
bool isNear(uintptr_t word, uintptr_t entry) {
  constexpr uintptr_t Distance = uintptr_t(64) << 20;
  return word - entry + Distance < 2 * Distance;
}

/// Goes over the frames of any function, and what AddressSanitizer keeps between variables there. Frames
/// of recursion are large; where they go over the end of the stack, the rest of it is looked at.
__attribute__((no_sanitize("address"))) void copyStack(Worker &worker, const Registers &registers) {
  FaultRecord &record = worker.record;
  uintptr_t sp = registers.sp;
  auto bottom = reinterpret_cast<uintptr_t>(worker.stack);
  if (sp < bottom && sp >= bottom - StackGuardBytes)
    sp = (bottom + sizeof(uintptr_t) - 1) & ~(sizeof(uintptr_t) - 1);
  uintptr_t end = sp >= bottom && sp < bottom + worker.stackBytes ? bottom + worker.stackBytes : 0;
  if (!end && worker.currentFibers)
    end = reinterpret_cast<uintptr_t>(worker.currentFibers->endOfStack(sp));
  record.stack[0] = registers.link;
  record.stackWords = 1;
  if (!end)
    return;
  constexpr size_t MostWords = size_t(1) << 16;
  const KernelCode *code = worker.form ? worker.form->code : nullptr;
  auto entry = code ? reinterpret_cast<uintptr_t>(entryOf(*code)) : 0;
  size_t words = std::min((end - sp) / sizeof(uintptr_t), MostWords);
  for (size_t i = 0; i < words && record.stackWords < std::size(record.stack); ++i) {
    uintptr_t word = reinterpret_cast<const volatile uintptr_t *>(sp)[i]; // memcpy looks, too
    if (!entry || isNear(word, entry))
      record.stack[record.stackWords++] = word;
  }
}

/// Of memory that is hidden from host code. Who touches it goes on.
bool showHidden(const Worker *worker, const siginfo_t *info, const void *context) {
  if (!checker())
    return false;
  Allocator::Shown shown = Allocator::get().show(info->si_addr);
  if (shown == Allocator::Shown::Now && !worker) {
    Registers registers = readRegisters(static_cast<const ucontext_t *>(context));
    checker()->touchedHidden(info->si_addr, reinterpret_cast<const void *>(registers.pc),
                             registers.isWrite);
  }
  return shown != Allocator::Shown::No;
}

void noteFault(FaultRecord &record, int signal, const siginfo_t *info, const Registers &registers) {
  std::memset(static_cast<void *>(&record), 0, sizeof(record));
  record.fault = faultOf(signal);
  record.signal = signal;
  record.pc = registers.pc;
  record.isWrite = registers.isWrite;
  record.hasAddress =
      (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0 && info->si_code != SI_KERNEL;
  record.address = reinterpret_cast<uintptr_t>(info->si_addr);
}

void onSignal(int signal, siginfo_t *info, void *context) {
  Worker *worker = currentWorker();
  bool sent = info->si_code == SI_TKILL && info->si_pid == getpid();
  Op *op = worker ? worker->running.load(std::memory_order_relaxed) : nullptr;
  if (sent && worker) {
    if (worker->inService.load(std::memory_order_relaxed) == 0)
      leaveCancelled(*worker);
    else
      worker->wasKicked.store(true, std::memory_order_relaxed);
    return;
  }
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && // of memory that is being shared
      Allocator::waitWhileMoving(info->si_addr))
    return;
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && checker()) {
    Registers registers = readRegisters(static_cast<ucontext_t *>(context));
    if (isOfWatched(info, context, registers.isWrite, reinterpret_cast<const void *>(registers.pc)))
      return;
  }
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && showHidden(worker, info, context))
    return;
  if (signal == SIGSEGV && info->si_code > 0 && !op && checker() &&
      Allocator::get().owns(info->si_addr) &&
      checker()->touchedNothing(info->si_addr,
                                readRegisters(static_cast<ucontext_t *>(context)).isWrite) &&
      Allocator::get().tolerate(info->si_addr))
    return;
  Touch *touch = currentTouch();
  if (touch && info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS)) {
    setCurrentTouch(nullptr);
    if (!programHandles(signal)) { // its handler may bring the memory, or leave by a jump
      touch->address = reinterpret_cast<uintptr_t>(info->si_addr);
      longjmp(touch->escape, 1);
    }
  }
  Registers registers = readRegisters(static_cast<ucontext_t *>(context));
  // Sent on by another handler (LLVM has its own while it compiles, which give way at their first
  // signal): the context is the handler's. The instruction faults again, and then it comes here
  // directly.
  if (op && registers.sp - worker->signalStack < SignalStackBytes)
    return;
  FaultRecord ofHostCode;
  FaultRecord &record = op ? worker->record : ofHostCode;
  noteFault(record, signal, info, registers);
  if (op) {
    record.caller = worker->serviceCaller;
    copyStack(*worker, registers);
  }
  if (passOverrun(op ? worker : nullptr, record))
    return;
  if (!op)
    return passOn(signal, info, context);
  longjmp(worker->escape, 1);
}

} // namespace

static thread_local Worker *thisWorker = nullptr;
Worker *currentWorker() { return thisWorker; }
void setCurrentWorker(Worker *worker) { thisWorker = worker; }

static void setMask(int how) {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigaddset(&set, signal);
  pthread_sigmask(how, &set, nullptr);
}

void blockFaults() { setMask(SIG_BLOCK); }
void unblockFaults() { setMask(SIG_UNBLOCK); }

void escapeKernel(Worker &worker) { longjmp(worker.escape, 1); }

void leaveCancelled(Worker &worker) {
  Op *op = worker.running.load(std::memory_order_relaxed);
  worker.wasKicked.store(false, std::memory_order_relaxed);
  if (!op || !op->launch.cancelled)
    return;
  worker.record.fault = Fault::None;
  escapeKernel(worker);
}

void installFaultHandlers() { takeFaultSignals(onSignal); }

void installSignalStack(Worker &worker) {
  stack_t stack = {};
  stack.ss_sp = mapGuarded(SignalStackBytes);
  stack.ss_size = SignalStackBytes;
  worker.signalStack = reinterpret_cast<uintptr_t>(stack.ss_sp);
  if (stack.ss_sp)
    sigaltstack(&stack, nullptr);
}

void kick(Worker &worker) { syscall(SYS_tgkill, getpid(), worker.threadId, SIGSEGV); }

} // namespace heddle::device::cpu
