// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four ranks for the tests of NCCL, each with a device, a stream and buffers.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

constexpr int Ranks = 4;

/// Before the first call of CUDA.
inline const int DevicesAreSet = setenv("HEDDLE_DEVICE", "cpu,cpu,cpu,cpu", 1);

/// A rank's memory for `T`s, on its device.
template <typename T> class Buffer {
public:
  Buffer(int device, const std::vector<T> &values) : size_(values.size()) {
    cudaSetDevice(device);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&data_), size_ * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyDefault), cudaSuccess);
  }
  Buffer(Buffer &&other) noexcept : size_(other.size_), data_(other.data_) {
    other.data_ = nullptr;
  }
  ~Buffer() { cudaFree(data_); }
  T *data() { return data_; }
  std::vector<T> read() {
    std::vector<T> values(size_);
    EXPECT_EQ(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDefault), cudaSuccess);
    return values;
  }

private:
  size_t size_;
  T *data_ = nullptr;
};

struct FourRanks : testing::Test {
  void SetUp() override {
    ASSERT_EQ(ncclCommInitAll(comms, Ranks, nullptr), ncclSuccess);
    for (int r = 0; r < Ranks; ++r) {
      cudaSetDevice(r);
      ASSERT_EQ(cudaStreamCreate(&streams[r]), cudaSuccess);
    }
  }
  void TearDown() override {
    for (int r = 0; r < Ranks; ++r) {
      EXPECT_EQ(ncclCommDestroy(comms[r]), ncclSuccess);
      EXPECT_EQ(cudaStreamDestroy(streams[r]), cudaSuccess);
    }
  }
  void synchronize() {
    for (cudaStream_t stream : streams)
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  /// call(rank) for all ranks, as one group of this thread.
  void group(const std::function<ncclResult_t(int)> &call) {
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int r = 0; r < Ranks; ++r)
      EXPECT_EQ(call(r), ncclSuccess);
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  }

  ncclComm_t comms[Ranks];
  cudaStream_t streams[Ranks];
};
