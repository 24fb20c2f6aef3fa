// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of streams, events and graphs of the driver API: its functions by their symbols, memory,
// and work that stays until the test lets it go.
#pragma once

#include "driver/test_support.h"

#include "cuda_runtime_api.h"

#include <algorithm>
#include <cstdlib>

namespace {

const bool devicesChosen = [] {
  for (const char *name : {"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_ORDER"})
    unsetenv(name);
  setenv("HEDDLE_MACHINE", "", 1); // other tests use the same boards
  return setenv("HEDDLE_DEVICE", "h200", 1) == 0;
}();

const heddle::driver::Table cu = exportedTable();

#define EXPECT_OK(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ(call, CUDA_SUCCESS)
/// The call gives this error: CUDA_ERROR_ and the name.
#define EXPECT_ERROR(name, call) EXPECT_EQ(call, CUDA_ERROR_##name)

/// Initialises the driver.
inline void start() { ASSERT_OK(cu.cuInit(0)); }

/// A new context, current until the end of the scope.
struct NewContext {
  NewContext() {
    start();
    EXPECT_OK(cu.cuCtxCreate_v2(&handle, 0, 0));
  }
  ~NewContext() { EXPECT_OK(cu.cuCtxDestroy_v2(handle)); }
  NewContext(const NewContext &) = delete;
  CUcontext handle = nullptr;
};

struct NewStream {
  explicit NewStream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    EXPECT_OK(cu.cuStreamCreate(&handle, flags));
  }
  ~NewStream() { EXPECT_OK(cu.cuStreamDestroy_v2(handle)); }
  NewStream(const NewStream &) = delete;
  operator CUstream() const { return handle; }
  CUstream handle = nullptr;
};

struct NewEvent {
  explicit NewEvent(unsigned flags = CU_EVENT_DEFAULT) {
    EXPECT_OK(cu.cuEventCreate(&handle, flags));
  }
  ~NewEvent() { EXPECT_OK(cu.cuEventDestroy_v2(handle)); }
  NewEvent(const NewEvent &) = delete;
  operator CUevent() const { return handle; }
  CUevent handle = nullptr;
};

/// Words that devices and the host read and write, zeroed.
struct Words {
  Words() {
    EXPECT_EQ(cudaMallocHost(&host, Bytes), cudaSuccess);
    std::fill_n(static_cast<unsigned char *>(host), Bytes, 0);
  }
  ~Words() { EXPECT_EQ(cudaFreeHost(host), cudaSuccess); }
  Words(const Words &) = delete;
  CUdeviceptr at(size_t offset = 0) const { return reinterpret_cast<CUdeviceptr>(host) + offset; }
  template <typename T = unsigned> T *get(size_t offset = 0) const {
    return reinterpret_cast<T *>(static_cast<char *>(host) + offset);
  }
  template <typename T = unsigned> T read(size_t offset = 0) const {
    return __atomic_load_n(get<T>(offset), __ATOMIC_ACQUIRE);
  }
  template <typename T = unsigned> void write(T value, size_t offset = 0) const {
    __atomic_store_n(get<T>(offset), value, __ATOMIC_RELEASE);
  }
  static constexpr size_t Bytes = 4096;
  void *host = nullptr;
};

/// Holds a stream up until it is opened.
struct Gate {
  explicit Gate(CUstream stream) {
    EXPECT_OK(cu.cuStreamWaitValue32_v2(stream, words.at(), 1, CU_STREAM_WAIT_VALUE_EQ));
  }
  ~Gate() { open(); }
  Gate(const Gate &) = delete;
  void open() { words.write(1u); }
  Words words;
};

} // namespace
