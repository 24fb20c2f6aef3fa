// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel nodes (runtime API, "Graph Management").
#include "runtime/graphs/graph.h"
#include "runtime/symbols.h"

namespace heddle::runtime {

CUresult readKernelNode(const cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS &to) {
  CUfunction kernel;
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = kernelOf(p->func, kernel))
    return as(error, CUresult(cudaErrorInvalidDeviceFunction), cudaErrorInvalidResourceHandle);
  to = {kernel,          p->gridDim.x,  p->gridDim.y,  p->gridDim.z,
        p->blockDim.x,   p->blockDim.y, p->blockDim.z, p->sharedMemBytes,
        p->kernelParams, p->extra,      nullptr,       nullptr};
  return CUDA_SUCCESS;
}

} // namespace heddle::runtime

using namespace heddle::runtime;

namespace {

/// Runs `body(params)`, which calls the driver, for a kernel's parameters.
template <class Body> cudaError_t withKernel(const cudaKernelNodeParams *params, Body &&body) {
  return translateInContext([&] {
    CUDA_KERNEL_NODE_PARAMS kernel;
    const CUresult error = readKernelNode(params, kernel);
    return error == CUDA_SUCCESS ? body(&kernel) : error;
  });
}

} // namespace

HEDDLE_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                              const cudaGraphNode_t *dependencies, size_t count,
                                              const cudaKernelNodeParams *params) {
  return withKernel(params, [&](const CUDA_KERNEL_NODE_PARAMS *kernel) {
    return ask<&Cu::cuGraphAddKernelNode_v2>(node, graph, dependencies, count, kernel);
  });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                    cudaKernelNodeParams *params) {
  return translateInContext([&]() -> CUresult {
    CUDA_KERNEL_NODE_PARAMS kernel;
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = ask<&Cu::cuGraphKernelNodeGetParams_v2>(node, &kernel))
      return error;
    *params = {const_cast<void *>(stubOf(kernel.func)),
               dim3(kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ),
               dim3(kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ),
               kernel.sharedMemBytes,
               kernel.kernelParams,
               kernel.extra};
    return CUDA_SUCCESS;
  });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *params) {
  return withKernel(params, [&](const CUDA_KERNEL_NODE_PARAMS *kernel) {
    return ask<&Cu::cuGraphKernelNodeSetParams_v2>(node, kernel);
  });
}

HEDDLE_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaKernelNodeParams *params) {
  return withKernel(params, [&](const CUDA_KERNEL_NODE_PARAMS *kernel) {
    return ask<&Cu::cuGraphExecKernelNodeSetParams_v2>(exec, node, kernel);
  });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return translateInContext([&] { return ask<&Cu::cuGraphKernelNodeCopyAttributes>(to, from); });
}

// Attributes have the same numbers and layouts in both APIs (tests/headers/driver_runtime.cpp).

HEDDLE_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                                       cudaLaunchAttributeID attribute,
                                                       cudaLaunchAttributeValue *value) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphKernelNodeGetAttribute>(
        node, static_cast<CUlaunchAttributeID>(attribute),
        reinterpret_cast<CUlaunchAttributeValue *>(value));
  });
}

HEDDLE_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                                       cudaLaunchAttributeID attribute,
                                                       const cudaLaunchAttributeValue *value) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphKernelNodeSetAttribute>(
        node, static_cast<CUlaunchAttributeID>(attribute),
        reinterpret_cast<const CUlaunchAttributeValue *>(value));
  });
}
