// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User objects: what a program wants to live as long as graphs that use it (CUDA guide, "CUDA User
// Objects"). References are counted; the last one has the program's destructor called, on a thread
// that may not call CUDA. A graph's references go with its copies, and so to executable graphs,
// which drop theirs when they are destroyed and no launch of theirs is under way.
#include "driver/functions.h"
#include "driver/graphs/graph.h"
#include "driver/handle_pool.h"
#include "driver/rooms.h"

#include <climits>

namespace heddle::driver {

struct UserObject {
  void *data = nullptr;
  CUhostFn destroy = nullptr;
  std::atomic<unsigned> references{0};
};

namespace {

HandlePool<UserObject, 1u << 20> &pool() { return rooms().userObjects.get(); }

/// Drops references; false if there are not as many.
bool release(UserObject *object, unsigned count) {
  unsigned before = object->references.load(std::memory_order_relaxed);
  do {
    if (before < count)
      return false;
  } while (
      !object->references.compare_exchange_weak(before, before - count, std::memory_order_acq_rel));
  if (before > count)
    return true;
  CUhostFn destroy = object->destroy;
  void *data = object->data;
  pool().destroy(object);
  HostFunctionScope scope;
  destroy(data);
  return true;
}

CUresult retainFor(Graph &graph, UserObject *object, unsigned count, bool moves) {
  unsigned &held = graph.objects[object];
  if (held + count < held)
    return CUDA_ERROR_INVALID_VALUE;
  held += count;
  if (!moves)
    object->references.fetch_add(count, std::memory_order_relaxed);
  return CUDA_SUCCESS;
}

} // namespace

void retainObjects(Graph &graph) {
  for (auto &[object, count] : graph.objects)
    object->references.fetch_add(count, std::memory_order_relaxed);
}

void releaseObjects(Graph &graph) {
  for (auto &[object, count] : graph.objects)
    release(object, count);
  graph.objects.clear();
}

// ---------------------------------------------------------------------------------------------------
// Driver API, "Graph Management": user objects.

CUresult cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy, unsigned count,
                            unsigned flags) {
  if (!out || !destroy || !count || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  UserObject *object = pool().create();
  if (!object)
    return CUDA_ERROR_OUT_OF_MEMORY;
  object->data = data;
  object->destroy = destroy;
  object->references = count;
  *out = reinterpret_cast<CUuserObject>(object);
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject handle, unsigned count) {
  UserObject *object = pool().find(handle);
  if (!object || !count || count > INT_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  object->references.fetch_add(count, std::memory_order_relaxed);
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject handle, unsigned count) {
  UserObject *object = pool().find(handle);
  return object && count && release(object, count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphRetainUserObject(CUgraph handle, CUuserObject objectHandle, unsigned count,
                                 unsigned flags) {
  Graph *graph = graphOf(handle);
  UserObject *object = pool().find(objectHandle);
  if (!graph || !object || !count || (flags & ~unsigned(CU_GRAPH_USER_OBJECT_MOVE)))
    return CUDA_ERROR_INVALID_VALUE;
  return retainFor(*graph, object, count, flags & CU_GRAPH_USER_OBJECT_MOVE);
}

CUresult cuGraphReleaseUserObject(CUgraph handle, CUuserObject objectHandle, unsigned count) {
  Graph *graph = graphOf(handle);
  UserObject *object = pool().find(objectHandle);
  if (!graph || !object || !count || count > INT_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  auto held = graph->objects.find(object);
  if (held == graph->objects.end() || count > held->second)
    return CUDA_SUCCESS; // as on a GPU: nothing is released
  held->second -= count;
  if (!held->second)
    graph->objects.erase(held);
  release(object, count);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
