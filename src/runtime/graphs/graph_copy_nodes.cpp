// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memcpy and memset nodes (runtime API, "Graph Management").
#include "runtime/graphs/graph.h"
#include "runtime/memory/copy_params.h"
#include "runtime/symbols.h"

using namespace heddle::runtime;

namespace {

// What the functions of each form of copy ask for: `read(copy)`.

auto copyOf(const cudaMemcpy3DParms *params) {
  return [=](CUDA_MEMCPY3D &copy) { return readNodeCopy(params, copy); };
}

auto copyOf(void *dst, const void *src, size_t count, cudaMemcpyKind kind) {
  return [=](CUDA_MEMCPY3D &copy) { return readNodeCopy(dst, src, count, kind, copy); };
}

/// Where [offset, offset + count) of a variable lies, which is device memory for a copy's kind.
CUresult findPart(const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                  bool kindSaysDevice, void *&place) {
  CUdeviceptr address;
  size_t bytes;
  if (!isValidKind(kind) || (kind != cudaMemcpyDefault && !kindSaysDevice))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if (CUresult error = findSymbol(symbol, address, bytes))
    return error;
  if (offset > bytes || count > bytes - offset)
    return CUDA_ERROR_INVALID_VALUE;
  place = pointerTo(address + offset);
  return CUDA_SUCCESS;
}

auto copyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                  cudaMemcpyKind kind) {
  return [=](CUDA_MEMCPY3D &copy) {
    void *place;
    const CUresult error = findPart(symbol, count, offset, kind, toDevice(kind), place);
    return error == CUDA_SUCCESS ? readNodeCopy(place, src, count, kind, copy) : error;
  };
}

auto copyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                    cudaMemcpyKind kind) {
  return [=](CUDA_MEMCPY3D &copy) {
    void *place;
    const CUresult error = findPart(symbol, count, offset, kind, fromDevice(kind), place);
    return error == CUDA_SUCCESS ? readNodeCopy(dst, place, count, kind, copy) : error;
  };
}

template <class Read>
cudaError_t addCopy(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                    size_t count, Read &&read) {
  return translateInContext([&] {
    CUDA_MEMCPY3D copy;
    const CUresult error = read(copy);
    return error == CUDA_SUCCESS ? ask<&Cu::cuGraphAddMemcpyNode>(node, graph, dependencies, count,
                                                                  &copy, currentContext())
                                 : error;
  });
}

template <class Read> cudaError_t setCopy(cudaGraphNode_t node, Read &&read) {
  return translateInContext([&] {
    CUDA_MEMCPY3D copy;
    const CUresult error = read(copy);
    return error == CUDA_SUCCESS ? ask<&Cu::cuGraphMemcpyNodeSetParams>(node, &copy) : error;
  });
}

template <class Read> cudaError_t setCopy(cudaGraphExec_t exec, cudaGraphNode_t node, Read &&read) {
  return translateInContext([&] {
    CUDA_MEMCPY3D copy;
    const CUresult error = read(copy);
    return error == CUDA_SUCCESS
               ? ask<&Cu::cuGraphExecMemcpyNodeSetParams>(exec, node, &copy, currentContext())
               : error;
  });
}

} // namespace

HEDDLE_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                              const cudaGraphNode_t *dependencies, size_t count,
                                              const cudaMemcpy3DParms *params) {
  return addCopy(node, graph, dependencies, count, copyOf(params));
}

HEDDLE_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *dependencies, size_t number,
                                                void *dst, const void *src, size_t count,
                                                cudaMemcpyKind kind) {
  return addCopy(node, graph, dependencies, number, copyOf(dst, src, count, kind));
}

HEDDLE_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                      const cudaGraphNode_t *dependencies,
                                                      size_t number, const void *symbol,
                                                      const void *src, size_t count, size_t offset,
                                                      cudaMemcpyKind kind) {
  return addCopy(node, graph, dependencies, number, copyToSymbol(symbol, src, count, offset, kind));
}

HEDDLE_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                        const cudaGraphNode_t *dependencies,
                                                        size_t number, void *dst,
                                                        const void *symbol, size_t count,
                                                        size_t offset, cudaMemcpyKind kind) {
  return addCopy(node, graph, dependencies, number,
                 copyFromSymbol(dst, symbol, count, offset, kind));
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                    cudaMemcpy3DParms *params) {
  return translateInContext([&]() -> CUresult {
    CUDA_MEMCPY3D copy;
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = ask<&Cu::cuGraphMemcpyNodeGetParams>(node, &copy);
    return error == CUDA_SUCCESS ? tellCopy(copy, *params) : error;
  });
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                    const cudaMemcpy3DParms *params) {
  return setCopy(node, copyOf(params));
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
                                                      const void *src, size_t count,
                                                      cudaMemcpyKind kind) {
  return setCopy(node, copyOf(dst, src, count, kind));
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                            const void *symbol, const void *src,
                                                            size_t count, size_t offset,
                                                            cudaMemcpyKind kind) {
  return setCopy(node, copyToSymbol(symbol, src, count, offset, kind));
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                              const void *symbol, size_t count,
                                                              size_t offset, cudaMemcpyKind kind) {
  return setCopy(node, copyFromSymbol(dst, symbol, count, offset, kind));
}

HEDDLE_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaMemcpy3DParms *params) {
  return setCopy(exec, node, copyOf(params));
}

HEDDLE_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec,
                                                          cudaGraphNode_t node, void *dst,
                                                          const void *src, size_t count,
                                                          cudaMemcpyKind kind) {
  return setCopy(exec, node, copyOf(dst, src, count, kind));
}

HEDDLE_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec,
                                                                cudaGraphNode_t node,
                                                                const void *symbol, const void *src,
                                                                size_t count, size_t offset,
                                                                cudaMemcpyKind kind) {
  return setCopy(exec, node, copyToSymbol(symbol, src, count, offset, kind));
}

HEDDLE_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec,
                                                                  cudaGraphNode_t node, void *dst,
                                                                  const void *symbol, size_t count,
                                                                  size_t offset,
                                                                  cudaMemcpyKind kind) {
  return setCopy(exec, node, copyFromSymbol(dst, symbol, count, offset, kind));
}

// ---------------------------------------------------------------------------------------------------
// Fills.

HEDDLE_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                              const cudaGraphNode_t *dependencies, size_t count,
                                              const cudaMemsetParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphAddMemsetNode>(node, graph, dependencies, count, paramsOf(params),
                                          currentContext());
  });
}

HEDDLE_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                    cudaMemsetParams *params) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphMemsetNodeGetParams>(node, paramsOf(params)); });
}

HEDDLE_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                    const cudaMemsetParams *params) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphMemsetNodeSetParams>(node, paramsOf(params)); });
}

HEDDLE_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaMemsetParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphExecMemsetNodeSetParams>(exec, node, paramsOf(params), currentContext());
  });
}
