// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memcpy and memset nodes, by the driver API.
#include "driver/api/graph_test.h"

#include <vector>

namespace {

TEST(Graphs, copyAndFill) {
  NewContext context;
  NewGraph graph;
  Words words;
  CUgraphNode fill, copy;
  CUDA_MEMSET_NODE_PARAMS set = fillOf(words.at(), 7, 4), toldSet = {};
  CUDA_MEMCPY3D move = copyOf(words.at(64), words.at(), 16), toldMove = {};
  const auto wrongContext = reinterpret_cast<CUcontext>(64);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddMemsetNode(&fill, graph, nullptr, 0, nullptr, nullptr));
  EXPECT_ERROR(INVALID_CONTEXT,
               cu.cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &set, wrongContext));
  ASSERT_OK(cu.cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &set, context.handle));
  EXPECT_ERROR(INVALID_CONTEXT,
               cu.cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &move, wrongContext));
  ASSERT_OK(cu.cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &move, context.handle));
  NewExec exec(graph);
  exec.run();
  EXPECT_EQ(words.read(64), 7u);
  EXPECT_EQ(words.read(64 + 12), 7u);
  EXPECT_OK(cu.cuGraphMemsetNodeGetParams(fill, &toldSet));
  EXPECT_EQ(toldSet.dst, words.at());
  EXPECT_EQ(toldSet.value, 7u);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphMemsetNodeGetParams(copy, &toldSet));
  EXPECT_OK(cu.cuGraphMemcpyNodeGetParams(copy, &toldMove));
  EXPECT_EQ(toldMove.dstMemoryType, CU_MEMORYTYPE_UNIFIED);
  EXPECT_EQ(toldMove.dstDevice, words.at(64));
  EXPECT_EQ(toldMove.WidthInBytes, 16u);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphMemcpyNodeGetParams(copy, nullptr));
  set.value = 8;
  EXPECT_OK(cu.cuGraphExecMemsetNodeSetParams(exec, fill, &set, context.handle));
  move.dstDevice = words.at(128);
  EXPECT_OK(cu.cuGraphExecMemcpyNodeSetParams(exec, copy, &move, context.handle));
  exec.run();
  EXPECT_EQ(words.read(128), 8u);
  EXPECT_OK(cu.cuGraphMemsetNodeSetParams(fill, &set));
  EXPECT_OK(cu.cuGraphMemcpyNodeSetParams(copy, &move));
  EXPECT_OK(cu.cuGraphMemcpyNodeGetParams(copy, &toldMove));
  EXPECT_EQ(toldMove.dstDevice, words.at(128));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphMemsetNodeSetParams(fill, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphMemcpyNodeSetParams(Wrong, &move));
  unsigned enabled = 0;
  EXPECT_OK(cu.cuGraphNodeSetEnabled(exec, copy, 0));
  EXPECT_OK(cu.cuGraphNodeGetEnabled(exec, copy, &enabled));
  EXPECT_EQ(enabled, 0u);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphNodeSetEnabled(exec, Wrong, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphNodeGetEnabled(WrongExec, copy, &enabled));
}

TEST(Graphs, copyPartsOfRowsAndSlices) {
  NewContext context;
  NewGraph graph;
  Words words;
  for (unsigned i = 0; i < 256; ++i)
    words.write(i, 4 * i);
  // A box of 2 x 2 x 2 words out of rows of 4 and slices of 4 rows.
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = words.host;
  copy.srcXInBytes = 4, copy.srcY = 1, copy.srcZ = 1, copy.srcPitch = 16, copy.srcHeight = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = words.at(2048), copy.dstPitch = 8, copy.dstHeight = 2;
  copy.WidthInBytes = 8, copy.Height = 2, copy.Depth = 2;
  CUgraphNode node;
  ASSERT_OK(cu.cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context.handle));
  NewExec(graph).run();
  std::vector<unsigned> expected, found;
  for (unsigned z = 1; z < 3; ++z)
    for (unsigned y = 1; y < 3; ++y)
      for (unsigned x = 1; x < 3; ++x)
        expected.push_back(z * 16 + y * 4 + x);
  for (unsigned i = 0; i < 8; ++i)
    found.push_back(words.read(2048 + 4 * i));
  EXPECT_EQ(found, expected);
  auto isRefused = [&](auto &&spoil) {
    CUDA_MEMCPY3D bad = copy;
    spoil(bad);
    EXPECT_ERROR(INVALID_VALUE,
                 cu.cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &bad, context.handle));
  };
  isRefused([](CUDA_MEMCPY3D &c) { c.srcPitch = 8; });
  isRefused([](CUDA_MEMCPY3D &c) { c.srcHeight = 2; });
  isRefused([](CUDA_MEMCPY3D &c) { c.WidthInBytes = 0; });
  isRefused([](CUDA_MEMCPY3D &c) { c.srcHost = nullptr; });
  isRefused([](CUDA_MEMCPY3D &c) { c.dstMemoryType = static_cast<CUmemorytype>(0); });
  isRefused([](CUDA_MEMCPY3D &c) { c.dstMemoryType = CU_MEMORYTYPE_ARRAY; }); // none is named
}

TEST(Graphs, copyArrays) {
  NewContext context;
  NewGraph graph;
  Words words;
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
  ASSERT_EQ(cudaMallocArray(&array, &format, 8, 1, 0), cudaSuccess);
  words.write(11u), words.write(12u, 4);
  CUgraphNode in, out;
  CUDA_MEMCPY3D copy = copyOf(0, words.at(), 8), told = {};
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = reinterpret_cast<CUarray>(array);
  copy.dstXInBytes = 12;
  ASSERT_OK(cu.cuGraphAddMemcpyNode(&in, graph, nullptr, 0, &copy, context.handle));
  EXPECT_OK(cu.cuGraphMemcpyNodeGetParams(in, &told));
  EXPECT_EQ(told.dstMemoryType, CU_MEMORYTYPE_ARRAY);
  EXPECT_EQ(told.dstArray, copy.dstArray);
  EXPECT_EQ(told.dstXInBytes, 12u);
  EXPECT_EQ(told.WidthInBytes, 8u);
  copy = copyOf(words.at(64), 0, 4);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = reinterpret_cast<CUarray>(array);
  copy.srcXInBytes = 16;
  ASSERT_OK(cu.cuGraphAddMemcpyNode(&out, graph, &in, 1, &copy, context.handle));
  copy.srcXInBytes = 29; // beyond the end
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddMemcpyNode(&out, graph, &in, 1, &copy, context.handle));
  NewExec(graph).run();
  EXPECT_EQ(words.read(64), 12u);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

} // namespace
