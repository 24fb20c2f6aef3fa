// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of executable graphs that are switched off: kernels, copies and fills.
#include "runtime/executable/executable.h"

namespace heddle::runtime {

static bool canBeDisabled(const Node &node) {
  const cudaGraphNodeType type = node.operation->type();
  return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
         type == cudaGraphNodeTypeMemset;
}

} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t nodeHandle,
                                               unsigned int isEnabled) {
  return withExecutable(handle, [&](Executable &executable) -> cudaError_t {
    Node *node = nodeIn(executable, nodeHandle);
    if (!node || !canBeDisabled(*node))
      return cudaErrorInvalidValue;
    executable.isOld |= node->enabled != (isEnabled != 0);
    node->enabled = isEnabled != 0;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t nodeHandle,
                                               unsigned int *isEnabled) {
  return withExecutable(handle, [&](Executable &executable) -> cudaError_t {
    Node *node = nodeIn(executable, nodeHandle);
    if (!node || !isEnabled || !canBeDisabled(*node))
      return cudaErrorInvalidValue;
    *isEnabled = node->enabled;
    return cudaSuccess;
  });
}
