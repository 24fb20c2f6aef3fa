// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User objects: what a program wants to live as long as graphs that use it (CUDA guide, "CUDA User
// Objects"). References are counted; the last one has the program's destructor called, on a thread
// that may not call CUDA. A graph's references go with its copies, and so to executable graphs,
// which drop theirs when they are destroyed and no launch of theirs is under way.
#include "runtime/graphs/graph.h"

#include "runtime/handle_pool.h"

namespace heddle::runtime {

struct UserObject {
  void *data = nullptr;
  cudaHostFn_t destroy = nullptr;
  std::atomic<unsigned> references{0};
};

namespace {

HandlePool<UserObject, 1u << 20> &pool() {
  static auto *objects = new HandlePool<UserObject, 1u << 20>;
  return *objects;
}

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
  cudaHostFn_t destroy = object->destroy;
  void *data = object->data;
  pool().destroy(object);
  HostFunctionScope scope;
  destroy(data);
  return true;
}

cudaError_t retainFor(Graph &graph, UserObject *object, unsigned count, bool moves) {
  unsigned &held = graph.objects[object];
  if (held + count < held)
    return cudaErrorInvalidValue;
  held += count;
  if (!moves)
    object->references.fetch_add(count, std::memory_order_relaxed);
  return cudaSuccess;
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

} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *data, cudaHostFn_t destroy,
                                            unsigned int count, unsigned int flags) {
  return enter([&]() -> cudaError_t {
    if (!out || !destroy || !count || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    UserObject *object = pool().create();
    if (!object)
      return cudaErrorMemoryAllocation;
    object->data = data;
    object->destroy = destroy;
    object->references = count;
    *out = reinterpret_cast<cudaUserObject_t>(object);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned int count) {
  return enter([&]() -> cudaError_t {
    UserObject *object = pool().find(handle);
    if (!object || !count)
      return cudaErrorInvalidValue;
    object->references.fetch_add(count, std::memory_order_relaxed);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned int count) {
  return enter([&]() -> cudaError_t {
    UserObject *object = pool().find(handle);
    return object && count && release(object, count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

HEDDLE_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t objectHandle,
                                                 unsigned int count, unsigned int flags) {
  return enter([&]() -> cudaError_t {
    Graph *graph = graphOf(handle);
    UserObject *object = pool().find(objectHandle);
    if (!graph || !object || !count || (flags & ~unsigned(cudaGraphUserObjectMove)))
      return cudaErrorInvalidValue;
    return retainFor(*graph, object, count, flags & cudaGraphUserObjectMove);
  });
}

HEDDLE_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, cudaUserObject_t objectHandle,
                                                  unsigned int count) {
  return enter([&]() -> cudaError_t {
    Graph *graph = graphOf(handle);
    UserObject *object = pool().find(objectHandle);
    if (!graph || !object || !count)
      return cudaErrorInvalidValue;
    auto held = graph->objects.find(object);
    if (held == graph->objects.end() || count > held->second)
      return cudaSuccess; // as on a GPU: nothing is released
    held->second -= count;
    if (!held->second)
      graph->objects.erase(held);
    release(object, count);
    return cudaSuccess;
  });
}
