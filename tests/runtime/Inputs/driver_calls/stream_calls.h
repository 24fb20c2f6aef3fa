// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "world.h"

#include <sys/eventfd.h>

inline void streams() {
  makeWorld();
  makeDestroyedOnes();
  CUstream stream = nullptr;
  unsigned flags = 0;
  int n = 0;
  unsigned long long id = 0;
  CUcontext context = nullptr;
  CUgreenCtx green = nullptr;
  CUdevice device = 9;
  VARY(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  VARY(cuStreamCreateWithPriority, &stream, 0, -1);
  for (int priority : {-6, -5, -1, 0, 1}) {
    CALL("priority=" + std::to_string(priority), cuStreamCreateWithPriority, &stream, 0, priority);
    CU(cuStreamGetPriority)(stream, &n);
    value("priority", n);
  }
  VARY(cuStreamGetPriority, w.stream, &n);
  VARY(cuStreamGetDevice, w.stream, &device);
  VARY(cuStreamGetFlags, w.stream, &flags);
  VARY(cuStreamGetId, w.stream, &id);
  VARY(cuStreamGetCtx, w.stream, &context);
  VARY(cuStreamGetCtx_v2, w.stream, &context, &green);
  for (CUstream s : {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    const std::string name = s == CU_STREAM_LEGACY ? "legacy" : "per thread";
    CALL(name, cuStreamGetPriority, s, &n);
    CALL(name, cuStreamGetFlags, s, &flags);
    value("flags", flags);
    CALL(name, cuStreamGetId, s, &id);
    CALL(name, cuStreamGetCtx, s, &context);
    CALL(name, cuStreamQuery, s);
    CALL(name, cuStreamSynchronize, s);
    CALL(name, cuEventRecord, w.event, s);
    CALL(name, cuStreamWaitEvent, s, w.event, 0);
    CALL(name, cuStreamDestroy_v2, s);
  }
  VARY(cuStreamWaitEvent, w.stream, w.event, 0);
  CALL("external", cuStreamWaitEvent, w.stream, w.event, CU_EVENT_WAIT_EXTERNAL);
  auto heard = [](CUstream, CUresult, void *) {};
  VARY(cuStreamAddCallback, w.stream, static_cast<CUstreamCallback>(heard), nullptr, 0);
  VARY(cuStreamQuery, nullptr);
  VARY(cuStreamSynchronize, w.stream);
  CU(cuStreamCreate)(&stream, 0);
  VARY(cuStreamCopyAttributes, stream, w.stream);
  CALL("onto itself", cuStreamCopyAttributes, stream, stream);
  auto attribute = zeros<CUstreamAttrValue>();
  VARY(cuStreamGetAttribute, w.stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &attribute);
  attribute.syncPolicy = CU_SYNC_POLICY_YIELD;
  VARY(cuStreamSetAttribute, w.stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &attribute);
  for (int id : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16}) {
    std::memset(static_cast<void *>(&attribute), 0, sizeof attribute);
    CALL("attribute=" + std::to_string(id), cuStreamGetAttribute, w.stream,
         static_cast<CUstreamAttrID>(id), &attribute);
    CALL("attribute=" + std::to_string(id), cuStreamSetAttribute, w.stream,
         static_cast<CUstreamAttrID>(id), &attribute);
  }
  auto hostCall = [](void *) {};
  VARY(cuLaunchHostFunc, w.stream, static_cast<CUhostFn>(hostCall), nullptr);
  VARY(cuStreamDestroy, stream);
  VARY(cuStreamDestroy_v2, w.stream);
  endUnit();
}

inline void events() {
  makeWorld();
  makeDestroyedOnes();
  CUevent event = nullptr, other = nullptr, untimed = nullptr, shared = nullptr;
  float ms = 0;
  VARY(cuEventCreate, &event, 0);
  for (unsigned flags : {1u, 2u, 3u, 4u, 6u, 7u, 8u, 16u})
    CALL("flags=" + std::to_string(flags), cuEventCreate, &other, flags);
  CU(cuEventCreate)(&other, 0);
  CU(cuEventCreate)(&untimed, CU_EVENT_DISABLE_TIMING);
  CU(cuEventCreate)(&shared, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
  CALL("not recorded", cuEventElapsedTime, &ms, event, other);
  CALL("not recorded", cuStreamWaitEvent, w.stream, event, 0);
  VARY(cuEventRecord, event, w.stream);
  VARY(cuEventRecordWithFlags, other, w.stream, 0);
  CALL("external", cuEventRecordWithFlags, other, w.stream, CU_EVENT_RECORD_EXTERNAL);
  CU(cuCtxSynchronize)();
  VARY(cuEventQuery, event);
  VARY(cuEventSynchronize, event);
  VARY(cuEventElapsedTime, &ms, event, other);
  VARY(cuEventElapsedTime_v2, &ms, event, other);
  CU(cuEventRecord)(untimed, w.stream);
  CU(cuEventRecord)(shared, w.stream);
  CU(cuCtxSynchronize)();
  CALL("without times", cuEventElapsedTime_v2, &ms, event, untimed);
  CALL("of processes", cuEventElapsedTime_v2, &ms, shared, event);
  VARY(cuEventDestroy, event);
  VARY(cuEventDestroy_v2, other);
  endUnit();
}

inline void captures() {
  makeWorld();
  makeDestroyedOnes();
  CUgraph graph = nullptr, target = nullptr;
  CUgraphNode node = nullptr;
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  const CUgraphNode *dependencies = nullptr;
  const CUgraphEdgeData *edges = nullptr;
  size_t count = 0;
  CUevent outside = nullptr;
  CU(cuEventCreate)(&outside, 0);
  VARY(cuStreamIsCapturing, w.stream, &status);
  CALL("not begun", cuStreamEndCapture, w.stream, &graph);
  CALL("not begun", cuStreamUpdateCaptureDependencies, w.stream, nullptr, 0, 0);
  VARY(cuStreamBeginCapture, w.stream);
  VARY(cuStreamEndCapture, w.stream, &graph);
  VARY(cuStreamBeginCapture_v2, w.stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  CALL("legacy", cuStreamBeginCapture_v2, CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_RELAXED);
  VARY(cuStreamGetCaptureInfo, w.stream, &status, &id);
  VARY(cuStreamGetCaptureInfo_v2, w.stream, &status, &id, &target, &dependencies, &count);
  VARY(cuStreamGetCaptureInfo_v3, w.stream, &status, &id, &target, &dependencies, &edges, &count);
  value("status", status);
  CU(cuGraphAddEmptyNode)(&node, target, nullptr, 0);
  VARY(cuStreamUpdateCaptureDependencies, w.stream, padded(node), 1,
       CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  VARY(cuStreamUpdateCaptureDependencies_v2, w.stream, padded(node), nullptr, 1,
       CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  CALL("captured", cuStreamQuery, w.stream);
  CALL("the graph of a capture", cuGraphDestroy, target);
  VARY(cuStreamEndCapture, w.stream, &graph);
  // What a capture in global mode forbids, each in a capture of its own.
  CUdeviceptr p = 0;
  size_t bytes = 0;
  CUstream second = nullptr;
  CU(cuStreamCreate)(&second, 0);
  struct {
    const char *name;
    std::function<CUresult()> call;
  } const others[] = {
      {"cuMemAlloc", [&] { return CU(cuMemAlloc_v2)(&p, 100); }},
      {"cuMemFree", [&] { return CU(cuMemFree_v2)(w.second); }},
      {"cuMemAllocHost", [&] { return CU(cuMemAllocHost_v2)(&w.pinned, 100); }},
      {"cuMemGetInfo", [&] { return CU(cuMemGetInfo_v2)(&bytes, &bytes); }},
      {"cuCtxSynchronize", [&] { return CU(cuCtxSynchronize)(); }},
      {"cuStreamSynchronize", [&] { return CU(cuStreamSynchronize)(w.stream); }},
      {"cuStreamSynchronize of another", [&] { return CU(cuStreamSynchronize)(second); }},
      {"cuStreamQuery", [&] { return CU(cuStreamQuery)(w.stream); }},
      {"cuStreamQuery of another", [&] { return CU(cuStreamQuery)(second); }},
      {"cuStreamQuery of the null stream", [&] { return CU(cuStreamQuery)(nullptr); }},
      {"cuEventQuery", [&] { return CU(cuEventQuery)(w.event); }},
      {"cuEventQuery of another", [&] { return CU(cuEventQuery)(outside); }},
      {"cuEventSynchronize", [&] { return CU(cuEventSynchronize)(w.event); }},
      {"cuMemcpy", [&] { return CU(cuMemcpy)(w.memory, w.second, 100); }},
      {"cuMemsetD8", [&] { return CU(cuMemsetD8_v2)(w.memory, 0, 100); }},
      {"cuMemsetD8Async", [&] { return CU(cuMemsetD8Async)(w.memory, 0, 100, w.stream); }},
      {"cuMemsetD8Async elsewhere", [&] { return CU(cuMemsetD8Async)(w.memory, 0, 100, second); }},
      {"cuMemsetD8Async in the null stream",
       [&] { return CU(cuMemsetD8Async)(w.memory, 0, 100, nullptr); }},
      {"cuMemcpyAsync from pageable memory",
       [&] { return CU(cuMemcpyHtoDAsync_v2)(w.memory, w.pageable, 100, w.stream); }},
      {"cuStreamWaitEvent of what was not captured",
       [&] { return CU(cuStreamWaitEvent)(w.stream, outside, 0); }},
      {"cuStreamAddCallback",
       [&] {
         return CU(cuStreamAddCallback)(w.stream, [](CUstream, CUresult, void *) {}, nullptr, 0);
       }},
      {"cuStreamDestroy", [&] { return CU(cuStreamDestroy_v2)(w.stream); }},
      {"cuMemAllocAsync", [&] { return CU(cuMemAllocAsync)(&p, 100, w.stream); }},
      {"cuModuleLoad", [&] { return CU(cuModuleLoad)(&w.module, moduleFile); }},
      {"cuCtxSetLimit", [&] { return CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, 2048); }},
      {"cuStreamCreate", [&] { return CU(cuStreamCreate)(&second, 0); }},
      {"cuEventCreate", [&] { return CU(cuEventCreate)(&outside, 0); }}};
  for (auto mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED})
    for (auto &other : others) {
      if (run.isRisky)
        break;
      CU(cuStreamCreate)(&w.stream, 0);
      CU(cuStreamBeginCapture_v2)(w.stream, mode);
      CU(cuEventRecord)(w.event, w.stream);
      const std::string name = std::string("under ") +
                               (mode == CU_STREAM_CAPTURE_MODE_GLOBAL ? "global" : "relaxed") +
                               " capture, " + other.name;
      attempt(name, other.call);
      attempt(name + ", cuStreamEndCapture",
              [&] { return CU(cuStreamEndCapture)(w.stream, &graph); });
    }
  CU(cuStreamCreate)(&w.stream, 0);
  CU(cuGraphCreate)(&target, 0);
  CU(cuGraphAddEmptyNode)(&node, target, nullptr, 0);
  VARY(cuStreamBeginCaptureToGraph, w.stream, target, padded(node), nullptr, 1,
       CU_STREAM_CAPTURE_MODE_RELAXED);
  CALL("again", cuStreamBeginCaptureToGraph, w.stream, target, nullptr, nullptr, 0,
       CU_STREAM_CAPTURE_MODE_RELAXED);
  CALL("into a graph", cuStreamEndCapture, w.stream, &graph);
  value("is the same", graph == target);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  VARY(cuThreadExchangeStreamCaptureMode, &mode);
  value("mode", mode);
  mode = static_cast<CUstreamCaptureMode>(9);
  CALL("mode=9", cuThreadExchangeStreamCaptureMode, &mode);
  endUnit();
}

inline void externals() {
  makeWorld();
  makeDestroyedOnes();
  CUexternalMemory memory = nullptr;
  CUexternalSemaphore semaphore = nullptr;
  CUdeviceptr p = 0;
  CUmipmappedArray array = nullptr;
  auto memoryHandle = zeros<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>();
  memoryHandle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  memoryHandle.handle.fd = -1;
  memoryHandle.size = 4096;
  VARY(cuImportExternalMemory, &memory, &memoryHandle);
  fields("cuImportExternalMemory", memoryHandle,
         [&](auto &s) { return CU(cuImportExternalMemory)(&memory, &s); },
         {SET(type, 0), SET(type, 2), SET(type, 4), SET(type, 8), SET(type, 9), SET(type, 99),
          SET(size, 0), SET(flags, 1), SET(flags, 99)});
  memory = nullptr;
  auto buffer = zeros<CUDA_EXTERNAL_MEMORY_BUFFER_DESC>();
  buffer.size = 4096;
  auto levels = zeros<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC>();
  levels.arrayDesc = cube(16, 16, 0), levels.numLevels = 1;
  VARY(cuExternalMemoryGetMappedBuffer, &p, memory, &buffer);
  VARY(cuExternalMemoryGetMappedMipmappedArray, &array, memory, &levels);
  VARY(cuDestroyExternalMemory, memory);
  auto semaphoreHandle = zeros<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>();
  semaphoreHandle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  semaphoreHandle.handle.fd = -1;
  VARY(cuImportExternalSemaphore, &semaphore, &semaphoreHandle);
  fields("cuImportExternalSemaphore", semaphoreHandle,
         [&](auto &s) { return CU(cuImportExternalSemaphore)(&semaphore, &s); },
         {SET(type, 0), SET(type, 2), SET(type, 4), SET(type, 6), SET(type, 9), SET(type, 99),
          SET(flags, 1)});
  semaphore = nullptr;
  auto signal = zeros<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>();
  auto wait = zeros<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>();
  VARY(cuSignalExternalSemaphoresAsync, padded(semaphore), padded(signal), 1, w.stream);
  VARY(cuWaitExternalSemaphoresAsync, padded(semaphore), padded(wait), 1, w.stream);
  VARY(cuDestroyExternalSemaphore, semaphore);
  endUnit();
}

inline void memoryOperations() {
  makeWorld();
  makeDestroyedOnes();
  const CUdeviceptr p = w.memory;
  VARY(cuStreamWriteValue32, w.stream, p, 3, 0);
  VARY(cuStreamWriteValue32_v2, w.stream, p, 3, 0);
  VARY(cuStreamWriteValue64, w.stream, p, 3, 0);
  VARY(cuStreamWriteValue64_v2, w.stream, p, 3, 0);
  CU(cuStreamSynchronize)(Handles<CUstream>::ofOtherContext); // it writes, too
  CU(cuMemsetD8_v2)(p, 0xff, 4096);
  // None of these waits.
  for (unsigned flags : {0u, 1u, 2u, 4u, 5u, 8u, 99u, ~0u, 1u << 30, (1u << 30) | 1}) {
    CALL("flags=" + std::to_string(flags), cuStreamWaitValue32_v2, w.stream, p,
         flags == 2 ? 1u : ~0u, flags);
    CALL("flags=" + std::to_string(flags), cuStreamWaitValue64_v2, w.stream, p,
         flags == 2 ? 1u : ~0ull, flags);
  }
  for (CUdeviceptr bad : {CUdeviceptr(0), CUdeviceptr(8), ~CUdeviceptr(7)}) {
    CALL("no address", cuStreamWaitValue32_v2, w.stream, bad, 0, CU_STREAM_WAIT_VALUE_GEQ);
    CALL("no address", cuStreamWaitValue64_v2, w.stream, bad, 0, CU_STREAM_WAIT_VALUE_GEQ);
  }
  CALL("odd address", cuStreamWaitValue32_v2, w.stream, p + 1, ~0u, CU_STREAM_WAIT_VALUE_EQ);
  CALL("odd address", cuStreamWaitValue64_v2, w.stream, p + 4, ~0ull, CU_STREAM_WAIT_VALUE_EQ);
  CALL("odd address", cuStreamWriteValue32_v2, w.stream, p + 2, 1, 0);
  CALL("odd address", cuStreamWriteValue64_v2, w.stream, p + 4, 1, 0);
  CALL("no barrier", cuStreamWriteValue32_v2, w.stream, p, 1,
       CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);
  CU(cuMemsetD8_v2)(p, 0xff, 4096);
  CALL("", cuStreamWaitValue32, w.stream, p, ~0u, CU_STREAM_WAIT_VALUE_EQ);
  CALL("", cuStreamWaitValue64, w.stream, p, ~0ull, CU_STREAM_WAIT_VALUE_EQ);
  CALL("", cuStreamWaitValue64_v2, w.stream, p, ~0ull, CU_STREAM_WAIT_VALUE_EQ);
  CALL("pinned", cuStreamWriteValue32_v2, w.stream, reinterpret_cast<CUdeviceptr>(w.pinned), 1, 0);
  CALL("pageable", cuStreamWriteValue32_v2, w.stream, reinterpret_cast<CUdeviceptr>(w.pageable), 1,
       0);
  CALL("the null stream", cuStreamWriteValue32_v2, nullptr, p, 1, 0);
  auto operation = zeros<CUstreamBatchMemOpParams>();
  operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operation.writeValue.address = p;
  CU(cuStreamSynchronize)(w.stream); // what waits has seen its word: another stream changes it next
  // The second and the third of three write to no address.
  VARY(cuStreamBatchMemOp, w.stream, 1, padded(operation), 0);
  VARY(cuStreamBatchMemOp_v2, w.stream, 1, padded(operation), 0);
  std::vector<CUstreamBatchMemOpParams> many(300, operation);
  for (unsigned count : {256u, 257u})
    CALL("count=" + std::to_string(count), cuStreamBatchMemOp_v2, w.stream, count, many.data(), 0);
  fields("cuStreamBatchMemOp_v2", operation,
         [](auto &s) { return CU(cuStreamBatchMemOp_v2)(w.stream, 1, &s, 0); },
         {SET(operation, 0), SET(operation, 3), SET(operation, 6), SET(operation, 99),
          SET(writeValue.address, 0), SET(writeValue.flags, 1), SET(writeValue.flags, 99)});
  endUnit();
}
