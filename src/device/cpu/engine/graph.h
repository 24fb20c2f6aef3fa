// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph in the engine: operations made once, in chains. See graph.cpp.
#pragma once

#include "device/cpu/engine/queue.h"
#include "device/graph.h"

#include <deque>
#include <vector>

namespace heddle::device::cpu {

/// Operations that run one after the other: a queue that is filled anew for each run.
struct Chain {
  Queue queue;
  Op *first = nullptr, *last = nullptr;
  uint64_t count = 0;
  bool hasLevel =
      false; ///< the queue's level is its own, not that of the queue that the graph is launched in
};

/// An operation's marker that each launch gives anew.
struct EventUse {
  Op *op;
  size_t event;
};

/// Graphs that the kernels of one run of a graph may launch to run beside it, and as tail launches
/// (CUDA guide, "Fire and Forget Launch", "Tail Launch").
inline constexpr uint32_t MostGraphsBeside = 120, MostTailLaunches = 255;

/// What a Graph or Choose operation knows.
struct GraphRun {
  Graph *graph = nullptr;       ///< Graph: to run
  bool isStarted = false;       ///< one has begun to run
  std::vector<Marker *> events; ///< Graph: of the launch, with a reference each
  uint64_t call = 0;            ///< Graph: numberCall, of checked code
  // Graph: what its kernels launch (graph_launches.cpp).
  Op *op = nullptr;
  GraphRun *parent = nullptr;          ///< the run that waits for this one
  bool isSibling = false;              ///< it is one of the parent's siblings, not of its children
  bool isWaiting = false;              ///< for those beside it; their end makes its queue go on
  bool isOver = false;                 ///< with all its tail launches
  uint32_t children = 0, siblings = 0; ///< runs beside it that are not over
  uint32_t launched = 0;               ///< beside it, since its graph began
  std::deque<Graph *> tails;           ///< that still wait
  std::vector<Graph *> newTails;       ///< asked for by the graph that runs
  Choice choice = Choice::If;          ///< Choose, and what follows
  size_t value = 0;
  std::vector<Graph *> bodies;
};

} // namespace heddle::device::cpu

namespace heddle::device {

/// Belongs to the engine's lock but for what never changes once it is made.
struct Graph {
  std::deque<cpu::Chain> chains; ///< addresses stay
  std::deque<cpu::Op> ops;
  std::vector<Marker *> markers; ///< between chains
  std::vector<cpu::EventUse> events;
  std::deque<cpu::GraphRun> choices; ///< of its Choose operations, which own the bodies
  Graph *root = nullptr; ///< the one that is launched; itself, or that of which this is a body
  std::vector<GraphValue> initial;
  std::deque<std::atomic<uint32_t>> values; ///< the root's
  cpu::Op *runner = nullptr;                ///< what it runs in the place of
  uint32_t chainsLeft = 0;                  ///< that have not ended in this run
  const void *owner = nullptr;              ///< what Device::createGraph was given
  bool isLaunched = false;                  ///< the root: it runs, or will as soon as it can
  bool isTail = false;                      ///< the root: it waits as a tail launch

  /// Of the root: a kernel sets the value of that handle. Without the lock.
  void set(uint64_t handle, uint32_t value);
};

} // namespace heddle::device
