// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libnvToolsExt.so, without headers of NVTX and without a listener.
#include <gtest/gtest.h>

extern "C" {
int nvtxRangePushA(const char *);
int nvtxRangePop(void);
void nvtxMarkA(const char *);
unsigned long nvtxRangeStartA(const char *);
void nvtxRangeEnd(unsigned long);
void nvtxNameCudaStreamA(void *, const char *);
void *nvtxDomainCreateA(const char *);
}

TEST(NvtxByName, NobodyListens) {
  constexpr int NoTracking = -2; // NVTX_NO_PUSH_POP_TRACKING
  EXPECT_EQ(nvtxRangePushA("range"), NoTracking);
  EXPECT_EQ(nvtxRangePop(), NoTracking);
  EXPECT_EQ(nvtxRangeStartA("range"), 0u);
  EXPECT_EQ(nvtxDomainCreateA("domain"), nullptr);
  nvtxRangeEnd(0);
  nvtxMarkA("mark");
  nvtxNameCudaStreamA(nullptr, "stream");
}
