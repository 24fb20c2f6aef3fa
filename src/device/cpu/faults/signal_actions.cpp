// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system has one action for a signal. We keep ours there, and the program's in a table: what
// the program sets and asks for by `sigaction` and its relatives is the table's. That these calls
// come here is the dynamic linker's doing (signal_names.cpp), and it does not always work: a program
// may ask the system itself, as Go's runtime does, or have loaded the runtime late. So a worker
// that is woken looks whether the system's action is still ours, and if not takes it for the
// program's.
//
// Actions are set in signal handlers, too, so the table's lock is taken with all signals held back.
// A forked process, and one that shares our memory for a moment (vfork), has actions of its own: it
// goes past the table.
//
// The program's handler is called on the stack that the signal came on. That is the thread's
// alternate one, if it has one, also where the program did not ask for it (SA_ONSTACK), since a
// kernel's own stack may be what has overflowed.
#include "device/cpu/faults/signal_actions.h"

#include <atomic>
#include <cerrno>

#include <pthread.h>
#include <unistd.h>

// Of glibc: its sigaction, under a name that nobody stands in front of.
extern "C" int __sigaction(int, const struct sigaction *, struct sigaction *);

namespace heddle::device::cpu {

namespace {

constexpr int Signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

struct Table {
  std::atomic<SignalHandler> handler{nullptr}; ///< ours; null: not taken yet
  std::atomic<pid_t> process{0};
  std::atomic_flag locked = ATOMIC_FLAG_INIT;
  struct sigaction program[NSIG] = {};
};
constinit Table table;

class TableLock {
public:
  TableLock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    while (table.locked.test_and_set(std::memory_order_acquire))
      ;
  }
  ~TableLock() {
    table.locked.clear(std::memory_order_release);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  TableLock(const TableLock &) = delete;
  TableLock &operator=(const TableLock &) = delete;

private:
  sigset_t before_;
};

bool isTaken(int signal) {
  for (int one : Signals)
    if (one == signal)
      return table.handler.load(std::memory_order_acquire) != nullptr;
  return false;
}

bool isOwnProcess() { return table.process.load(std::memory_order_relaxed) == getpid(); }

bool isOurs(const struct sigaction &action) {
  return action.sa_flags & SA_SIGINFO && action.sa_sigaction == table.handler.load();
}

bool isHandler(const struct sigaction &action) {
  return action.sa_flags & SA_SIGINFO ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

/// Puts ours there. System calls go on after it as the program wants it.
void install(int signal, struct sigaction *old) {
  const struct sigaction &program = table.program[signal];
  struct sigaction action = {};
  action.sa_sigaction = table.handler.load();
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  if (!isHandler(program) || program.sa_flags & SA_RESTART)
    action.sa_flags |= SA_RESTART;
  sigemptyset(&action.sa_mask);
  __sigaction(signal, &action, old);
}

/// With the lock held.
void take(int signal) {
  struct sigaction old;
  install(signal, &old);
  if (isOurs(old))
    return;
  table.program[signal] = old;
  install(signal, nullptr);
}

struct sigaction actionFor(int signal) {
  if (!isOwnProcess())
    return table.program[signal];
  TableLock lock;
  struct sigaction action = table.program[signal];
  if (isHandler(action) && action.sa_flags & SA_RESETHAND) {
    table.program[signal].sa_handler = SIG_DFL;
    table.program[signal].sa_flags &= ~SA_SIGINFO;
  }
  return action;
}

/// The default action, when the instruction runs again.
void actByDefault(int signal, const siginfo_t *info) {
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  __sigaction(signal, &plain, nullptr);
  if (info->si_code <= 0)
    raise(signal);
}

} // namespace

void takeFaultSignals(SignalHandler handler) {
  TableLock lock;
  table.process = getpid();
  table.handler = handler;
  for (int signal : Signals)
    take(signal);
}

void keepFaultSignals() {
  struct sigaction now;
  if (!isTaken(SIGSEGV) || __sigaction(SIGSEGV, nullptr, &now) != 0 || isOurs(now) ||
      !isOwnProcess())
    return;
  TableLock lock;
  for (int signal : Signals)
    take(signal);
}

bool programHandles(int signal) {
  TableLock lock;
  return isHandler(table.program[signal]);
}

void passOn(int signal, siginfo_t *info, void *context) {
  const struct sigaction action = actionFor(signal);
  if (!isHandler(action)) {
    const bool isSent = info->si_code <= 0; // a fault cannot be ignored
    if (action.sa_handler != SIG_IGN || !isSent)
      actByDefault(signal, info);
    return;
  }
  sigset_t mask = action.sa_mask;
  if (!(action.sa_flags & SA_NODEFER))
    sigaddset(&mask, signal);
  pthread_sigmask(SIG_BLOCK, &mask, nullptr); // until ours returns, as the context has it
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
}

} // namespace heddle::device::cpu

using namespace heddle::device::cpu;

int heddle_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  if (!isTaken(signal))
    return __sigaction(signal, action, old);
  if (!isOwnProcess()) {
    const struct sigaction before = table.program[signal];
    const int result = __sigaction(signal, action, old);
    if (result == 0 && old && isOurs(*old))
      *old = before;
    return result;
  }
  TableLock lock;
  const struct sigaction before = table.program[signal];
  if (action) {
    table.program[signal] = *action;
    install(signal, nullptr);
  }
  if (old)
    *old = before;
  return 0;
}
