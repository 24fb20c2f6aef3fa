// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "world.h"

inline void copies() {
  makeWorld();
  makeDestroyedOnes();
  const CUdeviceptr p = w.memory, q = w.second, host = reinterpret_cast<CUdeviceptr>(w.pinned);
  CUarray array = nullptr;
  auto line = cube(1024, 0, 0);
  CU(cuArray3DCreate_v2)(&array, &line);
  VARY(cuMemcpy, p, q, 100);
  VARY(cuMemcpyPeer, p, w.context, q, w.other, 100);
  VARY(cuMemcpyHtoD_v2, p, w.pinned, 100);
  VARY(cuMemcpyDtoH_v2, w.pinned, p, 100);
  VARY(cuMemcpyDtoD_v2, p, q, 100);
  VARY(cuMemcpyDtoA_v2, array, 16, p, 64);
  VARY(cuMemcpyAtoD_v2, p, array, 16, 64);
  VARY(cuMemcpyHtoA, array, 16, w.pinned, 64);
  VARY(cuMemcpyHtoA_v2, array, 16, w.pinned, 64);
  VARY(cuMemcpyAtoH, w.pinned, array, 16, 64);
  VARY(cuMemcpyAtoH_v2, w.pinned, array, 16, 64);
  VARY(cuMemcpyAtoA, array, 0, array, 1024, 64);
  VARY(cuMemcpyAtoA_v2, array, 0, array, 1024, 64);
  VARY(cuMemcpyAsync, p, q, 100, w.stream);
  VARY(cuMemcpyPeerAsync, p, w.context, q, w.other, 100, w.stream);
  VARY(cuMemcpyHtoDAsync_v2, p, w.pinned, 100, w.stream);
  VARY(cuMemcpyDtoHAsync_v2, w.pinned, p, 100, w.stream);
  VARY(cuMemcpyDtoDAsync_v2, p, q, 100, w.stream);
  VARY(cuMemcpyHtoAAsync, array, 16, w.pinned, 64, w.stream);
  VARY(cuMemcpyHtoAAsync_v2, array, 16, w.pinned, 64, w.stream);
  VARY(cuMemcpyAtoHAsync, w.pinned, array, 16, 64, w.stream);
  VARY(cuMemcpyAtoHAsync_v2, w.pinned, array, 16, 64, w.stream);
  CALL("beyond the end", cuMemcpy, p, q, World::Bytes + 1);
  CALL("beyond the end", cuMemcpyDtoD_v2, p + 100, q, World::Bytes);
  CALL("beyond the end", cuMemcpyDtoD_v2, p, q + 100, World::Bytes);
  CALL("beyond the end", cuMemcpyHtoDAsync_v2, p + World::Bytes - 50, w.pinned, 100, w.stream);
  CALL("host to host", cuMemcpyHtoD_v2, host, w.pageable, 100);
  CALL("host to host", cuMemcpyDtoH_v2, w.pageable, host, 100);
  CALL("host to host", cuMemcpyDtoD_v2, host, host + 1000, 100);
  CALL("device as host", cuMemcpyHtoD_v2, p, reinterpret_cast<void *>(q), 100);
  CALL("device as host", cuMemcpyDtoH_v2, reinterpret_cast<void *>(q), p, 100);
  CALL("pageable as device", cuMemcpyDtoD_v2, p, reinterpret_cast<CUdeviceptr>(w.pageable), 100);
  CALL("the array's end", cuMemcpyHtoA_v2, array, 4096 - 64, w.pinned, 64);
  CALL("beyond the array", cuMemcpyHtoA_v2, array, 4096 - 60, w.pinned, 64);
  CALL("odd offset", cuMemcpyHtoA_v2, array, 2, w.pinned, 64);
  CALL("odd size", cuMemcpyHtoA_v2, array, 0, w.pinned, 63);
  endUnit();
}

inline CUDA_MEMCPY2D flatCopy() {
  auto c = zeros<CUDA_MEMCPY2D>();
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.srcDevice = w.memory, c.dstDevice = w.second;
  c.srcPitch = c.dstPitch = 256;
  c.WidthInBytes = 100, c.Height = 8;
  return c;
}
template <class Box> Box boxCopy() {
  Box c = zeros<Box>();
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.srcDevice = w.memory, c.dstDevice = w.second;
  c.srcPitch = c.dstPitch = 256, c.srcHeight = c.dstHeight = 16;
  c.WidthInBytes = 100, c.Height = 8, c.Depth = 4;
  return c;
}

template <class F> void flatCopies(const char *name, CUarray array, F &&call) {
  auto good = flatCopy();
  fields(name, good, call,
         {SET(WidthInBytes, 0),
          SET(WidthInBytes, 256),
          SET(WidthInBytes, 257),
          SET(WidthInBytes, -1),
          SET(Height, 0),
          SET(Height, 256),
          SET(Height, 257),
          SET(Height, -1),
          SET(srcXInBytes, 156),
          SET(srcXInBytes, 157),
          SET(srcY, 248),
          SET(srcY, 249),
          SET(dstXInBytes, 157),
          SET(dstY, 249),
          SET(srcPitch, 0),
          SET(srcPitch, 99),
          SET(srcPitch, 101),
          SET(srcPitch, -1),
          SET(srcPitch, size_t(1) << 32),
          SET(dstPitch, 0),
          SET(dstPitch, 99),
          SET(dstPitch, 101),
          SET(srcMemoryType, 0),
          SET(srcMemoryType, 1),
          SET(srcMemoryType, 3),
          SET(srcMemoryType, 4),
          SET(srcMemoryType, 5),
          SET(dstMemoryType, 0),
          SET(dstMemoryType, 3),
          SET(dstMemoryType, 4),
          SET(dstMemoryType, 5),
          SET(srcDevice, 0),
          SET(dstDevice, 0),
          SET(srcDevice, 8)});
  good.srcMemoryType = CU_MEMORYTYPE_ARRAY, good.srcArray = array;
  fields((std::string(name) + " from an array").c_str(), good, call,
         {SET(srcY, 0), SET(srcXInBytes, 28), SET(srcXInBytes, 29), SET(srcXInBytes, 2),
          SET(WidthInBytes, 128), SET(WidthInBytes, 99), SET(srcY, 24), SET(srcY, 25),
          SET(srcArray, nullptr), SET(srcPitch, 0)});
  good.srcMemoryType = CU_MEMORYTYPE_HOST, good.srcHost = w.pinned;
  fields((std::string(name) + " from the host").c_str(), good, call,
         {SET(srcY, 0), SET(srcHost, nullptr), SET(srcPitch, 0), SET(srcPitch, 99)});
}
template <class F, class Box> void boxCopies(const char *name, Box good, CUarray array, F &&call) {
  fields(
      name, good, call,
      {SET(WidthInBytes, 0),  SET(WidthInBytes, 257), SET(WidthInBytes, -1), SET(Height, 0),
       SET(Height, 17),       SET(Height, -1),        SET(Depth, 0),         SET(Depth, 16),
       SET(Depth, 17),        SET(Depth, -1),         SET(srcXInBytes, 157), SET(srcY, 9),
       SET(srcZ, 12),         SET(srcZ, 13),          SET(dstXInBytes, 157), SET(dstY, 9),
       SET(dstZ, 13),         SET(srcLOD, 1),         SET(dstLOD, 1),        SET(srcPitch, 0),
       SET(srcPitch, 99),     SET(srcPitch, 101),     SET(dstPitch, 0),      SET(dstPitch, 99),
       SET(srcHeight, 0),     SET(srcHeight, 7),      SET(dstHeight, 0),     SET(dstHeight, 7),
       SET(srcMemoryType, 0), SET(srcMemoryType, 3),  SET(srcMemoryType, 4), SET(srcMemoryType, 5),
       SET(dstMemoryType, 0), SET(dstMemoryType, 3),  SET(dstMemoryType, 4), SET(dstMemoryType, 5),
       SET(srcDevice, 0),     SET(dstDevice, 0)});
  good.dstMemoryType = CU_MEMORYTYPE_ARRAY, good.dstArray = array, good.WidthInBytes = 32;
  fields((std::string(name) + " to an array").c_str(), good, call,
         {SET(dstY, 0), SET(WidthInBytes, 33), SET(WidthInBytes, 31), SET(Height, 9), SET(Depth, 9),
          SET(dstXInBytes, 4), SET(dstXInBytes, 2), SET(dstZ, 5), SET(dstLOD, 1),
          SET(dstArray, nullptr)});
}

inline void flatAndBoxCopies() {
  makeWorld();
  makeDestroyedOnes();
  CUarray flat = nullptr, box = nullptr;
  auto plane = cube(32, 32, 0), solid = cube(8, 8, 8);
  CU(cuArray3DCreate_v2)(&flat, &plane);
  CU(cuArray3DCreate_v2)(&box, &solid);
  flatCopies("cuMemcpy2D_v2", flat, [](auto &s) { return CU(cuMemcpy2D_v2)(&s); });
  flatCopies("cuMemcpy2DUnaligned_v2", flat,
             [](auto &s) { return CU(cuMemcpy2DUnaligned_v2)(&s); });
  flatCopies("cuMemcpy2DAsync_v2", flat,
             [](auto &s) { return CU(cuMemcpy2DAsync_v2)(&s, w.stream); });
  auto peers = boxCopy<CUDA_MEMCPY3D_PEER>();
  peers.srcContext = w.context, peers.dstContext = w.other;
  boxCopies("cuMemcpy3D_v2", boxCopy<CUDA_MEMCPY3D>(), box,
            [](auto &s) { return CU(cuMemcpy3D_v2)(&s); });
  boxCopies("cuMemcpy3DAsync_v2", boxCopy<CUDA_MEMCPY3D>(), box,
            [](auto &s) { return CU(cuMemcpy3DAsync_v2)(&s, w.stream); });
  boxCopies("cuMemcpy3DPeer", peers, box, [](auto &s) { return CU(cuMemcpy3DPeer)(&s); });
  fields("cuMemcpy3DPeer", peers, [](auto &s) { return CU(cuMemcpy3DPeer)(&s); },
         {SET(srcContext, nullptr), SET(dstContext, nullptr)});
  fields("cuMemcpy3DPeerAsync", peers,
         [](auto &s) { return CU(cuMemcpy3DPeerAsync)(&s, w.stream); },
         {SET(srcContext, nullptr), SET(dstContext, nullptr), SET(Depth, 0), SET(srcZ, 13),
          SET(srcMemoryType, 0)});
  auto plain = flatCopy();
  auto solidCopy = boxCopy<CUDA_MEMCPY3D>();
  VARY(cuMemcpy2D_v2, &plain);
  VARY(cuMemcpy2DUnaligned_v2, &plain);
  VARY(cuMemcpy2DAsync_v2, &plain, w.stream);
  VARY(cuMemcpy3D_v2, &solidCopy);
  VARY(cuMemcpy3DAsync_v2, &solidCopy, w.stream);
  VARY(cuMemcpy3DPeer, &peers);
  VARY(cuMemcpy3DPeerAsync, &peers, w.stream);
  endUnit();
}

inline void batches() {
  makeWorld();
  makeDestroyedOnes();
  CUdeviceptr to[4] = {w.second, w.second + 4096}, from[4] = {w.memory, w.memory + 4096};
  size_t sizes[4] = {100, 200}, starts[4] = {0}, failed = 77;
  auto attributes = zeros<CUmemcpyAttributes>();
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  VARY(cuMemcpyBatchAsync, to, from, sizes, 2, padded(attributes), starts, 1, &failed, w.stream);
  VARY(cuMemcpyBatchAsync_v2, to, from, sizes, 2, padded(attributes), starts, 1, w.stream);
  auto call = [&](auto &s) {
    return CU(cuMemcpyBatchAsync_v2)(to, from, sizes, 2, &s, starts, 1, w.stream);
  };
  fields("cuMemcpyBatchAsync_v2", attributes, call,
         {SET(srcAccessOrder, 0), SET(srcAccessOrder, 2), SET(srcAccessOrder, 3),
          SET(srcAccessOrder, 4), SET(srcAccessOrder, -1), SET(flags, 1), SET(flags, 2),
          SET(flags, 99), SET(srcLocHint.type, 1), SET(srcLocHint.type, 9),
          SET(dstLocHint.type, 9)});
  sizes[1] = World::Bytes;
  CALL("beyond the end", cuMemcpyBatchAsync, to, from, sizes, 2, &attributes, starts, 1, &failed,
       w.stream);
  value("failed", failed);
  sizes[1] = 0;
  CALL("of nothing", cuMemcpyBatchAsync_v2, to, from, sizes, 2, &attributes, starts, 1, w.stream);
  starts[0] = 1;
  CALL("the first has no attributes", cuMemcpyBatchAsync_v2, to, from, sizes, 2, &attributes,
       starts, 1, w.stream);
  CUDA_MEMCPY3D_BATCH_OP box = zeros<CUDA_MEMCPY3D_BATCH_OP>();
  box.src.type = box.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  box.src.op.ptr.ptr = w.memory, box.dst.op.ptr.ptr = w.second;
  box.extent = {64, 8, 2};
  box.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  VARY(cuMemcpy3DBatchAsync, 1, padded(box), &failed, 0, w.stream);
  VARY(cuMemcpy3DBatchAsync_v2, 1, padded(box), 0, w.stream);
  fields("cuMemcpy3DBatchAsync_v2", box,
         [](auto &s) { return CU(cuMemcpy3DBatchAsync_v2)(1, &s, 0, w.stream); },
         {SET(src.type, 0), SET(src.type, 2), SET(src.type, 9), SET(dst.type, 9),
          SET(extent.width, 0), SET(extent.height, 0), SET(extent.depth, 0),
          SET(extent.width, 100000), SET(src.op.ptr.ptr, 0), SET(src.op.ptr.rowLength, 32),
          SET(src.op.ptr.rowLength, 128), SET(src.op.ptr.layerHeight, 4), SET(srcAccessOrder, 0),
          SET(srcAccessOrder, 9), SET(flags, 1), SET(flags, 99)});
  endUnit();
}

inline void fills() {
  makeWorld();
  makeDestroyedOnes();
  const CUdeviceptr p = w.memory;
  VARY(cuMemsetD8_v2, p, 1, 100);
  VARY(cuMemsetD16_v2, p, 1, 100);
  VARY(cuMemsetD32_v2, p, 1, 100);
  VARY(cuMemsetD2D8_v2, p, 256, 1, 100, 10);
  VARY(cuMemsetD2D16_v2, p, 256, 1, 100, 10);
  VARY(cuMemsetD2D32_v2, p, 256, 1, 60, 10);
  VARY(cuMemsetD8Async, p, 1, 100, w.stream);
  VARY(cuMemsetD16Async, p, 1, 100, w.stream);
  VARY(cuMemsetD32Async, p, 1, 100, w.stream);
  VARY(cuMemsetD2D8Async, p, 256, 1, 100, 10, w.stream);
  VARY(cuMemsetD2D16Async, p, 256, 1, 100, 10, w.stream);
  VARY(cuMemsetD2D32Async, p, 256, 1, 60, 10, w.stream);
  CALL("odd address", cuMemsetD16_v2, p + 1, 1, 10);
  CALL("odd address", cuMemsetD32_v2, p + 2, 1, 10);
  CALL("odd address", cuMemsetD16Async, p + 1, 1, 10, w.stream);
  CALL("odd pitch", cuMemsetD2D16_v2, p, 255, 1, 100, 2);
  CALL("odd pitch", cuMemsetD2D32_v2, p, 254, 1, 10, 2);
  CALL("a pitch below the width", cuMemsetD2D8_v2, p, 99, 1, 100, 2);
  CALL("a pitch below the width, one row", cuMemsetD2D8_v2, p, 99, 1, 100, 1);
  CALL("the whole", cuMemsetD8_v2, p, 1, World::Bytes);
  CALL("beyond the end", cuMemsetD8_v2, p, 1, World::Bytes + 1);
  CALL("beyond the end", cuMemsetD32_v2, p, 1, World::Bytes / 4 + 1);
  CALL("beyond the end", cuMemsetD2D8_v2, p, 256, 1, 100, 257);
  CALL("beyond the end", cuMemsetD8Async, p, 1, World::Bytes + 1, w.stream);
  CALL("pinned memory", cuMemsetD8_v2, reinterpret_cast<CUdeviceptr>(w.pinned), 1, 100);
  CALL("pageable memory", cuMemsetD8_v2, reinterpret_cast<CUdeviceptr>(w.pageable), 1, 100);
  endUnit();
}
