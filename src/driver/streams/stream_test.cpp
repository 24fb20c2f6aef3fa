// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events and their contexts, by the driver API.
#include "driver/api/work_test.h"

#include <atomic>
#include <memory>
#include <sys/mman.h>
#include <vector>

namespace {

const CUresult beforeInitialisation = cu.cuStreamQuery(nullptr);
const CUresult ofNoEvent = cu.cuEventQuery(nullptr);

TEST(Contexts, areNeeded) {
  CUstream stream;
  CUevent event;
  EXPECT_ERROR(NOT_INITIALIZED, beforeInitialisation);
  EXPECT_ERROR(INVALID_HANDLE, ofNoEvent); // which is looked at first
  start();
  EXPECT_ERROR(INVALID_CONTEXT, cu.cuStreamCreate(&stream, 0));
  EXPECT_ERROR(INVALID_CONTEXT, cu.cuEventCreate(&event, 0));
  EXPECT_ERROR(INVALID_CONTEXT, cu.cuStreamSynchronize(nullptr));
  EXPECT_ERROR(INVALID_CONTEXT, cu.cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

TEST(Streams, haveFlagsAndPriorities) {
  NewContext context;
  CUstream stream = nullptr;
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamCreate(nullptr, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamCreate(&stream, 2));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamCreateWithPriority(&stream, 4, 0));
  ASSERT_OK(cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -100));
  NewStream plain(CU_STREAM_DEFAULT);
  int priority;
  unsigned flags;
  EXPECT_OK(cu.cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, -5);
  EXPECT_OK(cu.cuStreamGetPriority(plain, &priority));
  EXPECT_EQ(priority, 0);
  EXPECT_OK(cu.cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, unsigned(CU_STREAM_NON_BLOCKING));
  EXPECT_OK(cu.cuStreamGetFlags(plain, &flags));
  EXPECT_EQ(flags, 0u);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamGetPriority(stream, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamGetFlags(stream, nullptr));
  EXPECT_OK(cu.cuStreamDestroy_v2(stream));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamGetFlags(stream, &flags));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamGetPriority(stream, &priority));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamDestroy_v2(stream));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamDestroy_v2(nullptr));
  ASSERT_OK(cu.cuStreamCreate(&stream, 0));
  EXPECT_OK(cu.cuStreamDestroy(stream)); // of CUDA 2
}

TEST(Streams, knowTheirContexts) {
  NewContext outer;
  NewStream stream;
  NewContext inner;
  CUcontext context = nullptr;
  CUgreenCtx green = reinterpret_cast<CUgreenCtx>(1);
  CUdevice device = -1;
  EXPECT_OK(cu.cuStreamGetCtx(stream, &context));
  EXPECT_EQ(context, outer.handle);
  EXPECT_OK(cu.cuStreamGetCtx(nullptr, &context));
  EXPECT_EQ(context, inner.handle);
  EXPECT_OK(cu.cuStreamGetCtx_v2(stream, &context, &green));
  EXPECT_EQ(context, outer.handle);
  EXPECT_EQ(green, nullptr);
  EXPECT_OK(cu.cuStreamGetDevice(stream, &device));
  EXPECT_EQ(device, 0);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamGetCtx(stream, nullptr));
  EXPECT_OK(cu.cuStreamGetCtx_v2(stream, &context, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamGetCtx_v2(stream, nullptr, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamGetDevice(stream, nullptr));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamGetCtx(reinterpret_cast<CUstream>(64), &context));
}

TEST(Streams, haveIds) {
  NewContext context;
  NewStream a, b;
  unsigned long long idA, idB, none, legacy, perThread, twins;
  EXPECT_OK(cu.cuStreamGetId(a, &idA));
  EXPECT_OK(cu.cuStreamGetId(b, &idB));
  EXPECT_NE(idA, idB);
  EXPECT_OK(cu.cuStreamGetId(nullptr, &none));
  EXPECT_OK(cu.cuStreamGetId(cudaStreamLegacy, &legacy));
  EXPECT_OK(cu.cuStreamGetId(cudaStreamPerThread, &perThread));
  EXPECT_OK(cu.cuStreamGetId_ptsz(nullptr, &twins));
  EXPECT_EQ(none, legacy);
  EXPECT_EQ(perThread, twins);
  EXPECT_NE(legacy, perThread);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamGetId(a, nullptr));
}

TEST(Streams, keepAttributes) {
  NewContext context;
  NewStream a, b;
  CUstreamAttrValue value = {}, found = {};
  value.syncPolicy = CU_SYNC_POLICY_YIELD;
  EXPECT_OK(cu.cuStreamSetAttribute(a, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  EXPECT_OK(cu.cuStreamGetAttribute(b, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found));
  EXPECT_EQ(found.syncPolicy, CU_SYNC_POLICY_AUTO);
  EXPECT_OK(cu.cuStreamCopyAttributes(b, a));
  EXPECT_OK(cu.cuStreamGetAttribute(b, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found));
  EXPECT_EQ(found.syncPolicy, CU_SYNC_POLICY_YIELD);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamGetAttribute(b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &found));
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuStreamSetAttribute(b, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, nullptr));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamCopyAttributes(b, reinterpret_cast<CUstream>(64)));
}

struct Calls {
  std::vector<CUresult> told;
  CUresult inside = CUDA_SUCCESS;
};

void CUDA_CB note(CUstream stream, CUresult status, void *data) {
  auto &calls = *static_cast<Calls *>(data);
  calls.told.push_back(status);
  calls.inside = cu.cuStreamQuery(stream);
}

TEST(Streams, callBackInOrder) {
  NewContext context;
  NewStream stream;
  Gate gate(stream);
  Calls calls;
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamAddCallback(stream, nullptr, &calls, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamAddCallback(stream, note, &calls, 1));
  EXPECT_ERROR(INVALID_HANDLE,
               cu.cuStreamAddCallback(reinterpret_cast<CUstream>(64), note, &calls, 0));
  for (int i = 0; i < 3; ++i)
    EXPECT_OK(cu.cuStreamAddCallback(stream, note, &calls, 0));
  EXPECT_ERROR(NOT_READY, cu.cuStreamQuery(stream));
  gate.open();
  EXPECT_OK(cu.cuStreamSynchronize(stream));
  EXPECT_OK(cu.cuStreamQuery(stream));
  EXPECT_EQ(calls.told, std::vector<CUresult>(3, CUDA_SUCCESS));
  EXPECT_EQ(calls.inside, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamQuery(reinterpret_cast<CUstream>(64)));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamSynchronize(reinterpret_cast<CUstream>(64)));
}

TEST(Streams, takeManagedMemory) {
  NewContext context;
  NewStream stream;
  void *managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 256, cudaMemAttachGlobal), cudaSuccess);
  const auto pointer = reinterpret_cast<CUdeviceptr>(managed);
  EXPECT_OK(cu.cuStreamAttachMemAsync(stream, pointer, 0, CU_MEM_ATTACH_SINGLE));
  EXPECT_OK(cu.cuStreamAttachMemAsync(stream, pointer, 256, CU_MEM_ATTACH_HOST));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamAttachMemAsync(stream, pointer, 0, 3));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamAttachMemAsync(stream, 0, 0, CU_MEM_ATTACH_SINGLE));
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST(Events, areRecorded) {
  NewContext context;
  NewStream stream;
  CUevent bad = nullptr;
  EXPECT_ERROR(INVALID_VALUE, cu.cuEventCreate(nullptr, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuEventCreate(&bad, 8));
  EXPECT_ERROR(INVALID_VALUE, cu.cuEventCreate(&bad, CU_EVENT_INTERPROCESS));
  NewEvent event, shared(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  EXPECT_OK(cu.cuEventQuery(event)); // not recorded: nothing to wait for
  EXPECT_OK(cu.cuEventSynchronize(event));
  Gate gate(stream);
  EXPECT_OK(cu.cuEventRecord(event, stream));
  EXPECT_OK(cu.cuEventRecordWithFlags(shared, stream, CU_EVENT_RECORD_DEFAULT));
  EXPECT_ERROR(INVALID_VALUE, cu.cuEventRecordWithFlags(event, stream, 2));
  EXPECT_ERROR(NOT_READY, cu.cuEventQuery(event));
  EXPECT_ERROR(NOT_READY, cu.cuEventQuery(shared));
  gate.open();
  EXPECT_OK(cu.cuEventSynchronize(event));
  EXPECT_OK(cu.cuEventSynchronize(shared));
  EXPECT_OK(cu.cuEventQuery(event));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventRecord(nullptr, stream));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventQuery(nullptr));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventSynchronize(reinterpret_cast<CUevent>(64)));
  ASSERT_OK(cu.cuEventCreate(&bad, 0));
  EXPECT_OK(cu.cuEventDestroy(bad));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventDestroy_v2(bad));
}

TEST(Events, measureTime) {
  NewContext context;
  NewStream stream;
  NewEvent start, end, untimed(CU_EVENT_DISABLE_TIMING);
  float ms = -1;
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventElapsedTime_v2(nullptr, start, end));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventElapsedTime_v2(&ms, start, end)); // not recorded
  EXPECT_OK(cu.cuEventRecord(start, stream));
  Gate gate(stream);
  EXPECT_OK(cu.cuEventRecord(end, stream));
  EXPECT_OK(cu.cuEventRecord(untimed, stream));
  EXPECT_ERROR(NOT_READY, cu.cuEventElapsedTime_v2(&ms, start, end));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventElapsedTime(&ms, start, untimed));
  gate.open();
  EXPECT_OK(cu.cuStreamSynchronize(stream));
  EXPECT_OK(cu.cuEventElapsedTime_v2(&ms, start, end));
  EXPECT_GE(ms, 0);
  EXPECT_OK(cu.cuEventElapsedTime(&ms, start, start));
  EXPECT_EQ(ms, 0);
}

TEST(Events, orderStreams) {
  NewContext context;
  NewStream first, second;
  NewEvent event;
  Gate gate(first);
  EXPECT_OK(cu.cuEventRecord(event, first));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWaitEvent(second, event, 2));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamWaitEvent(second, nullptr, 0));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamWaitEvent(reinterpret_cast<CUstream>(64), event, 0));
  EXPECT_OK(cu.cuStreamWaitEvent(second, event, CU_EVENT_WAIT_DEFAULT));
  EXPECT_ERROR(NOT_READY, cu.cuStreamQuery(second));
  gate.open();
  EXPECT_OK(cu.cuStreamSynchronize(second));
  EXPECT_OK(cu.cuEventQuery(event));
}

TEST(Events, belongToTheirContext) {
  NewContext outer;
  NewEvent event, there;
  NewStream stream;
  EXPECT_OK(cu.cuEventRecord(there, stream));
  NewContext inner;
  NewEvent here;
  NewStream other;
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventRecord(event, other));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventRecord(event, nullptr)); // of the current context
  Gate gate(stream);
  EXPECT_OK(cu.cuEventRecord(event, stream)); // whichever is current
  EXPECT_OK(cu.cuStreamWaitEvent(other, event, 0));
  EXPECT_OK(cu.cuEventRecord(here, other));
  EXPECT_ERROR(NOT_READY, cu.cuEventQuery(here));
  gate.open();
  EXPECT_OK(cu.cuEventSynchronize(here));
  EXPECT_OK(cu.cuEventQuery(event));
  float ms;
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventElapsedTime_v2(&ms, there, here));
}

TEST(Contexts, takeStreamsAndEventsWithThem) {
  start();
  CUcontext context;
  CUstream stream;
  CUevent event;
  ASSERT_OK(cu.cuCtxCreate_v2(&context, 0, 0));
  ASSERT_OK(cu.cuStreamCreate(&stream, 0));
  ASSERT_OK(cu.cuEventCreate(&event, 0));
  std::atomic<int> done = 0;
  auto count = [](CUstream, CUresult, void *data) { ++*static_cast<std::atomic<int> *>(data); };
  for (int i = 0; i < 10; ++i)
    EXPECT_OK(cu.cuStreamAddCallback(stream, count, &done, 0));
  EXPECT_OK(cu.cuEventRecord(event, stream));
  EXPECT_OK(cu.cuCtxDestroy_v2(context)); // under work
  EXPECT_EQ(done, 10);
  NewContext other;
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamQuery(stream));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventQuery(event));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamDestroy_v2(stream));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuEventDestroy_v2(event));
}

TEST(Streams, waitForWords) {
  NewContext context;
  NewStream first, second;
  Words words;
  enum : size_t { Flag = 0, Wide = 8, Copy = 16 };
  EXPECT_OK(cu.cuStreamWaitValue32_v2(second, words.at(Flag), 3, CU_STREAM_WAIT_VALUE_GEQ));
  EXPECT_OK(cu.cuStreamWriteValue32_v2(second, words.at(Copy), 7, CU_STREAM_WRITE_VALUE_DEFAULT));
  EXPECT_OK(cu.cuStreamWriteValue32_v2(first, words.at(Flag), 2, CU_STREAM_WRITE_VALUE_DEFAULT));
  EXPECT_OK(cu.cuStreamSynchronize(first));
  EXPECT_ERROR(NOT_READY, cu.cuStreamQuery(second));
  EXPECT_EQ(words.read(Copy), 0u);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWriteValue32_v2(first, words.at(Flag), 5,
                                                         CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
  EXPECT_OK(cu.cuStreamWriteValue32_v2(first, words.at(Flag), 5, CU_STREAM_WRITE_VALUE_DEFAULT));
  EXPECT_OK(cu.cuStreamSynchronize(second));
  EXPECT_EQ(words.read(Copy), 7u);
  const uint64_t wide = uint64_t(1) << 40;
  EXPECT_OK(cu.cuStreamWaitValue64_v2(second, words.at(Wide), wide, CU_STREAM_WAIT_VALUE_AND));
  EXPECT_OK(cu.cuStreamWriteValue64_v2(first, words.at(Wide), 3 * wide, 0));
  EXPECT_OK(cu.cuStreamWaitValue64_v2(second, words.at(Wide), ~uint64_t(0) - 1,
                                      CU_STREAM_WAIT_VALUE_NOR));
  EXPECT_OK(cu.cuStreamSynchronize(second));
  EXPECT_EQ(words.read<uint64_t>(Wide), 3 * wide);
  // Those of CUDA 8 and 9 are off.
  EXPECT_ERROR(NOT_SUPPORTED, cu.cuStreamWriteValue64(first, words.at(Wide), wide, 0));
  EXPECT_ERROR(NOT_SUPPORTED, cu.cuStreamWriteValue32(first, words.at(Flag), 9, 0));
  EXPECT_ERROR(NOT_SUPPORTED, cu.cuStreamWaitValue32(first, words.at(Flag), 9, 1));
  EXPECT_ERROR(NOT_SUPPORTED, cu.cuStreamWaitValue64(first, words.at(Wide), wide, 1));
}

TEST(Streams, waitForWordsThatGo) {
  NewContext context;
  NewStream stream;
  auto words = std::make_unique<Words>();
  const CUdeviceptr at = words->at();
  for (int i = 0; i < 1000; ++i) // frees of the host's memory wait for the work of all contexts
    EXPECT_OK(cu.cuStreamWriteValue32_v2(stream, words->at(), i, 0));
  {
    NewContext other;
    words.reset();
  }
  EXPECT_OK(cu.cuStreamSynchronize(stream));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWriteValue32_v2(stream, at, 1, 0));
}

TEST(Streams, loseTheirContextsWithAWord) {
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer ends the process at the fault";
#endif
  NewContext other;
  {
    NewContext context;
    CUstream stream;
    constexpr size_t Page = 4096;
    void *page = mmap(nullptr, Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    ASSERT_EQ(cudaHostRegister(page, Page, cudaHostRegisterDefault), cudaSuccess);
    ASSERT_OK(cu.cuStreamCreate(&stream, 0));
    EXPECT_OK(cu.cuStreamWaitValue32_v2(stream, reinterpret_cast<CUdeviceptr>(page), 1, 0));
    munmap(page, Page);
    EXPECT_ERROR(ILLEGAL_ADDRESS, cu.cuStreamSynchronize(stream));
    EXPECT_ERROR(ILLEGAL_ADDRESS, cu.cuStreamQuery(stream));
    EXPECT_OK(cu.cuStreamDestroy_v2(stream));
  }
  EXPECT_OK(cu.cuCtxSynchronize());
  NewStream stream;
  EXPECT_OK(cu.cuStreamSynchronize(stream));
}

TEST(Streams, refuseWordsThatCannotBe) {
  NewContext context;
  NewStream stream;
  Words words;
  unsigned pageable = 0;
  const auto pageableAt = reinterpret_cast<CUdeviceptr>(&pageable);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWriteValue32_v2(stream, 0, 1, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWriteValue32_v2(stream, pageableAt, 1, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWriteValue32_v2(stream, words.at(2), 1, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWriteValue64_v2(stream, words.at(4), 1, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWriteValue32_v2(stream, words.at(), 1, 2));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamWaitValue32_v2(stream, words.at(), 1, 4));
  EXPECT_ERROR(NOT_SUPPORTED,
               cu.cuStreamWaitValue32_v2(stream, words.at(), 0, CU_STREAM_WAIT_VALUE_FLUSH));
  EXPECT_ERROR(INVALID_HANDLE,
               cu.cuStreamWriteValue32_v2(reinterpret_cast<CUstream>(64), words.at(), 1, 0));
  int able = 0;
  EXPECT_OK(cu.cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
  EXPECT_EQ(able, 1);
}

TEST(Streams, takeBatches) {
  NewContext context;
  NewStream stream;
  Words words;
  CUstreamBatchMemOpParams ops[4] = {};
  ops[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  ops[0].writeValue.address = words.at();
  ops[0].writeValue.value = 4;
  ops[1].operation = CU_STREAM_MEM_OP_BARRIER;
  ops[2].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  ops[2].waitValue.address = words.at();
  ops[2].waitValue.value = 4;
  ops[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  ops[3].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  ops[3].writeValue.address = words.at(8);
  ops[3].writeValue.value64 = 6;
  EXPECT_OK(cu.cuStreamBatchMemOp_v2(stream, 4, ops, 0));
  EXPECT_OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(words.read(), 4u);
  EXPECT_EQ(words.read<uint64_t>(8), 6u);
  EXPECT_ERROR(NOT_SUPPORTED, cu.cuStreamBatchMemOp(stream, 1, ops, 0)); // of CUDA 8
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamBatchMemOp_v2(stream, 4, nullptr, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamBatchMemOp_v2(stream, 4, ops, 1));
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamBatchMemOp_v2(stream, 257, ops, 0));
  ops[1].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
  EXPECT_ERROR(NOT_SUPPORTED, cu.cuStreamBatchMemOp_v2(stream, 4, ops, 0));
  ops[1].operation = static_cast<CUstreamBatchMemOpType>(99);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamBatchMemOp_v2(stream, 4, ops, 0));
}

} // namespace
