// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/aside.h"

#include "device/cpu/engine/engine.h"

#include <cfenv>
#include <csignal>

#include <pthread.h>

namespace heddle::runtime {

namespace {

struct Call {
  void (*body)(void *);
  void *argument;
  bool isForDevice;
};

thread_local bool isAside = false, isAsideForDevice = false;

void *run(void *argument) {
  const Call &call = *static_cast<const Call *>(argument);
  isAside = true;
  isAsideForDevice = call.isForDevice;
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

} // namespace

bool isForDevice() { return isAsideForDevice || device::cpu::onEngineThread(); }

bool runAside(void (*body)(void *), void *argument) {
  if (isAside) {
    body(argument);
    return true;
  }
  Call call = {body, argument, isForDevice()};
  sigset_t all, before;
  sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
    sigdelset(&all, signal);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  // Address space may be limited (ulimit -v).
  const bool started = start(thread, 64 << 20, call) || start(thread, 8 << 20, call);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started)
    pthread_join(thread, nullptr);
  return started;
}

} // namespace heddle::runtime
