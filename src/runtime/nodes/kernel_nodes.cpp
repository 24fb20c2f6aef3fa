// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel nodes, their parameters and attributes.
#include "runtime/launch/kernel_operation.h"
#include "runtime/nodes/node_access.h"

#include <algorithm>

namespace heddle::runtime {

namespace {

cudaError_t tell(KernelOperation &kernel, cudaKernelNodeParams &p) {
  Function *function;
  if (cudaError_t error = findFunction(kernel.stub, *kernel.device, function))
    return error;
  kernel.told.clear();
  for (const ImageParam &param : function->module->image.params(*function->kernel))
    kernel.told.push_back(kernel.packed.data() + param.offset);
  p = {};
  p.func = const_cast<void *>(kernel.stub);
  p.gridDim = kernel.shape.grid;
  p.blockDim = kernel.shape.block;
  p.sharedMemBytes = static_cast<unsigned>(kernel.shape.shared);
  p.kernelParams = kernel.told.data();
  return cudaSuccess;
}

cudaLaunchAttributeValue standardValue(cudaLaunchAttributeID id) {
  cudaLaunchAttributeValue value = {};
  if (id == cudaLaunchAttributeMemSyncDomainMap)
    value.memSyncDomainMap.remote = 1;
  return value;
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                              const cudaGraphNode_t *dependencies, size_t count,
                                              const cudaKernelNodeParams *params) {
  return addOperation(node, graph, dependencies, count,
                      [&](auto &operation) { return readKernelNode(params, nullptr, operation); });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                    cudaKernelNodeParams *params) {
  return withNode<KernelOperation>(node, [&](KernelOperation &kernel) {
    return params ? tell(kernel, *params) : cudaErrorInvalidValue;
  });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *params) {
  return setOperation<KernelOperation>(node, [&](auto &operation, const KernelOperation &before) {
    return readKernelNode(params, &before, operation);
  });
}

HEDDLE_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable,
                                                        cudaGraphNode_t node,
                                                        const cudaKernelNodeParams *params) {
  return setOperation<KernelOperation>(executable, node,
                                       [&](auto &operation, const KernelOperation &before) {
                                         return readKernelNode(params, &before, operation);
                                       });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                                       cudaLaunchAttributeID id,
                                                       cudaLaunchAttributeValue *value) {
  return withNode<KernelOperation>(node, [&](const KernelOperation &kernel) -> cudaError_t {
    if (!value || !isKernelNodeAttribute(id))
      return cudaErrorInvalidValue;
    auto found = kernel.attributes.find(id);
    *value = found == kernel.attributes.end() ? standardValue(id) : found->second;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                                       cudaLaunchAttributeID id,
                                                       const cudaLaunchAttributeValue *value) {
  return withNode<KernelOperation>(node, [&](KernelOperation &kernel) -> cudaError_t {
    return value && isKernelNodeAttribute(id) ? kernel.setAttribute(id, *value)
                                              : cudaErrorInvalidValue;
  });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return withNode<KernelOperation>(to, [&](KernelOperation &target) -> cudaError_t {
    Node *node = nodeOf(from);
    auto *source = node ? operationAs<KernelOperation>(node->operation.get()) : nullptr;
    if (!source || source->deviceNode || target.deviceNode)
      return cudaErrorInvalidValue;
    target.attributes = source->attributes;
    target.shape.cooperative = source->shape.cooperative;
    target.shape.cluster = source->shape.cluster;
    return cudaSuccess;
  });
}
