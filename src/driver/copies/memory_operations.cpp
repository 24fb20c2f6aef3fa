// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream memory operations (driver API, "Stream Memory Operations"), in streams and as nodes (nodes/other_nodes.cpp). A
// batch that waits runs on a thread of its own and asks again and again: who writes the word tells
// nobody.
#include "driver/copies/memory_operations.h"

#include "check/init/init.h"

#include "driver/copies/copy.h"
#include "driver/functions.h"
#include "driver/memory/memory.h"
#include "driver/streams/capture.h"

#include "device/cpu/memory/touch.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace heddle::driver {

namespace {

using Params = CUstreamBatchMemOpParams;

constexpr unsigned OperationsEnd = 256; ///< fewer in a batch, as the manual says

bool isWait(const Params &p) {
  return p.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
         p.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}
bool isWide(const Params &p) {
  return p.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
         p.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

/// A word that kernels may use: of device memory, or of the host's that is page-locked. As the
/// manual says, not of managed memory.
CUresult checkWord(CUdeviceptr address, size_t bytes) {
  const auto *word = reinterpret_cast<const void *>(address);
  const PointerInfo info = lookUp(word);
  if (address % bytes || info.stale || !info.onDevice() || info.type == cudaMemoryTypeManaged ||
      !info.holds(word, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult check(const Params &p) {
  switch (p.operation) {
  case CU_STREAM_MEM_OP_WAIT_VALUE_32:
  case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    if ((p.waitValue.flags & ~unsigned(CU_STREAM_WAIT_VALUE_FLUSH)) > CU_STREAM_WAIT_VALUE_NOR)
      return CUDA_ERROR_INVALID_VALUE;
    return p.waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH
               ? CUDA_ERROR_NOT_SUPPORTED // CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES is 0
               : checkWord(p.waitValue.address, isWide(p) ? 8 : 4);
  case CU_STREAM_MEM_OP_WRITE_VALUE_32:
  case CU_STREAM_MEM_OP_WRITE_VALUE_64:
    return p.writeValue.flags // the second versions have none
               ? CUDA_ERROR_INVALID_VALUE
               : checkWord(p.writeValue.address, isWide(p) ? 8 : 4);
  case CU_STREAM_MEM_OP_BARRIER:
    return p.memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_ERROR_INVALID_VALUE
                                                                     : CUDA_SUCCESS;
  case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// GEQ compares by the sign of the difference, so that counters may wrap.
template <typename Word> bool holds(Word found, Word value, unsigned flags) {
  switch (flags) {
  case CU_STREAM_WAIT_VALUE_EQ:
    return found == value;
  case CU_STREAM_WAIT_VALUE_AND:
    return (found & value) != 0;
  case CU_STREAM_WAIT_VALUE_NOR:
    return static_cast<Word>(~(found | value)) != 0;
  default:
    return static_cast<std::make_signed_t<Word>>(found - value) >= 0;
  }
}

/// Calls `access()`, which touches a word. False, and says so, if it is there no more.
template <typename F> bool touchWord(CUdeviceptr address, F &&access) {
  device::AccessEnd end;
  end.isWhole = device::cpu::tryTouch(access, end.address);
  if (!end.isWhole) {
    end.address = address;
    reportAccess("memory operation of a stream", "its word", end);
  }
  return end.isWhole;
}

template <typename Word> bool waitFor(const Params &p, Word value, const Context &context) {
  const auto *word = reinterpret_cast<const Word *>(p.waitValue.address);
  constexpr std::chrono::microseconds Longest(200);
  std::chrono::microseconds pause(1);
  while (stickyError(context) == CUDA_SUCCESS) {
    Word found = 0;
    if (!touchWord(p.waitValue.address, [&] { found = __atomic_load_n(word, __ATOMIC_ACQUIRE); }))
      return false;
    if (holds(found, value, p.waitValue.flags))
      return true;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, Longest);
  }
  return true;
}

template <typename Word> bool write(const Params &p, Word value) {
  check::initWritten(reinterpret_cast<const void *>(p.writeValue.address), sizeof(value));
  return touchWord(p.writeValue.address, [&] {
    __atomic_store_n(reinterpret_cast<Word *>(p.writeValue.address), value, __ATOMIC_RELEASE);
  });
}

bool runOne(const Params &p, const Context &context) {
  switch (p.operation) {
  case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    return waitFor(p, p.waitValue.value, context);
  case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    return waitFor(p, p.waitValue.value64, context);
  case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    return write(p, p.writeValue.value);
  case CU_STREAM_MEM_OP_WRITE_VALUE_64:
    return write(p, p.writeValue.value64);
  default: // barriers
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return true;
  }
}

} // namespace

CUresult MemoryOperations::read(const Params *params, unsigned count, unsigned flags) {
  if (flags || count >= OperationsEnd || (count && !params))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i)
    if (CUresult error = check(params[i]))
      return error;
  all.assign(params, params + count);
  return CUDA_SUCCESS;
}

bool MemoryOperations::waits() const { return std::ranges::any_of(all, isWait); }

void MemoryOperations::run(const Context &context) const {
  for (const Params &p : all) {
    if (stickyError(context) != CUDA_SUCCESS)
      return;
    if (!runOne(p, context))
      return context.backend->lose(device::Fault::IllegalAddress);
  }
}

// ---------------------------------------------------------------------------------------------------
// As nodes.

MemoryOperation::MemoryOperation(MemoryOperations operations, Context &context)
    : operations(std::move(operations)) {
  device = &context;
}

CUresult MemoryOperation::makeWork(device::GraphWork &work, PlanContext &) {
  work.kind =
      operations.waits() ? device::GraphWork::Kind::OutsideWait : device::GraphWork::Kind::Task;
  work.task = [all = operations, context = device] { all.run(*context); };
  return CUDA_SUCCESS;
}

cudaGraphExecUpdateResult MemoryOperation::compare(const Operation &operation) const {
  const auto &other = static_cast<const MemoryOperation &>(operation).operations.all;
  auto sameKind = [](const Params &a, const Params &b) { return a.operation == b.operation; };
  return std::ranges::equal(operations.all, other, sameKind)
             ? cudaGraphExecUpdateSuccess
             : cudaGraphExecUpdateErrorParametersChanged;
}

std::vector<std::string> MemoryOperation::describe() const {
  std::vector<std::string> lines = {"memory operations"};
  for (const Params &p : operations.all) {
    char text[64];
    if (p.operation == CU_STREAM_MEM_OP_BARRIER)
      std::snprintf(text, sizeof text, "barrier");
    else
      std::snprintf(text, sizeof text, "%s 0x%llx", isWait(p) ? "wait for" : "write",
                    p.waitValue.address);
    lines.push_back(text);
  }
  return lines;
}

CUresult makeMemoryOperation(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 &p, Context &context,
                             std::unique_ptr<Operation> &operation) {
  MemoryOperations operations;
  if (CUresult error = operations.read(p.paramArray, p.count, p.flags))
    return error;
  operation = std::make_unique<MemoryOperation>(std::move(operations), context);
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// In streams.

CUresult cuStreamBatchMemOp_v2(CUstream handle, unsigned count, Params *params, unsigned flags) {
  MemoryOperations operations;
  if (CUresult error = operations.read(params, count, flags))
    return error;
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  Context *context = stream->device;
  return submit(
      *stream,
      [&](std::unique_ptr<Operation> &operation) {
        operation = std::make_unique<MemoryOperation>(operations, *context);
        return CUDA_SUCCESS;
      },
      [&]() -> CUresult {
        auto task = [=] { operations.run(*context); };
        if (!operations.waits())
          return enqueue(*stream, task);
        context->backend->enqueueWait(stream->queue, task);
        return CUDA_SUCCESS;
      });
}

namespace {

CUresult runAlone(CUstream stream, Params &p) { return cuStreamBatchMemOp_v2(stream, 1, &p, 0); }

template <typename Word>
CUresult waitForValue(CUstream stream, CUdeviceptr address, Word value, unsigned flags) {
  Params p = {};
  p.operation = sizeof(Word) == 8 ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32;
  p.waitValue.address = address;
  p.waitValue.value64 = value;
  p.waitValue.flags = flags;
  return runAlone(stream, p);
}

template <typename Word>
CUresult writeValue(CUstream stream, CUdeviceptr address, Word value, unsigned flags) {
  Params p = {};
  p.operation =
      sizeof(Word) == 8 ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
  p.writeValue.address = address;
  p.writeValue.value64 = value;
  p.writeValue.flags = flags;
  return runAlone(stream, p);
}

} // namespace

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                unsigned flags) {
  return waitForValue(stream, address, value, flags);
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                unsigned flags) {
  return waitForValue(stream, address, value, flags);
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                 unsigned flags) {
  return writeValue(stream, address, value, flags);
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                 unsigned flags) {
  return writeValue(stream, address, value, flags);
}

// Those of CUDA 8 and 9 are off on a GPU, too, unless its kernel driver was told to have them.

CUresult cuStreamWaitValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuStreamWaitValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuStreamWriteValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuStreamWriteValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuStreamBatchMemOp(CUstream, unsigned count, Params *, unsigned) {
  return count < OperationsEnd ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

} // namespace heddle::driver
