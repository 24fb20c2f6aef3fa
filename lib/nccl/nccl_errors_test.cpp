// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NCCL says of communicators, arguments and calls that are wrong.
#include "nccl/nccl_test_devices.h"

#include <cstring>

namespace {

struct NcclErrors : FourRanks {
  ncclResult_t allReduce(void *data, int r, size_t count = 4, ncclDataType_t type = ncclInt,
                         ncclRedOp_t op = ncclSum) {
    return ncclAllReduce(data, data, count, type, op, comms[r], streams[r]);
  }
};

TEST_F(NcclErrors, Arguments) {
  Buffer<int> data(0, std::vector<int>(4));
  int host[4], result;
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 4, ncclInt, ncclSum, nullptr, nullptr),
            ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 4, ncclInt, ncclSum,
                          reinterpret_cast<ncclComm_t>(host), nullptr),
            ncclInvalidArgument);
  EXPECT_EQ(allReduce(data.data(), 0, 4, ncclNumTypes), ncclInvalidArgument);
  EXPECT_EQ(allReduce(data.data(), 0, 4, ncclInt, ncclRedOp_t(77)), ncclInvalidArgument);
  EXPECT_EQ(allReduce(nullptr, 0), ncclInvalidArgument);
  EXPECT_EQ(allReduce(host, 0), ncclInvalidArgument) << "pageable memory";
  EXPECT_EQ(ncclBroadcast(data.data(), data.data(), 4, ncclInt, Ranks, comms[0], streams[0]),
            ncclInvalidArgument);
  EXPECT_EQ(ncclSend(data.data(), 4, ncclInt, -1, comms[0], streams[0]), ncclInvalidArgument);
  EXPECT_EQ(ncclCommCount(nullptr, &result), ncclInvalidArgument);
  EXPECT_EQ(ncclCommUserRank(comms[0], nullptr), ncclInvalidArgument);
  EXPECT_NE(std::strlen(ncclGetLastError(comms[0])), 0u);
}

TEST_F(NcclErrors, GroupsTellTheFirst) {
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(allReduce(nullptr, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
}

/// Rank 0 waits for rank 1, whose group ends with an error before it is made, or behind.
TEST_F(NcclErrors, GroupsThatAreLeft) {
  Buffer<int> a(0, std::vector<int>(4)), b(1, std::vector<int>(4));
  cudaStream_t none;
  ASSERT_EQ(cudaStreamCreate(&none), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(none), cudaSuccess);
  std::thread waits([&] {
    cudaSetDevice(0);
    ncclResult_t result = ncclSend(a.data(), 4, ncclInt, 1, comms[0], streams[0]);
    EXPECT_TRUE(result == ncclSuccess || result == ncclUnhandledCudaError);
    EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
  });
  cudaSetDevice(1);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(ncclRecv(b.data(), 4, ncclInt, 0, comms[1], streams[1]), ncclSuccess);
  EXPECT_EQ(ncclRecv(b.data(), 4, ncclInt, 2, comms[1], none), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclUnhandledCudaError);
  waits.join();
  EXPECT_EQ(cudaStreamSynchronize(streams[1]), cudaSuccess);
  ncclResult_t later;
  EXPECT_EQ(ncclCommGetAsyncError(comms[2], &later), ncclSuccess);
  EXPECT_EQ(later, ncclUnhandledCudaError);
}

TEST_F(NcclErrors, SimulatedGroups) {
  ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER, none = {};
  EXPECT_EQ(ncclGroupSimulateEnd(&info), ncclInvalidUsage) << "there is no group";
  Buffer<int> data(0, std::vector<int>(4, 1));
  auto simulate = [&](size_t count, ncclSimInfo_t *result) {
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
    EXPECT_EQ(allReduce(data.data(), 0, count), ncclSuccess);
    return ncclGroupSimulateEnd(result);
  };
  ASSERT_EQ(simulate(4, &info), ncclSuccess);
  float few = info.estimatedTime;
  EXPECT_GT(few, 0);
  ASSERT_EQ(simulate(1 << 24, &info), ncclSuccess);
  EXPECT_GT(info.estimatedTime, 10 * few);
  EXPECT_EQ(simulate(4, nullptr), ncclInvalidArgument);
  EXPECT_EQ(simulate(4, &none), ncclInvalidArgument);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(simulate(4, &info), ncclSuccess) << "a group in another";
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(allReduce(nullptr, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupSimulateEnd(&info), ncclSuccess);
  EXPECT_EQ(ncclGroupSimulateEnd(&info), ncclInvalidArgument);
  EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess) << "nothing was called";
  EXPECT_EQ(data.read(), std::vector<int>(4, 1));
}

TEST_F(NcclErrors, CallsThatDoNotFit) {
  Buffer<int> a(0, std::vector<int>(8)), b(1, std::vector<int>(8));
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(ncclSend(a.data(), 8, ncclInt, 1, comms[0], streams[0]), ncclSuccess);
  EXPECT_EQ(ncclRecv(b.data(), 4, ncclInt, 0, comms[1], streams[1]), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  ncclResult_t later;
  EXPECT_EQ(ncclCommGetAsyncError(comms[3], &later), ncclSuccess);
  EXPECT_EQ(later, ncclInvalidUsage);
}

TEST(NcclInit, Refused) {
  ncclComm_t comms[8];
  ncclUniqueId id, other;
  int twice[] = {1, 1}, none[] = {9};
  EXPECT_EQ(ncclCommInitAll(comms, 2, twice), ncclInvalidUsage);
  EXPECT_EQ(ncclCommInitAll(comms, 1, none), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitAll(nullptr, 1, nullptr), ncclInvalidArgument);
  EXPECT_EQ(ncclGetUniqueId(nullptr), ncclInvalidArgument);
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  EXPECT_EQ(ncclCommInitRank(comms, 2, id, 2), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(comms, 0, id, 0), ncclInvalidArgument);
  std::memset(&other, 3, sizeof other);
  EXPECT_EQ(ncclCommInitRank(comms, 1, other, 0), ncclInvalidArgument);
  ncclConfig_t config = {};
  EXPECT_EQ(ncclCommInitRankConfig(comms, 1, id, 0, &config), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRankScalable(comms, 1, 0, 0, &id, nullptr), ncclInvalidArgument);
}

/// A rank that cannot join is not waited for, neither by those that have nor by those that come later.
TEST(NcclInit, NobodyWaitsForARankThatCannotJoin) {
  for (bool isTwice : {true, false}) {
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    auto join = [&](int rank, int device) {
      ncclComm_t comm;
      cudaSetDevice(device);
      return ncclCommInitRank(&comm, 4, id, rank);
    };
    ncclComm_t none;
    std::thread first([&] { EXPECT_EQ(join(0, 0), ncclInvalidUsage); });
    std::thread second([&] { EXPECT_EQ(isTwice ? join(0, 1) : join(1, 0), ncclInvalidUsage); });
    first.join();
    second.join();
    EXPECT_EQ(join(2, 2), ncclInvalidUsage);
    EXPECT_EQ(join(3, 3), ncclInvalidUsage);
    EXPECT_EQ(ncclCommInitRank(&none, 5, id, 3), ncclInvalidArgument);
  }
}

TEST(NcclInit, WithoutWaiting) {
  ncclUniqueId id;
  ncclComm_t a, b;
  ncclResult_t state;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  cudaSetDevice(0);
  EXPECT_EQ(ncclCommInitRankConfig(&a, 2, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclCommGetAsyncError(a, &state), ncclSuccess);
  EXPECT_EQ(state, ncclInProgress);
  Buffer<int> data(0, {1});
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt, ncclSum, a, nullptr),
            ncclInvalidUsage);
  cudaSetDevice(1);
  EXPECT_EQ(ncclCommInitRankScalable(&b, 2, 1, 1, &id, &config), ncclSuccess);
  EXPECT_EQ(ncclCommGetAsyncError(a, &state), ncclSuccess);
  EXPECT_EQ(state, ncclSuccess);
  EXPECT_EQ(ncclCommFinalize(a), ncclSuccess);
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt, ncclSum, a, nullptr),
            ncclInvalidUsage);
  EXPECT_EQ(ncclCommFinalize(a), ncclInvalidUsage);
  EXPECT_EQ(ncclCommDestroy(a), ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(a), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(b), ncclSuccess);
}

/// A stream that waits for ranks that never come goes on when the communicator is aborted.
TEST(NcclInit, AbortLetsStreamsGo) {
  ncclComm_t comms[2];
  ASSERT_EQ(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
  Buffer<int> data(0, {5});
  cudaStream_t stream;
  cudaSetDevice(0);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt, ncclSum, comms[0], stream),
            ncclSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(ncclCommAbort(comms[0]), ncclSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ncclResult_t state;
  EXPECT_EQ(ncclCommGetAsyncError(comms[1], &state), ncclSuccess);
  EXPECT_EQ(state, ncclRemoteError);
  cudaSetDevice(1);
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt, ncclSum, comms[1], nullptr),
            ncclRemoteError);
  EXPECT_EQ(ncclCommAbort(comms[1]), ncclSuccess);
  cudaStreamDestroy(stream);
}

TEST(NcclLibrary, Queries) {
  int version;
  EXPECT_EQ(ncclGetVersion(&version), ncclSuccess);
  EXPECT_EQ(version, NCCL_VERSION_CODE);
  EXPECT_EQ(ncclGetVersion(nullptr), ncclInvalidArgument);
  for (int code = 0; code < ncclNumResults; ++code)
    EXPECT_STRNE(ncclGetErrorString(ncclResult_t(code)), "unknown result code");
  EXPECT_STREQ(ncclGetErrorString(ncclResult_t(99)), "unknown result code");
  ncclResetDebugInit();
  void *memory, *handle;
  ncclComm_t comm;
  ASSERT_EQ(ncclMemAlloc(&memory, 100), ncclSuccess);
  ASSERT_EQ(ncclCommInitAll(&comm, 1, nullptr), ncclSuccess);
  EXPECT_EQ(ncclCommRegister(comm, memory, 100, &handle), ncclSuccess);
  EXPECT_EQ(ncclCommRegister(comm, nullptr, 100, &handle), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDeregister(comm, handle), ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  EXPECT_EQ(ncclMemFree(memory), ncclSuccess);
  EXPECT_EQ(ncclMemAlloc(nullptr, 1), ncclInvalidArgument);
}

} // namespace
