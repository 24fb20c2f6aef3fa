// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/aside.h"

#include "driver/state.h"

#include "device/cpu/engine/engine.h"

#include <cfenv>
#include <csignal>
#include <ctime>

#include <pthread.h>

namespace heddle::driver {

namespace {

struct Call {
  void (*body)(void *);
  void *argument;
  bool isForDevice, endsProgram;
};

thread_local bool isAside = false, isAsideForDevice = false, isAtEnd = false;

void *run(void *argument) {
  const Call &call = *static_cast<const Call *>(argument);
  isAside = true;
  isAsideForDevice = call.isForDevice;
  isAtEnd = call.endsProgram;
  fesetenv(FE_DFL_ENV);
  call.body(call.argument);
  return nullptr;
}

bool start(pthread_t &thread, size_t stackBytes, Call &call) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  const bool started = pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

/// What a compiler needs.
constexpr size_t RoomBytes = 4 << 20;

/// The calling thread has that much of its stack left. (Not known without /proc, and on another stack.)
bool hasRoom() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return false;
  void *base = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto first = reinterpret_cast<uintptr_t>(base);
  return here >= first + RoomBytes && here < first + size;
}

/// What is aside of the program on the calling thread.
void callHere(void (*body)(void *), void *argument) {
  fenv_t rounding;
  fegetenv(&rounding);
  fesetenv(FE_DFL_ENV);
  isAside = true;
  body(argument);
  isAside = false;
  fesetenv(&rounding);
  // Of the compiler's own writes: it would be delivered when the mask is the program's again.
  sigset_t tooLarge;
  sigemptyset(&tooLarge);
  sigaddset(&tooLarge, SIGXFSZ);
  const timespec now = {0, 0};
  while (sigtimedwait(&tooLarge, nullptr, &now) == SIGXFSZ) {
  }
}

/// A signal that ends the program, which has no handler for it: it may do so in the middle of a
/// compilation, which can take minutes.
bool justEnds(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
         action.sa_handler == SIG_DFL;
}

/// Blocks all signals but those of faults and those that just end the program; returns what was
/// blocked before.
sigset_t blockHandlers() {
  sigset_t all, before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
    sigdelset(&all, signal);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM})
    if (!sigismember(&before, signal) && justEnds(signal))
      sigdelset(&all, signal);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  return before;
}

} // namespace

bool isForDevice() { return isAsideForDevice || device::cpu::onEngineThread(); }
bool endsProgram() { return isAtEnd; }
void setEndsProgram() { isAtEnd = true; }

bool runAside(void (*body)(void *), void *argument) {
  if (isAside) {
    body(argument);
    return true;
  }
  Call call = {body, argument, isForDevice(), endsProgram()};
  const sigset_t before = blockHandlers();
  // A library's constructor has the dynamic linker's lock, which the compiler may need, too.
  if (!isThreadOver() && hasRoom()) {
    callHere(body, argument);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return true;
  }
  pthread_t thread;
  // Address space may be limited (ulimit -v).
  const bool started = start(thread, 64 << 20, call) || start(thread, 8 << 20, call);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started)
    pthread_join(thread, nullptr);
  return started;
}

} // namespace heddle::driver
