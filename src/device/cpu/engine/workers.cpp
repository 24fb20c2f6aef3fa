// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads. A worker without work is in the list of idle ones. For DozeTime it still watches its
// own state, because most waits are short, so that waking it takes no system call; then it sleeps.
// Workers come only when called: if a hundred workers watched one shared flag, each operation would
// have a hundred threads at the lock. An operation that becomes ready wakes one worker, and each
// worker that joins a launch wakes more (schedule.h).
//
// Programs queue thousands of launches of one block. What the host writes for one and the worker
// reads lies in some ten cache lines, and the lock in one more, which moves between cores: 0.3 us
// per launch on large processors. So a worker that takes such a launch also takes those that follow
// it in the queue, for FollowingTime at most, with one use of the lock for all.
#include "base/machine/processors.h"
#include "base/messages/messages.h"
#include "base/own_threads.h"
#include "device/cpu/engine/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/threads.h"

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

#include <sys/mman.h>

namespace heddle::device::cpu {

Worker *allWorkers[MaxWorkers];
std::atomic<unsigned> allWorkerCount{0};
unsigned processorWorkers = 0;

namespace {

constexpr uint64_t DozeTime = 30'000;      // ns
constexpr uint64_t FollowingTime = 20'000; // ns
constexpr uint64_t LingerTime = 500;       // ns
constexpr size_t StackBytes = 64u << 20;   // touched only as far as it is used
constexpr size_t LeastOwnStack = 1u << 20; // of a thread, beside that for kernels

thread_local bool engineThread = false;

/// As many as this process may run on. HEDDLE_WORKERS sets another number.
unsigned wantedWorkers() {
  if (const char *text = getenv("HEDDLE_WORKERS")) {
    char *end;
    long count = strtol(text, &end, 10);
    if (*text && !*end && count >= 1 && count <= 4096)
      return static_cast<unsigned>(count);
    tellf("heddle: HEDDLE_WORKERS is '%s'; a number from 1 to 4096 is wanted\n", text);
  }
  return usableProcessors();
}

} // namespace

bool onEngineThread() { return engineThread; }

Engine::Engine() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
  pthread_mutex_init(&mutex_, &attributes);
  pthread_mutexattr_destroy(&attributes);
  workerCount_ = wantedWorkers();
}

namespace {

struct Start {
  void *(*body)(void *);
  void *argument;
};

void *beginOne(void *given) {
  nameOwnThread();
  std::unique_ptr<Start> start(static_cast<Start *>(given));
  auto [body, argument] = *start;
  start.reset();
  return body(argument);
}

} // namespace

bool EngineThreads::startOne(pthread_t &thread, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (size_t bytes; pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < LeastOwnStack)
    pthread_attr_setstacksize(&attributes, LeastOwnStack); // ulimit -s
  // User signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
    sigdelset(&all, signal);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto start = std::make_unique<Start>(Start{body, argument});
  ownThreadsToCome.fetch_add(1);
  int error = pthread_create(&thread, &attributes, beginOne, start.get());
  if (error)
    ownThreadsToCome.fetch_sub(1);
  else
    start.release();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

Worker *EngineThreads::startWorker(void *(*body)(void *)) {
  unsigned index = allWorkerCount.load(std::memory_order_relaxed);
  if (index == MaxWorkers)
    return nullptr;
  Worker *worker = new Worker;
  worker->index = index;
  worker->isExtra = index >= processorWorkers;
  worker->warps = new WarpState[MaxWarps];
  worker->scratch = new uint8_t[MaxWarps * WarpScratchBytes];
  worker->stack = static_cast<uint8_t *>(mapGuarded(StackBytes, StackGuardBytes));
  worker->stackBytes = worker->stack ? StackBytes : 0;
  if (!worker->stack || !startOne(worker->thread, body, worker)) {
    unmapGuarded(worker->stack, StackBytes, StackGuardBytes);
    delete[] worker->warps;
    delete[] worker->scratch;
    delete worker;
    return nullptr;
  }
  allWorkers[index] = worker;
  allWorkerCount.store(index + 1, std::memory_order_release);
  return worker;
}

bool Engine::start() {
  static const bool canRun = startThreads(); // not std::call_once: driver/rooms.h says why
  return canRun;
}

bool Engine::startThreads() {
  (void)EngineThreads::hangTime(); // says at once what is wrong with the setting
  installFaultHandlers();
  processorWorkers = workerCount_;
  pthread_t thread;
  for (auto *body : {EngineThreads::copier, EngineThreads::hostThread, EngineThreads::watcher})
    if (!EngineThreads::startOne(thread, body, nullptr))
      return false;
  bool canRun = false;
  for (unsigned i = 0; i < workerCount_; ++i)
    canRun |= EngineThreads::startWorker(EngineThreads::worker) != nullptr; // fewer will do
  return canRun;
}

// ---------------------------------------------------------------------------------------------------
// Sleeping and waking. All with the lock held.

void Engine::wakeSleeper(Sleeper *sleeper) {
  sleeper->nextToWake = toWake_;
  toWake_ = sleeper;
}

void Engine::wakeWorkers(Helpers helpers) {
  uint32_t woken = 0;
  for (; woken < helpers.count && (helpers.onlyDozing ? hasDozing() : hasIdle()); ++woken) {
    wakeSleeper(std::exchange(idle_, idle_->nextIdle));
    idleHint_.store(idle_, std::memory_order_relaxed);
  }
  arriving_.store(arriving() + woken, std::memory_order_relaxed);
}

void Engine::invite(Helpers helpers) {
  lock();
  wakeWorkers(helpers);
  unlock();
}

void EngineThreads::sleep(Engine &engine, Sleeper &sleeper, uint64_t dozeNanoseconds) {
  sleeper.state.store(Dozing, std::memory_order_relaxed);
  engine.unlock();
  if (awaitWaking<Machine>(sleeper.state, dozeNanoseconds))
    keepFaultSignals();
  engine.lock();
}

void EngineThreads::idle(Engine &engine, Worker &worker) {
  worker.nextIdle = engine.idle_;
  engine.idle_ = &worker;
  engine.idleHint_.store(&worker, std::memory_order_relaxed);
  sleep(engine, worker, DozeTime);
  engine.arriving_.store(engine.arriving() - 1, std::memory_order_relaxed);
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

/// A launch that has blocks left, and does not belong to one worker (KernelSequential).
Op *EngineThreads::join(Engine &engine) {
  Op *next;
  for (Op *op = engine.active_; op; op = next) {
    next = op->nextReady;
    LaunchState &launch = op->launch;
    if (launch.kernel->code->flags & KernelSequential &&
        launch.participants.load(std::memory_order_relaxed) > 0)
      continue;
    if (joinLaunch<Machine>(launch.participants, [&] { return launch.hasBlocks(); }))
      return op;
    removeActive(engine, op);
  }
  return nullptr;
}

Op *EngineThreads::take(Engine &engine) {
  Op *op = engine.readyTasks_.pop();
  if (!op) {
    op = engine.readyLaunches_.pop();
    if (op)
      op->launch.participants.fetch_add(1, std::memory_order_relaxed);
  }
  if (!op)
    op = join(engine);
  engine.updateHint();
  return op;
}

void EngineThreads::executeTask(Engine &engine, Op *op) {
  engine.unlock();
  if (op->kind == OpKind::HostFunction || op->queue->device->fault() == Fault::None)
    runTask(*op, op->task);
  if (!op->queue->graph)
    op->task.clear();
  engine.lock();
  engine.takesNext_ = currentWorker() != nullptr;
  engine.finish(op);
  engine.takesNext_ = false;
}

void EngineThreads::execute(Engine &engine, Worker &worker, Op *op) {
  worker.busyWith = op;
  if (op->kind == OpKind::Task)
    executeTask(engine, op);
  else
    executeLaunch(engine, worker, op);
  worker.busyWith = nullptr;
}

void EngineThreads::enterLaunch(Engine &engine, Worker &worker, Op *op) {
  LaunchState &launch = op->launch;
  bool fresh = !std::exchange(launch.started, true);
  if (op->queue->device->fault() != Fault::None)
    launch.next.store(launch.blocks, std::memory_order_relaxed);
  if (fresh) {
    if (launch.note)
      launch.begin = nowNanoseconds();
    uint64_t wanted = prepareLaunch(*op, isTeamwork(*op) && hasTeam(worker));
    if (launch.blocks > 1)
      addActive(engine, op);
    if (isTeamwork(*op))
      callTeam(worker, op, wanted);
  }
  engine.wakeWorkers(helpersFor(*op));
  enterSpins(engine, op);
}

/// `op`: the worker counts as its participant already.
void EngineThreads::executeLaunch(Engine &engine, Worker &worker, Op *op) {
  auto leave = [&] { return leaveLaunch<Machine>(op->launch.participants); };
  auto mayLeaveToOthers = [&] {
    return isTeamwork(*op) && !worker.isExtra && !op->launch.hasBlocks();
  };
  enterLaunch(engine, worker, op);
  engine.unlock();
  runLaunch(worker, *op);
  unsigned following = runFollowing(worker, *op);
  bool isLast = false;
  while (mayLeaveToOthers()) {
    isLast = leave();
    if (isLast)
      break;
    op = waitForNext(engine, worker);
    if (!op)
      return engine.lock();
    runLaunch(worker, *op);
  }
  engine.lock();
  leaveSpins(engine, op);
  if (isLast || leave())
    endLaunch(engine, worker, op, following);
}

void EngineThreads::endLaunch(Engine &engine, Worker &worker, Op *op, unsigned following) {
  LaunchState &launch = op->launch;
  if (launch.inActiveList && !launch.hasBlocks())
    removeActive(engine, op);
  if (launchIsOver(*op)) {
    engine.takesNext_ = !worker.isExtra;
    engine.finish(op, 1 + following);
    engine.takesNext_ = false;
    return;
  }
  engine.abandonedHint_.store(true, std::memory_order_relaxed);
  if (!launch.inActiveList) {
    addActive(engine, op); // the next round of a grid
    engine.wakeWorkers(helpersFor(*op));
  }
}

namespace {

/// A launch that nobody else has a part in, that waits for nobody, and whose end nobody checks.
/// Mostly it is over in a moment; if not, nobody misses the report of those before it: who waits for
/// them, by an operation between them, by a segment or by isAwaited, has ended the series.
bool isSmall(const Op &op) {
  bool isPassedOver = op.queue->graph && op.isPassedOver;
  return op.kind == OpKind::Launch && !isPassedOver && op.launch.blocks == 1 &&
         !op.launch.checked && !op.launch.note && !op.launch.abi.count && !op.launch.cooperative &&
         op.launch.clusterBlocks == 1 && !(op.launch.kernel->code->flags & KernelMaySpin);
}

} // namespace

unsigned EngineThreads::runFollowing(Worker &worker, Op &first) {
  if (!isSmall(first))
    return 0;
  Queue &queue = *first.queue;
  Op *last = &first;
  auto mayGoOn = [&] { // what follows a grid waits for its children
    return !last->launch.children.load(std::memory_order_relaxed) && !Engine::get().hasReady() &&
           !queue.isAwaited.load(std::memory_order_relaxed) && queue.device->fault() == Fault::None;
  };
  auto follower = [&](Op *op) { return std::atomic_ref(op->next).load(std::memory_order_acquire); };
  uint64_t now = nowNanoseconds(), end = now + FollowingTime;
  unsigned count = 0;
  for (; now < end && mayGoOn(); ++count) {
    Op *op = follower(last);
    if (!op && !queue.graph && (count > 0 || queue.hadFollowers)) {
      for (uint64_t enough = now + LingerTime; now < enough && mayGoOn(); now = nowNanoseconds())
        pauseCpu();
      op = follower(last);
    }
    if (!op || !mayGoOn() || !isSmall(*op) ||
        (queue.kind != QueueKind::NonBlocking && op->segment != first.segment))
      break;
    runLaunch(worker, *op);
    last = op;
    now = nowNanoseconds();
  }
  queue.hadFollowers = count > 0;
  return count;
}

void EngineThreads::enterThread(Worker &worker) {
  engineThread = true;
  worker.threadId = static_cast<int>(syscall(SYS_gettid));
  setCurrentWorker(&worker);
  fesetenv(FE_DFL_ENV); // not that of the program's thread
  installSignalStack(worker);
}

void *EngineThreads::worker(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  Engine &engine = Engine::get();
  enterThread(worker);
  engine.lock();
  for (;;) {
    if (Op *op = take(engine)) {
      execute(engine, worker, op);
      continue;
    }
    dismissTeam(worker);
    if (!helpShared(engine))
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
      const bool isOutside = op->kind == OpKind::OutsideWait;
      executeTask(engine, op);
      engine.outsideWaits_ -= isOutside;
    } else {
      engine.hostThreadAsleep_ = true;
      sleep(engine, engine.hostThread_, 0);
    }
  }
}

bool EngineThreads::startOutsideWait(Engine &engine, Op *op) {
  ++engine.outsideWaits_;
  pthread_t thread;
  return startOne(thread, outsideWait, op);
}

void *EngineThreads::outsideWait(void *op) {
  Engine &engine = Engine::get();
  engineThread = true;
  engine.lock();
  executeTask(engine, static_cast<Op *>(op));
  --engine.outsideWaits_;
  engine.unlock();
  return nullptr;
}

} // namespace heddle::device::cpu
