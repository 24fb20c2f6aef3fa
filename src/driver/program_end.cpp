// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal may come anywhere, in the midst of `malloc` too, and a handler may call nothing that locks.
// So a thread of its own writes the report, and who ends the program waits for it. That thread may
// come to a lock which the waiting one holds. Then it stands still: it uses no processor time, which
// its clock tells, and the program ends without a report.
//
// Who sends a signal may send it twice: `timeout` does, to the program and to its group. What comes
// soon again is taken for the same one, and does not cut the report short.
#include "driver/program_end.h"

#include "device/cpu/faults/signal_actions.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

namespace heddle::driver {

namespace {

constexpr int Signals[] = {SIGHUP, SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,
                           SIGFPE, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU};

struct Reporter {
  std::array<std::atomic<void (*)()>, 2> reports = {}; ///< of profiles, of checks
  pid_t process = 0;
  pthread_t thread = {};
  clockid_t clock = 0;
  sem_t asked = {};
  std::atomic<bool> isAsked = false, isOver = false;
};
constinit Reporter reporter;
std::atomic<bool> isReady = false;
std::atomic<long> sentSecond = 0; ///< when the first signal came, of CLOCK_MONOTONIC, from 1 on

void *reportWhenAsked(void *) {
  while (sem_wait(&reporter.asked) != 0)
    ;
  for (auto &report : reporter.reports)
    if (auto *write = report.load())
      write();
  reporter.isOver = true;
  return nullptr;
}

long usedNanoseconds() {
  timespec used = {};
  clock_gettime(reporter.clock, &used);
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

/// From a signal's handler, too.
void awaitReport() {
  if (!isReady.load() || getpid() != reporter.process || pthread_self() == reporter.thread)
    return;
  if (!reporter.isAsked.exchange(true))
    sem_post(&reporter.asked);
  constexpr int Patience = 4'000; // looks, of a millisecond each
  constexpr timespec Look = {0, 1'000'000};
  long before = -1;
  for (int stood = 0; !reporter.isOver && stood < Patience; ++stood) {
    nanosleep(&Look, nullptr);
    const long now = usedNanoseconds();
    if (now != before)
      stood = 0;
    before = now;
  }
}

enum class Sent { First, Again, Late };

/// A signal was sent. Again: one was sent just before, whose handler ends the program. Late: somebody
/// does not want to wait for the report.
Sent noteSent() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  long first = 0;
  if (sentSecond.compare_exchange_strong(first, now.tv_sec + 1))
    return Sent::First;
  return now.tv_sec + 1 - first <= 1 ? Sent::Again : Sent::Late;
}

/// The system's own action follows when the instruction that faulted runs again, or the signal is
/// there again.
void endBySignal(int signal, siginfo_t *info, void *) {
  const int error = errno;
  const bool isSent = info->si_code <= 0 || info->si_code == SI_KERNEL;
  const Sent sent = isSent && signal != SIGABRT ? noteSent() : Sent::First;
  if (sent == Sent::Again)
    return;
  if (sent == Sent::First)
    awaitReport();
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  heddle_sigaction(signal, &action, nullptr);
  if (isSent)
    raise(signal);
  errno = error;
}

void takeSignals() {
  for (int signal : Signals) {
    struct sigaction action = {}, old;
    if (heddle_sigaction(signal, nullptr, &old) != 0 || old.sa_flags & SA_SIGINFO ||
        old.sa_handler != SIG_DFL)
      continue;
    action.sa_sigaction = endBySignal;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    heddle_sigaction(signal, &action, nullptr);
  }
}

bool startThread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool runs = pthread_create(&reporter.thread, nullptr, reportWhenAsked, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return runs && pthread_detach(reporter.thread) == 0 &&
         pthread_getcpuclockid(reporter.thread, &reporter.clock) == 0;
}

} // namespace

void reportAtAnyEnd(void (*report)()) {
  auto *place = std::find(reporter.reports.begin(), reporter.reports.end(), nullptr);
  if (place == reporter.reports.end() ||
      std::find(reporter.reports.begin(), place, report) != place)
    return;
  *place = report;
  if (place != reporter.reports.begin())
    return;
  reporter.process = getpid();
  if (sem_init(&reporter.asked, 0, 0) != 0 || !startThread())
    return;
  isReady = true;
  at_quick_exit(awaitReport);
  takeSignals();
}

} // namespace heddle::driver

/// names/exit_name.cpp
extern "C" __attribute__((visibility("default"))) void heddle_before_end() {
  heddle::driver::awaitReport();
}
