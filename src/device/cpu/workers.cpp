// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads. A worker without work looks for some for SpinTime, because most waits are short, then sleeps. While
// work is going on anywhere it wakes up now and then by itself: a launch whose blocks are too short to wake
// anyone may still hold a block that waits for another one.
#include "device/cpu/cpu_device.h"
#include "device/cpu/worker.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sched.h>
#include <sys/mman.h>

namespace heddle::device::cpu {

Worker *allWorkers = nullptr;
unsigned allWorkerCount = 0;

namespace {

constexpr uint64_t SpinTime = 30'000;          // ns
constexpr uint64_t LookAgainTime = 1'000'000;  // ns
constexpr size_t StackBytes = 64u << 20;       // touched only as far as it is used

thread_local bool engineThread = false;

/// As many as this process may run on. HEDDLE_WORKERS sets another number.
unsigned countProcessors() {
  if (const char *text = getenv("HEDDLE_WORKERS")) {
    char *end;
    long count = strtol(text, &end, 10);
    if (*text && !*end && count >= 1 && count <= 4096)
      return static_cast<unsigned>(count);
    fprintf(stderr, "heddle: HEDDLE_WORKERS is '%s'; a number from 1 to 4096 is wanted\n", text);
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

} // namespace

bool onEngineThread() { return engineThread; }

/// The bodies of the threads; a friend of Engine.
struct EngineThreads {
  static void *worker(void *argument);
  static void *copier(void *);
  static void *hostThread(void *);
  static void startOne(pthread_t &thread, void *(*body)(void *), void *argument, void *stack,
                       size_t stackBytes);

  static Op *take(Engine &);
  static Op *join(Engine &);
  static void idle(Engine &, Worker &);
  static void removeActive(Engine &, Op *);
  static void addActive(Engine &, Op *);
  static void execute(Engine &, Worker &, Op *);
  static void executeTask(Engine &, Op *);
  static void sleep(Engine &, Sleeper &, uint64_t nanoseconds);
};

Engine::Engine() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
  pthread_mutex_init(&mutex_, &attributes);
  pthread_mutexattr_destroy(&attributes);
  workerCount_ = countProcessors();
}

void EngineThreads::startOne(pthread_t &thread, void *(*body)(void *), void *argument, void *stack,
                             size_t stackBytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack)
    pthread_attr_setstack(&attributes, stack, stackBytes);
  // User signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
    sigdelset(&all, signal);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (int error = pthread_create(&thread, &attributes, body, argument)) {
    fprintf(stderr, "heddle: cannot start a thread (error %d)\n", error);
    abort();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
}

void Engine::start() {
  lock();
  bool first = !std::exchange(started_, true);
  unlock();
  if (!first)
    return;
  installFaultHandlers();
  allWorkers = new Worker[workerCount_];
  allWorkerCount = workerCount_;
  for (unsigned i = 0; i < workerCount_; ++i) {
    Worker &worker = allWorkers[i];
    worker.index = i;
    worker.warps = new WarpState[MaxWarps];
    worker.scratch = new uint8_t[MaxWarps * WarpScratchBytes];
    worker.stackBytes = StackBytes;
    worker.stack = static_cast<uint8_t *>(mapGuarded(StackBytes));
    if (!worker.stack)
      worker.stackBytes = 0;
    EngineThreads::startOne(worker.thread, EngineThreads::worker, &worker, worker.stack, worker.stackBytes);
  }
  pthread_t thread;
  EngineThreads::startOne(thread, EngineThreads::copier, nullptr, nullptr, 0);
  EngineThreads::startOne(thread, EngineThreads::hostThread, nullptr, nullptr, 0);
}

// ---------------------------------------------------------------------------------------------------
// Sleeping and waking. All with the lock held.

void Engine::wakeSleeper(Sleeper *sleeper) {
  sleeper->nextToWake = toWake_;
  toWake_ = sleeper;
}

void Engine::wakeWorkers(uint32_t count) {
  for (; count > 0 && asleep_; --count)
    wakeSleeper(std::exchange(asleep_, asleep_->nextAsleep));
}

/// Releases the lock, sleeps, takes it again. Who wakes the sleeper has taken it off its list.
void EngineThreads::sleep(Engine &engine, Sleeper &sleeper, uint64_t nanoseconds) {
  sleeper.asleep.store(1, std::memory_order_relaxed);
  engine.unlock();
  uint64_t deadline = nanoseconds ? nowNanoseconds() + nanoseconds : ~uint64_t(0);
  while (sleeper.asleep.load(std::memory_order_acquire) && nowNanoseconds() < deadline)
    futexWait(sleeper.asleep, 1, nanoseconds);
  engine.lock();
}

void EngineThreads::idle(Engine &engine, Worker &worker) {
  ++engine.spinners_;
  engine.unlock();
  uint64_t end = nowNanoseconds() + SpinTime;
  while (!engine.hasWork() && nowNanoseconds() < end)
    for (int i = 0; i < 16; ++i)
      pauseCpu();
  engine.lock();
  --engine.spinners_;
  if (engine.hasWork())
    return;
  worker.nextAsleep = engine.asleep_;
  engine.asleep_ = &worker;
  bool timed = engine.opsInUse_ > 0;
  engine.timedSleepers_ += timed;
  sleep(engine, worker, timed ? LookAgainTime : 0);
  engine.timedSleepers_ -= timed;
  // After a timeout this worker is still in the list, or a waker has just taken it off and is about to
  // write `asleep`; it must not get into a second list of sleepers to wake before that.
  for (Sleeper **link = &engine.asleep_; *link; link = &(*link)->nextAsleep)
    if (*link == &worker) {
      *link = worker.nextAsleep;
      return;
    }
  while (worker.asleep.load(std::memory_order_acquire))
    pauseCpu();
}

// ---------------------------------------------------------------------------------------------------
// Work.

void EngineThreads::addActive(Engine &engine, Op *op) {
  Op **link = &engine.active_;
  while (*link && (*link)->queue->level <= op->queue->level)
    link = &(*link)->nextReady;
  op->nextReady = *link;
  *link = op;
  op->launch.inActiveList = true;
}

void EngineThreads::removeActive(Engine &engine, Op *op) {
  Op **link = &engine.active_;
  while (*link != op)
    link = &(*link)->nextReady;
  *link = op->nextReady;
  op->launch.inActiveList = false;
}

/// A launch that has blocks left.
Op *EngineThreads::join(Engine &engine) {
  while (Op *op = engine.active_) {
    if (op->launch.next.load(std::memory_order_relaxed) < op->launch.blocks)
      return op;
    removeActive(engine, op);
  }
  return nullptr;
}

Op *EngineThreads::take(Engine &engine) {
  Op *op = engine.readyTasks_.pop();
  if (!op)
    op = engine.readyLaunches_.pop();
  if (!op)
    op = join(engine);
  engine.updateHint();
  return op;
}

void EngineThreads::executeTask(Engine &engine, Op *op) {
  engine.unlock();
  if (op->kind == OpKind::HostFunction || op->queue->device->fault() == Fault::None)
    op->task();
  op->task.clear();
  engine.lock();
  engine.finish(op);
}

void EngineThreads::execute(Engine &engine, Worker &worker, Op *op) {
  if (op->kind == OpKind::Task)
    return executeTask(engine, op);
  LaunchState &launch = op->launch;
  bool fresh = launch.participants++ == 0 && !launch.inActiveList;
  if (op->queue->device->fault() != Fault::None)
    launch.next.store(launch.blocks, std::memory_order_relaxed);
  if (fresh)
    prepareLaunch(*op);
  if (fresh && launch.blocks > 1)
    addActive(engine, op);
  uint32_t helpers = helpersFor(*op);
  if (helpers > engine.spinners_)
    engine.wakeWorkers(helpers - engine.spinners_);
  else if (helpers == 0 && launch.blocks > 1 && engine.timedSleepers_ + engine.spinners_ == 0)
    engine.wakeWorkers(1);
  engine.updateHint();
  engine.unlock();
  runLaunch(worker, *op);
  engine.lock();
  --launch.participants;
  if (launch.inActiveList && launch.next.load(std::memory_order_relaxed) >= launch.blocks)
    removeActive(engine, op);
  if (launchIsOver(*op)) {
    delete[] launch.heapParams;
    engine.finish(op);
  } else if (!launch.inActiveList && launch.next.load(std::memory_order_relaxed) < launch.blocks) {
    addActive(engine, op); // the next round of a grid
    engine.wakeWorkers(helpersFor(*op));
  }
  engine.updateHint();
}

void *EngineThreads::worker(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  Engine &engine = Engine::get();
  engineThread = true;
  worker.threadId = static_cast<int>(syscall(SYS_gettid));
  setCurrentWorker(&worker);
  installSignalStack(worker);
  engine.lock();
  for (;;) {
    if (Op *op = take(engine))
      execute(engine, worker, op);
    else
      idle(engine, worker);
  }
}

void *EngineThreads::copier(void *) {
  Engine &engine = Engine::get();
  engineThread = true;
  engine.lock();
  for (;;) {
    if (Op *op = engine.readyTasks_.pop()) {
      engine.updateHint();
      executeTask(engine, op);
    } else {
      engine.copierAsleep_ = true;
      sleep(engine, engine.copier_, 0);
    }
  }
}

void *EngineThreads::hostThread(void *) {
  Engine &engine = Engine::get();
  engineThread = true;
  engine.lock();
  for (;;) {
    if (Op *op = engine.readyHost_.pop()) {
      executeTask(engine, op);
    } else {
      engine.hostThreadAsleep_ = true;
      sleep(engine, engine.hostThread_, 0);
    }
  }
}

} // namespace heddle::device::cpu
