// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of any kind, whose parameters say of which (runtime API, cudaGraphAddNode and its like).
#include "runtime/graphs/graph.h"
#include "runtime/memory/copy_params.h"

#include <cstring>

using namespace heddle::runtime;

namespace {

/// The structures of most kinds begin alike in both APIs; those of the driver name a context, too.
/// hasOwnership: what lies behind a child graph says who owns it, as CUDA 13 has it.
CUresult read(const cudaGraphNodeParams *p, CUgraphNodeParams &to, bool hasOwnership = false) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  static_assert(sizeof to == sizeof *p);
  std::memcpy(&to, p, sizeof to);
  switch (p->type) {
  case cudaGraphNodeTypeKernel: {
    const cudaKernelNodeParamsV2 &k = p->kernel;
    const cudaKernelNodeParams params = {k.func,
                                         dim3(k.gridDim.x, k.gridDim.y, k.gridDim.z),
                                         dim3(k.blockDim.x, k.blockDim.y, k.blockDim.z),
                                         k.sharedMemBytes,
                                         k.kernelParams,
                                         k.extra};
    CUDA_KERNEL_NODE_PARAMS kernel;
    const CUresult error = readKernelNode(&params, kernel);
    static_assert(sizeof kernel == sizeof to.kernel);
    std::memcpy(&to.kernel, &kernel, sizeof kernel);
    return error;
  }
  case cudaGraphNodeTypeMemcpy:
    to.memcpy = {};
    to.memcpy.flags = p->memcpy.flags;
    to.memcpy.copyCtx = currentContext();
    return to.memcpy.flags ? CUDA_ERROR_INVALID_VALUE
                           : readNodeCopy(&p->memcpy.copyParams, to.memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    to.memset.ctx = currentContext();
    return CUDA_SUCCESS;
  case cudaGraphNodeTypeConditional:
    to.conditional.ctx = currentContext();
    return CUDA_SUCCESS;
  case cudaGraphNodeTypeGraph: // of CUDA 12, what lies behind it belongs to nobody
    if (!hasOwnership)
      to.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
    return CUDA_SUCCESS;
  default: // batches of operations on words are the driver's alone
    return p->type == static_cast<cudaGraphNodeType>(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  }
}

/// What the call has written into the driver's structure.
void giveBack(const CUgraphNodeParams &from, cudaGraphNodeParams &p) {
  if (p.type == cudaGraphNodeTypeMemAlloc)
    p.alloc.dptr = pointerTo(from.alloc.dptr);
  if (p.type == cudaGraphNodeTypeConditional)
    p.conditional.phGraph_out = from.conditional.phGraph_out;
}

cudaError_t addNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                    const cudaGraphEdgeData *edges, size_t count, cudaGraphNodeParams *params,
                    bool hasOwnership) {
  return translateInContext([&]() -> CUresult {
    CUgraphNodeParams asked;
    if (CUresult error = read(params, asked, hasOwnership))
      return error;
    CUresult error =
        ask<&Cu::cuGraphAddNode_v2>(node, graph, dependencies, asDriver(edges), count, &asked);
    if (error == CUDA_SUCCESS)
      giveBack(asked, *params);
    return error;
  });
}

} // namespace

HEDDLE_API cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies,
                                           const cudaGraphEdgeData *edges, size_t count,
                                           cudaGraphNodeParams *params) {
  return addNode(node, graph, dependencies, edges, count, params, false);
}

HEDDLE_API cudaError_t heddle_13_cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies,
                                                  const cudaGraphEdgeData *edges, size_t count,
                                                  cuda13::cudaGraphNodeParams *params) {
  static_assert(sizeof *params == sizeof(cudaGraphNodeParams));
  return addNode(node, graph, dependencies, edges, count,
                 reinterpret_cast<cudaGraphNodeParams *>(params), true);
}

HEDDLE_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count,
                                        cudaGraphNodeParams *params) {
  return named(
      [&] { return cudaGraphAddNode_v2(node, graph, dependencies, nullptr, count, params); });
}

HEDDLE_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *params) {
  return translateInContext([&]() -> CUresult {
    CUgraphNodeParams asked;
    const CUresult error = read(params, asked);
    return error == CUDA_SUCCESS ? ask<&Cu::cuGraphNodeSetParams>(node, &asked) : error;
  });
}

HEDDLE_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  cudaGraphNodeParams *params) {
  return translateInContext([&]() -> CUresult {
    CUgraphNodeParams asked;
    const CUresult error = read(params, asked);
    return error == CUDA_SUCCESS ? ask<&Cu::cuGraphExecNodeSetParams>(exec, node, &asked) : error;
  });
}
