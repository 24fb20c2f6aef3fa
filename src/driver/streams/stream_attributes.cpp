// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of streams. They are hints to a GPU; they are kept, so that
// what is set can be read back.
#include "driver/functions.h"
#include "driver/rooms.h"
#include "driver/streams/stream.h"

#include <map>
#include <mutex>

namespace heddle::driver {

namespace {

using Values = std::map<CUstreamAttrID, CUstreamAttrValue>;

} // namespace

/// By stream id, which is never used twice.
struct StreamAttributes {
  std::mutex mutex;
  std::map<unsigned long long, Values> streams;
};

namespace {

StreamAttributes &table() { return rooms().streamAttributes.get(); }

bool isStreamAttribute(CUstreamAttrID id) {
  return id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
         id == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
         id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
         id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN || id == CU_LAUNCH_ATTRIBUTE_PRIORITY;
}

CUstreamAttrValue standardValue(const Stream &stream, CUstreamAttrID id) {
  CUstreamAttrValue value = {};
  if (id == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
    value.syncPolicy = CU_SYNC_POLICY_AUTO;
  if (id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)
    value.memSyncDomainMap.remote = 1;
  if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    value.priority = stream.priority;
  return value;
}

} // namespace

CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID id, CUstreamAttrValue *value) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!value || !isStreamAttribute(id))
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard guard(table().mutex);
  Values &values = table().streams[stream->id];
  auto found = values.find(id);
  giveAttribute(*value, found == values.end() ? standardValue(*stream, id) : found->second);
  return CUDA_SUCCESS;
}

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID id, const CUstreamAttrValue *value) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!value || !isStreamAttribute(id))
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard guard(table().mutex);
  table().streams[stream->id][id] = *value;
  return CUDA_SUCCESS;
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  Stream *target = streamOf(to), *source = streamOf(from);
  if (!target || !source)
    return CUDA_ERROR_INVALID_HANDLE;
  if (target->device != source->device)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard guard(table().mutex);
  Values copy = table().streams[source->id];
  table().streams[target->id] = std::move(copy);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
