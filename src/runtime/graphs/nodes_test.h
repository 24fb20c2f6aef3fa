// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of nodes of graphs.
#pragma once

#include "runtime/test_support.h"

#include <cstring>

HEDDLE_TEST_DEVICES("cpu,cpu")

namespace {

unsigned char source[256];

[[maybe_unused]] void runOnce(cudaGraphExec_t executable) {
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  EXPECT_OK(cudaGraphLaunch(executable, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_OK(cudaStreamDestroy(stream));
}

/// A graph that goes away with the test.
class Nodes : public testing::Test {
protected:
  Nodes() {
    EXPECT_OK(cudaGraphCreate(&graph, 0));
    const Bytes bytes = pattern(sizeof source, 7);
    std::memcpy(source, bytes.data(), sizeof source);
  }
  ~Nodes() override {
    if (executable)
      EXPECT_OK(cudaGraphExecDestroy(executable));
    EXPECT_OK(cudaGraphDestroy(graph));
  }
  void instantiate() { ASSERT_OK(cudaGraphInstantiateWithFlags(&executable, graph, 0)); }

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphNode_t node = nullptr;
  Buffer buffer{256}, other{256};
};

} // namespace
