// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams (runtime API, "Stream Management").
#include "runtime/driver.h"

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                                    int priority) {
  return translate([&] { return ask<&Cu::cuStreamCreateWithPriority>(stream, flags, priority); });
}

HEDDLE_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return translate([&] { return ask<&Cu::cuStreamCreate>(stream, flags); });
}

HEDDLE_API cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return named([&] { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); });
}

HEDDLE_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return translate([&] { return ask<&Cu::cuStreamDestroy_v2>(stream); });
}

HEDDLE_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return translateCurrent([&] { return ask<&Cu::cuStreamSynchronize>(stream); });
}

HEDDLE_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return translateCurrent([&] { return ask<&Cu::cuStreamQuery>(stream); });
}

HEDDLE_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return translate([&] { return ask<&Cu::cuStreamGetPriority>(stream, priority); });
}

HEDDLE_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return translate([&] { return ask<&Cu::cuStreamGetFlags>(stream, flags); });
}

HEDDLE_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return translate([&] { return ask<&Cu::cuStreamGetId>(stream, id); });
}

HEDDLE_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  return translate([&] { return ask<&Cu::cuStreamGetDevice>(stream, device); });
}

HEDDLE_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return translate([&] { return ask<&Cu::cuCtxGetStreamPriorityRange>(least, greatest); });
}

// The numbers and layouts of attributes are the driver's.

HEDDLE_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                              cudaLaunchAttributeValue *value) {
  return translate([&] {
    return ask<&Cu::cuStreamGetAttribute>(stream, static_cast<CUstreamAttrID>(attribute),
                                          reinterpret_cast<CUstreamAttrValue *>(value));
  });
}

HEDDLE_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                              const cudaLaunchAttributeValue *value) {
  return translate([&] {
    return ask<&Cu::cuStreamSetAttribute>(stream, static_cast<CUstreamAttrID>(attribute),
                                          reinterpret_cast<const CUstreamAttrValue *>(value));
  });
}

HEDDLE_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return translate([&] { return ask<&Cu::cuStreamCopyAttributes>(to, from); });
}

HEDDLE_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length,
                                                unsigned flags) {
  return translate([&] {
    return ask<&Cu::cuStreamAttachMemAsync>(stream, reinterpret_cast<CUdeviceptr>(p), length,
                                            flags);
  });
}
