// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of graphs, one function for each kind and use (driver API, "Graph Management"). A node does
// its work in the context that was current when it was added, or that the call names; other
// parameters leave it there.
#include "driver/api/node_params.h"
#include "driver/bodies.h"
#include "driver/functions.h"

namespace heddle::driver {

namespace {

/// Runs `body(launch)` for a kernel's parameters, in the context that they name.
template <typename Params, typename F>
CUresult withLaunch(const Params *params, CUkernel kernel, CUcontext context, F &&body) {
  const cudaKernelNodeParams launch = launchOf(*params, kernel);
  if (!launch.func)
    return CUDA_ERROR_INVALID_VALUE;
  return inContext(params->func ? nullptr : context, [&] { return body(&launch); });
}
template <typename F> CUresult withLaunch(const CUDA_KERNEL_NODE_PARAMS_v1 *params, F &&body) {
  return params ? withLaunch(params, nullptr, nullptr, body) : CUDA_ERROR_INVALID_VALUE;
}
template <typename F> CUresult withLaunch(const CUDA_KERNEL_NODE_PARAMS *params, F &&body) {
  return params ? withLaunch(params, params->kern, params->ctx, body) : CUDA_ERROR_INVALID_VALUE;
}

/// Runs `body(copy)` for a copy's parameters.
template <typename F> CUresult withCopy(const CUDA_MEMCPY3D *copy, F &&body) {
  cudaMemcpy3DParms params;
  CUresult error = readCopy(copy, params);
  return error == CUDA_SUCCESS ? body(&params) : error;
}

} // namespace

// ---------------------------------------------------------------------------------------------------
// Kernels.

namespace {

template <typename Params>
CUresult addKernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                   const Params *params) {
  return withLaunch(params, [&](const cudaKernelNodeParams *launch) {
    return cudaGraphAddKernelNode(node, graph, dependencies, count, launch);
  });
}

template <typename Params> CUresult getKernel(CUgraphNode node, Params *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  return inContextOf(node, [&] {
    cudaKernelNodeParams launch = {};
    CUresult error = cudaGraphKernelNodeGetParams(node, &launch);
    if (error == CUDA_SUCCESS)
      tellLaunch(launch, *params);
    return error;
  });
}

template <typename Params> CUresult setKernel(CUgraphNode node, const Params *params) {
  return inContextOf(node, [&] {
    return withLaunch(params, [&](const cudaKernelNodeParams *launch) {
      return cudaGraphKernelNodeSetParams(node, launch);
    });
  });
}

template <typename Params>
CUresult setKernel(CUgraphExec exec, CUgraphNode node, const Params *params) {
  return inContextOf(node, [&] {
    return withLaunch(params, [&](const cudaKernelNodeParams *launch) {
      return cudaGraphExecKernelNodeSetParams(exec, node, launch);
    });
  });
}

} // namespace

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  return addKernel(node, graph, dependencies, count, params);
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
  return addKernel(node, graph, dependencies, count, params);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  return getKernel(node, params);
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params) {
  return getKernel(node, params);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  return setKernel(node, params);
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
  return setKernel(node, params);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  return setKernel(exec, node, params);
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params) {
  return setKernel(exec, node, params);
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return anywhere([&] { return cudaGraphKernelNodeCopyAttributes(to, from); });
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue *value) {
  return anywhere([&] {
    return cudaGraphKernelNodeGetAttribute(node, static_cast<cudaLaunchAttributeID>(attribute),
                                           reinterpret_cast<cudaLaunchAttributeValue *>(value));
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value) {
  return anywhere([&] {
    return cudaGraphKernelNodeSetAttribute(
        node, static_cast<cudaLaunchAttributeID>(attribute),
        reinterpret_cast<const cudaLaunchAttributeValue *>(value));
  });
}

// ---------------------------------------------------------------------------------------------------
// Copies and fills.

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMCPY3D *copy, CUcontext context) {
  return withCopy(copy, [&](const cudaMemcpy3DParms *params) {
    return inContext(
        context, [&] { return cudaGraphAddMemcpyNode(node, graph, dependencies, count, params); });
  });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy) {
  cudaMemcpy3DParms params = {};
  if (!copy)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = anywhere([&] { return cudaGraphMemcpyNodeGetParams(node, &params); });
  if (error == CUDA_SUCCESS)
    tellCopy(params, *copy);
  return error;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy) {
  return withCopy(copy, [&](const cudaMemcpy3DParms *params) {
    return inContextOf(node, [&] { return cudaGraphMemcpyNodeSetParams(node, params); });
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *copy, CUcontext context) {
  return withCopy(copy, [&](const cudaMemcpy3DParms *params) {
    return inContext(context, [&] { return cudaGraphExecMemcpyNodeSetParams(exec, node, params); });
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  return inContext(context, [&] {
    return cudaGraphAddMemsetNode(node, graph, dependencies, count, plain(params));
  });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params) {
  return anywhere([&] {
    return cudaGraphMemsetNodeGetParams(node, reinterpret_cast<cudaMemsetParams *>(params));
  });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params) {
  return inContextOf(node, [&] { return cudaGraphMemsetNodeSetParams(node, plain(params)); });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  return inContext(context,
                   [&] { return cudaGraphExecMemsetNodeSetParams(exec, node, plain(params)); });
}

// ---------------------------------------------------------------------------------------------------
// Host functions, child graphs, joins.

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS *params) {
  return anywhere(
      [&] { return cudaGraphAddHostNode(node, graph, dependencies, count, plain(params)); });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params) {
  return anywhere([&] {
    return cudaGraphHostNodeGetParams(node, reinterpret_cast<cudaHostNodeParams *>(params));
  });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params) {
  return inContextOf(node, [&] { return cudaGraphHostNodeSetParams(node, plain(params)); });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params) {
  return inContextOf(node,
                     [&] { return cudaGraphExecHostNodeSetParams(exec, node, plain(params)); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t count, CUgraph child) {
  return anywhere(
      [&] { return cudaGraphAddChildGraphNode(node, graph, dependencies, count, child); });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
  return anywhere([&] { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  return inContextOf(node, [&] { return cudaGraphExecChildGraphNodeSetParams(exec, node, child); });
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                             size_t count) {
  return anywhere([&] { return cudaGraphAddEmptyNode(node, graph, dependencies, count); });
}

} // namespace heddle::driver
