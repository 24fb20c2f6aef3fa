// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that get their memory later.
#include "driver/context_support.h"

#include <utility>

namespace {

constexpr size_t Tile = 64 << 10, Unit = 2 << 20;
using Handle = CUmemGenericAllocationHandle;

/// Memory for tiles of that device.
Handle makePool(size_t bytes, unsigned short usage = CU_MEM_CREATE_USAGE_TILE_POOL,
                int device = 0) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  properties.allocFlags.usage = usage;
  Handle handle = 0;
  EXPECT_OK(driver.cuMemCreate(&handle, bytes, &properties, 0));
  return handle;
}

CUDA_ARRAY3D_DESCRIPTOR shapeOf(size_t width, size_t height, size_t depth, unsigned flags,
                                unsigned channels = 1) {
  return {width, height, depth, CU_AD_FORMAT_UNSIGNED_INT32, channels, flags};
}

/// An array and what maps all of its first level, or of its tail.
struct Sparse {
  explicit Sparse(const CUDA_ARRAY3D_DESCRIPTOR &shape, unsigned levels = 0) : shape(shape) {
    if (levels) {
      EXPECT_OK(driver.cuMipmappedArrayCreate(&mipmap, &shape, levels));
      EXPECT_OK(driver.cuMipmappedArrayGetSparseProperties(&properties, mipmap));
      EXPECT_OK(driver.cuMipmappedArrayGetLevel(&array, mipmap, 0));
    } else {
      EXPECT_OK(driver.cuArray3DCreate_v2(&array, &shape));
      EXPECT_OK(driver.cuArrayGetSparseProperties(&properties, array));
    }
  }
  ~Sparse() {
    if (isGone)
      return;
    EXPECT_OK(mipmap ? driver.cuMipmappedArrayDestroy(mipmap) : driver.cuArrayDestroy(array));
  }
  CUarrayMapInfo whole(Handle handle, size_t offset) const {
    CUarrayMapInfo info = {};
    info.resourceType = mipmap ? CU_RESOURCE_TYPE_MIPMAPPED_ARRAY : CU_RESOURCE_TYPE_ARRAY;
    if (mipmap)
      info.resource.mipmap = mipmap;
    else
      info.resource.array = array;
    auto &part = info.subresource.sparseLevel;
    part.extentWidth = static_cast<unsigned>(shape.Width);
    part.extentHeight = static_cast<unsigned>(shape.Height);
    part.extentDepth =
        shape.Flags & CUDA_ARRAY3D_LAYERED ? 1 : std::max(1u, static_cast<unsigned>(shape.Depth));
    info.memOperationType = handle ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP;
    info.memHandle.memHandle = handle;
    info.offset = offset;
    info.deviceBitMask = 1;
    return info;
  }
  const CUDA_ARRAY3D_DESCRIPTOR shape;
  CUarray array = nullptr;
  CUmipmappedArray mipmap = nullptr;
  CUDA_ARRAY_SPARSE_PROPERTIES properties = {};
  bool isGone = false; ///< with its context
};

CUresult carryOut(CUarrayMapInfo info, CUstream stream = nullptr) {
  return driver.cuMemMapArrayAsync(&info, 1, stream);
}

/// All texels of a slice of an array.
Bytes contents(CUarray array, size_t width, size_t height, size_t slice = 0) {
  Bytes all(width * height * 4);
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.srcZ = slice;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = all.data();
  copy.dstPitch = copy.WidthInBytes = width * 4;
  copy.Height = height;
  copy.Depth = 1;
  EXPECT_OK(driver.cuMemcpy3D_v2(&copy));
  return all;
}
void fill(CUarray array, size_t width, size_t height, const Bytes &from, size_t slice = 0) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from.data();
  copy.srcPitch = copy.WidthInBytes = width * 4;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.dstZ = slice;
  copy.Height = height;
  copy.Depth = 1;
  EXPECT_OK(driver.cuMemcpy3D_v2(&copy));
}

class SparseArrays : public WithContext {};

TEST_F(SparseArrays, areMappedByTiles) {
  const Sparse sparse(shapeOf(200, 300, 0, CUDA_ARRAY3D_SPARSE));
  const auto &tile = sparse.properties.tileExtent;
  EXPECT_EQ(size_t(tile.width) * tile.height * tile.depth * 4, Tile);
  EXPECT_EQ(sparse.properties.miptailSize, 0u);
  const Bytes zeros(200 * 300 * 4), mine = pattern(200 * 300 * 4);
  EXPECT_EQ(contents(sparse.array, 200, 300), zeros);
  const Handle pool = makePool(Unit);
  EXPECT_OK(carryOut(sparse.whole(pool, 0), OwnStream));
  EXPECT_OK(driver.cuStreamSynchronize(OwnStream));
  fill(sparse.array, 200, 300, mine);
  EXPECT_EQ(contents(sparse.array, 200, 300), mine);
  // One tile goes, and its memory appears in another array's.
  CUarrayMapInfo one = sparse.whole(0, 0);
  one.subresource.sparseLevel.offsetY = tile.height;
  one.subresource.sparseLevel.extentHeight = tile.height;
  EXPECT_OK(carryOut(one));
  const Sparse other(shapeOf(200, tile.height, 0, CUDA_ARRAY3D_SPARSE));
  EXPECT_OK(carryOut(other.whole(pool, Tile)));
  EXPECT_OK(driver.cuCtxSynchronize());
  const size_t row = 200 * 4, start = tile.height * row;
  Bytes left = mine;
  std::fill_n(left.begin() + start, start, 0);
  EXPECT_EQ(contents(sparse.array, 200, 300), left);
  EXPECT_EQ(contents(other.array, 200, tile.height),
            Bytes(mine.begin() + start, mine.begin() + 2 * start));
  EXPECT_OK(driver.cuMemRelease(pool)); // mapped memory stays
  EXPECT_EQ(contents(sparse.array, 200, 300), left);
}

TEST_F(SparseArrays, shareMemory) {
  const Sparse a(shapeOf(256, 64, 0, CUDA_ARRAY3D_SPARSE)), b(a.shape);
  const Handle pool = makePool(Unit);
  EXPECT_OK(carryOut(a.whole(pool, Tile)));
  EXPECT_OK(carryOut(b.whole(pool, Tile)));
  EXPECT_OK(driver.cuCtxSynchronize());
  const Bytes mine = pattern(256 * 64 * 4);
  fill(a.array, 256, 64, mine);
  EXPECT_EQ(contents(b.array, 256, 64), mine);
  EXPECT_OK(driver.cuMemRelease(pool));
}

/// Rows that are longer than a tile, three dimensions, and layers.
TEST_F(SparseArrays, ofAllShapes) {
  const CUDA_ARRAY3D_DESCRIPTOR shapes[] = {
      shapeOf(20000, 3, 0, CUDA_ARRAY3D_SPARSE), shapeOf(30, 20, 50, CUDA_ARRAY3D_SPARSE),
      shapeOf(300, 100, 3, CUDA_ARRAY3D_SPARSE),
      shapeOf(100, 200, 3, CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_LAYERED)};
  for (const auto &shape : shapes) {
    SCOPED_TRACE(shape.Width);
    const Sparse sparse(shape);
    const bool hasLayers = shape.Flags & CUDA_ARRAY3D_LAYERED;
    const Handle pool = makePool(2 * Unit);
    const size_t slices = std::max<size_t>(1, shape.Depth), count = shape.Width * shape.Height * 4;
    for (unsigned layer = 0; layer < (hasLayers ? slices : 1); ++layer) {
      CUarrayMapInfo info = sparse.whole(pool, layer * 4 * Tile);
      info.subresource.sparseLevel.layer = layer;
      EXPECT_OK(carryOut(info));
    }
    EXPECT_OK(driver.cuCtxSynchronize());
    for (unsigned slice = 0; slice < slices; ++slice)
      fill(sparse.array, shape.Width, shape.Height, pattern(count, slice), slice);
    for (unsigned slice = 0; slice < slices; ++slice)
      EXPECT_EQ(contents(sparse.array, shape.Width, shape.Height, slice), pattern(count, slice));
    EXPECT_OK(driver.cuMemRelease(pool));
  }
}

TEST_F(SparseArrays, haveLevelsAndATail) {
  for (unsigned layers : {0u, 3u}) {
    const unsigned flags = CUDA_ARRAY3D_SPARSE | (layers ? CUDA_ARRAY3D_LAYERED : 0);
    const Sparse sparse(shapeOf(256, 256, layers, flags), 9);
    const auto &p = sparse.properties;
    EXPECT_EQ(p.miptailFirstLevel, 3u) << "32 rows are less than a tile";
    EXPECT_EQ(p.miptailSize, Tile);
    const Handle pool = makePool(2 * Unit);
    size_t offset = 0;
    for (unsigned layer = 0; layer < std::max(1u, layers); ++layer) {
      for (unsigned level = 0; level < p.miptailFirstLevel; ++level) {
        CUarrayMapInfo info = sparse.whole(pool, offset);
        auto &part = info.subresource.sparseLevel;
        part.level = level, part.layer = layer;
        part.extentWidth >>= level, part.extentHeight >>= level;
        EXPECT_OK(carryOut(info));
        offset += (part.extentHeight + p.tileExtent.height - 1) / p.tileExtent.height * Tile;
      }
      CUarrayMapInfo tail = sparse.whole(pool, offset);
      tail.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
      tail.subresource = {};
      tail.subresource.miptail.layer = layer;
      tail.subresource.miptail.size = p.miptailSize;
      EXPECT_OK(carryOut(tail));
      offset += p.miptailSize;
    }
    EXPECT_OK(driver.cuCtxSynchronize());
    const auto forAll = [&](auto &&body) {
      for (unsigned level = 0; level < 9; ++level)
        for (unsigned layer = 0; layer < std::max(1u, layers); ++layer) {
          CUarray array = nullptr;
          EXPECT_OK(driver.cuMipmappedArrayGetLevel(&array, sparse.mipmap, level));
          const size_t size = 256u >> level;
          body(array, size, layer, pattern(size * size * 4, level * 7 + layer));
        }
    };
    forAll([](CUarray array, size_t size, unsigned layer, const Bytes &mine) {
      fill(array, size, size, mine, layer);
    });
    forAll([](CUarray array, size_t size, unsigned layer, const Bytes &mine) {
      EXPECT_EQ(contents(array, size, size, layer), mine) << size << " " << layer;
    });
    EXPECT_OK(driver.cuMemRelease(pool));
  }
}

TEST_F(SparseArrays, wrongArguments) {
  const Sparse sparse(shapeOf(256, 128, 0, CUDA_ARRAY3D_SPARSE));
  const Sparse levels(shapeOf(256, 128, 0, CUDA_ARRAY3D_SPARSE), 3);
  const Handle pool = makePool(Unit), plain = makePool(Unit, 0),
               other = makePool(Unit, CU_MEM_CREATE_USAGE_TILE_POOL, 1);
  const CUarrayMapInfo good = sparse.whole(pool, 0);
  const auto refuse = [&](auto &&change) {
    CUarrayMapInfo info = good;
    change(info);
    EXPECT_INVALID(carryOut(info));
  };
  CUarray level = nullptr;
  EXPECT_OK(driver.cuMipmappedArrayGetLevel(&level, levels.mipmap, 0));
  refuse([&](auto &i) { i.resource.array = level; });
  refuse([](auto &i) { i.resource.array = nullptr; });
  refuse([](auto &i) { i.resourceType = CU_RESOURCE_TYPE_LINEAR; });
  refuse([](auto &i) { i.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY; });
  refuse([](auto &i) { i.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL; });
  refuse([](auto &i) { i.subresourceType = CUarraySparseSubresourceType(7); });
  refuse([](auto &i) { i.subresource.sparseLevel.level = 1; });
  refuse([](auto &i) { i.subresource.sparseLevel.layer = 1; });
  refuse([](auto &i) { i.subresource.sparseLevel.offsetX = 4; });
  refuse([](auto &i) { i.subresource.sparseLevel.offsetY = 64; }); // beyond the end
  refuse([](auto &i) { i.subresource.sparseLevel.extentHeight = 100; });
  refuse([](auto &i) { i.subresource.sparseLevel.extentWidth = 0; });
  refuse([](auto &i) { i.subresource.sparseLevel.extentDepth = 2; });
  refuse([](auto &i) { i.memOperationType = CUmemOperationType(0); });
  refuse([](auto &i) { i.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP; });
  refuse([](auto &i) { i.memHandleType = CUmemHandleType(1); });
  refuse([](auto &i) { i.memHandle.memHandle = 0; });
  refuse([&](auto &i) { i.memHandle.memHandle = plain; }); // no pool of tiles
  refuse([&](auto &i) { i.memHandle.memHandle = other; });
  refuse([](auto &i) { i.offset = 4096; });
  refuse([](auto &i) { i.offset = Unit - Tile; }); // beyond the memory's end
  refuse([](auto &i) { i.offset = ~0ull - Tile + 1; });
  refuse([](auto &i) { i.deviceBitMask = 2; });
  refuse([](auto &i) { i.deviceBitMask = 3; });
  refuse([](auto &i) { i.flags = 1; });
  refuse([](auto &i) { i.reserved[1] = 1; });
  CUarrayMapInfo info = good;
  EXPECT_INVALID(driver.cuMemMapArrayAsync(nullptr, 1, nullptr));
  EXPECT_INVALID(driver.cuMemMapArrayAsync(&info, 0, nullptr));
  EXPECT_EQ(carryOut(good, reinterpret_cast<CUstream>(&info)), CUDA_ERROR_INVALID_HANDLE);
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs = {};
  EXPECT_INVALID(driver.cuArrayGetMemoryRequirements(&needs, sparse.array, 0)) << "by tiles";
  CUgraph graph = nullptr;
  ASSERT_OK(driver.cuStreamBeginCapture_v2(OwnStream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(carryOut(good, OwnStream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_NE(driver.cuStreamEndCapture(OwnStream, &graph), CUDA_SUCCESS);
  EXPECT_OK(carryOut(good));
  for (Handle handle : {pool, plain, other})
    EXPECT_OK(driver.cuMemRelease(handle));
}

TEST_F(SparseArrays, ofTheseShapesAreRefused) {
  CUarray array = nullptr;
  for (const auto &shape : {shapeOf(64, 0, 0, CUDA_ARRAY3D_SPARSE),
                            shapeOf(64, 64, 6, CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_CUBEMAP),
                            shapeOf(64, 64, 0, CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING),
                            shapeOf(64, 0, 0, CUDA_ARRAY3D_DEFERRED_MAPPING)})
    EXPECT_INVALID(driver.cuArray3DCreate_v2(&array, &shape));
}

TEST_F(SparseArrays, deferredOnesAreMappedAsAWhole) {
  const auto shape = shapeOf(100, 300, 0, CUDA_ARRAY3D_DEFERRED_MAPPING);
  CUarray array = nullptr;
  CUmipmappedArray mipmap = nullptr;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs = {};
  CUDA_ARRAY_SPARSE_PROPERTIES sparse = {};
  ASSERT_OK(driver.cuArray3DCreate_v2(&array, &shape));
  ASSERT_OK(driver.cuMipmappedArrayCreate(&mipmap, &shape, 2));
  EXPECT_OK(driver.cuMipmappedArrayGetMemoryRequirements(&needs, mipmap, 0));
  EXPECT_GE(needs.size, (100 * 300 + 50 * 150) * 4u);
  EXPECT_OK(driver.cuArrayGetMemoryRequirements(&needs, array, 0));
  EXPECT_GE(needs.size, 100 * 300 * 4u);
  EXPECT_EQ(needs.alignment, Tile);
  EXPECT_INVALID(driver.cuArrayGetMemoryRequirements(&needs, array, 9));
  EXPECT_INVALID(driver.cuArrayGetSparseProperties(&sparse, array));
  EXPECT_INVALID(driver.cuMipmappedArrayGetSparseProperties(&sparse, mipmap));
  const Handle memory = makePool(Unit, 0);
  CUarrayMapInfo info = {};
  info.resource.array = array;
  info.memOperationType = CU_MEM_OPERATION_TYPE_MAP;
  info.memHandle.memHandle = memory;
  info.deviceBitMask = 1;
  info.offset = Tile;
  EXPECT_OK(carryOut(info));
  info.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  info.resource.mipmap = mipmap;
  EXPECT_OK(carryOut(info));
  EXPECT_OK(driver.cuCtxSynchronize());
  const Bytes mine = pattern(100 * 300 * 4);
  fill(array, 100, 300, mine);
  CUarray level = nullptr;
  EXPECT_OK(driver.cuMipmappedArrayGetLevel(&level, mipmap, 0));
  EXPECT_EQ(contents(level, 100, 300), mine) << "in the same memory";
  info.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
  info.memHandle.memHandle = 0;
  EXPECT_OK(carryOut(info));
  EXPECT_OK(driver.cuArrayDestroy(array));
  EXPECT_OK(driver.cuMipmappedArrayDestroy(mipmap));
  EXPECT_OK(driver.cuMemRelease(memory));
}

/// The memory goes with the array, and with the context.
TEST_F(SparseArrays, giveTheirMemoryBack) {
  size_t before = 0, after = 0, total = 0;
  EXPECT_OK(driver.cuMemGetInfo_v2(&before, &total));
  const Handle pool = makePool(Unit);
  {
    const Sparse sparse(shapeOf(256, 64, 0, CUDA_ARRAY3D_SPARSE));
    EXPECT_OK(carryOut(sparse.whole(pool, 0)));
    EXPECT_OK(driver.cuMemRelease(pool));
    EXPECT_OK(driver.cuMemGetInfo_v2(&after, &total));
    EXPECT_EQ(before - after, Unit);
  }
  EXPECT_OK(driver.cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(before, after);
  CUcontext own = nullptr, last = nullptr;
  ASSERT_OK(driver.cuCtxCreate_v2(&own, 0, 0));
  const Handle more = makePool(Unit);
  const auto shape = shapeOf(256, 64, 0, CUDA_ARRAY3D_SPARSE);
  Sparse left(shape, 1);
  left.isGone = true;
  EXPECT_OK(carryOut(left.whole(more, 0)));
  EXPECT_OK(driver.cuMemRelease(more));
  EXPECT_OK(driver.cuCtxDestroy_v2(own));
  EXPECT_OK(driver.cuCtxGetCurrent(&last));
  EXPECT_OK(driver.cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(before, after);
}

} // namespace
