// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel nodes, their parameters and attributes.
#include "driver/launch/kernel_operation.h"
#include "driver/modules/host_names.h"
#include "driver/nodes/node_access.h"

#include <algorithm>

namespace heddle::driver {

namespace {

CUresult tell(KernelOperation &kernel, cudaKernelNodeParams &p) {
  Function *function;
  if (CUresult error = findFunction(kernel.stub, *kernel.device, function))
    return error;
  kernel.told.clear();
  for (const ImageParam &param : function->module->image.params(*function->kernel))
    kernel.told.push_back(kernel.packed.data() + param.offset);
  p = {};
  p.func = const_cast<void *>(
      hostNames.stubOf(reinterpret_cast<CUfunction>(const_cast<void *>(kernel.stub))));
  p.gridDim = kernel.shape.grid;
  p.blockDim = kernel.shape.block;
  p.sharedMemBytes = static_cast<unsigned>(kernel.shape.shared);
  p.kernelParams = kernel.told.data();
  return CUDA_SUCCESS;
}

cudaLaunchAttributeValue standardValue(cudaLaunchAttributeID id) {
  cudaLaunchAttributeValue value = {};
  if (id == cudaLaunchAttributeMemSyncDomainMap)
    value.memSyncDomainMap.remote = 1;
  return value;
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *dependencies, size_t count,
                                                const cudaKernelNodeParams *params) {
  return addOperation(node, graph, dependencies, count,
                      [&](auto &operation) { return readKernelNode(params, nullptr, operation); });
}

CUresult heddle::driver::cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                      cudaKernelNodeParams *params) {
  return withNode<KernelOperation>(node, [&](KernelOperation &kernel) {
    return params ? tell(kernel, *params) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult heddle::driver::cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                      const cudaKernelNodeParams *params) {
  return setOperation<KernelOperation>(node, [&](auto &operation, const KernelOperation &before) {
    return readKernelNode(params, &before, operation);
  });
}

CUresult heddle::driver::cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaKernelNodeParams *params) {
  return setOperation<KernelOperation>(executable, node,
                                       [&](auto &operation, const KernelOperation &before) {
                                         return readKernelNode(params, &before, operation);
                                       });
}

CUresult heddle::driver::cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                                         cudaLaunchAttributeID id,
                                                         cudaLaunchAttributeValue *value) {
  return withNode<KernelOperation>(node, [&](const KernelOperation &kernel) -> CUresult {
    if (!value || !isKernelNodeAttribute(id))
      return CUDA_ERROR_INVALID_VALUE;
    auto found = kernel.attributes.find(id);
    *value = found == kernel.attributes.end() ? standardValue(id) : found->second;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                                         cudaLaunchAttributeID id,
                                                         const cudaLaunchAttributeValue *value) {
  return withNode<KernelOperation>(node, [&](KernelOperation &kernel) -> CUresult {
    return value && isKernelNodeAttribute(id) ? kernel.setAttribute(id, *value)
                                              : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult heddle::driver::cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to,
                                                           cudaGraphNode_t from) {
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
