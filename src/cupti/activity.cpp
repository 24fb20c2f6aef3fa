// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is over is kept as the recorder tells it. A flush makes records of it, in the program's buffers:
// by then modelled times can be asked for.
#include "cupti/listening.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include <unistd.h>

namespace heddle::cupti {

namespace {

using profile::Activity;
using profile::ActivityKind;
using profile::ApiCall;
using profile::MemoryKind;
using profile::Range;

struct Kept {
  std::mutex mutex;
  std::set<CUpti_ActivityKind> enabled;
  std::vector<Activity> work;
  std::vector<ApiCall> calls;
  std::vector<Range> ranges;
  std::set<std::string> names; ///< whose addresses records have
  uint32_t lastMarker = 0;
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  size_t dropped = 0;
};
Kept &kept() {
  static Kept &kept = *new Kept; // work ends behind main, too
  return kept;
}

constexpr CUpti_ActivityKind Kinds[] = {
    CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,  CUPTI_ACTIVITY_KIND_KERNEL,
    CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MARKER, CUPTI_ACTIVITY_KIND_MEMCPY2};

constexpr size_t Alignment = 8;
size_t rounded(size_t bytes) { return (bytes + Alignment - 1) / Alignment * Alignment; }

size_t sizeOf(CUpti_ActivityKind kind) {
  switch (kind) {
  case CUPTI_ACTIVITY_KIND_MEMCPY:
    return rounded(sizeof(CUpti_ActivityMemcpy5));
  case CUPTI_ACTIVITY_KIND_MEMCPY2:
    return rounded(sizeof(CUpti_ActivityMemcpyPtoP4));
  case CUPTI_ACTIVITY_KIND_MEMSET:
    return rounded(sizeof(CUpti_ActivityMemset4));
  case CUPTI_ACTIVITY_KIND_KERNEL:
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    return rounded(sizeof(CUpti_ActivityKernel9));
  case CUPTI_ACTIVITY_KIND_RUNTIME:
  case CUPTI_ACTIVITY_KIND_DRIVER:
    return rounded(sizeof(CUpti_ActivityAPI));
  case CUPTI_ACTIVITY_KIND_MARKER:
    return rounded(sizeof(CUpti_ActivityMarker2));
  default:
    return 0;
  }
}

/// Fills the program's buffers with records.
class Writer {
public:
  template <typename Record> void add(const Record &record) {
    const size_t bytes = rounded(sizeof(Record));
    if (buffer_ && (used_ + bytes > size_ || (most_ && count_ == most_)))
      complete();
    if (!buffer_)
      kept().requested(&buffer_, &size_, &most_);
    if (!buffer_ || bytes > size_) {
      ++kept().dropped;
      return;
    }
    std::memcpy(buffer_ + used_, &record, sizeof(Record));
    used_ += bytes, ++count_;
  }
  void complete() {
    if (buffer_)
      kept().completed(nullptr, 0, buffer_, size_, used_);
    buffer_ = nullptr, used_ = size_ = count_ = most_ = 0;
  }

private:
  uint8_t *buffer_ = nullptr;
  size_t size_ = 0, used_ = 0, count_ = 0, most_ = 0;
};

bool isEnabled(CUpti_ActivityKind kind) { return kept().enabled.contains(kind); }

const char *lasting(const std::string &name) { return kept().names.insert(name).first->c_str(); }

uint8_t memoryKindOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Pageable:
    return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  case MemoryKind::Pinned:
    return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  case MemoryKind::Array:
    return CUPTI_ACTIVITY_MEMORY_KIND_ARRAY;
  case MemoryKind::Managed:
    return CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  case MemoryKind::Device:
    break;
  }
  return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
}

uint8_t copyKindOf(const Activity &copy) {
  auto side = [](MemoryKind kind) {
    return kind == MemoryKind::Pageable || kind == MemoryKind::Pinned ? 0
           : kind == MemoryKind::Array                                ? 1
                                                                      : 2;
  };
  static constexpr uint8_t Kinds[3][3] = {
      {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, CUPTI_ACTIVITY_MEMCPY_KIND_HTOA,
       CUPTI_ACTIVITY_MEMCPY_KIND_HTOD},
      {CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, CUPTI_ACTIVITY_MEMCPY_KIND_ATOA,
       CUPTI_ACTIVITY_MEMCPY_KIND_ATOD},
      {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMCPY_KIND_DTOA,
       CUPTI_ACTIVITY_MEMCPY_KIND_DTOD}};
  return Kinds[side(copy.from)][side(copy.to)];
}

/// What all records of work have.
template <typename Record> Record recordOf(CUpti_ActivityKind kind, const Activity &activity) {
  Record record;
  std::memset(&record, 0, sizeof record);
  record.kind = kind;
  record.start = activity.begin, record.end = activity.end;
  record.deviceId = activity.device, record.contextId = activity.context;
  record.streamId = static_cast<uint32_t>(activity.stream);
  record.correlationId = static_cast<uint32_t>(activity.call);
  return record;
}

CUpti_ActivityKind kindOf(const Activity &activity) {
  switch (activity.kind) {
  case ActivityKind::Kernel:
    return isEnabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                                                            : CUPTI_ACTIVITY_KIND_KERNEL;
  case ActivityKind::Copy:
    return activity.toDevice >= 0 ? CUPTI_ACTIVITY_KIND_MEMCPY2 : CUPTI_ACTIVITY_KIND_MEMCPY;
  case ActivityKind::Fill:
    break;
  }
  return CUPTI_ACTIVITY_KIND_MEMSET;
}

void writeKernel(Writer &writer, CUpti_ActivityKind kind, const Activity &activity) {
  auto record = recordOf<CUpti_ActivityKernel9>(kind, activity);
  const profile::KernelFacts &facts = activity.kernel;
  record.completed = activity.end;
  record.registersPerThread = static_cast<uint16_t>(facts.registers);
  record.cacheConfigRequested = static_cast<uint8_t>(facts.cacheConfig);
  record.gridX = int32_t(facts.grid[0]), record.gridY = int32_t(facts.grid[1]);
  record.gridZ = int32_t(facts.grid[2]);
  record.blockX = int32_t(facts.block[0]), record.blockY = int32_t(facts.block[1]);
  record.blockZ = int32_t(facts.block[2]);
  record.staticSharedMemory = static_cast<int32_t>(facts.staticShared);
  record.dynamicSharedMemory = static_cast<int32_t>(facts.dynamicShared);
  record.gridId = static_cast<int64_t>(activity.launch);
  record.name = lasting(facts.mangled);
  writer.add(record);
}

template <typename Record> void fillCopy(Record &record, const Activity &activity, uint8_t kind) {
  record.copyKind = kind;
  record.srcKind = memoryKindOf(activity.from), record.dstKind = memoryKindOf(activity.to);
  record.flags = activity.isAsync ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
  record.bytes = activity.bytes;
}

void write(Writer &writer, const Activity &activity) {
  const CUpti_ActivityKind kind = kindOf(activity);
  if (activity.kind == ActivityKind::Kernel)
    return writeKernel(writer, kind, activity);
  if (kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    auto record = recordOf<CUpti_ActivityMemset4>(kind, activity);
    record.bytes = activity.bytes;
    record.memoryKind = memoryKindOf(activity.to);
    return writer.add(record);
  }
  if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    auto record = recordOf<CUpti_ActivityMemcpy5>(kind, activity);
    fillCopy(record, activity, copyKindOf(activity));
    return writer.add(record);
  }
  auto record = recordOf<CUpti_ActivityMemcpyPtoP4>(kind, activity);
  fillCopy(record, activity, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
  record.srcDeviceId = activity.device;
  record.dstDeviceId = static_cast<uint32_t>(activity.toDevice);
  writer.add(record);
}

void write(Writer &writer, const ApiCall &call) {
  CUpti_ActivityAPI record = {};
  record.kind = call.ofRuntime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  record.cbid = numberOf(call);
  record.start = call.begin, record.end = call.end;
  record.processId = static_cast<uint32_t>(getpid()), record.threadId = call.thread;
  record.correlationId = static_cast<uint32_t>(call.number);
  record.returnValue = static_cast<uint32_t>(call.code);
  writer.add(record);
}

void write(Writer &writer, const Range &range) {
  CUpti_ActivityMarker2 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER;
  record.flags = range.begin == range.end ? CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS
                                          : CUPTI_ACTIVITY_FLAG_MARKER_START;
  record.timestamp = range.begin;
  record.id = ++kept().lastMarker;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt = {static_cast<uint32_t>(getpid()), range.thread};
  record.name = lasting(range.name);
  writer.add(record);
  if (range.begin == range.end)
    return;
  record.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
  record.timestamp = range.end;
  record.name = nullptr;
  writer.add(record);
}

} // namespace

void keepCall(const ApiCall &call) {
  std::lock_guard lock(kept().mutex);
  if (isEnabled(call.ofRuntime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER))
    kept().calls.push_back(call);
}

void keepWork(const Activity &activity) {
  std::lock_guard lock(kept().mutex);
  if (isEnabled(kindOf(activity)))
    kept().work.push_back(activity);
}

void keepRange(const Range &range) {
  std::lock_guard lock(kept().mutex);
  if (isEnabled(CUPTI_ACTIVITY_KIND_MARKER))
    kept().ranges.push_back(range);
}

} // namespace heddle::cupti

using namespace heddle::cupti;

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_FORCE_INT)
    return CUPTI_ERROR_INVALID_KIND;
  if (std::find(std::begin(Kinds), std::end(Kinds), kind) == std::end(Kinds))
    return CUPTI_ERROR_NOT_SUPPORTED;
  {
    std::lock_guard lock(kept().mutex);
    kept().enabled.insert(kind);
  }
  listen();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  std::lock_guard lock(kept().mutex);
  return kept().enabled.erase(kind) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  if (!requested || !completed)
    return CUPTI_ERROR_INVALID_PARAMETER;
  std::lock_guard lock(kept().mutex);
  kept().requested = requested, kept().completed = completed;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t) {
  std::vector<heddle::profile::Activity> work;
  std::vector<heddle::profile::ApiCall> calls;
  std::vector<heddle::profile::Range> ranges;
  {
    std::lock_guard lock(kept().mutex);
    if (!kept().requested)
      return CUPTI_ERROR_INVALID_OPERATION;
    work.swap(kept().work), calls.swap(kept().calls), ranges.swap(kept().ranges);
  }
  for (auto &activity : work) // which may wait for work, and so is done without the lock
    heddle_place_activity(&activity);
  static std::mutex &oneFlush = *new std::mutex;
  std::lock_guard lock(oneFlush);
  Writer writer;
  for (const auto &call : calls)
    write(writer, call);
  for (const auto &activity : work)
    write(writer, activity);
  for (const auto &range : ranges)
    write(writer, range);
  writer.complete();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validSize, CUpti_Activity **record) {
  if (!buffer || !record)
    return CUPTI_ERROR_INVALID_PARAMETER;
  auto *next = reinterpret_cast<uint8_t *>(*record);
  if (!next) {
    next = buffer;
  } else {
    const size_t bytes = sizeOf((*record)->kind);
    if (!bytes)
      return CUPTI_ERROR_INVALID_KIND;
    next += bytes;
  }
  if (next >= buffer + validSize)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity *>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t *dropped) {
  if (!dropped)
    return CUPTI_ERROR_INVALID_PARAMETER;
  std::lock_guard lock(kept().mutex);
  *dropped = std::exchange(kept().dropped, 0);
  return CUPTI_SUCCESS;
}
