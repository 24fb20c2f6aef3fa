// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that transfers take which name none (CUDA Fortran Programming Guide,
// "cudaforSetDefaultStream").
#include "fortran/entry.h"

#include <map>
#include <mutex>

namespace heddle::fortran {

namespace {

/// The streams of arrays, by the address of the first element.
struct ArrayStreams {
  std::mutex mutex;
  std::map<const void *, cudaStream_t> streams;
};

ArrayStreams &arrayStreams() {
  static ArrayStreams all;
  return all;
}

} // namespace

cudaStream_t streamOfArray(const void *address) {
  ArrayStreams &all = arrayStreams();
  std::lock_guard lock(all.mutex);
  auto found = all.streams.find(address);
  return found == all.streams.end() ? defaultStream : found->second;
}

void forgetStream(const void *address) {
  ArrayStreams &all = arrayStreams();
  std::lock_guard lock(all.mutex);
  all.streams.erase(address);
}

} // namespace heddle::fortran

using namespace heddle::fortran;

HEDDLE_FORTRAN int heddleFortranSetDefaultStream(int64_t stream) {
  defaultStream = reinterpret_cast<cudaStream_t>(stream);
  return cudaSuccess;
}

HEDDLE_FORTRAN int64_t heddleFortranGetDefaultStream() {
  return reinterpret_cast<int64_t>(defaultStream);
}

HEDDLE_FORTRAN int heddleFortranSetArrayStream(const Descriptor *array, int64_t stream) {
  if (!array->base_addr)
    return cudaErrorInvalidValue;
  ArrayStreams &all = arrayStreams();
  std::lock_guard lock(all.mutex);
  all.streams[array->base_addr] = reinterpret_cast<cudaStream_t>(stream);
  return cudaSuccess;
}

HEDDLE_FORTRAN int64_t heddleFortranGetArrayStream(const Descriptor *array) {
  return reinterpret_cast<int64_t>(streamOfArray(array->base_addr));
}
