// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What work_fuzz_test.cpp knows of contexts, streams and events.
#pragma once

#include "driver/api/work_test.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

/// The work of a stream: callbacks with numbers from 1 on.
struct Lane {
  std::atomic<unsigned> done = 0;
  unsigned submitted = 0;
  unsigned gate = 0; ///< the latest of the thread's gates that holds it up
  bool isDone() const { return done == submitted; }
};
using Places = std::map<Lane *, unsigned>; ///< how far lanes must have come

std::atomic<unsigned> wrongOrders = 0;

struct Step {
  Lane *lane;
  unsigned number;
  Places behind;
  bool isSlow;
};

void CUDA_CB run(CUstream, CUresult status, void *data) {
  std::unique_ptr<Step> step(static_cast<Step *>(data));
  if (step->isSlow)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  bool isRight = status == CUDA_SUCCESS && step->lane->done == step->number - 1;
  for (auto [lane, number] : step->behind)
    isRight &= lane->done >= number;
  wrongOrders += !isRight;
  step->lane->done = step->number;
}

/// The same as a graph's host function.
void CUDA_CB runHost(void *data) { run(nullptr, CUDA_SUCCESS, data); }

struct Context;
struct Stream {
  CUstream handle;
  Context *context;
  bool isBlocking; ///< the legacy stream waits for it, and it for that
  Lane *lane;
  Places behind = {};
};
struct Event {
  CUevent handle;
  Context *context;
  Lane *lane = nullptr; ///< null: not recorded
  unsigned number = 0, gate = 0;
};
struct Context {
  CUcontext handle = nullptr;
  CUgraph graph = nullptr; ///< of one host function
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  bool isLive = true;
  Stream legacy = {}, perThread = {};
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Event>> events;
  std::vector<Lane *> lanes; ///< those of destroyed streams, too
};

/// What all threads use and nobody destroys.
struct Shared {
  CUcontext context;
  CUstream streams[2];
  CUevent events[3];
};

/// What a thread has, and what of it can be used.
class Model {
protected:
  explicit Model(unsigned seed) : random_(seed) {}

  unsigned below(size_t count) { return static_cast<unsigned>(random_() % count); }

  Context *current() { return stack_.empty() ? nullptr : stack_.back(); }
  /// What a call gives that needs a current context, and otherwise would give `code`.
  CUresult expected(CUresult code = CUDA_SUCCESS) {
    if (!current())
      return CUDA_ERROR_INVALID_CONTEXT;
    return current()->isLive ? code : CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  /// The same of a call that runs in its argument's context where there is no current one.
  CUresult expectedThere(CUresult code = CUDA_SUCCESS) { return current() ? expected(code) : code; }
  bool worksThere() { return expectedThere() == CUDA_SUCCESS; }
  bool works() { return expected() == CUDA_SUCCESS; }

  Context *someContext() { return live_.empty() ? nullptr : live_[below(live_.size())]; }
  /// A stream of any context, or a default one of the current context.
  Stream *someStream() {
    std::vector<Stream *> all;
    for (Context *context : live_)
      for (auto &stream : context->streams)
        all.push_back(stream.get());
    if (works())
      all.push_back(&current()->legacy), all.push_back(&current()->perThread);
    return all.empty() ? nullptr : all[below(all.size())];
  }
  Event *someEvent() {
    std::vector<Event *> all;
    for (Context *context : live_)
      for (auto &event : context->events)
        all.push_back(event.get());
    return all.empty() ? nullptr : all[below(all.size())];
  }

  Lane *newLane(Context &context) {
    lanes_.push_back(std::make_unique<Lane>());
    context.lanes.push_back(lanes_.back().get());
    return context.lanes.back();
  }

  std::minstd_rand random_;
  std::vector<std::unique_ptr<Context>> contexts_;
  std::vector<Context *> live_;  ///< those of them that are not destroyed
  std::vector<Context *> stack_; ///< the thread's; may have destroyed ones
  std::vector<std::unique_ptr<Lane>> lanes_;
};

} // namespace
