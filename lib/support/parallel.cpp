// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <sched.h>

namespace heddle::library {

namespace {

struct Loop {
  int64_t count, grain;
  void (*body)(void *, int64_t, int64_t);
  void *context;
  std::atomic<int64_t> next{0};
  int helpers = 0; // threads at work beside the caller; under the pool's lock

  void run() {
    for (int64_t begin; (begin = next.fetch_add(grain, std::memory_order_relaxed)) < count;)
      body(context, begin, std::min(begin + grain, count));
  }
};

/// The threads of all loops. It lives as long as the process: threads that wait need no end.
class Pool {
public:
  static Pool &get() {
    static Pool *pool = new Pool;
    return *pool;
  }

  void run(Loop &loop, int64_t helpers) {
    {
      std::lock_guard lock(mutex);
      wanted.insert(wanted.end(), helpers, &loop);
    }
    work.notify_all();
    loop.run();
    std::unique_lock lock(mutex);
    std::erase(wanted, &loop);
    done.wait(lock, [&] { return loop.helpers == 0; });
  }

private:
  Pool() {
    for (unsigned i = 1; i < loopThreads(); ++i)
      std::thread([this] { help(); }).detach();
  }

  [[noreturn]] void help() {
    std::unique_lock lock(mutex);
    for (;;) {
      work.wait(lock, [&] { return !wanted.empty(); });
      Loop *loop = wanted.front();
      wanted.pop_front();
      ++loop->helpers;
      lock.unlock();
      loop->run();
      lock.lock();
      if (--loop->helpers == 0)
        done.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable work, done;
  std::deque<Loop *> wanted; // a loop once for each thread that may help
};

} // namespace

unsigned loopThreads() {
  static const unsigned count = [] {
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? std::max(CPU_COUNT(&mine), 1) : 1;
  }();
  return count;
}

void runLoop(int64_t count, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context) {
  if (count <= 0)
    return;
  int64_t pieces = (count + grain - 1) / grain;
  int64_t helpers = std::min<int64_t>(pieces, loopThreads()) - 1;
  if (helpers <= 0)
    return body(context, 0, count);
  Loop loop{count, grain, body, context};
  Pool::get().run(loop, helpers);
}

} // namespace heddle::library
