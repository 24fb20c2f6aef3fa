// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs that kernels of graphs launch (CUDA guide, "Device Graph Launch").
//
// A launched graph is an operation (graph.cpp) with a GraphRun, which is what CUDA calls an
// execution environment: the graph and all that its kernels have launched to run beside it. The
// operation is over when, in this order,
//
//  1. the graph's chains have ended,
//  2. the runs beside it (fire and forget) are over, each an operation in a queue of its own,
//  3. its tail launches are over, which take its place one after the other, each with children of
//     its own. Those that a tail launch asks for come before those that still wait.
//
// A run beside another tells it of its end. A sibling is a run beside the parent; that of what the
// host launched is the launch as a whole (the stream's environment), which is over with its
// siblings, but whose tail launches do not wait for them.
//
// A graph is in one run at a time: who launches one that runs or waits as a tail launch gets an
// error, but for a graph that is its own next tail launch. All of it belongs to the engine's lock.
#include "device/cpu/engine/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/engine.h"
#include "device/cpu/engine/graph.h"
#include "device/cpu/engine/grid_children.h"

#include <algorithm>
#include <cstring>

namespace heddle::device::cpu {

namespace {

/// The graph that a grid is a node of, where a kernel may launch others; null if it is none.
Graph *runningGraph(const Op &grid) {
  return grid.queue->graph ? grid.queue->graph->root : nullptr;
}

GraphRun &runOf(const Graph &graph) { return *graph.runner->graph; }

/// Adds a run of `graph` that `parent` waits for.
void launchBeside(Op &grid, Graph &graph, GraphRun &parent, bool isSibling) {
  Engine &engine = Engine::get();
  auto *run = new GraphRun;
  run->graph = &graph;
  run->parent = &parent;
  run->isSibling = isSibling;
  graph.isLaunched = true;
  ++(isSibling ? parent.siblings : parent.children);
  Queue *queue = engine.newChildQueue();
  queue->device = grid.queue->device;
  queue->kind = QueueKind::NonBlocking;
  queue->level = grid.queue->level;
  queue->destroyed = queue->isOfGraph = true;
  Op *op = engine.newOp(OpKind::Graph, queue);
  op->graph = run;
  run->op = op;
  engine.append(op);
}

} // namespace

ChildResult GridChildren::launchGraph(Graph *graph, GraphStream stream) {
  EngineLock lock;
  Graph *current = runningGraph(grid_);
  if (!current)
    return ChildResult::BadHandle;
  GraphRun &run = runOf(*current);
  bool isTail = stream == GraphStream::Tail;
  bool isItself = isTail && graph == current && !graph->isTail;
  if ((graph->isLaunched && !isItself) || graph->isTail)
    return ChildResult::BadHandle;
  if (isTail) {
    if (run.newTails.size() + run.tails.size() >= MostTailLaunches)
      return ChildResult::Full;
    graph->isTail = true;
    run.newTails.push_back(graph);
    return ChildResult::Done;
  }
  if (run.launched >= MostGraphsBeside)
    return ChildResult::Full;
  ++run.launched;
  if (stream == GraphStream::FireAndForget)
    launchBeside(grid_, *graph, run, false);
  else
    launchBeside(grid_, *graph, run.parent ? *run.parent : run, !run.parent);
  return ChildResult::Done;
}

const void *GridChildren::currentGraph() {
  EngineLock lock;
  Graph *current = runningGraph(grid_);
  return current ? current->owner : nullptr;
}

/// What happens to the operation between two runs of it, as the runs themselves, is ordered by the
/// engine's lock. The bytes are read without it: they are the kernel's.
bool CpuDevice::changeLaunch(GraphLaunch *handle, const LaunchChange &change) {
  Op &op = *reinterpret_cast<Op *>(handle);
  LaunchState &launch = op.launch;
  switch (change.field) {
  case LaunchChange::Field::Params:
    if (change.offset > op.paramBytes || change.bytes.size() > op.paramBytes - change.offset)
      return false;
    std::memcpy((launch.heapParams ? launch.heapParams : launch.params) + change.offset,
                change.bytes.data(), change.bytes.size());
    noteChanged(op);
    return true;
  case LaunchChange::Field::Enabled: {
    EngineLock lock;
    op.isPassedOver = !change.isEnabled;
    return true;
  }
  case LaunchChange::Field::Grid: {
    EngineLock lock;
    uint64_t blocks = 1;
    for (int i = 0; i < 3; ++i)
      blocks *= launch.abi.gridDim[i] = change.gridDim[i];
    launch.blocks = blocks / launch.clusterBlocks;
    if (!(launch.kernel->code->flags & KernelMaySpin))
      launch.residentBlocks = launch.blocks;
    noteChanged(op);
    return true;
  }
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------
// The engine's part.

bool Engine::startGraph(GraphRun &run, Op *op) {
  Graph &graph = *run.graph;
  for (size_t i = 0; i < graph.initial.size(); ++i)
    if (graph.initial[i].isReset)
      graph.values[i].store(graph.initial[i].initial, std::memory_order_relaxed);
  for (const EventUse &use : graph.events)
    use.op->marker = run.events[use.event];
  graph.isLaunched = true;
  if (graph.chains.empty())
    return false;
  beginGraph(&graph, op);
  return true;
}

bool Engine::startNextTail(GraphRun &run, Op *op) {
  run.graph->isLaunched = false;
  run.launched = 0;
  run.tails.insert(run.tails.begin(), run.newTails.begin(), run.newTails.end());
  run.newTails.clear();
  while (!run.tails.empty()) {
    run.graph = run.tails.front();
    run.tails.pop_front();
    run.graph->isTail = false;
    if (startGraph(run, op))
      return true;
    run.graph->isLaunched = false;
  }
  return false;
}

bool Engine::runLaunchedGraph(Op *op) {
  GraphRun &run = *op->graph;
  run.isWaiting = false;
  if (!std::exchange(run.isStarted, true) && startGraph(run, op))
    return true;
  run.isWaiting = run.children > 0;
  if (!run.isWaiting && !run.isOver) {
    if (startNextTail(run, op))
      return true;
    run.isOver = true;
  }
  run.isWaiting |= run.siblings > 0;
  if (run.isWaiting)
    return true;
  if (GraphRun *parent = run.parent) {
    --(run.isSibling ? parent->siblings : parent->children);
    if (std::exchange(parent->isWaiting, false))
      later(parent->op->queue);
  }
  for (Marker *event : run.events)
    if (event)
      dropMarker(event);
  delete &run;
  op->graph = nullptr;
  return false;
}

} // namespace heddle::device::cpu
