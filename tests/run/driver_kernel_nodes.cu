// RUN: %heddle cc %s -o %t -lcuda
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel nodes by the driver API, in each version of their structure; attributes; a stream that waits for what a
// kernel writes.
#include "support.h"

#include <cuda.h>

#define CU_OK(call) expect(#call, __LINE__, int(call), int(CUDA_SUCCESS))
#define CU_ERROR(error, call) expect(#call, __LINE__, int(call), int(error))

__global__ void add(int *to, int value) { atomicAdd(to, value); }

CUDA_KERNEL_NODE_PARAMS paramsOf(CUfunction function, void **arguments, unsigned blocks) {
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = function;
  params.gridDimX = blocks;
  params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  return params;
}

struct OnDevice {
  int *value;
  OnDevice() {
    CUDA_OK(cudaMalloc(&value, sizeof(int)));
    CUDA_OK(cudaMemset(value, 0, sizeof(int)));
  }
  int read() const {
    int found;
    CUDA_OK(cudaMemcpy(&found, value, sizeof found, cudaMemcpyDeviceToHost));
    return found;
  }
};

void checkNodes(CUfunction function, CUkernel kernel) {
  OnDevice sum;
  int one = 1, ten = 10;
  void *ones[] = {&sum.value, &one}, *tens[] = {&sum.value, &ten};
  CUgraph graph;
  CUgraphNode first, second, third;
  CUgraphExec exec;
  CUcontext context;
  CU_OK(cuCtxGetCurrent(&context));
  CU_OK(cuGraphCreate(&graph, 0));
  CUDA_KERNEL_NODE_PARAMS params = paramsOf(function, ones, 2);
  CU_OK(cuGraphAddKernelNode(&first, graph, nullptr, 0, &params));
  CUDA_KERNEL_NODE_PARAMS byKernel = paramsOf(nullptr, ones, 3);
  byKernel.kern = kernel;
  byKernel.ctx = reinterpret_cast<CUcontext>(64);
  CU_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuGraphAddKernelNode(&second, graph, &first, 1, &byKernel));
  byKernel.ctx = context;
  CU_OK(cuGraphAddKernelNode(&second, graph, &first, 1, &byKernel));
  CUgraphNodeParams any = {};
  any.type = CU_GRAPH_NODE_TYPE_KERNEL;
  any.kernel = {function, 4, 1, 1, 1, 1, 1, 0, ones, nullptr, nullptr, nullptr};
  CU_OK(cuGraphAddNode(&third, graph, &second, 1, &any));

  CUDA_KERNEL_NODE_PARAMS told = {};
  CU_OK(cuGraphKernelNodeGetParams(second, &told));
  expect("grid", 0, int(told.gridDimX), 3);
  expect("parameter", 0, *static_cast<int *>(told.kernelParams[1]), 1);
  expect("function", 0, told.func == function, true);
  CU_OK(cuGraphInstantiate(&exec, graph, 0));
  CU_OK(cuGraphLaunch(exec, nullptr));
  expect("sum", 0, sum.read(), 2 + 3 + 4);

  params.kernelParams = tens;
  CU_OK(cuGraphExecKernelNodeSetParams(exec, first, &params));
  any.kernel.kernelParams = tens;
  CU_OK(cuGraphExecNodeSetParams(exec, third, &any));
  CU_OK(cuGraphLaunch(exec, nullptr));
  expect("sum", 1, sum.read(), 9 + 20 + 3 + 40);
  CU_OK(cuGraphKernelNodeSetParams(first, &params));
  CU_OK(cuGraphNodeSetParams(third, &any));
  CU_OK(cuGraphKernelNodeGetParams(first, &told));
  expect("parameter", 1, *static_cast<int *>(told.kernelParams[1]), 10);
  params.blockDimX = 4096;
  CU_ERROR(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeSetParams(first, &params));
  params.func = nullptr;
  CU_ERROR(CUDA_ERROR_INVALID_HANDLE, cuGraphKernelNodeSetParams(first, &params));

  CUkernelNodeAttrValue value = {};
  value.priority = -2;
  CU_OK(cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  CU_OK(cuGraphKernelNodeCopyAttributes(second, first));
  value.priority = 0;
  CU_OK(cuGraphKernelNodeGetAttribute(second, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  expect("priority", 0, value.priority, -2);
  CU_ERROR(CUDA_ERROR_INVALID_VALUE,
           cuGraphKernelNodeGetAttribute(second, CU_LAUNCH_ATTRIBUTE_IGNORE, &value));
  CU_OK(cuGraphExecDestroy(exec));
  CU_OK(cuGraphDestroy(graph));
}

void checkOldStructure(CUfunction function) {
  using Add = CUresult (*)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                           const CUDA_KERNEL_NODE_PARAMS_v1 *);
  using Get = CUresult (*)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1 *);
  using Set = CUresult (*)(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *);
  using SetExec = CUresult (*)(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *);
  auto find = [](const char *name) {
    void *found = nullptr;
    CU_OK(cuGetProcAddress(name, &found, 10020, 0, nullptr));
    return found;
  };
  OnDevice sum;
  int one = 1;
  void *ones[] = {&sum.value, &one};
  CUDA_KERNEL_NODE_PARAMS_v1 params = {function, 2, 1, 1, 1, 1, 1, 0, ones, nullptr}, told = {};
  CUgraph graph;
  CUgraphNode node;
  CUgraphExec exec;
  CU_OK(cuGraphCreate(&graph, 0));
  CU_OK(Add(find("cuGraphAddKernelNode"))(&node, graph, nullptr, 0, &params));
  CU_OK(Get(find("cuGraphKernelNodeGetParams"))(node, &told));
  expect("grid", 1, int(told.gridDimX), 2);
  params.gridDimX = 3;
  CU_OK(Set(find("cuGraphKernelNodeSetParams"))(node, &params));
  CU_OK(cuGraphInstantiate(&exec, graph, 0));
  params.gridDimX = 5;
  CU_OK(SetExec(find("cuGraphExecKernelNodeSetParams"))(exec, node, &params));
  CU_OK(cuGraphLaunch(exec, nullptr));
  expect("sum", 2, sum.read(), 5);
  CU_OK(cuGraphExecDestroy(exec));
  CU_OK(cuGraphDestroy(graph));
}

void checkWait() {
  OnDevice word, behind;
  CUstream stream;
  CU_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU_OK(cuStreamWaitValue32(stream, reinterpret_cast<CUdeviceptr>(word.value), 8,
                            CU_STREAM_WAIT_VALUE_GEQ));
  CU_OK(cuStreamWriteValue32(stream, reinterpret_cast<CUdeviceptr>(behind.value), 5, 0));
  add<<<4, 2>>>(word.value, 1);
  CU_OK(cuStreamSynchronize(stream));
  expect("behind", 0, behind.read(), 5);
  CU_OK(cuStreamDestroy(stream));
}

int main() {
  cudaFunction_t function;
  cudaKernel_t kernel;
  CU_OK(cuInit(0));
  CUDA_OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(add)));
  CUDA_OK(cudaGetKernel(&kernel, reinterpret_cast<const void *>(add)));
  checkNodes(function, reinterpret_cast<CUkernel>(kernel));
  checkOldStructure(function);
  checkWait();
  return finish();
}
