// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events without kernels; their order is tested in device/cpu/engine/order_test.cpp.
#include "runtime/test_support.h"

#include <atomic>
#include <chrono>
#include <thread>

HEDDLE_TEST_DEVICES("cpu,cpu")

namespace {

TEST(Stream, StaleHandlesStaySo) {
  std::vector<cudaStream_t> stale;
  for (int i = 0; i < 300; ++i) {
    cudaStream_t stream;
    ASSERT_OK(cudaStreamCreate(&stream));
    ASSERT_OK(cudaStreamDestroy(stream));
    stale.push_back(stream);
  }
  for (cudaStream_t stream : stale)
    EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
}

TEST(Stream, describesItself) {
  cudaStream_t stream, other;
  unsigned flags = 9;
  int priority = 9, device = 9;
  unsigned long long id = 0, otherId = 0;
  ASSERT_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -3));
  EXPECT_OK(cudaStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, unsigned(cudaStreamNonBlocking));
  EXPECT_OK(cudaStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, -3);
  ASSERT_OK(cudaStreamCreateWithPriority(&other, cudaStreamDefault, -100));
  EXPECT_OK(cudaStreamGetPriority(other, &priority));
  EXPECT_EQ(priority, -5) << "brought into the range";
  EXPECT_OK(cudaStreamGetId(stream, &id));
  EXPECT_OK(cudaStreamGetId(other, &otherId));
  EXPECT_NE(id, otherId);
  EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_OK(cudaStreamDestroy(other));
  ASSERT_OK(cudaSetDevice(1));
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaSetDevice(0));
  EXPECT_OK(cudaStreamGetDevice(stream, &device));
  EXPECT_EQ(device, 1);
  EXPECT_OK(cudaStreamDestroy(stream));
}

TEST(Stream, attributes) {
  cudaStream_t stream, copy;
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaStreamCreate(&copy));
  cudaLaunchAttributeValue value = {};
  value.accessPolicyWindow.num_bytes = 4096;
  EXPECT_OK(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
  EXPECT_OK(cudaStreamCopyAttributes(copy, stream));
  value = {};
  EXPECT_OK(cudaStreamGetAttribute(copy, cudaLaunchAttributeAccessPolicyWindow, &value));
  EXPECT_EQ(value.accessPolicyWindow.num_bytes, 4096u);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaStreamGetAttribute(copy, cudaLaunchAttributeCooperative, &value));
  EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_OK(cudaStreamDestroy(copy));
}

TEST(Stream, callbacksRunInOrder) {
  struct Log {
    std::vector<int> order;
    cudaStream_t stream = nullptr;
    bool right = true;
  } log;
  ASSERT_OK(cudaStreamCreate(&log.stream));
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(cudaStreamAddCallback(
        log.stream,
        [](cudaStream_t stream, cudaError_t status, void *data) {
          Log &l = *static_cast<Log *>(data);
          l.right &= stream == l.stream && status == cudaSuccess;
          l.order.push_back(1);
        },
        &log, 0));
    EXPECT_OK(cudaLaunchHostFunc(
        log.stream, [](void *data) { static_cast<Log *>(data)->order.push_back(2); }, &log));
  }
  EXPECT_OK(cudaStreamSynchronize(log.stream));
  EXPECT_EQ(log.order, (std::vector<int>{1, 2, 1, 2}));
  EXPECT_TRUE(log.right);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaStreamAddCallback(log.stream, nullptr, nullptr, 0));
  EXPECT_OK(cudaStreamDestroy(log.stream));
}

TEST(Event, timesAndOrders) {
  cudaEvent_t start, stop, untimed;
  cudaStream_t stream;
  float ms = -1;
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaEventCreate(&start));
  ASSERT_OK(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));
  ASSERT_OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaEventElapsedTime(&ms, start, stop)); // never recorded
  EXPECT_OK(cudaEventRecord(start, stream));
  std::atomic<bool> released{false};
  EXPECT_OK(cudaLaunchHostFunc(
      stream,
      [](void *released) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        while (!*static_cast<std::atomic<bool> *>(released))
          std::this_thread::yield();
      },
      &released));
  EXPECT_OK(cudaEventRecordWithFlags(stop, stream, cudaEventRecordDefault));
  EXPECT_EQ(cudaEventQuery(stop), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaErrorNotReady);
  EXPECT_OK(cudaGetLastError()); // these are no errors
  EXPECT_OK(cudaStreamWaitEvent(nullptr, stop, 0));
  released = true;
  EXPECT_OK(cudaEventSynchronize(stop));
  EXPECT_OK(cudaEventQuery(stop));
  EXPECT_OK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT_GE(ms, 19.5f);
  EXPECT_OK(cudaEventElapsedTime_v2(&ms, start, stop));
  EXPECT_GE(ms, 19.5f);
  EXPECT_OK(cudaEventRecord(untimed, stream));
  EXPECT_OK(cudaEventSynchronize(untimed));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, untimed));
  for (cudaEvent_t event : {start, stop, untimed})
    EXPECT_OK(cudaEventDestroy(event));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaEventRecord(start, stream));
  EXPECT_OK(cudaStreamDestroy(stream));
}

TEST(Stream, tenThousand) {
  std::vector<cudaStream_t> all(10000);
  std::atomic<int> ran{0};
  for (cudaStream_t &stream : all) {
    ASSERT_OK(cudaStreamCreate(&stream));
    ASSERT_OK(
        cudaLaunchHostFunc(stream, [](void *n) { ++*static_cast<std::atomic<int> *>(n); }, &ran));
  }
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(ran, 10000);
  for (cudaStream_t stream : all)
    ASSERT_OK(cudaStreamDestroy(stream));
}

} // namespace
