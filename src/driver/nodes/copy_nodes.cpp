// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memcpy and memset nodes (driver API, "Graph Management").
#include "driver/copies/box_copies.h"
#include "driver/copies/fill.h"
#include "driver/functions.h"
#include "driver/nodes/node_makers.h"

#include <bit>

namespace heddle::driver {

namespace {

auto copyOf(const CUDA_MEMCPY3D *copy) {
  return [=](auto &operation, auto &...) { return makeCopy(copy, operation); };
}

auto fillOf(const CUDA_MEMSET_NODE_PARAMS *params) {
  return [=](auto &operation, auto &...) { return makeFill(params, operation); };
}

} // namespace

CUresult makeCopy(const CUDA_MEMCPY3D *copy, std::unique_ptr<Operation> &operation) {
  CopyWork work;
  if (!copy || boxOf(*copy).empty() || namesLevel(*copy))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = readBox(targetOf(*copy), sourceOf(*copy), boxOf(*copy), work))
    return error == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : error; // no array
  operation = std::make_unique<CopyOperation>(work, *copy);
  operation->device = &currentContext();
  return CUDA_SUCCESS;
}

/// Both APIs have the same layout.
CUresult makeFill(const CUDA_MEMSET_NODE_PARAMS *params, std::unique_ptr<Operation> &operation) {
  FillWork work;
  if (CUresult error = readFill(reinterpret_cast<const cudaMemsetParams *>(params), work))
    return error;
  operation = std::make_unique<FillOperation>(work);
  operation->device = &currentContext();
  return CUDA_SUCCESS;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMCPY3D *copy, CUcontext context) {
  return inContext(context,
                   [&] { return addOperation(node, graph, dependencies, count, copyOf(copy)); });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy) {
  return withNode<CopyOperation>(node, [&](const CopyOperation &operation) -> CUresult {
    if (!copy)
      return CUDA_ERROR_INVALID_VALUE;
    *copy = operation.params;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy) {
  return setOperation<CopyOperation>(node, copyOf(copy));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *copy, CUcontext context) {
  return inContext(context,
                   [&] { return setOperationHere<CopyOperation>(exec, node, copyOf(copy)); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context) {
  return inContext(context,
                   [&] { return addOperation(node, graph, dependencies, count, fillOf(params)); });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params) {
  return withNode<FillOperation>(node, [&](const FillOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    *params = std::bit_cast<CUDA_MEMSET_NODE_PARAMS>(paramsOf(operation.work));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params) {
  return setOperation<FillOperation>(node, fillOf(params));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context) {
  return inContext(context,
                   [&] { return setOperationHere<FillOperation>(exec, node, fillOf(params)); });
}

} // namespace heddle::driver
