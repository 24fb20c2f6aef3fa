// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/forms/form_thread.h"

#include "base/own_threads.h"
#include "device/device.h"
#include "driver/forms/form_process.h"
#include "driver/rooms.h"

#include <cfenv>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <utility>

#include <pthread.h>

namespace heddle::driver {

namespace {

constexpr size_t StackBytes = 1 << 20; // the usual size may be small (ulimit -s)

} // namespace

/// Never destroyed, for workers may still push when the program ends.
class FormThread {
public:
  static FormThread &get() { return rooms().formThread.get(); }

  void push(std::function<void()> work) {
    std::lock_guard guard(mutex_);
    isEnding_ |= !isStarted_ && !start();
    if (isEnding_)
      return;
    work_.push_back(std::move(work));
    wake_.notify_one();
  }

private:
  /// Without the program's signals.
  bool start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    auto body = [](void *self) -> void * {
      static_cast<FormThread *>(self)->run();
      return nullptr;
    };
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, StackBytes);
    ownThreadsToCome.fetch_add(1);
    isStarted_ = pthread_create(&thread_, &attributes, body, this) == 0;
    if (!isStarted_)
      ownThreadsToCome.fetch_sub(1);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (isStarted_)
      atexit([] { get().end(); });
    return isStarted_;
  }

  void run() {
    nameOwnThread();
    fesetenv(FE_DFL_ENV); // not that of the program's thread
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return isEnding_ || !work_.empty(); });
      if (isEnding_)
        return;
      std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  void end() {
    if (device::isForkedCopy())
      return; // it has no such thread, and the lock as it happened to be
    {
      std::lock_guard guard(mutex_);
      isEnding_ = true;
      wake_.notify_one();
    }
    stopCompilingElsewhere();
    pthread_join(thread_, nullptr);
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> work_;
  pthread_t thread_ = {};
  bool isStarted_ = false, isEnding_ = false;
};

void doInBackground(std::function<void()> work) { FormThread::get().push(std::move(work)); }

} // namespace heddle::driver
