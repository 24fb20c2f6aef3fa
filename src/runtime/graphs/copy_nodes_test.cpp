// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memcpy and memset nodes: their parameters, before and after an executable graph was made.
#include "runtime/graphs/nodes_test.h"

namespace {

class CopyNodes : public Nodes {};

TEST_F(CopyNodes, copiesIn3D) {
  cudaMemcpy3DParms p = {}, told = {};
  p.srcPtr = {source, 16, 16, 4};
  p.srcPos = {2, 1, 0};
  p.dstPtr = {buffer.get(), 8, 8, 2};
  p.extent = {8, 2, 2};
  p.kind = cudaMemcpyHostToDevice;
  ASSERT_OK(cudaMemset(buffer.get(), 0, 256));
  ASSERT_OK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &p));
  EXPECT_OK(cudaGraphMemcpyNodeGetParams(node, &told));
  EXPECT_EQ(std::memcmp(&p, &told, sizeof p), 0);
  instantiate();
  runOnce(executable);
  Bytes got = read(buffer.get(), 32);
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 2; ++y)
      EXPECT_EQ(std::memcmp(&got[z * 16 + y * 8], &source[z * 64 + (y + 1) * 16 + 2], 8), 0);
  p.srcPos = {0, 0, 0};
  EXPECT_OK(cudaGraphExecMemcpyNodeSetParams(executable, node, &p));
  runOnce(executable);
  EXPECT_EQ(std::memcmp(read(buffer.get(), 8).data(), source, 8), 0);
  p.extent = {4, 1, 1};
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(executable, node, &p));
  p.kind = static_cast<cudaMemcpyKind>(9);
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection, cudaGraphMemcpyNodeSetParams(node, &p));
}

TEST_F(CopyNodes, copiesOfOneRow) {
  cudaMemcpy3DParms told;
  ASSERT_OK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, buffer.get(), source, 100,
                                     cudaMemcpyHostToDevice));
  EXPECT_OK(cudaGraphMemcpyNodeGetParams(node, &told));
  EXPECT_OK(cudaGraphMemcpyNodeSetParams(node, &told)) << "what was told can be said";
  EXPECT_OK(cudaGraphMemcpyNodeSetParams1D(node, buffer.get(), source, 50, cudaMemcpyDefault));
  ASSERT_OK(cudaMemset(buffer.get(), 0, 256));
  instantiate();
  runOnce(executable);
  Bytes got = read(buffer.get(), 51);
  EXPECT_EQ(std::memcmp(got.data(), source, 50), 0);
  EXPECT_EQ(got[50], 0);
  EXPECT_OK(cudaGraphExecMemcpyNodeSetParams1D(executable, node, buffer.get() + 60, source, 10,
                                               cudaMemcpyHostToDevice));
  runOnce(executable);
  EXPECT_EQ(std::memcmp(read(buffer.get() + 60, 10).data(), source, 10), 0);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGraphExecMemcpyNodeSetParams1D(executable, node, buffer.get(), other.get(), 10,
                                                 cudaMemcpyDeviceToDevice)); // from the host it was
}

TEST_F(CopyNodes, copiesOfArraysTellElements) {
  const cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t array;
  ASSERT_OK(cudaMallocArray(&array, &words, 8, 4));
  cudaMemcpy3DParms in = {}, out = {}, told = {};
  in.srcPtr = {source, 32, 32, 4};
  in.dstArray = array;
  in.dstPos = {2, 1, 0};
  in.extent = {3, 2, 1};
  in.kind = cudaMemcpyHostToDevice;
  out.srcArray = array;
  out.srcPos = {3, 2, 0};
  out.dstPtr = {buffer.get(), 0, 0, 0};
  out.extent = {2, 1, 1};
  for (cudaMemcpyKind kind : {cudaMemcpyDefault, cudaMemcpyDeviceToDevice}) {
    cudaGraphNode_t last;
    out.kind = kind;
    ASSERT_OK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &in));
    EXPECT_OK(cudaGraphMemcpyNodeGetParams(node, &told));
    EXPECT_EQ(std::memcmp(&in, &told, sizeof in), 0);
    ASSERT_OK(cudaGraphAddMemcpyNode(&last, graph, &node, 1, &out));
    EXPECT_OK(cudaGraphMemcpyNodeGetParams(last, &told));
    EXPECT_EQ(std::memcmp(&out, &told, sizeof out), 0);
  }
  instantiate();
  runOnce(executable);
  EXPECT_EQ(std::memcmp(read(buffer.get(), 8).data(), source + 32 + 4, 8), 0);
  in.kind = cudaMemcpyDeviceToHost;
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection, cudaGraphMemcpyNodeSetParams(node, &in));
  EXPECT_OK(cudaFreeArray(array));
  in.kind = cudaMemcpyHostToDevice;
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaGraphMemcpyNodeSetParams(node, &in));
}

TEST_F(CopyNodes, capturedCopiesTellKindAndPitch) {
  cudaStream_t stream;
  cudaMemcpy3DParms told = {};
  size_t count = 1;
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                          cudaStreamCaptureModeGlobal));
  EXPECT_OK(cudaMemcpy2DAsync(buffer.get(), 16, source, 32, 8, 4, cudaMemcpyHostToDevice, stream));
  EXPECT_OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_OK(cudaGraphGetNodes(graph, &node, &count));
  EXPECT_OK(cudaGraphMemcpyNodeGetParams(node, &told));
  EXPECT_EQ(told.kind, cudaMemcpyHostToDevice);
  EXPECT_EQ(told.srcPtr.ptr, source);
  EXPECT_EQ(told.srcPtr.pitch, 32u);
  EXPECT_EQ(told.dstPtr.pitch, 16u);
  EXPECT_EQ(told.extent.width, 8u);
  EXPECT_EQ(told.extent.height, 4u);
  EXPECT_OK(cudaGraphMemcpyNodeSetParams(node, &told)) << "what was told can be said";
  EXPECT_OK(cudaStreamDestroy(stream));
}

TEST_F(CopyNodes, fills) {
  for (unsigned bytes : {1u, 2u, 4u}) {
    cudaGraphNode_t fill;
    cudaMemsetParams p = {buffer.get(), 64, 0x04030201u, bytes, 5, 3}, told;
    ASSERT_OK(cudaMemset(buffer.get(), 9, 256));
    ASSERT_OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &p));
    EXPECT_OK(cudaGraphMemsetNodeGetParams(fill, &told));
    EXPECT_EQ(told.dst, p.dst);
    EXPECT_EQ(told.width, 5u);
    EXPECT_EQ(told.height, 3u);
    EXPECT_EQ(told.elementSize, bytes);
    cudaGraphExec_t once;
    ASSERT_OK(cudaGraphInstantiate(&once, graph, 0));
    runOnce(once);
    const Bytes got = read(buffer.get(), 256);
    for (size_t i = 0; i < 256; ++i) {
      const bool inside = i / 64 < 3 && i % 64 < 5 * bytes;
      ASSERT_EQ(got[i], inside ? i % bytes + 1 : 9u) << "byte " << i << " of elements of " << bytes;
    }
    p.width = 2;
    EXPECT_OK(cudaGraphExecMemsetNodeSetParams(once, fill, &p));
    EXPECT_OK(cudaGraphMemsetNodeSetParams(fill, &p));
    p.height = 1;
    EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(once, fill, &p));
    EXPECT_OK(cudaGraphExecDestroy(once));
    EXPECT_OK(cudaGraphDestroyNode(fill));
  }
}

} // namespace
