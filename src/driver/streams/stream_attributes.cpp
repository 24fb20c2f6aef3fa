// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of streams. They are hints to a GPU; they are kept, so that
// what is set can be read back.
#include "driver/streams/stream.h"

#include <map>
#include <mutex>

namespace heddle::driver {

namespace {

using Values = std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue>;

/// By stream id, which is never used twice.
struct AttributeTable {
  std::mutex mutex;
  std::map<unsigned long long, Values> streams;
};

AttributeTable &table() {
  static auto *attributes = new AttributeTable;
  return *attributes;
}

bool isStreamAttribute(cudaLaunchAttributeID id) {
  return id == cudaLaunchAttributeAccessPolicyWindow ||
         id == cudaLaunchAttributeSynchronizationPolicy ||
         id == cudaLaunchAttributeMemSyncDomainMap || id == cudaLaunchAttributeMemSyncDomain ||
         id == cudaLaunchAttributePriority;
}

cudaLaunchAttributeValue standardValue(const Stream &stream, cudaLaunchAttributeID id) {
  cudaLaunchAttributeValue value = {};
  if (id == cudaLaunchAttributeSynchronizationPolicy)
    value.syncPolicy = cudaSyncPolicyAuto;
  if (id == cudaLaunchAttributeMemSyncDomainMap)
    value.memSyncDomainMap.remote = 1;
  if (id == cudaLaunchAttributePriority)
    value.priority = stream.priority;
  return value;
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                                cudaLaunchAttributeValue *value) {
  return enter([&]() -> CUresult {
    Stream *stream = streamOf(handle);
    if (!stream)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!value || !isStreamAttribute(id))
      return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard guard(table().mutex);
    Values &values = table().streams[stream->id];
    auto found = values.find(id);
    *value = found == values.end() ? standardValue(*stream, id) : found->second;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                                const cudaLaunchAttributeValue *value) {
  return enter([&]() -> CUresult {
    Stream *stream = streamOf(handle);
    if (!stream)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!value || !isStreamAttribute(id))
      return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard guard(table().mutex);
    table().streams[stream->id][id] = *value;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return enter([&]() -> CUresult {
    Stream *target = streamOf(to), *source = streamOf(from);
    if (!target || !source)
      return CUDA_ERROR_INVALID_HANDLE;
    std::lock_guard guard(table().mutex);
    Values copy = table().streams[source->id];
    table().streams[target->id] = std::move(copy);
    return CUDA_SUCCESS;
  });
}
