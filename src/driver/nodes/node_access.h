// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions for each kind of node have in common: a node of that kind is added, asked,
// given other parameters, and so is an executable graph's.
#pragma once

#include "driver/executable/executable.h"

namespace heddle::driver {

/// Runs `body(operation)` for a node whose operation is a T.
template <typename T, typename F> CUresult withNode(cudaGraphNode_t handle, F &&body) {
  return enter([&]() -> CUresult {
    Node *node = nodeOf(handle);
    T *operation = node ? operationAs<T>(node->operation.get()) : nullptr;
    return operation ? body(*operation) : CUDA_ERROR_INVALID_VALUE;
  });
}

/// `make(operation)` makes the operation of the function's arguments.
template <typename F>
CUresult addOperation(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                      size_t count, F &&make) {
  return enter([&] {
    return addNodeFor(
        out, graph, dependencies, nullptr, count,
        [&](Graph &, std::unique_ptr<Operation> &operation) { return make(operation); });
  });
}

/// What `make(operation, before)` makes of a node's operation, which must be a T.
template <typename T, typename F>
CUresult remake(const Node *node, F &&make, std::unique_ptr<Operation> &operation) {
  const T *before = node ? operationAs<T>(node->operation.get()) : nullptr;
  return before ? make(operation, *before) : CUDA_ERROR_INVALID_VALUE;
}

/// Gives a node of type T the operation that `make(operation, before)` makes.
template <typename T, typename F> CUresult setOperation(cudaGraphNode_t handle, F &&make) {
  return enter([&]() -> CUresult {
    Node *node = nodeOf(handle);
    std::unique_ptr<Operation> operation;
    if (CUresult error = remake<T>(node, make, operation))
      return error;
    node->operation = std::move(operation);
    return CUDA_SUCCESS;
  });
}

/// The same for an executable graph's node, which must be able to go on with it.
template <typename T, typename F>
CUresult setOperation(cudaGraphExec_t executable, cudaGraphNode_t handle, F &&make) {
  return withExecutable(executable, [&](Executable &e) -> CUresult {
    std::unique_ptr<Operation> operation;
    if (CUresult error = remake<T>(nodeIn(e, handle), make, operation))
      return error;
    return replace(e, handle, std::move(operation));
  });
}

} // namespace heddle::driver
