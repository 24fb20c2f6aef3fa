// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memcpy and memset nodes.
#include "runtime/copies/copy.h"
#include "runtime/copies/fill.h"
#include "runtime/nodes/node_makers.h"

namespace heddle::runtime {

namespace {

/// `read(work)` gives the copy.
template <typename F>
cudaError_t copyBy(F &&read, cudaMemcpyKind kind, std::unique_ptr<Operation> &operation) {
  CopyWork work;
  if (cudaError_t error = read(work))
    return error;
  auto made = std::make_unique<CopyOperation>(work);
  made->params.kind = kind;
  operation = std::move(made);
  operation->device = &currentDevice();
  return cudaSuccess;
}

auto copyOf(const cudaMemcpy3DParms *params) {
  return [=](auto &operation, auto &...) { return makeCopy(params, operation); };
}

auto copyOf(void *dst, const void *src, size_t count, cudaMemcpyKind kind) {
  return [=](auto &operation, auto &...) {
    return copyBy([&](CopyWork &work) { return readCopy1D(dst, src, count, kind, work); }, kind,
                  operation);
  };
}

auto copyOf(const void *symbol, void *other, size_t count, size_t offset, bool toSymbol,
            cudaMemcpyKind kind) {
  return [=](auto &operation, auto &...) {
    return copyBy(
        [&](CopyWork &work) {
          return readSymbolCopy(symbol, other, count, offset, toSymbol, kind, work);
        },
        kind, operation);
  };
}

auto fillOf(const cudaMemsetParams *params) {
  return [=](auto &operation, auto &...) { return makeFill(params, operation); };
}

} // namespace

cudaError_t makeCopy(const cudaMemcpy3DParms *params, std::unique_ptr<Operation> &operation) {
  CopyWork work;
  if (cudaError_t error = readCopy3D(params, work))
    return error;
  operation = std::make_unique<CopyOperation>(work, *params);
  operation->device = &currentDevice();
  return cudaSuccess;
}

cudaError_t makeFill(const cudaMemsetParams *params, std::unique_ptr<Operation> &operation) {
  FillWork work;
  if (cudaError_t error = readFill(params, work))
    return error;
  operation = std::make_unique<FillOperation>(work);
  operation->device = &currentDevice();
  return cudaSuccess;
}

} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                              const cudaGraphNode_t *dependencies, size_t count,
                                              const cudaMemcpy3DParms *params) {
  return addOperation(node, graph, dependencies, count, copyOf(params));
}

HEDDLE_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *dependencies, size_t number,
                                                void *dst, const void *src, size_t count,
                                                cudaMemcpyKind kind) {
  return addOperation(node, graph, dependencies, number, copyOf(dst, src, count, kind));
}

HEDDLE_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                      const cudaGraphNode_t *dependencies,
                                                      size_t number, const void *symbol,
                                                      const void *src, size_t count, size_t offset,
                                                      cudaMemcpyKind kind) {
  return addOperation(node, graph, dependencies, number,
                      copyOf(symbol, const_cast<void *>(src), count, offset, true, kind));
}

HEDDLE_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                        const cudaGraphNode_t *dependencies,
                                                        size_t number, void *dst,
                                                        const void *symbol, size_t count,
                                                        size_t offset, cudaMemcpyKind kind) {
  return addOperation(node, graph, dependencies, number,
                      copyOf(symbol, dst, count, offset, false, kind));
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                    cudaMemcpy3DParms *params) {
  return withNode<CopyOperation>(node, [&](const CopyOperation &operation) -> cudaError_t {
    if (!params)
      return cudaErrorInvalidValue;
    *params = operation.params;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                    const cudaMemcpy3DParms *params) {
  return setOperation<CopyOperation>(node, copyOf(params));
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
                                                      const void *src, size_t count,
                                                      cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(node, copyOf(dst, src, count, kind));
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                            const void *symbol, const void *src,
                                                            size_t count, size_t offset,
                                                            cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(
      node, copyOf(symbol, const_cast<void *>(src), count, offset, true, kind));
}

HEDDLE_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                              const void *symbol, size_t count,
                                                              size_t offset, cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(node, copyOf(symbol, dst, count, offset, false, kind));
}

HEDDLE_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable,
                                                        cudaGraphNode_t node,
                                                        const cudaMemcpy3DParms *params) {
  return setOperation<CopyOperation>(executable, node, copyOf(params));
}

HEDDLE_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node, void *dst,
                                                          const void *src, size_t count,
                                                          cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(executable, node, copyOf(dst, src, count, kind));
}

HEDDLE_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable,
                                                                cudaGraphNode_t node,
                                                                const void *symbol, const void *src,
                                                                size_t count, size_t offset,
                                                                cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(
      executable, node, copyOf(symbol, const_cast<void *>(src), count, offset, true, kind));
}

HEDDLE_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable,
                                                                  cudaGraphNode_t node, void *dst,
                                                                  const void *symbol, size_t count,
                                                                  size_t offset,
                                                                  cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(executable, node,
                                     copyOf(symbol, dst, count, offset, false, kind));
}

HEDDLE_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                              const cudaGraphNode_t *dependencies, size_t count,
                                              const cudaMemsetParams *params) {
  return addOperation(node, graph, dependencies, count, fillOf(params));
}

HEDDLE_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                    cudaMemsetParams *params) {
  return withNode<FillOperation>(node, [&](const FillOperation &operation) -> cudaError_t {
    if (!params)
      return cudaErrorInvalidValue;
    *params = paramsOf(operation.work);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                    const cudaMemsetParams *params) {
  return setOperation<FillOperation>(node, fillOf(params));
}

HEDDLE_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable,
                                                        cudaGraphNode_t node,
                                                        const cudaMemsetParams *params) {
  return setOperation<FillOperation>(executable, node, fillOf(params));
}
