// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/graphs/operation.h"
#include "driver/launch/launch.h"

#include "heddle/driver_graph_types.h"

#include <map>
#include <span>

namespace heddle::driver {

/// A kernel node as device code names it (cudaGraphDeviceNode_t). Of the node and its one
/// executable copy.
struct DeviceNode {
  std::atomic<device::GraphLaunch *> launch{nullptr}; ///< of the plan that runs; null: none yet
  bool isInstantiated = false;
};
/// Null if it is no live one. Without a lock.
DeviceNode *deviceNodeOf(cudaGraphDeviceNode_t);

/// The graph has nodes that kernels may change, and they have their executable copies.
bool hasInstantiatedDeviceNodes(const Graph &);
/// From now on they have.
void markDeviceNodes(const Graph &);
/// Of an executable graph: the plan that kernels changed launches of is given up.
void forgetDeviceLaunches(const Graph &);

/// A kernel node.
class KernelOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeKernel;
  KernelOperation(const void *handle, const LaunchShape &, Context &);
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<KernelOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &, PlanContext &) override;
  bool isStillRight() const override;
  std::vector<std::string> describe() const override;
  cudaGraphExecUpdateResult compare(const Operation &) const override;
  bool isKnownToDevice() const override { return deviceNode != nullptr; }

  /// Those of a launch that a node has.
  /// What the node answers is written to them.
  void takeAttributes(std::span<cudaLaunchAttribute>);
  /// cuGraphKernelNodeSetAttribute. Errors: CUDA_ERROR_NOT_SUPPORTED, said on stderr.
  CUresult setAttribute(cudaLaunchAttributeID, cudaLaunchAttributeValue);

  const void *handle; ///< the kernel's
  LaunchShape shape;
  std::vector<uint8_t> packed; ///< the parameters
  std::vector<void *> told;    ///< where they lie, as cuGraphKernelNodeGetParams has told
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes;
  std::shared_ptr<DeviceNode> deviceNode; ///< kernels may change the node by it; else null

private:
  std::vector<uint8_t> sent_;      ///< what the device copies its parameters from
  const Compiled *code_ = nullptr; ///< that the work was made with
};

/// What nodes say where a launch would say `error`.
CUresult errorOfNode(CUresult error);

/// The operation of a kernel node's parameters, with the attributes of `before`, if that is not
/// null. Errors: those of a launch, by errorOfNode, and CUDA_ERROR_INVALID_HANDLE for what is
/// no kernel.
CUresult readKernelNode(const CUDA_KERNEL_NODE_PARAMS &, const KernelOperation *before,
                        std::unique_ptr<Operation> &);
/// Other versions of the structure as that.
template <typename Params>
CUDA_KERNEL_NODE_PARAMS kernelParamsOf(const Params &p, CUkernel kernel, CUcontext context) {
  return {p.func,      p.gridDimX,       p.gridDimY,     p.gridDimZ, p.blockDimX, p.blockDimY,
          p.blockDimZ, p.sharedMemBytes, p.kernelParams, p.extra,    kernel,      context};
}

/// Which attributes a kernel node has.
bool isKernelNodeAttribute(cudaLaunchAttributeID);

} // namespace heddle::driver
