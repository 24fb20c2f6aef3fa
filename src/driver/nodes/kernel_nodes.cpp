// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel nodes, their parameters and attributes (driver API, "Graph Management").
#include "driver/functions.h"
#include "driver/launch/kernel_operation.h"
#include "driver/nodes/node_access.h"
#include "driver/streams/stream.h"

#include <bit>
#include <utility>

namespace heddle::driver {

namespace {

template <typename Params> CUresult tell(KernelOperation &kernel, Params &p) {
  Function *function;
  if (CUresult error = findFunction(kernel.handle, *kernel.device, function))
    return error;
  kernel.told.clear();
  for (const ImageParam &param : function->image.params(*function->kernel))
    kernel.told.push_back(kernel.packed.data() + param.offset);
  const auto &[grid, block] = std::pair(kernel.shape.grid, kernel.shape.block);
  p = {};
  p.func = static_cast<CUfunction>(const_cast<void *>(kernel.handle));
  p.gridDimX = grid.x, p.gridDimY = grid.y, p.gridDimZ = grid.z;
  p.blockDimX = block.x, p.blockDimY = block.y, p.blockDimZ = block.z;
  p.sharedMemBytes = static_cast<unsigned>(kernel.shape.shared);
  p.kernelParams = kernel.told.data();
  return CUDA_SUCCESS;
}

/// Runs `body(params)` for a kernel's parameters, in the context that they name.
template <typename F> CUresult withParams(const CUDA_KERNEL_NODE_PARAMS *params, F &&body) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (!params->func && !params->kern)
    return CUDA_ERROR_INVALID_HANDLE;
  return inContext(params->func ? nullptr : params->ctx, [&] { return body(*params); });
}
template <typename F> CUresult withParams(const CUDA_KERNEL_NODE_PARAMS_v1 *p, F &&body) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  const CUDA_KERNEL_NODE_PARAMS params = kernelParamsOf(*p, nullptr, nullptr);
  return withParams(&params, body);
}

template <typename Params>
CUresult addKernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                   const Params *params) {
  return withParams(params, [&](const CUDA_KERNEL_NODE_PARAMS &p) {
    return addOperation(node, graph, dependencies, count,
                        [&](auto &operation) { return readKernelNode(p, nullptr, operation); });
  });
}

template <typename Params> CUresult getKernel(CUgraphNode node, Params *params) {
  return withNode<KernelOperation>(node, [&](KernelOperation &kernel) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    return inContextOf(node, [&] { return tell(kernel, *params); });
  });
}

template <typename Params> auto kernelOf(const Params *params) {
  return [=](auto &operation, const KernelOperation &before) {
    return withParams(params, [&](const CUDA_KERNEL_NODE_PARAMS &p) {
      return readKernelNode(p, &before, operation);
    });
  };
}

CUlaunchAttributeValue standardValue(cudaLaunchAttributeID id) {
  CUlaunchAttributeValue value = {};
  if (id == cudaLaunchAttributeMemSyncDomainMap)
    value.memSyncDomainMap.remote = 1;
  return value;
}

/// Both APIs have the same numbers and layout.
cudaLaunchAttributeID plain(CUlaunchAttributeID id) {
  return static_cast<cudaLaunchAttributeID>(id);
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
  return setOperation<KernelOperation>(node, kernelOf(params));
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
  return setOperation<KernelOperation>(node, kernelOf(params));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  return setOperation<KernelOperation>(exec, node, kernelOf(params));
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params) {
  return setOperation<KernelOperation>(exec, node, kernelOf(params));
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue *value) {
  return withNode<KernelOperation>(node, [&](const KernelOperation &kernel) -> CUresult {
    const cudaLaunchAttributeID id = plain(attribute);
    if (!value || !isKernelNodeAttribute(id))
      return CUDA_ERROR_INVALID_VALUE;
    auto found = kernel.attributes.find(id);
    giveAttribute(*value, found == kernel.attributes.end()
                              ? standardValue(id)
                              : std::bit_cast<CUlaunchAttributeValue>(found->second));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value) {
  return withNode<KernelOperation>(node, [&](KernelOperation &kernel) -> CUresult {
    const cudaLaunchAttributeID id = plain(attribute);
    return value && isKernelNodeAttribute(id)
               ? kernel.setAttribute(id, std::bit_cast<cudaLaunchAttributeValue>(*value))
               : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return withNode<KernelOperation>(to, [&](KernelOperation &target) -> CUresult {
    Node *node = nodeOf(from);
    auto *source = node ? operationAs<KernelOperation>(node->operation.get()) : nullptr;
    if (!source || source->deviceNode || target.deviceNode)
      return CUDA_ERROR_INVALID_VALUE;
    target.attributes = source->attributes;
    target.shape.cooperative = source->shape.cooperative;
    target.shape.cluster = source->shape.cluster;
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
