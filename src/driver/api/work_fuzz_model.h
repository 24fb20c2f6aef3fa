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

} // namespace
