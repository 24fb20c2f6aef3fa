// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/context_support.h"

#include <algorithm>

namespace {

class Copy : public WithContext {};

constexpr size_t Size = 1000;
const CUstream NoStream = reinterpret_cast<CUstream>(size_t(12345));

/// A one-dimensional array of bytes.
class Line {
public:
  explicit Line(size_t width = Size) {
    const CUDA_ARRAY_DESCRIPTOR shape = {width, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    EXPECT_OK(driver.cuArrayCreate_v2(&array_, &shape));
  }
  ~Line() { EXPECT_OK(driver.cuArrayDestroy(array_)); }
  Line(const Line &) = delete;
  CUarray get() const { return array_; }

private:
  CUarray array_ = nullptr;
};

TEST_F(Copy, rows) {
  const Bytes mine = pattern(Size);
  Buffer first(Size), second(Size);
  Bytes seen(Size);
  EXPECT_OK(driver.cuMemcpyHtoD_v2(first.get(), mine.data(), Size));
  EXPECT_OK(driver.cuMemcpyDtoD_v2(second.get(), first.get(), Size));
  EXPECT_OK(driver.cuCtxSynchronize());
  EXPECT_OK(driver.cuMemcpyDtoH_v2(seen.data(), second.get(), Size));
  EXPECT_EQ(seen, mine);
  EXPECT_OK(driver.cuMemsetD8_v2(first.get(), 0, Size));
  EXPECT_OK(driver.cuMemcpy(first.get(), addressOf(seen.data()), Size));
  EXPECT_EQ(first.read(), mine);
  EXPECT_OK(driver.cuMemcpyHtoD_v2(0, nullptr, 0));
}

TEST_F(Copy, rowsOfStreams) {
  const Bytes mine = pattern(Size);
  for (CUstream stream : {CUstream(nullptr), OwnStream}) {
    Buffer first(Size), second(Size), third(Size);
    Bytes seen(Size);
    EXPECT_OK(driver.cuMemcpyHtoDAsync_v2(first.get(), mine.data(), Size, stream));
    EXPECT_OK(driver.cuMemcpyDtoDAsync_v2(second.get(), first.get(), Size, stream));
    EXPECT_OK(driver.cuMemcpyAsync(third.get(), second.get(), Size, stream));
    EXPECT_OK(driver.cuMemcpyDtoHAsync_v2(seen.data(), third.get(), Size, stream));
    EXPECT_OK(driver.cuCtxSynchronize());
    EXPECT_EQ(seen, mine);
    EXPECT_EQ(driver.cuMemcpyDtoHAsync_v2(seen.data(), third.get(), Size, NoStream),
              CUDA_ERROR_INVALID_HANDLE);
  }
}

TEST_F(Copy, rowsOfTheThreadsStream) {
  const Bytes mine = pattern(Size);
  Buffer first(Size), second(Size);
  Bytes seen(Size);
  EXPECT_OK(driver.cuMemcpyHtoD_v2_ptds(first.get(), mine.data(), Size));
  EXPECT_OK(driver.cuMemcpyDtoDAsync_v2_ptsz(second.get(), first.get(), Size, nullptr));
  EXPECT_OK(driver.cuMemcpyDtoH_v2_ptds(seen.data(), second.get(), Size));
  EXPECT_EQ(seen, mine);
}

TEST_F(Copy, whatIsNotThere) {
  Buffer buffer(Size);
  Bytes mine(2 * Size);
  const CUdeviceptr pageable = addressOf(mine.data());
  EXPECT_INVALID(driver.cuMemcpyHtoD_v2(buffer.get(), mine.data(), Size + 1));
  EXPECT_INVALID(driver.cuMemcpyHtoD_v2(pageable, mine.data(), 1));
  EXPECT_INVALID(driver.cuMemcpyHtoD_v2(buffer.get(), nullptr, 1));
  EXPECT_INVALID(driver.cuMemcpyDtoH_v2(mine.data(), pageable, 1));
  EXPECT_INVALID(driver.cuMemcpyDtoH_v2(nullptr, buffer.get(), 1));
  EXPECT_INVALID(driver.cuMemcpyDtoD_v2(buffer.get(), pageable, 1));
  EXPECT_INVALID(driver.cuMemcpy(buffer.get(), 0, 1));
  EXPECT_INVALID(driver.cuMemcpyDtoDAsync_v2(buffer.get(), pageable, 1, nullptr));
}

TEST_F(Copy, betweenContexts) {
  CUcontext other = nullptr;
  const Bytes mine = pattern(Size);
  Buffer here(mine), back(Size);
  ASSERT_OK(driver.cuCtxCreate_v2(&other, 0, 1));
  CUdeviceptr there = 0;
  ASSERT_OK(driver.cuMemAlloc_v2(&there, Size));
  EXPECT_OK(driver.cuMemcpyPeer(there, other, here.get(), context, Size));
  EXPECT_OK(driver.cuMemcpyPeerAsync(back.get(), context, there, other, Size, nullptr));
  EXPECT_OK(driver.cuCtxSynchronize());
  EXPECT_OK(driver.cuMemcpyPeer(there, nullptr, here.get(), context, 1)); // the current one
  EXPECT_EQ(driver.cuMemcpyPeerAsync(there, other, here.get(), reinterpret_cast<CUcontext>(64), 1,
                                     nullptr),
            CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_INVALID(driver.cuMemcpyPeer(there, other, here.get(), context, Size + 1));
  ASSERT_OK(driver.cuCtxDestroy_v2(other));
  EXPECT_EQ(back.read(), mine);
}

TEST_F(Copy, lines) {
  const Bytes mine = pattern(Size);
  Buffer from(mine), to(Size);
  Line line, second;
  Bytes seen(Size);
  EXPECT_OK(driver.cuMemcpyDtoA_v2(line.get(), 100, from.get(), 300));
  EXPECT_OK(driver.cuMemcpyHtoA_v2(line.get(), 0, mine.data(), 100));
  EXPECT_OK(driver.cuMemcpyAtoA_v2(second.get(), 10, line.get(), 50, 200));
  EXPECT_OK(driver.cuMemcpyAtoD_v2(to.get(), second.get(), 10, 200));
  Bytes expected(mine.begin() + 50, mine.begin() + 100);
  expected.insert(expected.end(), mine.begin(), mine.begin() + 150);
  Bytes got = to.read();
  got.resize(200);
  EXPECT_EQ(got, expected);
  EXPECT_OK(driver.cuMemcpyAtoH_v2(seen.data(), second.get(), 10, 200));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), seen.begin()));
  EXPECT_OK(driver.cuMemcpyHtoAAsync_v2(line.get(), 0, mine.data(), Size, OwnStream));
  EXPECT_OK(driver.cuMemcpyAtoHAsync_v2(seen.data(), line.get(), 0, Size, OwnStream));
  EXPECT_OK(driver.cuCtxSynchronize());
  EXPECT_EQ(seen, mine);
  EXPECT_INVALID(driver.cuMemcpyHtoA_v2(line.get(), 1, mine.data(), Size));
  EXPECT_INVALID(driver.cuMemcpyAtoH_v2(nullptr, line.get(), 0, 1));
  EXPECT_INVALID(driver.cuMemcpyDtoA_v2(nullptr, 0, from.get(), 1));
  EXPECT_INVALID(driver.cuMemcpyAtoD_v2(to.get(), nullptr, 0, 1));
  EXPECT_INVALID(driver.cuMemcpyAtoA_v2(line.get(), 0, nullptr, 0, 1));
  EXPECT_OK(driver.cuMemcpyAtoA_v2(nullptr, 0, nullptr, 0, 0));
}

/// First versions are for contexts with addresses of 32 bits.
TEST_F(Copy, linesOfVersion1) {
  const Bytes mine = pattern(Size);
  Line line;
  EXPECT_EQ(driver.cuMemcpyHtoA(line.get(), 0, mine.data(), Size), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver.cuMemcpyAtoA(line.get(), 0, line.get(), 0, Size), CUDA_ERROR_INVALID_CONTEXT);
}

// ---------------------------------------------------------------------------------------------------
// Batches.

class Batch : public WithContext {};

CUmemcpyAttributes attributesOf(CUmemcpySrcAccessOrder order) {
  CUmemcpyAttributes attributes = {};
  attributes.srcAccessOrder = order;
  return attributes;
}

TEST_F(Batch, ofRows) {
  const Bytes mine = pattern(Size);
  Buffer first(Size), second(Size);
  CUdeviceptr to[] = {first.get(), second.get()};
  CUdeviceptr from[] = {addressOf(const_cast<unsigned char *>(mine.data())), first.get()};
  size_t sizes[] = {Size, Size}, start = 0, failed = 0;
  CUmemcpyAttributes attributes = attributesOf(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
  EXPECT_OK(
      driver.cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &start, 1, &failed, OwnStream));
  EXPECT_EQ(second.read(), mine);
  EXPECT_OK(driver.cuMemsetD8_v2(second.get(), 0, Size));
  EXPECT_OK(driver.cuMemcpyBatchAsync_v2(to, from, sizes, 2, &attributes, &start, 1, OwnStream));
  EXPECT_EQ(second.read(), mine);
  sizes[1] = Size + 1;
  EXPECT_INVALID(
      driver.cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &start, 1, &failed, OwnStream));
  EXPECT_EQ(failed, 1u);
  sizes[1] = Size;
  EXPECT_INVALID(driver.cuMemcpyBatchAsync_v2(to, from, sizes, 2, &attributes, &start, 1, nullptr))
      << "the legacy stream";
  EXPECT_INVALID(
      driver.cuMemcpyBatchAsync_v2(to, from, sizes, 0, &attributes, &start, 1, OwnStream));
  EXPECT_INVALID(driver.cuMemcpyBatchAsync_v2(to, from, sizes, 2, nullptr, &start, 1, OwnStream));
}

CUmemcpy3DOperand pointerOperand(CUdeviceptr p) {
  CUmemcpy3DOperand operand = {};
  operand.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  operand.op.ptr.ptr = p;
  return operand;
}

TEST_F(Batch, ofBoxes) {
  const Bytes mine = pattern(Size);
  Buffer from(mine), to(Size);
  Line line;
  CUDA_MEMCPY3D_BATCH_OP copies[2] = {};
  copies[0].src = pointerOperand(from.get());
  copies[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
  copies[0].dst.op.array.array = line.get();
  copies[1].src = copies[0].dst;
  copies[1].dst = pointerOperand(to.get());
  for (auto &copy : copies) {
    copy.extent = {Size, 1, 1};
    copy.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  }
  size_t failed = 0;
  EXPECT_OK(driver.cuMemcpy3DBatchAsync(2, copies, &failed, 0, OwnStream));
  EXPECT_EQ(to.read(), mine);
  EXPECT_OK(driver.cuMemsetD8_v2(to.get(), 0, Size));
  EXPECT_OK(driver.cuMemcpy3DBatchAsync_v2(2, copies, 0, OwnStream));
  EXPECT_EQ(to.read(), mine);
  EXPECT_INVALID(driver.cuMemcpy3DBatchAsync_v2(0, copies, 0, OwnStream));
  EXPECT_INVALID(driver.cuMemcpy3DBatchAsync_v2(2, nullptr, 0, OwnStream));
  EXPECT_INVALID(driver.cuMemcpy3DBatchAsync_v2(2, copies, 1, OwnStream));
  copies[1].extent.width = Size + 1;
  EXPECT_INVALID(driver.cuMemcpy3DBatchAsync(2, copies, &failed, 0, OwnStream));
  EXPECT_EQ(failed, 1u);
}

} // namespace
