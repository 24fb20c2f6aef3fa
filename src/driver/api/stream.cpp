// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams (driver API, "Stream Management"). A stream belongs to the context that was current when
// it was made, and does its work there whichever context is current.
#include "driver/bodies.h"
#include "driver/device/context.h"
#include "driver/functions.h"
#include "driver/streams/capture.h"

namespace heddle::driver {

namespace {

template <typename F> CUresult withStream(CUstream handle, F &&body) {
  Stream *stream = streamOf(handle);
  return stream ? body(*stream) : CUDA_ERROR_INVALID_HANDLE;
}

/// For queries: `*answer` is what `read(stream)` gives.
template <typename T, typename F> CUresult tell(CUstream handle, T *answer, F &&read) {
  if (!answer)
    return CUDA_ERROR_INVALID_VALUE;
  return withStream(handle, [&](const Stream &stream) {
    *answer = read(stream);
    return CUDA_SUCCESS;
  });
}

} // namespace

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cudaStreamCreateWithFlags(stream, flags);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  return cudaStreamCreateWithPriority(stream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream stream) { return cudaStreamDestroy(stream); }
CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }

// ---------------------------------------------------------------------------------------------------
// What they are like.

CUresult cuStreamGetPriority(CUstream handle, int *priority) {
  return tell(handle, priority, [](const Stream &stream) { return stream.priority; });
}

CUresult cuStreamGetFlags(CUstream handle, unsigned *flags) {
  return tell(handle, flags, [](const Stream &stream) { return stream.flags; });
}

CUresult cuStreamGetId(CUstream handle, unsigned long long *id) {
  return tell(handle, id, [](const Stream &stream) { return stream.id; });
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice *device) {
  return tell(handle, device, [](const Stream &stream) { return stream.device->ordinal; });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
  return tell(handle, context, [](const Stream &stream) { return handleOf(*stream.device); });
}

/// No stream is of a green context.
CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext *context, CUgreenCtx *greenContext) {
  if (!greenContext)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = cuStreamGetCtx(handle, context);
  if (error == CUDA_SUCCESS)
    *greenContext = nullptr;
  return error;
}

/// The numbers and layouts of attributes are those of the runtime API.
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value) {
  return cudaStreamGetAttribute(stream, static_cast<cudaLaunchAttributeID>(attribute),
                                reinterpret_cast<cudaLaunchAttributeValue *>(value));
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue *value) {
  return cudaStreamSetAttribute(stream, static_cast<cudaLaunchAttributeID>(attribute),
                                reinterpret_cast<const cudaLaunchAttributeValue *>(value));
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return cudaStreamCopyAttributes(to, from);
}

// ---------------------------------------------------------------------------------------------------
// Order and work.

CUresult cuStreamSynchronize(CUstream stream) { return cudaStreamSynchronize(stream); }

CUresult cuStreamQuery(CUstream stream) { return cudaStreamQuery(stream); }

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void *data,
                             unsigned flags) {
  if (!callback || flags)
    return CUDA_ERROR_INVALID_VALUE;
  return withStream(handle, [&](Stream &stream) {
    return submitUncaptured(stream, [&] {
      return enqueueHostFunction(stream, [=, context = stream.device] {
        HostFunctionScope scope;
        callback(handle, stickyError(*context), data);
      });
    });
  });
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes,
                                unsigned flags) {
  return cudaStreamAttachMemAsync(stream, reinterpret_cast<void *>(pointer), bytes, flags);
}

} // namespace heddle::driver
