// RUN: %heddle cc -rdc=true -arch=sm_90 %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
// RUN: env HEDDLE_CHECK=memcheck,racecheck,initcheck %t
// NVCC: -rdc=true -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel nodes that kernels of their graph change: parameters, the grid, whether they run; what such nodes may not be
// used for.
#include "../support.h"

/// Each block writes its number, times a factor, behind the others.
__global__ void fill(int *to, int factor, int bias) {
  if (threadIdx.x == 0)
    to[blockIdx.x] = (blockIdx.x + 1) * factor + bias;
}

struct Plan {
  cudaGraphDeviceNode_t node;
  int *to;
  int factor, blocks, enabled, apply;
  int errors[8]; ///< out
};

__global__ void control(Plan *plans, int turn) {
  Plan &plan = plans[turn];
  if (threadIdx.x != 0)
    return;
  if (plan.apply) {
    cudaGraphKernelNodeUpdate updates[4] = {};
    for (auto &update : updates)
      update.node = plan.node;
    updates[0].field = cudaGraphKernelNodeFieldParam;
    updates[0].updateData.param.pValue = &plan.to;
    updates[0].updateData.param.offset = 0;
    updates[0].updateData.param.size = sizeof plan.to;
    updates[1].field = cudaGraphKernelNodeFieldParam;
    updates[1].updateData.param.pValue = &plan.factor;
    updates[1].updateData.param.offset = 8;
    updates[1].updateData.param.size = sizeof plan.factor;
    updates[2].field = cudaGraphKernelNodeFieldGridDim;
    updates[2].updateData.gridDim = dim3(plan.blocks);
    updates[3].field = cudaGraphKernelNodeFieldEnabled;
    updates[3].updateData.isEnabled = plan.enabled;
    plan.errors[0] = cudaGraphKernelNodeUpdatesApply(updates, 4);
    return;
  }
  plan.errors[0] = cudaGraphKernelNodeSetParam(plan.node, 0, plan.to);
  plan.errors[1] = cudaGraphKernelNodeSetParam(plan.node, 8, &plan.factor, sizeof plan.factor);
  plan.errors[2] = cudaGraphKernelNodeSetGridDim(plan.node, dim3(plan.blocks));
  plan.errors[3] = cudaGraphKernelNodeSetEnabled(plan.node, plan.enabled);
}

__global__ void wrong(Plan *plan) {
  plan->errors[0] = cudaGraphKernelNodeSetParam(plan->node, 13, plan->factor);
  plan->errors[1] = cudaGraphKernelNodeSetParam(plan->node, 4096, plan->factor);
  plan->errors[2] = cudaGraphKernelNodeSetGridDim(plan->node, dim3(0));
  plan->errors[3] = cudaGraphKernelNodeSetEnabled((cudaGraphDeviceNode_t)plan, true);
  plan->errors[4] = cudaGraphKernelNodeSetParam(plan->node, 8, (const void *)nullptr, 4);
  cudaGraphKernelNodeUpdate update = {};
  update.node = plan->node;
  plan->errors[5] = cudaGraphKernelNodeUpdatesApply(&update, 1);
}

__global__ void count(int *runs) { ++*runs; }

int main() {
  constexpr int Most = 64, Turns = 8;
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreate(&stream));
  Buffer<Plan> plans(Turns);
  Buffer<int> first(Most), second(Most), runs(1);
  int *firstAt = first, *runsAt = runs, factor = 1, bias = 5;

  // A node that controls, by turns; the node that it changes; and one behind that.
  cudaGraph_t graph;
  cudaGraphNode_t controls, changed, last;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  Plan *plansAt = plans;
  int turn = 0;
  void *controlArguments[] = {&plansAt, &turn}, *fillArguments[] = {&firstAt, &factor, &bias}, *countArguments[] = {&runsAt};
  cudaKernelNodeParams params = {};
  params.blockDim = params.gridDim = dim3(1);
  params.func = (void *)control;
  params.kernelParams = controlArguments;
  CUDA_OK(cudaGraphAddKernelNode(&controls, graph, nullptr, 0, &params));
  params.func = (void *)fill;
  params.blockDim = dim3(32);
  params.gridDim = dim3(3);
  params.kernelParams = fillArguments;
  CUDA_OK(cudaGraphAddKernelNode(&changed, graph, &controls, 1, &params));
  cudaKernelNodeParams counts = {};
  counts.func = (void *)count;
  counts.blockDim = counts.gridDim = dim3(1);
  counts.kernelParams = countArguments;
  CUDA_OK(cudaGraphAddKernelNode(&last, graph, &changed, 1, &counts));

  cudaLaunchAttributeValue value = {}, none = {}, told = {};
  value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  CUDA_OK(cudaGraphKernelNodeSetAttribute(changed, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
  CUDA_OK(cudaGraphKernelNodeGetAttribute(changed, cudaLaunchAttributeDeviceUpdatableKernelNode, &told));
  cudaGraphDeviceNode_t node = told.deviceUpdatableKernelNode.devNode;
  expectTrue("device node", told.deviceUpdatableKernelNode.deviceUpdatable == 1 && node);
  expectError("stays so", cudaGraphKernelNodeSetAttribute(changed, cudaLaunchAttributeDeviceUpdatableKernelNode, &none), cudaErrorInvalidValue);
  expectError("attributes are not copied", cudaGraphKernelNodeCopyAttributes(last, changed), cudaErrorInvalidValue);
  expectError("is not removed", cudaGraphDestroyNode(changed), cudaErrorNotSupported);
  cudaGraph_t clone;
  expectError("no clone", cudaGraphClone(&clone, graph), cudaErrorNotSupported);
  cudaGraphExec_t exec, other;
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
  expectError("no second instance", cudaGraphInstantiate(&other, graph, 0), cudaErrorNotSupported);

  Random random(12);
  std::vector<Plan> list(Turns);
  for (int i = 0; i < Turns; ++i)
    list[i] = {node, random.below(2) ? first : second, 1 + random.below(50), 1 + random.below(Most), i % 3 != 1, i % 2, {-1, -1, -1, -1}};
  plans.put(list);
  for (turn = 0; turn < Turns; ++turn) {
    CUDA_OK(cudaMemset(first, 0, Most * sizeof(int)));
    CUDA_OK(cudaMemset(second, 0, Most * sizeof(int)));
    // The control node's parameter makes the plan anew: what kernels changed before is forgotten then.
    cudaKernelNodeParams next = {};
    next.func = (void *)control;
    next.blockDim = next.gridDim = dim3(1);
    next.kernelParams = controlArguments;
    CUDA_OK(cudaGraphExecKernelNodeSetParams(exec, controls, &next));
    CUDA_OK(cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    const Plan &plan = list[turn];
    std::vector<int> inFirst = first.get(), inSecond = second.get();
    for (int i = 0; i < Most; ++i) {
      int want = plan.enabled && i < plan.blocks ? (i + 1) * plan.factor + bias : 0;
      expect("first", turn * Most + i, inFirst[i], plan.to == first.data ? want : 0);
      expect("second", turn * Most + i, inSecond[i], plan.to == second.data ? want : 0);
    }
    for (int i = 0; i < (plan.apply ? 1 : 4); ++i)
      expect("error", i, plans.get()[turn].errors[i], 0);
  }
  expect("last", 0, runs.get()[0], Turns);

  // A node enabled by a kernel that the host has disabled; and changes stay for later runs.
  CUDA_OK(cudaGraphNodeSetEnabled(exec, changed, 0));
  CUDA_OK(cudaGraphUpload(exec, stream));
  CUDA_OK(cudaMemset(first, 0, Most * sizeof(int)));
  list[0] = {node, first, 3, 2, 1, 0, {}};
  plans.put(list);
  turn = 0;
  cudaKernelNodeParams next = {};
  next.func = (void *)control;
  next.blockDim = next.gridDim = dim3(1);
  next.kernelParams = controlArguments;
  CUDA_OK(cudaGraphExecKernelNodeSetParams(exec, controls, &next));
  CUDA_OK(cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  expect("enabled", 0, first.get()[1], 2 * 3 + bias);

  wrong<<<1, 1, 0, stream>>>(plans);
  CUDA_OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 6; ++i)
    expect("wrong", i, plans.get()[0].errors[i], int(cudaErrorInvalidValue));

  // By capture, where the attribute of the launch answers with the node; and not without one.
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
  attribute.val = value;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  expectError("no node", cudaLaunchKernelExC(&config, (void *)fill, fillArguments), cudaErrorInvalidValue);
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  control<<<1, 1, 0, stream>>>(plans, 1);
  CUDA_OK(cudaLaunchKernelExC(&config, (void *)fill, fillArguments));
  CUDA_OK(cudaStreamEndCapture(stream, &clone));
  list[1] = {attribute.val.deviceUpdatableKernelNode.devNode, second, 7, 4, 1, 1, {-1}};
  plans.put(list);
  CUDA_OK(cudaMemset(second, 0, Most * sizeof(int)));
  CUDA_OK(cudaGraphInstantiate(&other, clone, 0));
  for (int run = 0; run < 2; ++run)
    CUDA_OK(cudaGraphLaunch(other, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 6; ++i)
    expect("captured", i, second.get()[i], i < 4 ? (i + 1) * 7 + bias : 0);
  return finish();
}
