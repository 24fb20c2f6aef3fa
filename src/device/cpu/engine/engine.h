// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine: one per process, shared by all CPU devices. It decides what may run (engine.cpp) and
// owns the threads that run it (workers.cpp):
// - workers, as many as processors that the process may use: kernels, and copies when they are
//   free;
// - one copier, for copies when all workers are inside kernels;
// - one thread for host functions, which may block for as long as they like.
// No stream has a thread. One lock guards everything; it is held for well under a microsecond.
#pragma once

#include "device/cpu/engine/protocols.h"
#include "device/cpu/engine/queue.h"

#include <pthread.h>

namespace heddle::device::cpu {

struct Worker;

inline constexpr uint32_t PriorityLevels = 6;

struct OpList {
  Op *head = nullptr, *tail = nullptr;
  void push(Op *op);
  Op *pop();
};

/// Ready operations by priority.
struct ReadyLists {
  OpList levels[PriorityLevels];
  uint32_t count = 0;
  void push(Op *op);
  Op *pop();
  Op *first() const; ///< the one that pop would give
};

/// A thread of ours that sleeps when there is nothing to do.
struct Sleeper {
  std::atomic<uint32_t> state{Awake}; ///< SleepState
  Sleeper *nextIdle = nullptr;
  Sleeper *nextToWake = nullptr;
};

/// Idle workers to wake.
struct Helpers {
  uint32_t count = 0; ///< at most
  bool onlyDozing = false;
};

/// Pieces of one piece of host work that idle workers help with (share.cpp).
struct SharedWork {
  void (*body)(void *, uint64_t);
  void *context;
  uint64_t pieces;
  std::atomic<uint64_t> next{0};
  // Under the engine's lock.
  SharedWork *nextShared = nullptr;
  uint32_t helpers = 0; ///< workers in it
  bool ownerWaits = false;
  Sleeper owner;
};

class Engine {
public:
  static Engine &get();

  // All of these want the lock held.

  /// Takes an operation from the pool. Releases the lock and waits while the engine is full (see
  /// MaxOps).
  Op *newOp(OpKind, Queue *);
  Marker *newMarker();
  void dropMarker(Marker *);
  /// For the children of grids.
  Queue *newChildQueue();
  void dropChildQueue(Queue *);
  GridParts *newParts();
  void dropParts(GridParts *);

  /// Appends to the op's queue and lets run what may.
  void append(Op *);
  /// Ends the head operation of its queue, and the next ones with it, `count` in all: releases what
  /// waits for them.
  void finish(Op *, unsigned count = 1);
  /// What waits for the marker may go on; advanceQueues does it.
  void complete(Marker *);
  OpList endedGrids; ///< grids that their last child has ended
  /// Called when a queue or marker was given something to wait on.
  void addWait(WaitNode *&list, WaitNode *);
  void addWait(Queue *, WaitNode *);

  // graph.cpp
  /// Starts, or goes on with, what a Graph or Choose operation at the head of its queue runs. False
  /// if it has ended.
  bool runGraph(Op *);
  /// Of Graph operations. True if the operation is not over: it comes here again.
  bool runLaunchedGraph(Op *);
  /// Begins a run of its graph; false if there is nothing in it.
  bool startGraph(GraphRun &, Op *);
  /// The graph has ended; the tail launches' turn. False if there are no more.
  bool startNextTail(GraphRun &, Op *);
  /// All operations of a chain have ended.
  void endChain(Graph *);

  // The lock. Sleepers to wake are collected while it is held and woken after it is released.
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock();

  /// Starts the threads if they do not run yet; false if the system has none left. Called without
  /// the lock.
  bool start();
  unsigned workerCount() const { return workerCount_; }
  // Hints, to be read without the lock.
  bool hasReady() const { return readyHint_.load(std::memory_order_relaxed); } ///< not started yet
  /// A launch that its workers have left for others, with blocks that nobody has taken.
  bool hasAbandoned() const { return abandonedHint_.load(std::memory_order_relaxed); }
  bool hasIdle() const { return idleHint_.load(std::memory_order_relaxed); } ///< a worker to wake
  /// One of them still dozes.
  bool hasDozing() const {
    const Sleeper *last = idleHint_.load(std::memory_order_relaxed);
    return last && last->state.load(std::memory_order_relaxed) == Dozing;
  }

  /// Wakes idle workers, which join what is active. Called without the lock.
  void invite(Helpers);
  /// Workers that were woken and are on their way.
  uint32_t arriving() const { return arriving_.load(std::memory_order_relaxed); }

private:
  bool startThreads();
  friend struct EngineThreads;
  static constexpr uint32_t MaxOps = 1u << 16;
  static constexpr uint32_t MaxWakes = 32;

  Engine();
  void advanceQueues();
  /// Looks at the head of `queue`. True if it was ended on the spot.
  bool advanceHead(Queue *queue);
  void makeReady(Op *op);
  void giveToHostThread(Op *op);
  void wakeForReady(bool isTask);
  void beginGraph(Graph *, Op *runner);
  bool endGrid(Op *op);
  void freeGrid(Op *op);
  void forget(Queue *queue);
  void noLongerWaits(Op *op);
  void goOn(Queue *queue);
  void later(Queue *queue);
  void laterAll(Queue *list);
  void wake(WaitNode *&list, uint64_t completed);
  void wakeHost(HostWait *);
  void popHead(Queue *, Op *);
  void freeOp(Op *);
  void updateHint();

  // workers.cpp
  void wakeWorkers(Helpers);
  void wakeSleeper(Sleeper *);

  pthread_mutex_t mutex_;
  ReadyLists readyTasks_, readyLaunches_;
  OpList readyHost_;
  Op *active_ = nullptr; ///< launches that more workers may join, by priority, then in order
  Queue *toAdvance_ = nullptr, *toAdvanceLast_ = nullptr;
  bool advancing_ = false;

  Op *freeOps_ = nullptr;
  Marker *freeMarkers_ = nullptr;
  Queue *freeQueues_ = nullptr;
  GridParts *freeParts_ = nullptr;
  uint32_t opsInUse_ = 0;
  WaitNode *fullWaiting_ = nullptr;

  unsigned workerCount_ = 0;
  // In a cache line of their own: they are read after each chunk of blocks, and seldom change.
  alignas(CacheLine) std::atomic<bool> readyHint_{false};
  std::atomic<bool> abandonedHint_{false};
  std::atomic<const Sleeper *> idleHint_{nullptr}; ///< idle_; workers are never taken away
  std::atomic<uint32_t> arriving_{0}; ///< workers that were woken and have not come yet
  alignas(CacheLine) bool takesNext_ =
      false;                ///< a worker that finishes an operation takes the next one itself
  Sleeper *idle_ = nullptr; ///< workers, the last to fall idle first: it may still be dozing
  Sleeper copier_, hostThread_, watcher_;
  bool copierAsleep_ = false, hostThreadAsleep_ = false, watcherAsleep_ = false;
  Sleeper *idleExtras_ = nullptr; ///< extra workers without a launch (stuck.cpp)
  bool canAddExtras_ = true;
  uint32_t outsideWaits_ = 0;     ///< threads in one
  uint32_t inSpins_ = 0;          ///< workers in launches that may wait for others
  const Op *seenReady_ = nullptr; ///< what the watcher saw waiting for a worker, since when (ns)
  uint64_t seenReadyTime_ = 0;
  // What the watcher saw of launches that may hang (hang.cpp): when, how often in a row, and a
  // digest of all memory.
  uint64_t hangLook_ = 0, hangLooks_ = 0, hangDigest_ = 0;
  SharedWork *shared_ = nullptr; ///< that has pieces left, the youngest first
  Sleeper *toWake_ = nullptr;
  const void *hostsToWake_[MaxWakes];
  uint32_t hostWakes_ = 0;
};

/// Before a run of a launch: nothing of it has been taken. With the lock held.
void armLaunch(Op &);

/// Holds the engine's lock.
class EngineLock {
public:
  EngineLock() : engine_(Engine::get()) { engine_.lock(); }
  ~EngineLock() { engine_.unlock(); }
  EngineLock(const EngineLock &) = delete;
  EngineLock &operator=(const EngineLock &) = delete;

private:
  Engine &engine_;
};

/// Sleeps until `wait` has nothing left to wait for. Spins for some microseconds first.
void sleepOn(HostWait &wait);
/// How many threads of the host sleep so.
uint32_t hostsWaiting();

/// True on a thread that the engine owns.
bool onEngineThread();

} // namespace heddle::device::cpu
