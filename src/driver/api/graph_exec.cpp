// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs: made, launched, updated (driver API, "Graph Management").
#include "driver/api/node_params.h"
#include "driver/bodies.h"
#include "driver/functions.h"

namespace heddle::driver {

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  return cudaGraphInstantiateWithParams(exec, graph,
                                        reinterpret_cast<cudaGraphInstantiateParams *>(params));
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

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags) {
  unsigned long long found = 0;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = anywhere([&] { return cudaGraphExecGetFlags(exec, &found); });
  if (error == CUDA_SUCCESS)
    *flags = found;
  return error;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) { return cudaGraphUpload(exec, stream); }

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) { return cudaGraphLaunch(exec, stream); }

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return anywhere([&] { return cudaGraphExecDestroy(exec); });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  return anywhere([&] {
    return cudaGraphExecUpdate(exec, graph,
                               reinterpret_cast<cudaGraphExecUpdateResultInfo *>(info));
  });
}

/// Of CUDA 10.2.
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *errorNode,
                           CUgraphExecUpdateResult *result) {
  if (!errorNode || !result)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  CUresult error = cuGraphExecUpdate_v2(exec, graph, &info);
  *errorNode = info.errorNode;
  *result = info.result;
  return error;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned isEnabled) {
  return anywhere([&] { return cudaGraphNodeSetEnabled(exec, node, isEnabled); });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *isEnabled) {
  return anywhere([&] { return cudaGraphNodeGetEnabled(exec, node, isEnabled); });
}

} // namespace heddle::driver
