// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's functions that set a signal's action, in front of glibc's: the dynamic linker takes the
// first one of a name, and a program's libraries stand in front of the C library. They are in the
// runtime and in libcudart_static.a, since a program that links the archive loads the runtime later
// than the C library. All do what glibc's do (manual, "Basic Signal Handling", "BSD Signal Handling")
// by one function, and are weak: a program, or a sanitizer, may have its own.
#include "device/cpu/faults/signal_actions.h"

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <pthread.h>

#define HEDDLE_INTERPOSE extern "C" __attribute__((visibility("default"), weak))

namespace {

using Handler = void (*)(int);

/// For siginterrupt: signals behind which system calls end.
std::atomic<uint64_t> interrupting{0};

uint64_t bitOf(int signal) { return uint64_t(1) << (signal - 1); }

bool isSignal(int signal) { return signal >= 1 && signal < NSIG; }

Handler set(int signal, Handler handler, int flags, bool masksItself) {
  if (handler == SIG_ERR || !isSignal(signal)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {}, old;
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (masksItself)
    sigaddset(&action.sa_mask, signal);
  return heddle_sigaction(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

Handler setBsd(int signal, Handler handler) {
  bool interrupts = isSignal(signal) && (interrupting.load() & bitOf(signal));
  return set(signal, handler, interrupts ? 0 : SA_RESTART, true);
}

Handler setSystemV(int signal, Handler handler) {
  return set(signal, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER, false);
}

} // namespace

HEDDLE_INTERPOSE int sigaction(int signal, const struct sigaction *action,
                               struct sigaction *old) noexcept {
  return heddle_sigaction(signal, action, old);
}

HEDDLE_INTERPOSE Handler signal(int signal, Handler handler) noexcept {
  return setBsd(signal, handler);
}
HEDDLE_INTERPOSE Handler bsd_signal(int signal, Handler handler) noexcept {
  return setBsd(signal, handler);
}
HEDDLE_INTERPOSE Handler ssignal(int signal, Handler handler) noexcept {
  return setBsd(signal, handler);
}
HEDDLE_INTERPOSE Handler sysv_signal(int signal, Handler handler) noexcept {
  return setSystemV(signal, handler);
}
HEDDLE_INTERPOSE Handler __sysv_signal(int signal, Handler handler) noexcept {
  return setSystemV(signal, handler);
}

HEDDLE_INTERPOSE Handler sigset(int signal, Handler handler) noexcept {
  sigset_t one, before;
  sigemptyset(&one);
  if (handler == SIG_ERR || sigaddset(&one, signal) != 0) {
    errno = EINVAL;
    return SIG_ERR;
  }
  const bool holds = handler == SIG_HOLD;
  struct sigaction old;
  Handler previous = SIG_ERR;
  if (!holds)
    previous = set(signal, handler, 0, false);
  else if (heddle_sigaction(signal, nullptr, &old) == 0)
    previous = old.sa_handler;
  if (previous == SIG_ERR || pthread_sigmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &one, &before) != 0)
    return SIG_ERR;
  return sigismember(&before, signal) == 1 ? SIG_HOLD : previous;
}

HEDDLE_INTERPOSE int sigignore(int signal) noexcept {
  return set(signal, SIG_IGN, 0, false) == SIG_ERR ? -1 : 0;
}

HEDDLE_INTERPOSE int siginterrupt(int signal, int interrupts) noexcept {
  struct sigaction action;
  if (!isSignal(signal) || heddle_sigaction(signal, nullptr, &action) != 0) {
    errno = EINVAL;
    return -1;
  }
  if (interrupts) {
    interrupting.fetch_or(bitOf(signal));
    action.sa_flags &= ~SA_RESTART;
  } else {
    interrupting.fetch_and(~bitOf(signal));
    action.sa_flags |= SA_RESTART;
  }
  return heddle_sigaction(signal, &action, nullptr);
}
