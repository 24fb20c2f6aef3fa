// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

std::map<int, std::vector<std::string>> seen; ///< by kind
uint64_t first = UINT64_MAX, last = 0;

void request(uint8_t **buffer, size_t *size, size_t *most) {
  *size = 512; // several buffers
  *most = 0;
  *buffer = static_cast<uint8_t *>(aligned_alloc(8, *size));
}

void complete(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  CUpti_Activity *record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    std::string text;
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      auto *copy = reinterpret_cast<CUpti_ActivityMemcpy5 *>(record);
      text = std::to_string(copy->copyKind) + " " + std::to_string(copy->bytes);
      first = std::min(first, copy->start), last = std::max(last, copy->end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      text = std::to_string(reinterpret_cast<CUpti_ActivityMemset4 *>(record)->bytes);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_RUNTIME ||
               record->kind == CUPTI_ACTIVITY_KIND_DRIVER) {
      const char *name = "";
      cuptiGetCallbackName(record->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API
                                                                       : CUPTI_CB_DOMAIN_DRIVER_API,
                           reinterpret_cast<CUpti_ActivityAPI *>(record)->cbid, &name);
      text = name;
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MARKER) {
      auto *marker = reinterpret_cast<CUpti_ActivityMarker2 *>(record);
      text = std::to_string(marker->flags) + (marker->name ? marker->name : "");
    }
    seen[record->kind].push_back(text);
  }
  free(buffer);
}

std::vector<std::string> heard;
void hear(void *userdata, CUpti_CallbackDomain, CUpti_CallbackId cbid, const void *data) {
  auto *call = static_cast<const CUpti_CallbackData *>(data);
  EXPECT_EQ(*static_cast<int *>(userdata), 7);
  const bool isExit = call->callbackSite == CUPTI_API_EXIT;
  if (!isExit)
    *call->correlationData = 42;
  EXPECT_EQ(*call->correlationData, 42u);
  heard.push_back(
      std::string(isExit ? "<" : ">") + call->functionName + " " + std::to_string(cbid) +
      (isExit ? " " + std::to_string(*static_cast<int *>(call->functionReturnValue)) : ""));
}

} // namespace

TEST(Cupti, RecordsOfActivities) {
  void *memory = nullptr;
  char bytes[64] = {};
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess); // before anybody listens
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_INVALID_OPERATION);
  EXPECT_EQ(cuptiActivityRegisterCallbacks(request, complete), CUPTI_SUCCESS);
  for (auto kind : {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                    CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_MARKER})
    EXPECT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_BRANCH), CUPTI_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_INVALID), CUPTI_ERROR_INVALID_KIND);
  uint64_t begin = 0, end = 0;
  EXPECT_EQ(cuptiGetTimestamp(&begin), CUPTI_SUCCESS);
  nvtxRangePushA("copies");
  for (int i = 0; i < 9; ++i)
    cudaMemcpy(memory, bytes, 64, cudaMemcpyHostToDevice);
  nvtxRangePop();
  cudaMemset(memory, 0, 32);
  cudaMemcpy(bytes, memory, 16, cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  cuptiGetTimestamp(&end);
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_MEMCPY].size(), 10u);
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_MEMCPY].front(), "1 64");
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_MEMCPY].back(), "2 16");
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_MEMSET], std::vector<std::string>{"32"});
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_RUNTIME].size(), 12u);
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_RUNTIME].front(), "cudaMemcpy_v3020");
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_RUNTIME].back(), "cudaDeviceSynchronize_v3020");
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_MARKER], (std::vector<std::string>{"2copies", "4"}));
  EXPECT_GE(first, begin);
  EXPECT_LE(last, end);
  size_t dropped = 1;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 0u);
  EXPECT_EQ(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_ERROR_INVALID_KIND);
  cudaFree(memory);
}

TEST(Cupti, CallbacksAtCalls) {
  CUpti_SubscriberHandle subscriber, other;
  int seven = 7;
  ASSERT_EQ(cuptiSubscribe(&subscriber, hear, &seven), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&other, hear, &seven), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE), CUPTI_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                                CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020),
            CUPTI_SUCCESS);
  void *memory = nullptr;
  cudaMalloc(&memory, 64);
  cudaFree(memory);
  EXPECT_EQ(heard, (std::vector<std::string>{">cudaMalloc 20", "<cudaMalloc 20 0"}));
  heard.clear();
  EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API), CUPTI_SUCCESS);
  cudaFree(reinterpret_cast<void *>(8));
  EXPECT_EQ(heard, (std::vector<std::string>{">cudaFree 22", "<cudaFree 22 1"}));
  EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
  cudaMalloc(&memory, 64);
  EXPECT_EQ(heard.size(), 2u);
  const char *text = nullptr;
  cuptiGetResultString(CUPTI_ERROR_NOT_SUPPORTED, &text);
  EXPECT_STREQ(text, "CUPTI_ERROR_NOT_SUPPORTED");
}

/// Calls of the driver's API have a domain, numbers and names of their own; those within calls of the
/// runtime are no calls of the program.
TEST(Cupti, CallsOfTheDriver) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess); // makes the primary context
  seen.clear(), heard.clear();
  CUpti_SubscriberHandle subscriber;
  int seven = 7;
  ASSERT_EQ(cuptiSubscribe(&subscriber, hear, &seven), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiActivityRegisterCallbacks(request, complete), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER), CUPTI_SUCCESS);
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuMemAlloc(&memory, 64), CUDA_SUCCESS);
  void *other = nullptr;
  cudaMalloc(&other, 64);
  EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_DRIVER), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
  const auto number = [](CUpti_driver_api_trace_cbid cbid) { return std::to_string(cbid); };
  const std::string allocates = number(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2),
                    frees = number(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_EQ(heard[1], "<cuMemAlloc_v2 " + allocates + " 0");
  EXPECT_EQ(heard[2], ">cuMemFree_v2 " + frees);
  EXPECT_EQ(seen[CUPTI_ACTIVITY_KIND_DRIVER],
            (std::vector<std::string>{"cuMemAlloc_v2", "cuMemFree_v2"}));
}
