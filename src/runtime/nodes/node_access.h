// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions for each kind of node have in common: a node of that kind is added, asked,
// given other parameters, and so is an executable graph's.
#pragma once

#include "runtime/executable/executable.h"

namespace heddle::runtime {

/// Runs `body(operation)` for a node whose operation is a T.
template <typename T, typename F> cudaError_t withNode(cudaGraphNode_t handle, F &&body) {
  return enter([&]() -> cudaError_t {
    Node *node = nodeOf(handle);
    T *operation = node ? operationAs<T>(node->operation.get()) : nullptr;
    return operation ? body(*operation) : cudaErrorInvalidValue;
  });
}

/// `make(operation)` makes the operation of the function's arguments.
template <typename F>
cudaError_t addOperation(cudaGraphNode_t *out, cudaGraph_t graph,
                         const cudaGraphNode_t *dependencies, size_t count, F &&make) {
  return enter([&] {
    return addNodeFor(
        out, graph, dependencies, nullptr, count,
        [&](Graph &, std::unique_ptr<Operation> &operation) { return make(operation); });
  });
}

/// What `make(operation, before)` makes of a node's operation, which must be a T.
template <typename T, typename F>
cudaError_t remake(const Node *node, F &&make, std::unique_ptr<Operation> &operation) {
  const T *before = node ? operationAs<T>(node->operation.get()) : nullptr;
  return before ? make(operation, *before) : cudaErrorInvalidValue;
}

/// Gives a node of type T the operation that `make(operation, before)` makes.
template <typename T, typename F> cudaError_t setOperation(cudaGraphNode_t handle, F &&make) {
  return enter([&]() -> cudaError_t {
    Node *node = nodeOf(handle);
    std::unique_ptr<Operation> operation;
    if (cudaError_t error = remake<T>(node, make, operation))
      return error;
    node->operation = std::move(operation);
    return cudaSuccess;
  });
}

/// The same for an executable graph's node, which must be able to go on with it.
template <typename T, typename F>
cudaError_t setOperation(cudaGraphExec_t executable, cudaGraphNode_t handle, F &&make) {
  return withExecutable(executable, [&](Executable &e) -> cudaError_t {
    std::unique_ptr<Operation> operation;
    if (cudaError_t error = remake<T>(nodeIn(e, handle), make, operation))
      return error;
    return replace(e, handle, std::move(operation));
  });
}

} // namespace heddle::runtime
