// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/engine/worker.h"

namespace heddle::device::cpu {

/// The bodies of the engine's threads; a friend of Engine. What takes an Engine wants its lock
/// held.
struct EngineThreads {
  static void *worker(void *argument);
  static void *copier(void *);
  static void *hostThread(void *);
  /// Has a thread of its own run an OutsideWait. False if the system has no more.
  static bool startOutsideWait(Engine &, Op *);
  static void *outsideWait(void *op);
  /// A detached thread that takes no signals of the program's. False if the system has no more.
  static bool startOne(pthread_t &thread, void *(*body)(void *), void *argument);
  /// Makes a worker and its thread; null if the system has no more.
  static Worker *startWorker(void *(*body)(void *));
  /// At the start of a worker's thread.
  static void enterThread(Worker &);

  static Op *take(Engine &);
  /// Counts as a participant of a launch that has blocks left.
  static Op *join(Engine &);
  static void idle(Engine &, Worker &);
  static void removeActive(Engine &, Op *);
  static void addActive(Engine &, Op *);
  static void execute(Engine &, Worker &, Op *);
  static void executeLaunch(Engine &, Worker &, Op *);
  static void executeTask(Engine &, Op *);
  /// After a small launch: runs those that follow it in its queue, without the lock. Returns how
  /// many.
  static unsigned runFollowing(Worker &, Op &first);
  static void enterLaunch(Engine &, Worker &, Op *);
  /// The last participant has come out of the launch, and of those that followed.
  static void endLaunch(Engine &, Worker &, Op *, unsigned following);
  /// Releases the lock, dozes, sleeps, takes the lock again. Who wakes the sleeper has taken it off
  /// its list.
  static void sleep(Engine &, Sleeper &, uint64_t dozeNanoseconds);

  // team.cpp
  /// A launch begins: gives it to those of the worker's team who wait, until `wanted` are in it.
  static void callTeam(Worker &, Op *, uint64_t wanted);
  static void dismissTeam(Worker &);
  /// After a launch that others are still in: the next one, or null. Without the lock.
  static Op *waitForNext(Engine &, Worker &);

  // share.cpp
  static void share(Engine &, SharedWork &);
  /// True if there was something to help with.
  static bool helpShared(Engine &);
  static void removeShared(Engine &, SharedWork &);

  // stuck.cpp
  /// A worker goes into a launch, and has come out.
  static void enterSpins(Engine &, const Op *);
  static void leaveSpins(Engine &, const Op *);
  static void *watcher(void *);
  static void *extraWorker(void *argument);
  static void lookAtActive(Engine &, uint64_t now);
  static void lookAtReady(Engine &, uint64_t now);
  /// A worker of a launch polls in vain: one that is ready gets a worker, as it may be what it
  /// waits for. Without the lock.
  static void helpReady();
  static Op *firstAbandoned(Engine &);

  // hang.cpp
  /// HEDDLE_HANG_SECONDS, in ns; 0: never.
  static uint64_t hangTime();
  static void lookForHang(Engine &, uint64_t now);
  static bool allPollInVain(Engine &);
  static void endHangs(Engine &);
  /// Sends one more worker; false if there can be none.
  static bool addExtra(Engine &, Op *);
};

} // namespace heddle::device::cpu
