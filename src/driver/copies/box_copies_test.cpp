// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/context_support.h"

#include <algorithm>

namespace {

constexpr size_t Width = 12, Rows = 5, Slices = 3, Pitch = 16, Size = Pitch * Rows * Slices;

class CopyBoxes : public WithContext {};

/// An array of 32-bit numbers, Width bytes wide.
class Array {
public:
  explicit Array(size_t slices) {
    const CUDA_ARRAY3D_DESCRIPTOR shape = {Width / 4, Rows, slices, CU_AD_FORMAT_UNSIGNED_INT32,
                                           1,         0};
    EXPECT_OK(driver.cuArray3DCreate_v2(&array_, &shape));
  }
  ~Array() { EXPECT_OK(driver.cuArrayDestroy(array_)); }
  Array(const Array &) = delete;
  CUarray get() const { return array_; }

private:
  CUarray array_ = nullptr;
};

// Sides of a copy, for each of the structures.

template <typename C> void fromHost(C &c, const Bytes &bytes) {
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = bytes.data();
  c.srcPitch = Pitch;
}
template <typename C> void toHost(C &c, Bytes &bytes) {
  c.dstMemoryType = CU_MEMORYTYPE_HOST;
  c.dstHost = bytes.data();
  c.dstPitch = Pitch;
}
template <typename C>
void fromDevice(C &c, CUdeviceptr p, CUmemorytype type = CU_MEMORYTYPE_DEVICE) {
  c.srcMemoryType = type;
  c.srcDevice = p;
  c.srcPitch = Pitch;
}
template <typename C> void toDevice(C &c, CUdeviceptr p, CUmemorytype type = CU_MEMORYTYPE_DEVICE) {
  c.dstMemoryType = type;
  c.dstDevice = p;
  c.dstPitch = Pitch;
}
template <typename C> void fromArray(C &c, CUarray array) {
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  c.srcArray = array;
}
template <typename C> void toArray(C &c, CUarray array) {
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c.dstArray = array;
}

CUDA_MEMCPY2D flat() {
  CUDA_MEMCPY2D c = {};
  c.WidthInBytes = Width;
  c.Height = Rows;
  return c;
}
template <typename C> C deep() {
  C c = {};
  c.WidthInBytes = Width;
  c.Height = Rows;
  c.Depth = Slices;
  c.srcHeight = c.dstHeight = Rows;
  return c;
}

/// What a copy of the bytes leaves in memory that was 0.
Bytes withGaps(const Bytes &bytes) {
  Bytes result(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i)
    result[i] = i % Pitch < Width ? bytes[i] : 0;
  return result;
}

/// From the host over memory and an array back to the host.
template <typename C, typename F> void checkRound(C first, size_t slices, const F &copy) {
  const Bytes mine = pattern(Pitch * Rows * slices);
  Bytes seen(mine.size());
  Buffer buffer(mine.size()), again(mine.size());
  Array array(slices == 1 ? 0 : slices);
  EXPECT_OK(driver.cuMemsetD8_v2(again.get(), 0, mine.size()));
  EXPECT_OK(driver.cuMemsetD8_v2(buffer.get(), 0, mine.size()));
  C second = first, third = first, fourth = first;
  fromHost(first, mine);
  toDevice(first, buffer.get());
  EXPECT_OK(copy(&first));
  fromDevice(second, buffer.get(), CU_MEMORYTYPE_UNIFIED);
  toArray(second, array.get());
  EXPECT_OK(copy(&second));
  fromArray(third, array.get());
  toDevice(third, again.get(), CU_MEMORYTYPE_UNIFIED);
  EXPECT_OK(copy(&third));
  fromDevice(fourth, again.get());
  toHost(fourth, seen);
  EXPECT_OK(copy(&fourth));
  EXPECT_OK(driver.cuCtxSynchronize());
  EXPECT_EQ(seen, withGaps(mine));
}

TEST_F(CopyBoxes, round) {
  checkRound(flat(), 1, driver.cuMemcpy2D_v2);
  checkRound(flat(), 1, driver.cuMemcpy2DUnaligned_v2);
  checkRound(flat(), 1, driver.cuMemcpy2D_v2_ptds);
  checkRound(flat(), 1, [](auto *c) { return driver.cuMemcpy2DAsync_v2(c, OwnStream); });
  const auto solid = deep<CUDA_MEMCPY3D>();
  checkRound(solid, Slices, driver.cuMemcpy3D_v2);
  checkRound(solid, Slices, [](auto *c) { return driver.cuMemcpy3DAsync_v2(c, OwnStream); });
}

TEST_F(CopyBoxes, betweenContexts) {
  auto solid = deep<CUDA_MEMCPY3D_PEER>();
  solid.srcContext = solid.dstContext = context;
  checkRound(solid, Slices, driver.cuMemcpy3DPeer);
  checkRound(solid, Slices, [](auto *c) { return driver.cuMemcpy3DPeerAsync(c, OwnStream); });
  Buffer buffer(Size);
  fromDevice(solid, buffer.get());
  toDevice(solid, buffer.get());
  solid.srcContext = nullptr; // the current one
  EXPECT_OK(driver.cuMemcpy3DPeer(&solid));
  EXPECT_OK(driver.cuMemcpy3DPeerAsync(&solid, nullptr));
  solid.srcContext = reinterpret_cast<CUcontext>(64);
  EXPECT_EQ(driver.cuMemcpy3DPeer(&solid), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_INVALID(driver.cuMemcpy3DPeer(nullptr));
}

TEST_F(CopyBoxes, startsWithinEachSide) {
  const Bytes mine = pattern(Size);
  Buffer buffer(Size);
  Bytes seen(Size);
  ASSERT_OK(driver.cuMemcpyHtoD_v2(buffer.get(), mine.data(), Size));
  auto c = deep<CUDA_MEMCPY3D>();
  fromDevice(c, buffer.get());
  toHost(c, seen);
  c.srcXInBytes = 3, c.srcY = 1, c.srcZ = 1;
  c.dstXInBytes = 5, c.dstY = 2, c.dstZ = 0;
  c.WidthInBytes = 4, c.Height = 2, c.Depth = 2;
  EXPECT_OK(driver.cuMemcpy3D_v2(&c));
  Bytes expected(Size);
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 2; ++y)
      for (size_t x = 0; x < 4; ++x)
        expected[((z * Rows) + y + 2) * Pitch + x + 5] =
            mine[((z + 1) * Rows + y + 1) * Pitch + x + 3];
  EXPECT_EQ(seen, expected);
}

TEST_F(CopyBoxes, aRowNeedsNoPitchAndASliceNoHeight) {
  const Bytes mine = pattern(Width);
  Buffer buffer(Size);
  CUDA_MEMCPY2D row = {};
  row.WidthInBytes = Width, row.Height = 1;
  fromHost(row, mine);
  toDevice(row, buffer.get());
  row.srcPitch = row.dstPitch = 0;
  EXPECT_OK(driver.cuMemcpy2D_v2(&row));
  row.Height = 2;
  EXPECT_INVALID(driver.cuMemcpy2D_v2(&row));
  Bytes got = buffer.read();
  got.resize(Width);
  EXPECT_EQ(got, mine);
  Bytes seen(Pitch * Rows);
  auto slice = deep<CUDA_MEMCPY3D>();
  fromDevice(slice, buffer.get());
  toHost(slice, seen);
  slice.Depth = 1, slice.srcHeight = slice.dstHeight = 0;
  EXPECT_OK(driver.cuMemcpy3D_v2(&slice));
  slice.srcHeight = 2;
  EXPECT_INVALID(driver.cuMemcpy3D_v2(&slice)) << "fewer rows than are copied";
  slice.srcHeight = 0, slice.srcZ = 1;
  EXPECT_INVALID(driver.cuMemcpy3D_v2(&slice));
}

TEST_F(CopyBoxes, emptyOnesAreFine) {
  CUDA_MEMCPY2D none = flat();
  none.Height = 0;
  EXPECT_OK(driver.cuMemcpy2D_v2(&none));
  auto slices = deep<CUDA_MEMCPY3D>();
  slices.Depth = 0;
  EXPECT_OK(driver.cuMemcpy3D_v2(&slices));
}

TEST_F(CopyBoxes, wrongArguments) {
  Buffer buffer(Pitch * Rows);
  Bytes mine(Pitch * Rows);
  Array array(0);
  CUDA_MEMCPY2D good = flat();
  fromHost(good, mine);
  toArray(good, array.get());
  ASSERT_OK(driver.cuMemcpy2D_v2(&good));
  const auto expectInvalid = [&](auto &&change) {
    CUDA_MEMCPY2D c = good;
    change(c);
    EXPECT_INVALID(driver.cuMemcpy2D_v2(&c));
    EXPECT_INVALID(driver.cuMemcpy2DUnaligned_v2(&c));
    EXPECT_INVALID(driver.cuMemcpy2DAsync_v2(&c, nullptr));
  };
  expectInvalid([](auto &c) { c.srcPitch = Width - 1; });
  expectInvalid([](auto &c) { c.srcXInBytes = Pitch - Width + 1; });
  expectInvalid([](auto &c) { c.srcHost = nullptr; });
  expectInvalid([](auto &c) { c.srcMemoryType = CUmemorytype(0); });
  expectInvalid([](auto &c) { c.srcMemoryType = CUmemorytype(5); });
  expectInvalid([](auto &c) { c.dstXInBytes = 4; });
  expectInvalid([](auto &c) { c.dstY = 1; });
  expectInvalid([&](auto &c) { toDevice(c, buffer.get() + Pitch); });
  expectInvalid([&](auto &c) { toDevice(c, addressOf(mine.data())); });
  expectInvalid([&](auto &c) { c.srcY = size_t(1) << 62; });
  for (auto [x, width] : {std::pair(1, 4), std::pair(0, 6)}) { // parts of elements
    CUDA_MEMCPY2D c = good;
    c.dstXInBytes = x, c.WidthInBytes = width;
    EXPECT_OK(driver.cuMemcpy2D_v2(&c));
    EXPECT_OK(driver.cuMemcpy2DUnaligned_v2(&c));
    EXPECT_OK(driver.cuMemcpy2DAsync_v2(&c, nullptr));
  }
  good.dstArray = nullptr;
  EXPECT_INVALID(driver.cuMemcpy2D_v2(&good));
  EXPECT_INVALID(driver.cuMemcpy2D_v2(nullptr));
  EXPECT_INVALID(driver.cuMemcpy2DUnaligned_v2(nullptr));
  EXPECT_INVALID(driver.cuMemcpy2DAsync_v2(nullptr, nullptr));
  EXPECT_INVALID(driver.cuMemcpy3D_v2(nullptr));
  EXPECT_INVALID(driver.cuMemcpy3DAsync_v2(nullptr, nullptr));
  auto solid = deep<CUDA_MEMCPY3D>();
  fromDevice(solid, buffer.get());
  toHost(solid, mine);
  solid.Depth = 1;
  ASSERT_OK(driver.cuMemcpy3D_v2(&solid));
  solid.srcLOD = 1; // of memory
  EXPECT_OK(driver.cuMemcpy3D_v2(&solid));
  solid.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_INVALID(driver.cuMemcpy3D_v2(&solid));
  solid.srcMemoryType = CU_MEMORYTYPE_DEVICE, solid.srcLOD = 0, solid.reserved0 = &mine;
  EXPECT_INVALID(driver.cuMemcpy3D_v2(&solid));
}

} // namespace
