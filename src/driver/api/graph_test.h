// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of graphs of the driver API.
#pragma once

#include "driver/api/work_test.h"

namespace {

struct NewGraph {
  NewGraph() { EXPECT_OK(cu.cuGraphCreate(&handle, 0)); }
  ~NewGraph() { EXPECT_OK(cu.cuGraphDestroy(handle)); }
  NewGraph(const NewGraph &) = delete;
  operator CUgraph() const { return handle; }
  CUgraph handle = nullptr;
};

struct NewExec {
  explicit NewExec(CUgraph graph) { EXPECT_OK(cu.cuGraphInstantiateWithFlags(&handle, graph, 0)); }
  ~NewExec() { EXPECT_OK(cu.cuGraphExecDestroy(handle)); }
  NewExec(const NewExec &) = delete;
  operator CUgraphExec() const { return handle; }
  void run() const {
    EXPECT_OK(cu.cuGraphLaunch(handle, nullptr));
    EXPECT_OK(cu.cuStreamSynchronize(nullptr));
  }
  CUgraphExec handle = nullptr;
};

[[maybe_unused]] CUDA_MEMSET_NODE_PARAMS fillOf(CUdeviceptr at, unsigned value, size_t count) {
  return {at, 0, value, 4, count, 1};
}

[[maybe_unused]] CUDA_MEMCPY3D copyOf(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = from, copy.dstDevice = to;
  copy.WidthInBytes = bytes, copy.Height = copy.Depth = 1;
  return copy;
}

[[maybe_unused]] const auto Wrong = reinterpret_cast<CUgraphNode>(64);
[[maybe_unused]] const auto WrongGraph = reinterpret_cast<CUgraph>(64);
[[maybe_unused]] const auto WrongExec = reinterpret_cast<CUgraphExec>(64);

} // namespace
