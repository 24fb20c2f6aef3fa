// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions for each kind of node have in common: a node of that kind is added, asked,
// given other parameters, and so is an executable graph's. A node does its work in the context that
// was current when it was added, or that the call names; other parameters leave it there.
#pragma once

#include "driver/executable/executable.h"

#include <utility>

namespace heddle::driver {

/// Runs `body()` with the context as the thread's current one.
template <typename F> CUresult inside(Context &context, F &&body) {
  ThreadState &t = thread();
  Context *before = std::exchange(t.current, &context);
  CUresult error = body();
  t.current = before;
  return error;
}

/// Runs `body()` in the context of a handle; null is the current one.
template <typename F> CUresult inContext(CUcontext handle, F &&body) {
  if (!handle)
    return thread().current ? body() : CUDA_ERROR_INVALID_CONTEXT;
  Context *context = findContext(handle);
  return context ? inside(*context, body) : CUDA_ERROR_INVALID_CONTEXT;
}

/// Runs the body of a function that needs no current context. Where there is none, or one that is
/// destroyed, it is lent one, for what it makes to note.
template <typename F> CUresult anywhere(F &&body) {
  if (thread().current && isLive(*thread().current))
    return body();
  for (auto &device : state().devices)
    if (device->isActive)
      return inside(*device, body);
  return inside(*state().devices.front(), body);
}

/// Runs `body()` in the context of a node, so that what it does stays there.
template <typename F> CUresult inContextOf(CUgraphNode handle, F &&body) {
  const Node *node = nodeOf(handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  Context *context = node->operation->device;
  if (!context)
    return anywhere(body);
  return isLive(*context) ? inside(*context, body) : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/// Runs `body(operation)` for a node whose operation is a T.
template <typename T, typename F> CUresult withNode(CUgraphNode handle, F &&body) {
  Node *node = nodeOf(handle);
  T *operation = node ? operationAs<T>(node->operation.get()) : nullptr;
  return operation ? body(*operation) : CUDA_ERROR_INVALID_VALUE;
}

/// `make(operation)` makes the operation of the function's arguments.
template <typename F>
CUresult addOperation(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                      size_t count, F &&make) {
  return addNodeFor(
      out, graph, dependencies, nullptr, count,
      [&](Graph &, std::unique_ptr<Operation> &operation) { return make(operation); });
}

/// What `make(operation, before)` makes of a node's operation, which must be a T.
template <typename T, typename F>
CUresult remake(const Node *node, F &&make, std::unique_ptr<Operation> &operation) {
  const T *before = node ? operationAs<T>(node->operation.get()) : nullptr;
  return before ? make(operation, *before) : CUDA_ERROR_INVALID_VALUE;
}

/// Gives a node of type T the operation that `make(operation, before)` makes in the node's context.
template <typename T, typename F> CUresult setOperation(CUgraphNode handle, F &&make) {
  return inContextOf(handle, [&]() -> CUresult {
    Node *node = nodeOf(handle);
    std::unique_ptr<Operation> operation;
    if (CUresult error = remake<T>(node, make, operation))
      return error;
    node->operation = std::move(operation);
    return CUDA_SUCCESS;
  });
}

/// The same in the current context for an executable graph's node, which must be able to go on with
/// it.
template <typename T, typename F>
CUresult setOperationHere(CUgraphExec executable, CUgraphNode handle, F &&make) {
  return withExecutable(executable, [&](Executable &e) -> CUresult {
    std::unique_ptr<Operation> operation;
    if (CUresult error = remake<T>(nodeIn(e, handle), make, operation))
      return error;
    return replace(e, handle, std::move(operation));
  });
}
/// In the node's context.
template <typename T, typename F>
CUresult setOperation(CUgraphExec executable, CUgraphNode handle, F &&make) {
  return inContextOf(handle, [&] { return setOperationHere<T>(executable, handle, make); });
}

} // namespace heddle::driver
