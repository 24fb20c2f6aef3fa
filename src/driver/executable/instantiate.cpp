// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs: made, launched, destroyed.
//
// A plan (the device's work) is never changed while a launch of it may be under way. What changes
// an executable graph marks its plan as old; the next launch makes another one and gives the old
// one away, to be destroyed behind its last launch. So launches that are queued run as they were
// when they were launched.
#include "driver/executable/executable.h"

#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/launch/kernel_operation.h"
#include "driver/rooms.h"
#include "driver/streams/capture.h"
#include "driver/streams/event.h"

#include "device/cpu/memory/allocator.h"

#include <algorithm>

namespace heddle::driver {

namespace {

constexpr unsigned long long KnownFlags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

HandlePool<Executable, 1u << 20> &pool() { return rooms().executables.get(); }

void addNodes(Executable &executable, const Graph &graph) {
  for (Node *node : graph.nodes) {
    executable.nodes[node->copyOf] = node;
    for (const Graph *inside : node->operation->inside())
      addNodes(executable, *inside);
  }
}

/// Runs `task` when what has been launched has ended.
void runBehind(Executable &executable, device::Task task) {
  device::Device &backend = *executable.device->backend;
  device::Queue *queue = backend.createQueue(device::QueueKind::NonBlocking, 0);
  if (executable.last)
    backend.waitFor(queue, executable.last);
  backend.enqueueHostFunction(queue, std::move(task));
  backend.destroyQueue(queue);
}

bool isUnderWay(const Executable &executable) {
  return executable.last && !executable.device->backend->isDone(executable.last);
}

void dropPlan(Executable &executable) {
  device::Device *backend = executable.device->backend.get();
  executable.uploaded = nullptr;
  forgetDeviceLaunches(*executable.graph);
  device::Graph *plan = std::exchange(executable.plan, nullptr);
  if (plan && isUnderWay(executable))
    runBehind(executable, [=] { backend->destroyGraph(plan); });
  else if (plan)
    backend->destroyGraph(plan);
}

/// What a graph that is launched by the device may hold (CUDA guide, "Device Graph Requirements").
const Node *findHostOnly(const Graph &graph) {
  for (const Node *node : graph.nodes) {
    switch (node->operation->type()) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeGraph:
      break;
    default:
      return node;
    }
    for (const Graph *inside : node->operation->inside())
      if (const Node *found = findHostOnly(*inside))
        return found;
  }
  return nullptr;
}

/// A node that may not lie in a body of a conditional node.
const Node *findUnconditional(const Graph &graph, bool isBody) {
  for (const Node *node : graph.nodes) {
    const cudaGraphNodeType type = node->operation->type();
    const bool fits = type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
                      type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeEmpty ||
                      type == cudaGraphNodeTypeGraph || type == cudaGraphNodeTypeConditional;
    if (isBody && !fits)
      return node;
    for (const Graph *inside : node->operation->inside())
      if (const Node *found =
              findUnconditional(*inside, isBody || type == cudaGraphNodeTypeConditional))
        return found;
  }
  return nullptr;
}

InstantiateProblem findProblem(const Graph &graph, unsigned long long flags) {
  auto unsupported = [](const Node *node) {
    return InstantiateProblem{cudaGraphInstantiateNodeOperationNotSupported,
                              const_cast<Node *>(node)};
  };
  if (const Node *node = findUnconditional(graph, false))
    return unsupported(node);
  if (flags & cudaGraphInstantiateFlagDeviceLaunch)
    if (const Node *node = findHostOnly(graph))
      return unsupported(node);
  if (!std::ranges::all_of(graph.conditions, &GraphCondition::hasNode))
    return {cudaGraphInstantiateConditionalHandleUnused, nullptr};
  return {};
}

bool hasMemoryNodes(const Graph &graph) {
  return contains(graph, cudaGraphNodeTypeMemAlloc) || contains(graph, cudaGraphNodeTypeMemFree);
}

/// The graph's own node for a copy's, wherever it lies.
Node *originalOf(const Graph &graph, uint64_t id) {
  for (Node *node : graph.nodes) {
    if (node->id == id)
      return node;
    for (const Graph *inside : node->operation->inside())
      if (Node *found = originalOf(*inside, id))
        return found;
  }
  return nullptr;
}

CUresult instantiate(cudaGraphExec_t *out, cudaGraph_t handle, unsigned long long flags,
                     InstantiateProblem &problem) {
  Graph *graph = graphOf(handle);
  const bool both = (flags & cudaGraphInstantiateFlagDeviceLaunch) &&
                    (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
  problem = {cudaGraphInstantiateError, nullptr};
  if (!out || !graph || (flags & ~KnownFlags) || both)
    return CUDA_ERROR_INVALID_VALUE;
  problem = findProblem(*graph, flags);
  if (problem.result != cudaGraphInstantiateSuccess)
    return CUDA_ERROR_INVALID_VALUE;
  if ((hasMemoryNodes(*graph) && graph->instance.lock()) || hasInstantiatedDeviceNodes(*graph))
    return CUDA_ERROR_NOT_SUPPORTED;
  Executable *executable = pool().create();
  if (!executable)
    return CUDA_ERROR_OUT_OF_MEMORY;
  executable->device = &currentContext();
  executable->contextId = executable->device->id;
  executable->flags = flags;
  CUresult error = copyGraph(*graph, true, executable->graph);
  if (!error) {
    addNodes(*executable, *executable->graph);
    executable->memory = memoryUseOf(*executable->graph);
    executable->allocations = device::cpu::Allocator::get().changes();
    error = makePlan(*executable, problem);
  }
  if (error) {
    if (problem.node)
      problem.node = originalOf(*graph, problem.node->copyOf);
    if (executable->graph)
      destroyGraph(executable->graph);
    pool().destroy(executable);
    return error;
  }
  markDeviceNodes(*graph);
  graph->instance = executable->instance = std::make_shared<int>();
  *out = reinterpret_cast<cudaGraphExec_t>(executable);
  return CUDA_SUCCESS;
}

/// Makes another plan if the one that there is has become old.
CUresult renewPlan(Executable &executable) {
  const uint64_t allocations = device::cpu::Allocator::get().changes();
  if (!executable.isOld && allocations != executable.allocations)
    executable.isOld = !std::ranges::all_of(
        executable.nodes, [](auto &entry) { return entry.second->operation->isStillRight(); });
  executable.allocations = allocations;
  if (!executable.isOld)
    return CUDA_SUCCESS;
  dropPlan(executable);
  InstantiateProblem problem;
  if (CUresult error = makePlan(executable, problem))
    return error;
  executable.isOld = false;
  return CUDA_SUCCESS;
}

/// From now on device code may launch it, as it is now, if it was instantiated for that.
CUresult upload(Executable &executable) {
  if (CUresult error = renewPlan(executable))
    return error;
  if (executable.flags & cudaGraphInstantiateFlagDeviceLaunch)
    executable.uploaded = executable.plan;
  return CUDA_SUCCESS;
}

/// Runs the plan in the stream, and returns its end. A stream of another device waits while the
/// graph's device runs it.
device::Marker *runIn(Stream &stream, Executable &executable,
                      std::span<device::Marker *const> events) {
  device::Device &backend = *executable.device->backend, &other = *stream.device->backend;
  if (&backend == &other)
    return backend.launchGraph(stream.queue, executable.plan, executable.last, events);
  device::Queue *queue = backend.createQueue(device::QueueKind::NonBlocking, 0);
  device::Marker *begin = other.record(stream.queue);
  backend.waitFor(queue, begin);
  other.drop(begin);
  device::Marker *end = backend.launchGraph(queue, executable.plan, executable.last, events);
  other.waitFor(stream.queue, end);
  backend.destroyQueue(queue);
  return end;
}

CUresult launch(Executable &executable, Stream &stream) {
  if (CUresult error = upload(executable))
    return error;
  if (!executable.memory.isEmpty())
    if (CUresult error = takeGraphMemory(
            executable.memory, executable.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch))
      return error;
  std::vector<device::Marker *> events;
  for (const GraphEvent &event : executable.context.events)
    events.push_back(markerFor(event.event, event.records));
  device::Marker *end = runIn(stream, executable, events);
  if (executable.last)
    executable.device->backend->drop(executable.last);
  executable.last = end;
  return state().launchBlocking ? synchronize(stream) : CUDA_SUCCESS;
}

/// The context is gone, and waited for the launches. Plans and markers are any device's.
void destroyWithoutContext(Executable *executable) {
  device::Device &backend = *state().devices.front()->backend;
  executable->uploaded = nullptr;
  forgetDeviceLaunches(*executable->graph);
  if (executable->plan)
    backend.destroyGraph(executable->plan);
  if (executable->last)
    backend.drop(executable->last);
  destroyGraph(executable->graph);
  pool().destroy(executable);
}

void destroy(Executable *executable) {
  Graph *graph = executable->graph;
  if (!isLive(*executable))
    return destroyWithoutContext(executable);
  dropPlan(*executable);
  if (isUnderWay(*executable))
    runBehind(*executable, [=] { destroyGraph(graph); });
  else
    destroyGraph(graph);
  if (executable->last)
    executable->device->backend->drop(executable->last);
  pool().destroy(executable);
}

} // namespace

Executable *executableOf(cudaGraphExec_t handle) { return pool().find(handle); }

Node *nodeIn(Executable &executable, cudaGraphNode_t handle) {
  const Node *node = nodeOf(handle);
  if (!node)
    return nullptr;
  auto found = executable.nodes.find(node->id);
  return found == executable.nodes.end() ? nullptr : found->second;
}

CUresult replace(Executable &executable, cudaGraphNode_t handle,
                 std::unique_ptr<Operation> operation) {
  Node *node = nodeIn(executable, handle);
  if (!node || node->operation->type() != operation->type() ||
      node->operation->compare(*operation) != cudaGraphExecUpdateSuccess)
    return CUDA_ERROR_INVALID_VALUE;
  node->operation = std::move(operation);
  executable.isOld = true;
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Driver API, "Graph Management": executable graphs.

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags) {
  InstantiateProblem problem;
  // An upload wants a stream, which only cuGraphInstantiateWithParams has.
  return flags & cudaGraphInstantiateFlagUpload ? CUDA_ERROR_INVALID_VALUE
                                                : instantiate(out, graph, flags, problem);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  InstantiateProblem problem;
  CUresult error = instantiate(out, graph, params->flags, problem);
  params->hErrNode_out = problem.node ? handleOf(problem.node) : nullptr;
  params->result_out = error ? static_cast<CUgraphInstantiateResult>(problem.result)
                             : CUDA_GRAPH_INSTANTIATE_SUCCESS;
  if (!error && (params->flags & cudaGraphInstantiateFlagUpload))
    error = upload(*executableOf(*out));
  return error;
}

/// Of CUDA 10 and 11: the log stays empty.
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *errorNode, char *log,
                               size_t length) {
  CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
  CUresult error = cuGraphInstantiateWithParams(exec, graph, &params);
  if (errorNode)
    *errorNode = params.hErrNode_out;
  if (log && length)
    *log = 0;
  return error;
}
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *errorNode, char *log,
                            size_t length) {
  return cuGraphInstantiate_v2(exec, graph, errorNode, log, length);
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t *flags) {
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    if (!flags)
      return CUDA_ERROR_INVALID_VALUE;
    *flags = executable.flags & ~cudaGraphInstantiateFlagUseNodePriority; // as on a GPU
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream streamHandle) {
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    Stream *stream = streamOf(streamHandle);
    if (!stream)
      return CUDA_ERROR_INVALID_HANDLE;
    return submitUncaptured(*stream, [&] { return upload(executable); });
  });
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream streamHandle) {
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    Stream *stream = streamOf(streamHandle);
    if (!stream)
      return CUDA_ERROR_INVALID_HANDLE;
    return submitUncaptured(*stream, [&] { return launch(executable, *stream); });
  });
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  Executable *executable = executableOf(handle);
  if (!executable)
    return CUDA_ERROR_INVALID_VALUE;
  destroy(executable);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
