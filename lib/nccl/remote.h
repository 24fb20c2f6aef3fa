// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank of a communicator whose ranks are in several processes. What it is asked for is done by a
// thread of its own, in the order of the calls; a stream says by a host function that it has come
// to an operation, and waits at a gate (gate.cu) until the thread has done it.
#pragma once

#include "nccl/exchange.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace heddle::nccl {

class Remote {
public:
  /// `failed` is called once, on the thread, when an operation cannot be done; those that follow
  /// are not done either.
  Remote(std::shared_ptr<Segment> segment, int rank, int size,
         std::function<void(ncclResult_t)> failed);
  ~Remote();

  /// The calls of a group on this communicator.
  ncclResult_t submit(std::vector<Call> calls, const Pending &pending);

  /// Every rank's number, once the operations before are done; waits.
  ncclResult_t gather(uint64_t mine, std::vector<uint64_t> &all);

  /// Has the operations of all ranks end.
  void abort();

private:
  struct Task {
    std::vector<Call> calls;
    std::vector<int *> gates; ///< one for each stream
    int streams = 0;          ///< that have not come to it; under the lock
    Pending pending;
    std::function<ncclResult_t()> work;
  };
  void add(std::shared_ptr<Task> task);
  void serve();
  void end(Task &task, ncclResult_t result);

  std::shared_ptr<Segment> segment_;
  Exchange exchange_;
  std::function<void(ncclResult_t)> failed_;
  /// What streams that come to a task need, which may be later than the communicator lives.
  struct Signal {
    std::mutex mutex; ///< for all that follows, too
    std::condition_variable changed;
  };
  std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
  std::deque<std::shared_ptr<Task>> tasks_;
  bool ends_ = false;
  std::thread thread_;
};

} // namespace heddle::nccl
