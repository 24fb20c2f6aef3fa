// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: work that is made once and runs many times.
//
// A program that launches the same thousand small kernels again and again pays for each launch: the
// runtime's checks, an operation from the pool, the lock, what goes from the host's core to the
// worker's. A graph's operations are made when the graph is. They lie in chains: a chain is a queue
// of the engine that a run fills by three assignments, so that whoever takes its first operation
// goes on from one to the next as in a stream (EngineThreads::runFollowing). An operation joins the
// chain that ends with one of those that it depends on; for the others it gets a Wait in front of
// it, and they a Record behind them. What a run has changed in an operation is put back when it
// ends, while it still lies in the worker's cache.
//
//     a -> b -> d,  a -> c -> d          chain 1: a, Record(m1), b, Wait(m2), d
//                                        chain 2: Wait(m1), c, Record(m2)
//
// To its stream a launched graph is one operation, which ends when the last chain has (endChain).
// So the order of streams, segments and markers need not know of graphs. A Choose operation in a
// chain is the same for a body: it reads its value when its turn comes, and again after each turn
// of a While. What kernels of a graph launch is said in graph_launches.cpp. All of it happens under
// the engine's lock, and no thread waits for a graph.
//
// Rejected: to enqueue the operations into ordinary queues at each launch (half of the cost of a
// launch remains), and to let one worker run a whole graph (then nothing else gets a share).
#include "device/cpu/engine/graph.h"
#include "device/cpu/engine/checks.h"

#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/engine.h"

#include <algorithm>
#include <utility>

namespace heddle::device {

namespace cpu {
namespace {

CpuDevice &cpuDevice(const GraphWork &work) { return *static_cast<CpuDevice *>(work.device); }

constexpr uint32_t levelOf(int priority) {
  constexpr int Highest = static_cast<int>(PriorityLevels) - 1;
  return static_cast<uint32_t>(Highest - std::clamp(-priority, 0, Highest));
}

/// Makes a graph's chains of its works, under the engine's lock.
class ChainBuilder {
public:
  ChainBuilder(Graph &graph, std::span<GraphWork> works) : graph_(graph), works_(works) {}

  void build() {
    at_.resize(works_.size());
    findEnds();
    for (size_t i = 0; i < works_.size(); ++i)
      add(i);
    for (Chain &chain : graph_.chains)
      chain.last->next = nullptr;
  }

private:
  /// Where a work lies, and the marker that other chains wait for.
  struct Place {
    Chain *chain = nullptr;
    uint64_t index = 0; ///< in the chain
    Marker *done = nullptr;
    bool isAwaited = false; ///< by another chain
    bool hasNext = false;   ///< its chain goes on with a work that depends on it
  };

  static bool sameChain(const GraphWork &a, const GraphWork &b) {
    return a.device == b.device && a.hasPriority == b.hasPriority &&
           (!a.hasPriority || a.priority == b.priority);
  }

  /// Who goes on in whose chain, and so who is awaited by others.
  void findEnds() {
    from_.assign(works_.size(), None);
    for (size_t i = 0; i < works_.size(); ++i)
      for (size_t before : works_[i].after) {
        if (from_[i] == None && !at_[before].hasNext && sameChain(works_[before], works_[i])) {
          from_[i] = before;
          at_[before].hasNext = true;
        } else {
          at_[before].isAwaited = true;
        }
      }
  }

  Chain &chainFor(size_t i) {
    if (from_[i] != None)
      return *at_[from_[i]].chain;
    const GraphWork &work = works_[i];
    Chain &chain = graph_.chains.emplace_back();
    chain.queue.device = &cpuDevice(work);
    chain.queue.kind = QueueKind::NonBlocking;
    chain.queue.graph = &graph_;
    chain.hasLevel = work.hasPriority;
    chain.queue.level = levelOf(work.priority);
    return chain;
  }

  Op &append(Chain &chain, OpKind kind, Marker *marker = nullptr) {
    Op &op = graph_.ops.emplace_back();
    op.kind = kind;
    op.queue = &chain.queue;
    op.marker = marker;
    (chain.first ? chain.last->next : chain.first) = &op;
    chain.last = &op;
    ++chain.count;
    return op;
  }

  void add(size_t i) {
    Chain &chain = chainFor(i);
    for (size_t before : works_[i].after)
      if (at_[before].chain != &chain)
        append(chain, OpKind::Wait, at_[before].done);
    addWork(chain, works_[i]);
    at_[i].chain = &chain;
    if (!at_[i].isAwaited)
      return;
    at_[i].done = Engine::get().newMarker();
    graph_.markers.push_back(at_[i].done);
    append(chain, OpKind::Record, at_[i].done);
  }

  void addWork(Chain &chain, GraphWork &work) {
    switch (work.kind) {
    case GraphWork::Kind::Nothing:
      append(chain, OpKind::Record);
      break;
    case GraphWork::Kind::Launch:
      addLaunch(append(chain, OpKind::Launch), work);
      break;
    case GraphWork::Kind::Task:
      append(chain, OpKind::Task).task = std::move(work.task);
      break;
    case GraphWork::Kind::HostFunction: {
      Op &op = append(chain, OpKind::HostFunction);
      op.task = std::move(work.task);
      op.isOfDevice = work.isOfDevice;
      break;
    }
    case GraphWork::Kind::OutsideWait:
      append(chain, OpKind::OutsideWait).task = std::move(work.task);
      break;
    case GraphWork::Kind::Record:
      graph_.events.push_back({&append(chain, OpKind::Record), work.event});
      break;
    case GraphWork::Kind::Wait:
      graph_.events.push_back({&append(chain, OpKind::Wait), work.event});
      break;
    case GraphWork::Kind::Choose:
      addChoice(append(chain, OpKind::Choose), work);
      break;
    }
  }

  void addLaunch(Op &op, const GraphWork &work) {
    LaunchParams params(work.launch);
    setLaunch(op, work.launch, params);
    op.paramBytes = work.launch.paramBytes;
    op.isPassedOver = !work.isEnabled;
    if (work.changeable)
      *work.changeable = reinterpret_cast<GraphLaunch *>(&op);
  }

  void addChoice(Op &op, GraphWork &work) {
    GraphRun &run = graph_.choices.emplace_back();
    run.choice = work.choice;
    run.value = work.value;
    run.bodies = std::move(work.bodies);
    op.graph = &run;
  }

  static constexpr size_t None = SIZE_MAX;
  Graph &graph_;
  std::span<GraphWork> works_;
  std::vector<Place> at_;
  std::vector<size_t> from_; ///< the work whose chain it goes on, or None
};

void setRoot(Graph &graph, Graph &root) {
  graph.root = &root;
  for (GraphRun &choice : graph.choices)
    for (Graph *body : choice.bodies)
      setRoot(*body, root);
}

void deleteGraph(Graph *graph) {
  for (GraphRun &choice : graph->choices)
    for (Graph *body : choice.bodies)
      deleteGraph(body);
  for (Marker *marker : graph->markers)
    Engine::get().dropMarker(marker);
  for (Op &op : graph->ops)
    if (op.kind == OpKind::Launch)
      deleteParams(op.launch);
  delete graph;
}

/// What a Choose operation runs now, or null.
Graph *chooseBody(const GraphRun &run, const Graph &root) {
  uint32_t value = root.values[run.value].load(std::memory_order_relaxed);
  size_t number = value;
  if (run.choice == Choice::While ? value == 0 : run.isStarted)
    return nullptr;
  if (run.choice != Choice::Switch)
    number = value ? 0 : 1;
  return number < run.bodies.size() ? run.bodies[number] : nullptr;
}

} // namespace

// ---------------------------------------------------------------------------------------------------
// The engine's part.

void Engine::beginGraph(Graph *graph, Op *runner) {
  graph->runner = runner;
  graph->chainsLeft = static_cast<uint32_t>(graph->chains.size());
  for (Marker *marker : graph->markers)
    marker->done.store(false, std::memory_order_relaxed);
  noteGraphBegins(*graph);
  for (Chain &chain : graph->chains) {
    Queue &queue = chain.queue;
    if (!chain.hasLevel)
      queue.level = runner->queue->level;
    queue.head = chain.first;
    queue.tail = chain.last;
    queue.enqueued.store(queue.enqueued.load(std::memory_order_relaxed) + chain.count,
                         std::memory_order_relaxed);
    later(&queue);
  }
}

bool Engine::runGraph(Op *op) {
  if (op->kind == OpKind::Graph)
    return runLaunchedGraph(op);
  GraphRun &run = *op->graph;
  Graph *next = chooseBody(run, *op->queue->graph->root);
  run.isStarted = next && !next->chains.empty();
  if (run.isStarted)
    beginGraph(next, op);
  return run.isStarted;
}

void Engine::endChain(Graph *graph) {
  if (--graph->chainsLeft == 0)
    later(graph->runner->queue);
}

// ---------------------------------------------------------------------------------------------------
// The device's part.

Graph *CpuDevice::createGraph(std::span<GraphWork> works, std::span<const GraphValue> values,
                              const void *owner) {
  auto *graph = new Graph;
  graph->owner = owner;
  graph->initial.assign(values.begin(), values.end());
  for (const GraphValue &value : values)
    graph->values.emplace_back(value.initial);
  EngineLock lock;
  ChainBuilder(*graph, works).build();
  setRoot(*graph, *graph);
  return graph;
}

void CpuDevice::destroyGraph(Graph *graph) {
  EngineLock lock;
  deleteGraph(graph);
}

Marker *CpuDevice::createMarker() {
  EngineLock lock;
  return Engine::get().newMarker();
}

Marker *CpuDevice::launchGraph(Queue *queue, Graph *graph, Marker *before,
                               std::span<Marker *const> events) {
  auto *run = new GraphRun;
  run->graph = graph;
  run->events.assign(events.begin(), events.end());
  EngineLock lock;
  Engine &engine = Engine::get();
  if (before && !before->done.load(std::memory_order_relaxed)) {
    Op *wait = engine.newOp(OpKind::Wait, queue);
    ++before->references;
    wait->marker = before;
    engine.append(wait);
  } else if (before) {
    noteSeen(before);
  }
  Op *op = engine.newOp(OpKind::Graph, queue);
  op->graph = run;
  run->op = op;
  engine.append(op);
  Op *record = engine.newOp(OpKind::Record, queue);
  Marker *end = engine.newMarker();
  end->references = 2; // the operation's and the caller's
  record->marker = end;
  engine.append(record);
  return end;
}

} // namespace cpu

void Graph::set(uint64_t handle, uint32_t value) {
  for (size_t i = 0; i < initial.size(); ++i)
    if (initial[i].handle == handle)
      values[i].store(value, std::memory_order_relaxed);
}

} // namespace heddle::device
