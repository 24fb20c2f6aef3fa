// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/cpu_library.h"
#include "support/stream_work.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

using namespace heddle::library;

namespace {

TEST(StreamWork, RunsInTheStreamsOrder) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  constexpr int Count = 1000;
  int *values;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&values), Count * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(values, 0, Count * sizeof(int), stream), cudaSuccess);
  for (int i = 1; i < Count; ++i)
    ASSERT_EQ(enqueue(stream, [=] { values[i] = values[i - 1] + 1; }), cudaSuccess);
  std::vector<int> host(Count);
  ASSERT_EQ(
      cudaMemcpyAsync(host.data(), values, Count * sizeof(int), cudaMemcpyDeviceToHost, stream),
      cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  for (int i = 0; i < Count; ++i)
    ASSERT_EQ(host[i], i);
  EXPECT_TRUE(isUsable(values));
  EXPECT_FALSE(isUsable(host.data()));
  cudaFree(values);
  cudaStreamDestroy(stream);
}

TEST(StreamWork, IsDeletedOnce) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::shared_ptr<int> kept = std::make_shared<int>(0);
  ASSERT_EQ(enqueue(stream, [kept] { ++*kept; }), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(*kept, 1);
  EXPECT_EQ(kept.use_count(), 1);
  cudaStreamDestroy(stream);
}

TEST(StreamWork, RunsAtEachLaunchOfACapturedGraph) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::shared_ptr<int> kept = std::make_shared<int>(0);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(enqueue(stream, [kept] { ++*kept; }), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(*kept, 0);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(*kept, 3);
  ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(kept.use_count(), 1);
  cudaStreamDestroy(stream);
}

TEST(StreamWork, IsDeletedIfTheStreamIsNone) {
  std::shared_ptr<int> kept = std::make_shared<int>(0);
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_NE(enqueue(stream, [kept] { ++*kept; }), cudaSuccess);
  EXPECT_EQ(kept.use_count(), 1);
  cudaGetLastError();
}

TEST(CpuLibrary, FindsFunctions) {
  static CpuLibrary math{"libm.so.6", "libc6"};
  static CpuFunction<double(double)> cosine{math, "cos"};
  ASSERT_TRUE(bool(cosine));
  EXPECT_EQ(cosine(1.0), std::cos(1.0));
}

TEST(CpuLibrary, SaysWhatIsMissing) {
  static CpuLibrary none{"libheddle_none.so", "heddle-none"};
  static CpuFunction<int()> function{none, "none"};
  testing::internal::CaptureStderr();
  EXPECT_FALSE(bool(function));
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("libheddle_none.so"), said.npos) << said;
  EXPECT_NE(said.find("heddle-none"), said.npos) << said;
}

} // namespace
