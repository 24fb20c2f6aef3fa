// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memcpy and memset nodes.
#include "driver/copies/copy.h"
#include "driver/copies/fill.h"
#include "driver/nodes/node_makers.h"

namespace heddle::driver {

namespace {

/// `read(work)` gives the copy.
template <typename F>
CUresult copyBy(F &&read, cudaMemcpyKind kind, std::unique_ptr<Operation> &operation) {
  CopyWork work;
  if (CUresult error = read(work))
    return error;
  auto made = std::make_unique<CopyOperation>(work);
  made->params.kind = kind;
  operation = std::move(made);
  operation->device = &currentContext();
  return CUDA_SUCCESS;
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

CUresult makeCopy(const cudaMemcpy3DParms *params, std::unique_ptr<Operation> &operation) {
  CopyWork work;
  if (CUresult error = readCopy3D(params, work))
    return error;
  operation = std::make_unique<CopyOperation>(work, *params);
  operation->device = &currentContext();
  return CUDA_SUCCESS;
}

CUresult makeFill(const cudaMemsetParams *params, std::unique_ptr<Operation> &operation) {
  FillWork work;
  if (CUresult error = readFill(params, work))
    return error;
  operation = std::make_unique<FillOperation>(work);
  operation->device = &currentContext();
  return CUDA_SUCCESS;
}

} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *dependencies, size_t count,
                                                const cudaMemcpy3DParms *params) {
  return addOperation(node, graph, dependencies, count, copyOf(params));
}

CUresult heddle::driver::cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies,
                                                  size_t number, void *dst, const void *src,
                                                  size_t count, cudaMemcpyKind kind) {
  return addOperation(node, graph, dependencies, number, copyOf(dst, src, count, kind));
}

CUresult heddle::driver::cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                        const cudaGraphNode_t *dependencies,
                                                        size_t number, const void *symbol,
                                                        const void *src, size_t count,
                                                        size_t offset, cudaMemcpyKind kind) {
  return addOperation(node, graph, dependencies, number,
                      copyOf(symbol, const_cast<void *>(src), count, offset, true, kind));
}

CUresult heddle::driver::cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                          const cudaGraphNode_t *dependencies,
                                                          size_t number, void *dst,
                                                          const void *symbol, size_t count,
                                                          size_t offset, cudaMemcpyKind kind) {
  return addOperation(node, graph, dependencies, number,
                      copyOf(symbol, dst, count, offset, false, kind));
}

CUresult heddle::driver::cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemcpy3DParms *params) {
  return withNode<CopyOperation>(node, [&](const CopyOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    *params = operation.params;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                      const cudaMemcpy3DParms *params) {
  return setOperation<CopyOperation>(node, copyOf(params));
}

CUresult heddle::driver::cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
                                                        const void *src, size_t count,
                                                        cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(node, copyOf(dst, src, count, kind));
}

CUresult heddle::driver::cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                              const void *symbol, const void *src,
                                                              size_t count, size_t offset,
                                                              cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(
      node, copyOf(symbol, const_cast<void *>(src), count, offset, true, kind));
}

CUresult heddle::driver::cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                                const void *symbol, size_t count,
                                                                size_t offset,
                                                                cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(node, copyOf(symbol, dst, count, offset, false, kind));
}

CUresult heddle::driver::cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaMemcpy3DParms *params) {
  return setOperation<CopyOperation>(executable, node, copyOf(params));
}

CUresult heddle::driver::cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable,
                                                            cudaGraphNode_t node, void *dst,
                                                            const void *src, size_t count,
                                                            cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(executable, node, copyOf(dst, src, count, kind));
}

CUresult heddle::driver::cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t executable, cudaGraphNode_t node, const void *symbol, const void *src,
    size_t count, size_t offset, cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(
      executable, node, copyOf(symbol, const_cast<void *>(src), count, offset, true, kind));
}

CUresult heddle::driver::cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable,
                                                                    cudaGraphNode_t node, void *dst,
                                                                    const void *symbol,
                                                                    size_t count, size_t offset,
                                                                    cudaMemcpyKind kind) {
  return setOperation<CopyOperation>(executable, node,
                                     copyOf(symbol, dst, count, offset, false, kind));
}

CUresult heddle::driver::cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *dependencies, size_t count,
                                                const cudaMemsetParams *params) {
  return addOperation(node, graph, dependencies, count, fillOf(params));
}

CUresult heddle::driver::cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemsetParams *params) {
  return withNode<FillOperation>(node, [&](const FillOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    *params = paramsOf(operation.work);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                      const cudaMemsetParams *params) {
  return setOperation<FillOperation>(node, fillOf(params));
}

CUresult heddle::driver::cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaMemsetParams *params) {
  return setOperation<FillOperation>(executable, node, fillOf(params));
}
