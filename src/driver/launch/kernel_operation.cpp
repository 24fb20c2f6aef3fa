// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches as nodes of graphs. The parameters are copied when the node is made, by the kernel's
// layout. The code is chosen when an executable graph is made; code that counts on which
// allocations the parameters point into is looked at again when the program has allocated or freed
// since (isStillRight).
#include "driver/launch/kernel_operation.h"

#include "driver/graphs/graph.h"
#include "driver/handle_pool.h"
#include "driver/launch/launch_objects.h"
#include "driver/profiling.h"
#include "driver/rooms.h"

#include <algorithm>
#include <cstring>

namespace heddle::driver {

namespace {

HandlePool<DeviceNode, 1u << 20> &deviceNodes() { return rooms().deviceNodes.get(); }

std::shared_ptr<DeviceNode> makeDeviceNode() {
  return {deviceNodes().create(), [](DeviceNode *node) {
            if (node)
              deviceNodes().destroy(node);
          }};
}

/// Calls `body(node)` for each kernel node that kernels may change, wherever it lies.
template <typename F> void eachDeviceNode(const Graph &graph, F &&body) {
  for (const Node *node : graph.nodes) {
    if (auto *kernel = operationAs<KernelOperation>(node->operation.get()))
      if (kernel->deviceNode)
        body(*kernel->deviceNode);
    for (const Graph *inside : node->operation->inside())
      eachDeviceNode(*inside, body);
  }
}

} // namespace

DeviceNode *deviceNodeOf(cudaGraphDeviceNode_t handle) { return deviceNodes().find(handle); }

bool hasInstantiatedDeviceNodes(const Graph &graph) {
  bool found = false;
  eachDeviceNode(graph, [&](const DeviceNode &node) { found |= node.isInstantiated; });
  return found;
}

void markDeviceNodes(const Graph &graph) {
  eachDeviceNode(graph, [](DeviceNode &node) { node.isInstantiated = true; });
}

void forgetDeviceLaunches(const Graph &graph) {
  eachDeviceNode(graph, [](DeviceNode &node) { node.launch = nullptr; });
}

/// Nodes that kernels may change are one graph's.
cudaGraphExecUpdateResult KernelOperation::compare(const Operation &other) const {
  return static_cast<const KernelOperation &>(other).deviceNode == deviceNode
             ? cudaGraphExecUpdateSuccess
             : cudaGraphExecUpdateErrorAttributesChanged;
}

KernelOperation::KernelOperation(const void *handle, const LaunchShape &shape, Context &on)
    : handle(handle), shape(shape) {
  device = &on;
  if (shape.cooperative)
    attributes[cudaLaunchAttributeCooperative].cooperative = 1;
}

void KernelOperation::takeAttributes(std::span<cudaLaunchAttribute> all) {
  for (cudaLaunchAttribute &attribute : all) {
    if (attribute.id == cudaLaunchAttributeDeviceUpdatableKernelNode)
      setAttribute(attribute.id, attribute.val);
    else if (isKernelNodeAttribute(attribute.id))
      attributes[attribute.id] = attribute.val;
    if (attribute.id == cudaLaunchAttributeDeviceUpdatableKernelNode && deviceNode)
      attribute.val = attributes[attribute.id];
  }
}

CUresult KernelOperation::setAttribute(cudaLaunchAttributeID id, cudaLaunchAttributeValue value) {
  constexpr int HighestPriority = -5, LowestPriority = 0;
  switch (id) {
  case cudaLaunchAttributePriority:
    value.priority = std::clamp(value.priority, HighestPriority, LowestPriority);
    break;
  case cudaLaunchAttributeCooperative:
    shape.cooperative = value.cooperative != 0;
    break;
  case cudaLaunchAttributeClusterDimension:
    shape.cluster = {};
    if (value.clusterDim.x)
      shape.cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
    break;
  case cudaLaunchAttributeDeviceUpdatableKernelNode:
    if (!value.deviceUpdatableKernelNode.deviceUpdatable && deviceNode)
      return CUDA_ERROR_INVALID_VALUE; // it stays so
    if (value.deviceUpdatableKernelNode.deviceUpdatable && !deviceNode)
      deviceNode = makeDeviceNode();
    value.deviceUpdatableKernelNode.devNode =
        reinterpret_cast<cudaGraphDeviceNode_t>(deviceNode.get());
    break;
  default: // hints
    break;
  }
  attributes[id] = value;
  return CUDA_SUCCESS;
}

CUresult KernelOperation::makeWork(device::GraphWork &work, PlanContext &context) {
  Function *function;
  if (CUresult error = findFunction(handle, *device, function))
    return error;
  shape.isUpdatable = deviceNode != nullptr;
  if (deviceNode)
    work.changeable = &deviceNode->launch;
  sent_ = packed;
  sent_.resize((sent_.size() + 15) / 16 * 16);
  if (CUresult error = makeLaunch(*function, *device, shape, sent_.data(), work.launch))
    return error;
  noteOrigin(work.launch);
  profileLaunch(work.launch, *function, *device, shape);
  code_ = static_cast<const Compiled *>(work.launch.kernel->owner);
  work.kind = device::GraphWork::Kind::Launch;
  work.hasPriority = context.useNodePriority;
  if (auto found = attributes.find(cudaLaunchAttributePriority); found != attributes.end())
    work.priority = found->second.priority;
  return CUDA_SUCCESS;
}

bool KernelOperation::isStillRight() const {
  if (!code_ || (code_->objects == ObjectNumbers{} && !code_->forShortObjects))
    return true;
  auto globals = globalsOf(*code_->function, *device);
  return globals && !(code_->forShortObjects && hasLongObjects()) &&
         fits(code_->objects, numberObjects(*code_->function, packed.data(), *globals));
}

std::vector<std::string> KernelOperation::describe() const {
  Function *function;
  std::string name = findFunction(handle, *device, function) ? "kernel" : function->displayName;
  auto text = [](const dim3 &d) {
    return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
  };
  return {name, "grid " + text(shape.grid), "block " + text(shape.block),
          "shared memory " + std::to_string(shape.shared)};
}

bool isKernelNodeAttribute(cudaLaunchAttributeID id) {
  switch (id) {
  case cudaLaunchAttributeAccessPolicyWindow:
  case cudaLaunchAttributeCooperative:
  case cudaLaunchAttributeClusterDimension:
  case cudaLaunchAttributeClusterSchedulingPolicyPreference:
  case cudaLaunchAttributePriority:
  case cudaLaunchAttributeMemSyncDomainMap:
  case cudaLaunchAttributeMemSyncDomain:
  case cudaLaunchAttributeDeviceUpdatableKernelNode:
  case cudaLaunchAttributePreferredSharedMemoryCarveout:
    return true;
  default:
    return false;
  }
}

CUresult errorOfNode(CUresult error) {
  return error == CUresult(cudaErrorInvalidConfiguration) ? CUDA_ERROR_INVALID_VALUE : error;
}

/// Parameters given as one buffer (cuLaunchKernel's CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and
/// _END).
static CUresult packBuffer(void **extra, std::vector<uint8_t> &packed) {
  enum : uintptr_t { End, Pointer, Size };
  const void *buffer = nullptr;
  size_t bytes = 0;
  for (; *extra; extra += 2) {
    const auto name = reinterpret_cast<uintptr_t>(*extra);
    if (name == Pointer)
      buffer = extra[1];
    else if (name == Size)
      bytes = *static_cast<const size_t *>(extra[1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (!buffer || bytes < packed.size())
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(packed.data(), buffer, packed.size());
  return CUDA_SUCCESS;
}

CUresult readKernelNode(const CUDA_KERNEL_NODE_PARAMS &p, const KernelOperation *before,
                        std::unique_ptr<Operation> &operation) {
  Context &device = currentContext();
  Function *function;
  const void *handle = p.func ? static_cast<const void *>(p.func) : p.kern;
  if (CUresult error = findFunction(handle, device, function))
    return error == CUresult(cudaErrorInvalidDeviceFunction) ? CUDA_ERROR_INVALID_HANDLE : error;
  LaunchShape shape = {dim3(p.gridDimX, p.gridDimY, p.gridDimZ),
                       dim3(p.blockDimX, p.blockDimY, p.blockDimZ), p.sharedMemBytes};
  if (before) {
    shape.cooperative = before->shape.cooperative;
    shape.cluster = before->shape.cluster;
  }
  if (CUresult error = checkLaunch(*function, device, shape))
    return errorOfNode(error);
  if (function->kernel->paramBytes > MaxParamBytes)
    return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<KernelOperation>(handle, shape, device);
  if (before)
    made->attributes = before->attributes, made->deviceNode = before->deviceNode;
  made->packed.resize(function->kernel->paramBytes);
  if ((p.kernelParams && p.extra) || (!p.kernelParams && !p.extra && !made->packed.empty()))
    return CUDA_ERROR_INVALID_VALUE;
  if (p.extra) {
    if (CUresult error = packBuffer(p.extra, made->packed))
      return error;
  } else if (CUresult error = packParams(*function, p.kernelParams, made->packed.data())) {
    return error;
  }
  operation = std::move(made);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
