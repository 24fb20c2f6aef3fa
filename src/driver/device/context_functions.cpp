// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts (driver API, "Primary Context Management", "Context Management"). A thread has a stack
// of them, whose top is its current one.
#include "driver/call.h"
#include "driver/device/context.h"
#include "driver/functions.h"
#include "driver/memory/pool_release.h"
#include "driver/streams/capture.h"

#include <bit>

namespace heddle::driver {

bool areValidFlags(unsigned flags) {
  return !(flags & ~unsigned(CU_CTX_FLAGS_MASK)) && std::popcount(flags & CU_CTX_SCHED_MASK) <= 1;
}

namespace {

void push(Context &context) {
  ThreadState &t = thread();
  if (t.current)
    t.below.push_back(t.current);
  t.current = &context;
}

void pop() {
  ThreadState &t = thread();
  t.current = t.below.empty() ? nullptr : t.below.back();
  if (!t.below.empty())
    t.below.pop_back();
}

/// Runs `body(context)` for a handle; null is the current context.
template <typename F> CUresult withContext(CUcontext handle, F &&body) {
  if (!handle && !thread().current)
    return CUDA_ERROR_INVALID_CONTEXT;
  Context *context = handle ? findContext(handle) : thread().current;
  return context ? body(*context) : CUDA_ERROR_INVALID_CONTEXT;
}

} // namespace

// ---------------------------------------------------------------------------------------------------
// Primary contexts.

CUresult cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device) {
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](Context &context) {
    CUresult error = makeContext(context);
    if (error != CUDA_SUCCESS)
      return error;
    ++context.users;
    *handle = handleOf(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return withPrimary(device, [](Context &context) {
    unsigned users = context.users;
    do
      if (users == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    while (!context.users.compare_exchange_weak(users, users - 1));
    if (users == 1)
      resetContext(context);
    return CUDA_SUCCESS;
  });
}

/// The first version does not tell of a context that nobody has.
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  CUresult error = cuDevicePrimaryCtxRelease_v2(device);
  return error == CUDA_ERROR_INVALID_CONTEXT ? CUDA_SUCCESS : error;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return withPrimary(device, [](Context &context) {
    context.users = 0;
    resetContext(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  if (!areValidFlags(flags) || flags & CU_CTX_MAP_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](Context &context) {
    context.settings.flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *isActive) {
  if (!flags || !isActive)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](Context &context) {
    *flags = context.settings.flags;
    *isActive = context.isActive;
    return CUDA_SUCCESS;
  });
}

// ---------------------------------------------------------------------------------------------------
// Created contexts.

CUresult cuCtxCreate_v2(CUcontext *handle, unsigned flags, CUdevice device) {
  if (!handle || !areValidFlags(flags))
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  Context *context = nullptr;
  CUresult error = createContext(device, flags, context);
  if (error != CUDA_SUCCESS)
    return error;
  push(*context);
  *handle = handleOf(*context);
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *handle, unsigned flags, CUdevice device) {
  return cuCtxCreate_v2(handle, flags, device);
}

/// No multiprocessors are set apart for a context.
CUresult cuCtxCreate_v3(CUcontext *handle, CUexecAffinityParam *affinities, int count,
                        unsigned flags, CUdevice device) {
  if (count > 0 && !affinities)
    return CUDA_ERROR_INVALID_VALUE;
  return count > 0 ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : cuCtxCreate_v2(handle, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *handle, CUctxCreateParams *params, unsigned flags,
                        CUdevice device) {
  if (params && (params->numExecAffinityParams || params->cigParams))
    return CUDA_ERROR_NOT_SUPPORTED;
  return cuCtxCreate_v2(handle, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  Context *context = findContext(handle);
  if (!context || context->isPrimary)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (thread().current == context)
    pop();
  destroyContext(*context);
  return CUDA_SUCCESS;
}

CUresult cuCtxAttach(CUcontext *handle, unsigned flags) {
  if (!handle || flags)
    return CUDA_ERROR_INVALID_VALUE;
  return withContext(nullptr, [&](Context &context) {
    *handle = handleOf(context);
    ++context.attached;
    return CUDA_SUCCESS;
  });
}

/// The current context ends, unless it was attached meanwhile.
CUresult cuCtxDetach(CUcontext handle) {
  Context &current = *thread().current;
  if (handle != handleOf(current) || current.isPrimary)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (current.attached == 0)
    return cuCtxDestroy_v2(handle);
  --current.attached;
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// The thread's stack.

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  Context *context = findContext(handle);
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  push(*context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *handle) {
  return withContext(nullptr, [&](Context &context) {
    if (handle)
      *handle = handleOf(context);
    pop();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent(CUcontext *handle) { return cuCtxPopCurrent_v2(handle); }

CUresult cuCtxSetCurrent(CUcontext handle) {
  if (!handle) {
    pop();
    return CUDA_SUCCESS;
  }
  Context *context = findContext(handle);
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  setCurrent(*context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *handle) {
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  Context *current = thread().current;
  *handle = current ? handleOf(*current) : nullptr;
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// What they are like.

CUresult cuCtxGetDevice(CUdevice *device) {
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  return withContext(nullptr, [&](Context &context) {
    *device = context.ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *id) {
  if (!id)
    return CUDA_ERROR_INVALID_VALUE;
  return withContext(handle, [&](Context &context) {
    *id = context.id;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
  return withContext(handle, [&](const Context &context) {
    if (!isLive(context))
      return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (!context.isActive)
      return CUDA_ERROR_INVALID_CONTEXT;
    if (!version)
      return CUDA_ERROR_INVALID_VALUE;
    *version = 3020; // of cuCtxCreate_v2
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  Context &context = currentContext();
  if (CUresult error = mayWaitFor(context))
    return error;
  synchronize(context);
  releaseUnused();
  return errorBehindWait(context);
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  return withContext(handle, [&](Context &context) {
    ContextScope scope(context);
    Context *home = nullptr; // none: it needs a current one
    CUresult error = before(FunctionNumber::cuCtxSynchronize, Needs::Current, home);
    return error == CUDA_SUCCESS ? cuCtxSynchronize() : error;
  });
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext handle) {
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  return withContext(handle, [&](Context &context) {
    *device = context.ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  const Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *context = handleOf(*stream->device);
  return CUDA_SUCCESS;
}

/// One of the places may be null.
CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext *context, CUgreenCtx *greenContext) {
  const Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (context)
    *context = handleOf(*stream->device);
  if (greenContext)
    *greenContext = greenContextOf(*stream);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
