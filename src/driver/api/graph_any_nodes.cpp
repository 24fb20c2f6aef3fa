// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of any kind, whose parameters say of which (driver API, cuGraphAddNode and its like). The
// structures of most kinds begin as the runtime API's; those of this API name a context, too.
#include "driver/api/memory_operations.h"
#include "driver/api/node_params.h"
#include "driver/bodies.h"
#include "driver/functions.h"
#include "driver/nodes/node_access.h"

#include <cstring>

namespace heddle::driver {

namespace {

/// The context that the parameters name; null: none.
CUcontext contextOf(const CUgraphNodeParams &p) {
  switch (p.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return p.kernel.func ? nullptr : p.kernel.ctx; // a function has its own
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return p.memcpy.copyCtx;
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return p.memset.ctx;
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return p.memOp.ctx;
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    return p.conditional.ctx;
  default:
    return nullptr;
  }
}

/// Whether a node of that type works in a context.
bool wantsContext(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
}

template <typename F> CUresult inContextOf(const CUgraphNodeParams &p, F &&body) {
  CUcontext context = contextOf(p);
  return context || wantsContext(p.type) ? inContext(context, body) : anywhere(body);
}

bool hasReserved(const CUgraphNodeParams &p) {
  return p.reserved0[0] || p.reserved0[1] || p.reserved0[2] || p.reserved2;
}

/// The same for the runtime API's functions. Errors: CUDA_ERROR_INVALID_VALUE,
/// CUDA_ERROR_NOT_SUPPORTED.
CUresult read(const CUgraphNodeParams &p, cudaGraphNodeParams &to) {
  static_assert(sizeof p == sizeof to);
  std::memcpy(&to, &p, sizeof to);
  switch (p.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    const cudaKernelNodeParams launch = launchOf(p.kernel, p.kernel.kern);
    to.kernel = {launch.func,
                 {launch.gridDim.x, launch.gridDim.y, launch.gridDim.z},
                 {launch.blockDim.x, launch.blockDim.y, launch.blockDim.z},
                 launch.sharedMemBytes,
                 launch.kernelParams,
                 launch.extra};
    return launch.func ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    to.memcpy = {};
    to.memcpy.flags = p.memcpy.flags;
    return readCopy(&p.memcpy.copyParams, to.memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    if (p.graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE) {
      reportFailure("cuGraphAddNode", "a child graph that moves into its node is not supported");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
  default:
    return CUDA_SUCCESS;
  }
}

/// What the call has written into the runtime API's structure.
void giveBack(const cudaGraphNodeParams &from, CUgraphNodeParams &p) {
  if (p.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    p.alloc.dptr = reinterpret_cast<CUdeviceptr>(from.alloc.dptr);
  if (p.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    p.conditional.phGraph_out = from.conditional.phGraph_out;
}

CUresult addMemoryOperation(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            const CUgraphEdgeData *edges, size_t count,
                            const CUgraphNodeParams &params) {
  return enter([&] {
    return addNodeFor(node, graph, dependencies, plain(edges), count,
                      [&](Graph &, std::unique_ptr<Operation> &operation) {
                        return makeMemoryOperation(params.memOp, currentContext(), operation);
                      });
  });
}

} // namespace

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params) {
  cudaGraphNodeParams plainParams;
  if (!params || hasReserved(*params))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = read(*params, plainParams))
    return error;
  return inContextOf(*params, [&] {
    if (params->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
      return addMemoryOperation(node, graph, dependencies, edges, count, *params);
    CUresult error =
        cudaGraphAddNode_v2(node, graph, dependencies, plain(edges), count, &plainParams);
    if (error == CUDA_SUCCESS)
      giveBack(plainParams, *params);
    return error;
  });
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                        size_t count, CUgraphNodeParams *params) {
  return cuGraphAddNode_v2(node, graph, dependencies, nullptr, count, params);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params) {
  cudaGraphNodeParams plainParams;
  if (!params || hasReserved(*params))
    return CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
    return cuGraphBatchMemOpNodeSetParams(
        node, reinterpret_cast<const CUDA_BATCH_MEM_OP_NODE_PARAMS *>(&params->memOp));
  if (CUresult error = read(*params, plainParams))
    return error;
  return inContextOf(node, [&] { return cudaGraphNodeSetParams(node, &plainParams); });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params) {
  cudaGraphNodeParams plainParams;
  if (!params || hasReserved(*params))
    return CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
    return cuGraphExecBatchMemOpNodeSetParams(
        exec, node, reinterpret_cast<const CUDA_BATCH_MEM_OP_NODE_PARAMS *>(&params->memOp));
  if (CUresult error = read(*params, plainParams))
    return error;
  return inContextOf(node, [&] { return cudaGraphExecNodeSetParams(exec, node, &plainParams); });
}

} // namespace heddle::driver
