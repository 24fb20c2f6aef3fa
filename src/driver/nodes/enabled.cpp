// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of executable graphs that are switched off: kernels, copies and fills.
#include "driver/executable/executable.h"
#include "driver/functions.h"

namespace heddle::driver {

static bool canBeDisabled(const Node &node) {
  const cudaGraphNodeType type = node.operation->type();
  return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
         type == cudaGraphNodeTypeMemset;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode nodeHandle, unsigned isEnabled) {
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    Node *node = nodeIn(executable, nodeHandle);
    if (!node || !canBeDisabled(*node))
      return CUDA_ERROR_INVALID_VALUE;
    executable.isOld |= node->enabled != (isEnabled != 0);
    node->enabled = isEnabled != 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec handle, CUgraphNode nodeHandle, unsigned *isEnabled) {
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    Node *node = nodeIn(executable, nodeHandle);
    if (!node || !isEnabled || !canBeDisabled(*node))
      return CUDA_ERROR_INVALID_VALUE;
    *isEnabled = node->enabled;
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
