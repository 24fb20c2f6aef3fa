// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "world.h"

#include <cstdlib>

inline void memory() {
  makeWorld();
  makeDestroyedOnes();
  CUdeviceptr p = 0;
  size_t size = 0, total = 0;
  void *host = nullptr;
  unsigned flags = 0;
  VARY(cuMemGetInfo_v2, &size, &total);
  VARY(cuMemAlloc_v2, &p, 100);
  VARY(cuMemFree_v2, p);
  VARY(cuMemAllocPitch_v2, &p, &size, 100, 4, 4);
  for (unsigned element : {1u, 2u, 4u, 8u, 16u, 32u}) {
    CALL("elementBytes=" + std::to_string(element), cuMemAllocPitch_v2, &p, &size, 1000, 4,
         element);
    value("pitch", size);
  }
  VARY(cuMemAllocHost, &host, 100);
  VARY(cuMemAllocHost_v2, &host, 100);
  VARY(cuMemFreeHost, host);
  for (unsigned flag = 1; flag <= 16; flag *= 2) {
    CALL("flags=" + std::to_string(flag), cuMemHostAlloc, &host, 100, flag);
    CU(cuMemHostGetFlags)(&flags, host);
    value("flags", flags);
  }
  VARY(cuMemHostAlloc, &host, 100, CU_MEMHOSTALLOC_DEVICEMAP);
  VARY(cuMemHostGetDevicePointer_v2, &p, host, 0);
  CALL("in the midst", cuMemHostGetDevicePointer_v2, &p, static_cast<char *>(host) + 50, 0);
  CALL("behind the end", cuMemHostGetDevicePointer_v2, &p, static_cast<char *>(host) + 100, 0);
  VARY(cuMemHostGetFlags, &flags, host);
  CALL("in the midst", cuMemHostGetFlags, &flags, static_cast<char *>(host) + 50);
  for (unsigned flag : {1u, 2u, 4u, 5u, 8u})
    CALL("flags=" + std::to_string(flag), cuMemAllocManaged, &p, 100, flag);
  VARY(cuMemAllocManaged, &p, 100, CU_MEM_ATTACH_HOST);
  VARY(cuStreamAttachMemAsync, w.stream, p, 0, CU_MEM_ATTACH_SINGLE);
  for (size_t bytes : {size_t(0), size_t(50), size_t(100), size_t(200)})
    CALL("length=" + std::to_string(bytes), cuStreamAttachMemAsync, w.stream, p, bytes,
         CU_MEM_ATTACH_GLOBAL);
  CALL("the null stream", cuStreamAttachMemAsync, nullptr, p, 0, CU_MEM_ATTACH_SINGLE);
  CALL("device memory", cuStreamAttachMemAsync, w.stream, w.memory, 0, CU_MEM_ATTACH_GLOBAL);
  static char *block = static_cast<char *>(std::aligned_alloc(4096, 65536));
  std::memset(block, 0, 65536);
  VARY(cuMemHostRegister, block, 4096, 0);
  CALL("again", cuMemHostRegister_v2, block, 4096, 0);
  CALL("over it", cuMemHostRegister_v2, block, 8192, 0);
  CALL("", cuMemHostGetDevicePointer_v2, &p, block, 0);
  CALL("in the midst", cuMemHostUnregister, block + 16);
  VARY(cuMemHostUnregister, block);
  CALL("again", cuMemHostUnregister, block);
  VARY(cuMemHostRegister_v2, block, 4096, 0);
  CU(cuMemHostUnregister)(block);
  for (unsigned flag : {1u, 2u, 4u, 8u, 16u, 32u}) {
    CALL("flags=" + std::to_string(flag), cuMemHostRegister_v2, block, 4096, flag);
    CU(cuMemHostUnregister)(block);
  }
  CALL("pinned memory", cuMemHostRegister_v2, w.pinned, 4096, 0);
  CALL("odd", cuMemHostRegister_v2, block + 1, 100, 0);
  CALL("odd", cuMemHostUnregister, block + 1);
  CALL("pinned memory", cuMemHostUnregister, w.pinned);
  CALL("registered memory", cuMemFreeHost, block);
  CALL("pinned memory", cuMemFree_v2, reinterpret_cast<CUdeviceptr>(w.pinned));
  CALL("device memory", cuMemFreeHost, reinterpret_cast<void *>(w.memory));
  CALL("in the midst", cuMemFree_v2, w.memory + 256);
  int handle = 0;
  VARY(cuMemGetHandleForAddressRange, &handle, w.memory, World::Bytes,
       CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
  auto parts = zeros<CUmemDecompressParams>();
  VARY(cuMemBatchDecompressAsync, padded(parts), 1, 0, &size, w.stream);
  CALL("of another context", cuCtxSetCurrent, w.other);
  run.before = nullptr;
  CALL("of another context", cuMemsetD8_v2, w.memory, 0, 100);
  CU(cuCtxSynchronize)();
  CALL("of another context", cuMemFree_v2, w.memory);
  CALL("again", cuMemFree_v2, w.memory);
  endUnit();
}

inline void ipc() {
  makeWorld();
  makeDestroyedOnes();
  CUipcEventHandle eventHandle;
  CUipcMemHandle memHandle;
  CUevent event = nullptr, opened = nullptr;
  CUdeviceptr p = 0;
  CUmemoryPool pool = nullptr;
  VARY(cuIpcGetEventHandle, &eventHandle, w.event);
  CU(cuEventCreate)(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  VARY(cuIpcGetEventHandle, &eventHandle, event);
  VARY(cuIpcOpenEventHandle, &opened, eventHandle);
  VARY(cuIpcGetMemHandle, &memHandle, w.memory);
  CALL("in the midst", cuIpcGetMemHandle, &memHandle, w.memory + 256);
  CALL("host memory", cuIpcGetMemHandle, &memHandle, reinterpret_cast<CUdeviceptr>(w.pinned));
  VARY(cuIpcOpenMemHandle, &p, memHandle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  VARY(cuIpcOpenMemHandle_v2, &p, memHandle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  VARY(cuIpcCloseMemHandle, w.memory);
  CU(cuMemAllocManaged)(&p, 4096, CU_MEM_ATTACH_GLOBAL);
  CALL("managed memory", cuIpcGetMemHandle, &memHandle, p);
  CU(cuDeviceGetDefaultMemPool)(&pool, 0);
  CU(cuMemAllocAsync)(&p, 4096, w.stream);
  CALL("memory of a pool", cuIpcGetMemHandle, &memHandle, p);
  endUnit();
}

inline CUmemPoolProps poolProperties() {
  auto props = zeros<CUmemPoolProps>();
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return props;
}

inline void pools() {
  makeWorld();
  makeDestroyedOnes();
  CUmemoryPool pool = nullptr, shared = nullptr, gone = nullptr, initial = nullptr;
  CUdeviceptr p = 0, q = 0;
  auto props = poolProperties();
  CU(cuMemPoolCreate)(&gone, &props);
  CU(cuMemPoolDestroy)(gone);
  Handles<CUmemoryPool>::destroyed = gone;
  VARY(cuMemPoolCreate, &pool, &props);
  fields("cuMemPoolCreate", props, [&](auto &s) { return CU(cuMemPoolCreate)(&gone, &s); },
         {SET(allocType, 0),     SET(allocType, 2),     SET(allocType, -1),
          SET(handleTypes, 1),   SET(handleTypes, 2),   SET(handleTypes, 4),
          SET(handleTypes, 8),   SET(handleTypes, 99),  SET(location.type, 0),
          SET(location.type, 2), SET(location.type, 3), SET(location.type, 4),
          SET(location.type, 9), SET(location.id, -1),  SET(location.id, 1000),
          SET(maxSize, 1),       SET(maxSize, 1 << 20), SET(maxSize, -1),
          SET(usage, 1),         SET(usage, 2),         SET(reserved[0], 1)});
  VARY(cuDeviceGetDefaultMemPool, &initial, 0);
  VARY(cuDeviceGetMemPool, &initial, 0);
  VARY(cuDeviceSetMemPool, 0, pool);
  CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  VARY(cuMemGetDefaultMemPool, &initial, &here, CU_MEM_ALLOCATION_TYPE_PINNED);
  VARY(cuMemGetMemPool, &gone, &here, CU_MEM_ALLOCATION_TYPE_PINNED);
  value("is that which was set", gone == pool);
  VARY(cuMemSetMemPool, &here, CU_MEM_ALLOCATION_TYPE_PINNED, initial);
  fields(
      "cuMemGetDefaultMemPool", here,
      [&](auto &s) { return CU(cuMemGetDefaultMemPool)(&gone, &s, CU_MEM_ALLOCATION_TYPE_PINNED); },
      {SET(type, 0), SET(type, 2), SET(type, 3), SET(type, 4), SET(type, 9), SET(id, -1),
       SET(id, 1000)});
  VARY(cuMemAllocAsync, &p, 100, w.stream);
  VARY(cuMemFreeAsync, p, w.stream);
  CALL("again", cuMemFreeAsync, p, w.stream);
  VARY(cuMemAllocFromPoolAsync, &p, 100, pool, w.stream);
  CALL("in the midst", cuMemFreeAsync, p + 256, w.stream);
  CALL("of a pool", cuMemFree_v2, p);
  CALL("of cuMemAlloc", cuMemFreeAsync, w.second, w.stream);
  VARY(cuMemPoolTrimTo, pool, 0);
  cuuint64_t number = 0;
  int flag = 0;
  VARY(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &number);
  VARY(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &number);
  for (int attribute = 1; attribute <= 12; ++attribute) {
    const CUmemPool_attribute a = static_cast<CUmemPool_attribute>(attribute);
    number = 0;
    CALL("attribute=" + std::to_string(attribute), cuMemPoolGetAttribute, pool, a, &number);
    value("value", attribute == 5 || attribute == 6 || attribute == 8 ? number > 0 : number);
    number = 0;
    CALL("0, attribute=" + std::to_string(attribute), cuMemPoolSetAttribute, pool, a, &number);
    number = 2;
    CALL("2, attribute=" + std::to_string(attribute), cuMemPoolSetAttribute, pool, a, &number);
  }
  CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  VARY(cuMemPoolSetAccess, pool, padded(access), 1);
  fields("cuMemPoolSetAccess", access, [&](auto &s) { return CU(cuMemPoolSetAccess)(pool, &s, 1); },
         {SET(flags, 0), SET(flags, 1), SET(flags, 2), SET(flags, 9), SET(location.type, 0),
          SET(location.type, 2), SET(location.type, 9), SET(location.id, -1),
          SET(location.id, 1000)});
  CUmemAccess_flags flags;
  VARY(cuMemPoolGetAccess, &flags, pool, &here);
  value("flags", flags);
  VARY(cuMemPoolExportToShareableHandle, &flag, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CU(cuMemPoolCreate)(&shared, &props);
  flag = -1;
  VARY(cuMemPoolExportToShareableHandle, &flag, shared, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
       0);
  void *file = reinterpret_cast<void *>(static_cast<intptr_t>(flag));
  CUmemoryPool imported = nullptr;
  VARY(cuMemPoolImportFromShareableHandle, &imported, file,
       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  CU(cuMemAllocFromPoolAsync)(&q, 4096, shared, w.stream);
  CU(cuStreamSynchronize)(w.stream);
  auto data = zeros<CUmemPoolPtrExportData>();
  VARY(cuMemPoolExportPointer, &data, w.memory);
  VARY(cuMemPoolExportPointer, &data, q);
  VARY(cuMemPoolImportPointer, &p, imported, &data);
  CALL("imported", cuMemAllocFromPoolAsync, &p, 100, imported, w.stream);
  CALL("imported", cuMemPoolTrimTo, imported, 0);
  CALL("a default one", cuMemPoolDestroy, initial);
  CALL("imported", cuMemPoolDestroy, imported);
  VARY(cuMemPoolDestroy, pool);
  endUnit();
}

inline CUmemAllocationProp allocationProperties() {
  auto props = zeros<CUmemAllocationProp>();
  props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  props.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return props;
}

inline void virtualMemory() {
  makeWorld();
  auto props = allocationProperties();
  CUmemGenericAllocationHandle handle = 0, again = 0;
  CUdeviceptr p = 0, q = 0;
  size_t unit = 0;
  int file = -1;
  VARY(cuMemGetAllocationGranularity, &unit, &props, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  value("recommended", unit);
  CU(cuMemGetAllocationGranularity)(&unit, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  value("minimum", unit);
  VARY(cuMemAddressReserve, &p, 4 * unit, 0, 0, 0);
  for (size_t alignment : {size_t(1), size_t(3), size_t(4096), unit, 2 * unit, size_t(1) << 40})
    CALL("alignment=" + std::to_string(alignment), cuMemAddressReserve, &q, unit, alignment, 0, 0);
  CALL("odd size", cuMemAddressReserve, &q, unit + 1, 0, 0, 0);
  VARY(cuMemCreate, &handle, unit, &props, 0);
  auto create = [&](auto &s) { return CU(cuMemCreate)(&again, unit, &s, 0); };
  fields("cuMemCreate", props, create,
         {SET(type, 0),
          SET(type, 2),
          SET(type, 9),
          SET(requestedHandleTypes, 0),
          SET(requestedHandleTypes, 2),
          SET(requestedHandleTypes, 4),
          SET(requestedHandleTypes, 8),
          SET(requestedHandleTypes, 99),
          SET(location.type, 0),
          SET(location.type, 2),
          SET(location.type, 3),
          SET(location.type, 9),
          SET(location.id, -1),
          SET(location.id, 1000),
          SET(allocFlags.compressionType, 1),
          SET(allocFlags.compressionType, 9),
          SET(allocFlags.gpuDirectRDMACapable, 1),
          SET(allocFlags.usage, 1),
          SET(allocFlags.usage, 99),
          SET(allocFlags.reserved[0], 1)});
  fields("cuMemGetAllocationGranularity", props,
         [&](auto &s) {
           return CU(cuMemGetAllocationGranularity)(&unit, &s, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
         },
         {SET(type, 0), SET(type, 9), SET(location.type, 0), SET(location.type, 2),
          SET(location.type, 9), SET(location.id, -1), SET(location.id, 1000),
          SET(requestedHandleTypes, 99)});
  CU(cuMemGetAllocationGranularity)(&unit, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  CALL("odd size", cuMemCreate, &again, unit + 1, &props, 0);
  CALL("nothing mapped", cuMemcpyDtoH_v2, w.pageable, p, 100);
  CALL("nothing mapped", cuMemUnmap, p, unit);
  CALL("odd offset", cuMemMap, p, unit, 1, handle, 0);
  CALL("odd size", cuMemMap, p, unit / 2, 0, handle, 0);
  CALL("odd address", cuMemMap, p + 4096, unit, 0, handle, 0);
  CALL("beyond the handle", cuMemMap, p, 2 * unit, 0, handle, 0);
  CALL("beyond the range", cuMemMap, p + 4 * unit, unit, 0, handle, 0);
  VARY(cuMemMap, p, unit, 0, handle, 0);
  CALL("again", cuMemMap, p, unit, 0, handle, 0);
  CALL("the same elsewhere", cuMemMap, p + unit, unit, 0, handle, 0);
  CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  unsigned long long flags = 9;
  VARY(cuMemGetAccess, &flags, &here, p);
  value("flags", flags);
  CALL("without access", cuMemcpyHtoD_v2, p, w.pageable, 100);
  CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  VARY(cuMemSetAccess, p, unit, padded(access), 1);
  fields("cuMemSetAccess", access, [&](auto &s) { return CU(cuMemSetAccess)(p, unit, &s, 1); },
         {SET(flags, 0), SET(flags, 1), SET(flags, 2), SET(flags, 9), SET(location.type, 0),
          SET(location.type, 2), SET(location.type, 3), SET(location.type, 9), SET(location.id, -1),
          SET(location.id, 1000)});
  CALL("half", cuMemSetAccess, p, unit / 2, &access, 1);
  CALL("not mapped", cuMemSetAccess, p + 2 * unit, unit, &access, 1);
  CALL("both", cuMemSetAccess, p, 2 * unit, &access, 1);
  CU(cuMemGetAccess)(&flags, &here, p);
  value("flags", flags);
  CALL("mapped", cuMemcpyHtoD_v2, p, w.pageable, 100);
  CALL("over the seam", cuMemcpyHtoD_v2, p + unit - 50, w.pageable, 100);
  CALL("beyond what is mapped", cuMemcpyHtoD_v2, p + 2 * unit - 50, w.pageable, 100);
  CALL("mapped", cuMemFree_v2, p);
  VARY(cuMemRetainAllocationHandle, &again, reinterpret_cast<void *>(p));
  value("is the same", again == handle);
  CALL("in the midst", cuMemRetainAllocationHandle, &again, reinterpret_cast<void *>(p + 100));
  CALL("device memory", cuMemRetainAllocationHandle, &again, reinterpret_cast<void *>(w.memory));
  VARY(cuMemGetAllocationPropertiesFromHandle, &props, handle);
  VARY(cuMemExportToShareableHandle, &file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  VARY(cuMemImportFromShareableHandle, &again,
       reinterpret_cast<void *>(static_cast<intptr_t>(file)),
       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  CALL("mapped", cuMemAddressFree, p, 4 * unit);
  CALL("half", cuMemUnmap, p, unit / 2);
  VARY(cuMemUnmap, p, unit);
  CALL("again", cuMemUnmap, p, unit);
  CU(cuMemUnmap)(p + unit, unit);
  CALL("part", cuMemAddressFree, p, unit);
  VARY(cuMemAddressFree, p, 4 * unit);
  CALL("again", cuMemAddressFree, p, 4 * unit);
  VARY(cuMemRelease, handle);
  auto map = zeros<CUarrayMapInfo>();
  VARY(cuMemMapArrayAsync, padded(map), 1, w.stream);
  auto cast = zeros<CUmulticastObjectProp>();
  cast.numDevices = 1, cast.size = unit,
  cast.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  VARY(cuMulticastGetGranularity, &unit, &cast, CU_MULTICAST_GRANULARITY_MINIMUM);
  VARY(cuMulticastCreate, nullptr, &cast);
  endUnit();
}

inline void arrays() {
  makeWorld();
  makeDestroyedOnes();
  CUarray array = nullptr, plane = nullptr;
  CUmipmappedArray levels = nullptr;
  CUDA_ARRAY_DESCRIPTOR flat = {32, 32, CU_AD_FORMAT_FLOAT, 1};
  CUDA_ARRAY_DESCRIPTOR_v1 old = {32, 32, CU_AD_FORMAT_FLOAT, 1};
  CUDA_ARRAY3D_DESCRIPTOR_v1 oldCube = {32, 32, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  auto whole = cube(32, 32, 0);
  VARY(cuArrayCreate, &array, &old);
  VARY(cuArrayCreate_v2, &array, &flat);
  VARY(cuArrayGetDescriptor, &old, array);
  VARY(cuArrayGetDescriptor_v2, &flat, array);
  VARY(cuArray3DGetDescriptor, &oldCube, array);
  VARY(cuArray3DGetDescriptor_v2, &whole, array);
  value("depth", whole.Depth);
  VARY(cuArrayDestroy, array);
  fields("cuArrayCreate_v2", flat, [&](auto &s) { return CU(cuArrayCreate_v2)(&array, &s); },
         {SET(Width, 0),       SET(Width, 1),       SET(Width, 131072),  SET(Width, 131073),
          SET(Width, -1),      SET(Height, 0),      SET(Height, 65536),  SET(Height, 65537),
          SET(Height, 200000), SET(NumChannels, 0), SET(NumChannels, 2), SET(NumChannels, 3),
          SET(NumChannels, 4), SET(NumChannels, 5), SET(Format, 0),      SET(Format, 2),
          SET(Format, 3),      SET(Format, 4),      SET(Format, 8),      SET(Format, 9),
          SET(Format, 0x10),   SET(Format, 0x20),   SET(Format, 0x40),   SET(Format, 0xb0),
          SET(Format, 0xc0),   SET(Format, -1)});
  VARY(cuArray3DCreate, &array, &oldCube);
  VARY(cuArray3DCreate_v2, &array, &whole);
  auto create = [&](auto &s) { return CU(cuArray3DCreate_v2)(&array, &s); };
  fields("cuArray3DCreate_v2 8x8x8", cube(8, 8, 8), create,
         {SET(Flags, 0),     SET(Width, 0),     SET(Height, 0),     SET(Depth, 0),
          SET(Width, 16384), SET(Width, 16385), SET(Height, 16385), SET(Depth, 16385),
          SET(Flags, 1),     SET(Flags, 2),     SET(Flags, 4),      SET(Flags, 5),
          SET(Flags, 6),     SET(Flags, 8),     SET(Flags, 0x10),   SET(Flags, 0x20),
          SET(Flags, 0x40),  SET(Flags, 0x80),  SET(Flags, 0x100),  SET(Flags, 0x200),
          SET(Flags, -1)});
  fields("cuArray3DCreate_v2 8", cube(8, 0, 0), create,
         {SET(Flags, 0), SET(Width, 131073), SET(Flags, 1), SET(Flags, 2), SET(Flags, 4),
          SET(Flags, 8)});
  fields("cuArray3DCreate_v2 layers", cube(8, 8, 8, CUDA_ARRAY3D_LAYERED), create,
         {SET(Depth, 0), SET(Depth, 2048), SET(Depth, 2049), SET(Height, 0), SET(Width, 32769),
          SET(Height, 32769)});
  fields(
      "cuArray3DCreate_v2 cubemap", cube(8, 8, 6, CUDA_ARRAY3D_CUBEMAP), create,
      {SET(Depth, 6), SET(Depth, 5), SET(Depth, 12), SET(Height, 4), SET(Width, 0), SET(Flags, 5)});
  fields("cuArray3DCreate_v2 cubemap layers",
         cube(8, 8, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED), create,
         {SET(Depth, 12), SET(Depth, 0), SET(Depth, 13), SET(Depth, 2046), SET(Depth, 2052),
          SET(Height, 4)});
  fields("cuArray3DCreate_v2 gather", cube(8, 8, 0, CUDA_ARRAY3D_TEXTURE_GATHER), create,
         {SET(Depth, 0), SET(Depth, 8), SET(Height, 0), SET(Width, 32768), SET(Width, 32769),
          SET(Flags, 10)});
  VARY(cuMipmappedArrayCreate, &levels, &whole, 3);
  for (unsigned n : {1u, 6u, 7u, 100u})
    CALL("levels=" + std::to_string(n), cuMipmappedArrayCreate, &levels, &whole, n);
  fields("cuMipmappedArrayCreate", whole,
         [&](auto &s) { return CU(cuMipmappedArrayCreate)(&levels, &s, 2); },
         {SET(Width, 0), SET(Height, 0), SET(NumChannels, 3), SET(Format, 0), SET(Flags, 1),
          SET(Flags, 2), SET(Flags, 4), SET(Flags, 8), SET(Flags, 0x40), SET(Depth, 8)});
  CU(cuMipmappedArrayCreate)(&levels, &whole, 3);
  VARY(cuMipmappedArrayGetLevel, &plane, levels, 2);
  CALL("a level", cuArrayDestroy, plane);
  VARY(cuArrayGetPlane, &plane, array, 0);
  auto sparse = zeros<CUDA_ARRAY_SPARSE_PROPERTIES>();
  auto needs = zeros<CUDA_ARRAY_MEMORY_REQUIREMENTS>();
  VARY(cuArrayGetSparseProperties, &sparse, array);
  VARY(cuMipmappedArrayGetSparseProperties, &sparse, levels);
  VARY(cuArrayGetMemoryRequirements, &needs, array, 0);
  VARY(cuMipmappedArrayGetMemoryRequirements, &needs, levels, 0);
  VARY(cuMipmappedArrayDestroy, levels);
  endUnit();
}
