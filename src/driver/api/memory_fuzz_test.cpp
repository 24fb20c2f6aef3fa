// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random calls of functions of memory from several threads, with a model of what all memory holds:
// allocations of each kind, pools, mapped memory, arrays with texture objects, and modules whose
// kernel and variable work on them. Each thread has one stream, so its work has an order; whatever
// it has must hold what the model says, and calls that go too far or name what is gone give the
// documented code. Longer: base/test_fuzz.h.
#include "driver/api/memory_fuzz_model.h"

#include "base/test_fuzz.h"

#include <thread>

namespace {

class Player : Model {
public:
  using Model::Model;

  void play(unsigned count) {
    EXPECT_OK(cu.cuCtxSetCurrent(context_));
    for (unsigned i = 0; i < count && !testing::Test::HasFailure(); ++i)
      call();
    while (!ranges_.empty())
      release(ranges_.size() - 1);
    while (!pools_.empty())
      destroyPool();
    while (!arrays_.empty())
      destroyArray();
    while (!modules_.empty())
      unload();
    dropMappings();
    EXPECT_OK(cu.cuStreamSynchronize(stream_));
  }

private:
  // Allocations.

  void allocate() {
    if (ranges_.size() >= 24)
      return release(below(ranges_.size()));
    Range range = {Kind(below(KindCount)), 0, Bytes(1 + below(below(4) ? 300 : 5000))};
    const size_t bytes = range.holds.size();
    void *host = nullptr;
    size_t pitch = 0;
    switch (range.kind) {
    case Linear:
      EXPECT_OK(cu.cuMemAlloc_v2(&range.at, bytes));
      break;
    case Pitched:
      EXPECT_OK(cu.cuMemAllocPitch_v2(&range.at, &pitch, bytes, 3, 4));
      EXPECT_GE(pitch, bytes);
      range.holds.resize(3 * pitch);
      break;
    case Managed:
      EXPECT_OK(cu.cuMemAllocManaged(&range.at, bytes, CU_MEM_ATTACH_GLOBAL));
      break;
    case Pinned:
      EXPECT_OK(cu.cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE));
      range.at = reinterpret_cast<CUdeviceptr>(host);
      break;
    case InStream:
      EXPECT_OK(cu.cuMemAllocAsync(&range.at, bytes, stream_));
      break;
    case OfPool:
      if (pools_.empty())
        return createPool();
      range.pool = pools_[below(pools_.size())];
      EXPECT_OK(cu.cuMemAllocFromPoolAsync(&range.at, bytes, range.pool, stream_));
      break;
    }
    range.holds.assign(range.holds.size(), next());
    EXPECT_OK(cu.cuMemsetD8Async(range.at, range.holds[0], range.holds.size(), stream_));
    ranges_.push_back(std::move(range));
  }

  void release(size_t which) {
    Range range = std::move(ranges_[which]);
    ranges_.erase(ranges_.begin() + which);
    expectHeld(range.at, range.holds);
    EXPECT_ERROR(INVALID_VALUE, cu.cuMemFree_v2(range.at + 1)) << "not its start";
    switch (range.kind) {
    case Pinned:
      EXPECT_ERROR(INVALID_VALUE, cu.cuMemFreeAsync(range.at, stream_));
      EXPECT_OK(cu.cuMemFreeHost(reinterpret_cast<void *>(range.at)));
      break;
    case InStream:
    case OfPool:
      EXPECT_ERROR(INVALID_VALUE, cu.cuMemFreeHost(reinterpret_cast<void *>(range.at)));
      EXPECT_OK(below(2) ? cu.cuMemFreeAsync(range.at, stream_) : cu.cuMemFree_v2(range.at));
      break;
    default:
      EXPECT_OK(cu.cuMemFree_v2(range.at));
    }
  }

  void releaseOne() {
    if (!ranges_.empty())
      release(below(ranges_.size()));
  }

  void fill() {
    Range *range = someRange();
    if (!range)
      return;
    const auto [from, bytes] = part(range->holds.size());
    const unsigned char value = next();
    EXPECT_OK(cu.cuMemsetD8Async(range->at + from, value, bytes, stream_));
    std::fill_n(range->holds.begin() + from, bytes, value);
  }

  void copy() {
    Range *to = someRange(), *from = someRange();
    if (!to || to == from)
      return;
    const auto [start, bytes] = part(std::min(to->holds.size(), from->holds.size()));
    EXPECT_OK(cu.cuMemcpyDtoDAsync_v2(to->at + start, from->at + start, bytes, stream_));
    std::copy_n(from->holds.begin() + start, bytes, to->holds.begin() + start);
  }

  void write() {
    Range *range = someRange();
    if (!range)
      return;
    const auto [from, bytes] = part(range->holds.size());
    const Bytes text = noise(bytes);
    EXPECT_OK(cu.cuStreamSynchronize(stream_));
    EXPECT_OK(cu.cuMemcpyHtoD_v2(range->at + from, text.data(), bytes));
    std::copy(text.begin(), text.end(), range->holds.begin() + from);
  }

  void read() {
    if (Range *range = someRange())
      expectHeld(range->at, range->holds);
  }

  void goTooFar() {
    Range *range = someRange();
    if (!range)
      return;
    // What memory from a pool has behind it belongs to the pool.
    const size_t far = range->kind == InStream || range->kind == OfPool ? size_t(1) << 50
                                                                        : range->holds.size() + 1;
    SCOPED_TRACE(range->kind);
    Bytes byte(1);
    EXPECT_ERROR(INVALID_VALUE, cu.cuMemsetD8Async(range->at, 0, far, stream_));
    EXPECT_ERROR(INVALID_VALUE, cu.cuMemcpyDtoDAsync_v2(range->at, range->at, far, stream_));
    EXPECT_ERROR(INVALID_VALUE, cu.cuMemcpyDtoH_v2(byte.data(), 0x10, 1));
  }

  void ask() {
    Range *range = someRange();
    if (!range)
      return;
    CUdeviceptr start = 0;
    const CUdeviceptr inside = range->at + below(range->holds.size());
    EXPECT_OK(cu.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside));
    EXPECT_EQ(start, range->at);
    unsigned isManaged = 2;
    EXPECT_OK(cu.cuPointerGetAttribute(&isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, inside));
    EXPECT_EQ(isManaged, unsigned(range->kind == Managed || managedPools_.count(range->pool) != 0));
  }

  // Pools.

  void createPool() {
    if (pools_.size() == 3)
      return destroyPool();
    static constexpr CUmemLocationType places[] = {
        CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA};
    CUmemPoolProps properties = {};
    properties.allocType =
        below(4) ? CU_MEM_ALLOCATION_TYPE_PINNED : CU_MEM_ALLOCATION_TYPE_MANAGED;
    properties.location = {places[below(3)], 0};
    CUmemoryPool pool = nullptr;
    EXPECT_OK(cu.cuMemPoolCreate(&pool, &properties));
    if (properties.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED)
      managedPools_.insert(pool);
    uint64_t threshold = below(2) ? 0 : ~uint64_t(0);
    EXPECT_OK(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    pools_.push_back(pool);
  }

  /// Memory of it may live on.
  void destroyPool() {
    if (pools_.empty())
      return;
    const size_t which = below(pools_.size());
    EXPECT_OK(cu.cuMemPoolDestroy(pools_[which]));
    pools_.erase(pools_.begin() + which);
  }

  void trimPool() {
    if (pools_.empty())
      return;
    CUmemoryPool pool = pools_[below(pools_.size())];
    size_t least = 0;
    for (const Range &range : ranges_)
      least += range.pool == pool ? range.holds.size() : 0;
    EXPECT_OK(cu.cuStreamSynchronize(stream_));
    EXPECT_OK(cu.cuMemPoolTrimTo(pool, 0));
    uint64_t used = 0, reserved = 0;
    EXPECT_OK(cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT_OK(cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    EXPECT_GE(used, least);
    EXPECT_GE(reserved, used);
    if (!least) {
      EXPECT_EQ(used, 0u);
      EXPECT_EQ(reserved, 0u);
    }
  }

  // Mapped memory: addresses of Units units, each of which shows a unit of some handle or none.

  void createHandle() {
    if (handles_.size() == 3)
      return;
    const size_t units = 1 + below(2);
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    auto handle = std::make_shared<Handle>();
    EXPECT_OK(cu.cuMemCreate(&handle->handle, units * Unit, &properties, 0));
    handle->firstBytes.resize(units);
    handles_.push_back(std::move(handle));
  }

  /// Its memory stays as long as it is mapped.
  void releaseHandle() {
    if (handles_.empty())
      return;
    const size_t which = below(handles_.size());
    EXPECT_OK(cu.cuMemRelease(handles_[which]->handle));
    handles_.erase(handles_.begin() + which);
  }

  void map() {
    if (handles_.empty())
      return createHandle();
    if (!addresses_)
      EXPECT_OK(cu.cuMemAddressReserve(&addresses_, Units * Unit, 0, 0, 0));
    const std::shared_ptr<Handle> &handle = handles_[below(handles_.size())];
    const size_t offset = below(handle->firstBytes.size()), at = below(Units),
                 units = 1 + below(handle->firstBytes.size() - offset);
    bool isFree = at + units <= Units;
    for (size_t i = at; isFree && i < at + units; ++i)
      isFree = !mapped_[i].handle;
    CUresult error =
        cu.cuMemMap(addresses_ + at * Unit, units * Unit, offset * Unit, handle->handle, 0);
    if (!isFree) {
      EXPECT_ERROR(INVALID_VALUE, error);
      return;
    }
    EXPECT_OK(error);
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                    CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_OK(cu.cuMemSetAccess(addresses_ + at * Unit, units * Unit, &access, 1));
    for (size_t i = 0; i < units; ++i)
      mapped_[at + i] = {handle, offset + i, at, units};
  }

  void unmap() {
    const size_t i = below(Units);
    if (!addresses_)
      return;
    const Mapped unit = mapped_[i];
    if (!unit.handle) {
      EXPECT_ERROR(INVALID_VALUE, cu.cuMemUnmap(addresses_ + i * Unit, Unit));
      return;
    }
    if (unit.units > 1)
      EXPECT_ERROR(INVALID_VALUE, cu.cuMemUnmap(addresses_ + unit.start * Unit, Unit)) << "a part";
    EXPECT_ERROR(INVALID_VALUE, cu.cuMemAddressFree(addresses_, Units * Unit)) << "in use";
    EXPECT_OK(cu.cuMemUnmap(addresses_ + unit.start * Unit, unit.units * Unit));
    for (size_t j = 0; j < unit.units; ++j)
      mapped_[unit.start + j] = {};
  }

  void useMapped() {
    const size_t i = below(Units);
    if (!addresses_ || !mapped_[i].handle)
      return;
    unsigned char &holds = mapped_[i].handle->firstBytes[mapped_[i].unit];
    if (below(2)) {
      holds = next();
      EXPECT_OK(cu.cuMemsetD8Async(addresses_ + i * Unit, holds, 1, stream_));
    } else {
      expectHeld(addresses_ + i * Unit, Bytes(1, holds));
    }
  }

  void dropMappings() {
    while (!handles_.empty())
      releaseHandle();
    for (size_t i = 0; i < Units; ++i)
      if (mapped_[i].handle && mapped_[i].start == i)
        EXPECT_OK(cu.cuMemUnmap(addresses_ + i * Unit, mapped_[i].units * Unit));
    if (addresses_)
      EXPECT_OK(cu.cuMemAddressFree(addresses_, Units * Unit));
  }

  // Arrays and textures.

  void createArray() {
    if (arrays_.size() == 5)
      return destroyArray();
    static constexpr struct {
      CUarray_format format;
      unsigned bytes;
    } formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 1},
                   {CU_AD_FORMAT_SIGNED_INT16, 2},
                   {CU_AD_FORMAT_HALF, 2},
                   {CU_AD_FORMAT_FLOAT, 4}};
    const auto format = formats[below(4)];
    const unsigned channels = 1u << below(3);
    Array array;
    array.height = below(3) ? 1 + below(20) : 0;
    const size_t width = 1 + below(30);
    array.pitch = width * format.bytes * channels;
    array.holds = noise(array.pitch * std::max<size_t>(array.height, 1));
    static constexpr unsigned late[] = {0, CUDA_ARRAY3D_SPARSE, CUDA_ARRAY3D_DEFERRED_MAPPING};
    const unsigned flags = array.height ? late[below(3)] : 0;
    const CUDA_ARRAY3D_DESCRIPTOR shape = {
        width, array.height, 0, format.format, channels, CUDA_ARRAY3D_SURFACE_LDST | flags};
    EXPECT_OK(cu.cuArray3DCreate_v2(&array.handle, &shape));
    if (flags)
      giveMemory(array.handle, shape);
    CUDA_MEMCPY2D copy = boxOf(array);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = array.holds.data();
    copy.srcPitch = array.pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array.handle;
    EXPECT_OK(cu.cuMemcpy2D_v2(&copy));
    arrays_.push_back(std::move(array));
  }

  /// Maps all of an array that gets its memory later, which keeps it.
  void giveMemory(CUarray array, const CUDA_ARRAY3D_DESCRIPTOR &shape) {
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    properties.allocFlags.usage =
        shape.Flags & CUDA_ARRAY3D_SPARSE ? CU_MEM_CREATE_USAGE_TILE_POOL : 0;
    CUarrayMapInfo info = {};
    info.resource.array = array;
    info.subresource.sparseLevel.extentWidth = static_cast<unsigned>(shape.Width);
    info.subresource.sparseLevel.extentHeight = static_cast<unsigned>(shape.Height);
    info.subresource.sparseLevel.extentDepth = 1;
    info.memOperationType = CU_MEM_OPERATION_TYPE_MAP;
    info.deviceBitMask = 1;
    EXPECT_OK(cu.cuMemCreate(&info.memHandle.memHandle, 2 << 20, &properties, 0));
    EXPECT_OK(cu.cuMemMapArrayAsync(&info, 1, stream_));
    EXPECT_OK(cu.cuStreamSynchronize(stream_));
    EXPECT_OK(cu.cuMemRelease(info.memHandle.memHandle));
  }

  void readArray() {
    if (arrays_.empty())
      return createArray();
    Array &array = arrays_[below(arrays_.size())];
    Bytes seen(array.holds.size());
    CUDA_MEMCPY2D copy = boxOf(array);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array.handle;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = seen.data();
    copy.dstPitch = array.pitch;
    EXPECT_OK(cu.cuMemcpy2D_v2(&copy));
    EXPECT_EQ(seen, array.holds);
    copy.srcXInBytes = 1; // one byte too far
    EXPECT_ERROR(INVALID_VALUE, cu.cuMemcpy2D_v2(&copy));
  }

  void createView() {
    if (arrays_.empty())
      return createArray();
    Array &array = arrays_[below(arrays_.size())];
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array.handle;
    CUDA_TEXTURE_DESC texture = {};
    texture.addressMode[0] = texture.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject object = 0;
    CUsurfObject surface = 0;
    EXPECT_OK(cu.cuTexObjectCreate(&object, &resource, &texture, nullptr));
    EXPECT_OK(cu.cuSurfObjectCreate(&surface, &resource));
    CUDA_RESOURCE_DESC told = {};
    EXPECT_OK(cu.cuTexObjectGetResourceDesc(&told, object));
    EXPECT_EQ(told.res.array.hArray, array.handle);
    EXPECT_OK(cu.cuSurfObjectDestroy(surface));
    if (below(2))
      EXPECT_OK(cu.cuTexObjectDestroy(object));
    else
      array.textures.push_back(object);
  }

  /// Its textures outlive it, and can only be destroyed.
  void destroyArray() {
    if (arrays_.empty())
      return;
    const size_t which = below(arrays_.size());
    EXPECT_OK(cu.cuArrayDestroy(arrays_[which].handle));
    for (CUtexObject object : arrays_[which].textures)
      EXPECT_OK(cu.cuTexObjectDestroy(object));
    arrays_.erase(arrays_.begin() + which);
  }

  // Modules.

  void load() {
    if (modules_.size() == 2)
      return unload();
    Module module;
    EXPECT_OK(cu.cuModuleLoadData(&module.handle, AddText));
    EXPECT_OK(cu.cuModuleGetFunction(&module.add, module.handle, "add"));
    EXPECT_ERROR(NOT_FOUND, cu.cuModuleGetFunction(&module.none, module.handle, "sub"));
    size_t bytes = 0;
    EXPECT_OK(cu.cuModuleGetGlobal_v2(&module.addend, &bytes, module.handle, "addend"));
    EXPECT_EQ(bytes, 4u);
    modules_.push_back(module);
  }

  void unload() {
    if (modules_.empty())
      return;
    const size_t which = below(modules_.size());
    EXPECT_OK(cu.cuModuleUnload(modules_[which].handle));
    modules_.erase(modules_.begin() + which);
  }

  /// Adds the module's variable to each byte of a range.
  void launch() {
    Range *range = someRange();
    if (modules_.empty() || !range)
      return load();
    Module &module = modules_[below(modules_.size())];
    const unsigned addend = next();
    EXPECT_OK(cu.cuMemsetD32Async(module.addend, addend, 1, stream_));
    auto count = static_cast<unsigned>(range->holds.size());
    void *arguments[] = {&range->at, &count};
    EXPECT_OK(cu.cuLaunchKernel(module.add, (count + 63) / 64, 1, 1, 64, 1, 1, 0, stream_,
                                arguments, nullptr));
    EXPECT_ERROR(INVALID_VALUE, cu.cuLaunchKernel(module.add, 1, 1, 1, 2048, 1, 1, 0, stream_,
                                                  arguments, nullptr));
    for (unsigned char &byte : range->holds)
      byte = static_cast<unsigned char>(byte + addend);
  }

  void call() {
    using Call = void (Player::*)();
    static constexpr struct {
      Call call;
      unsigned weight;
    } calls[] = {
        {&Player::allocate, 8},     {&Player::releaseOne, 6},    {&Player::fill, 8},
        {&Player::copy, 8},         {&Player::write, 4},         {&Player::read, 3},
        {&Player::goTooFar, 2},     {&Player::ask, 3},           {&Player::createPool, 1},
        {&Player::destroyPool, 1},  {&Player::trimPool, 2},      {&Player::createHandle, 1},
        {&Player::map, 3},          {&Player::unmap, 2},         {&Player::useMapped, 6},
        {&Player::createArray, 2},  {&Player::readArray, 2},     {&Player::createView, 2},
        {&Player::destroyArray, 1}, {&Player::releaseHandle, 1}, {&Player::launch, 3},
        {&Player::unload, 1}};
    unsigned place = below(70);
    const auto *chosen = calls;
    for (; place >= chosen->weight; ++chosen)
      place -= chosen->weight;
    (this->*chosen->call)();
  }
};

TEST(MemoryFuzz, holdsWhatWasWritten) {
  const heddle::test::FuzzRun run;
  const unsigned count = 4000 * run.factor;
  NewContext context;
  size_t before = 0, after = 0, total = 0;
  EXPECT_OK(cu.cuMemGetInfo_v2(&before, &total));
  {
    NewStream streams[3];
    std::vector<std::unique_ptr<Player>> players;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; ++i)
      players.push_back(std::make_unique<Player>(context.handle, streams[i],
                                                 static_cast<unsigned>(run.seed) * 16 + i));
    for (auto &player : players)
      threads.emplace_back([&] { player->play(count); });
    for (std::thread &thread : threads)
      thread.join();
  }
  EXPECT_OK(cu.cuCtxSynchronize());
  CUmemoryPool pool = nullptr;
  EXPECT_OK(cu.cuDeviceGetDefaultMemPool(&pool, 0));
  EXPECT_OK(cu.cuMemPoolTrimTo(pool, 0));
  EXPECT_OK(cu.cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(before, after) << "some memory was lost";
}

} // namespace
