// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/call.h"

#include "driver/device/context.h"
#include "driver/functions.h"
#include "driver/memory/memory.h"
#include "driver/reserve.h"
#include "driver/rooms.h"
#include "driver/streams/capture.h"

#include "base/messages/messages.h"
#include "base/messages/runtime_errors.h"
#include "check/api_errors.h"
#include "check/check.h"
#include "check/host_access.h"
#include "check/host_stack.h"
#include "check/init/init.h"
#include "check/reports.h"

#include <atomic>

namespace heddle::driver {

bool isChecked = false;

namespace {

bool isUsable(const Context *context) {
  return context && isLive(*context) && context->isActive.load(std::memory_order_relaxed);
}

CUresult beforeWork(Needs needs, const Context *current) {
  if (!current)
    return needs == Needs::Owner  ? mayBeUnsafe()
           : needs == Needs::Lost ? CUDA_SUCCESS
                                  : CUDA_ERROR_INVALID_CONTEXT;
  if (!isLive(*current))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (needs == Needs::Lost)
    return CUDA_SUCCESS;
  if (!current->isActive.load(std::memory_order_relaxed)) // a primary one that was released
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  const bool isFree = needs == Needs::Free || needs == Needs::Owner;
  if (!isFree && needs != Needs::Give && isMemoryShort())
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (needs == Needs::Unsafe || isFree)
    if (CUresult error = mayBeUnsafe())
      return error;
  const CUresult error = stickyError(*current);
  if (error) // nothing waits for the launch any more that would show what it has printed
    primaryOf(*current).backend->flushPrintf();
  return error;
}

} // namespace

CUresult before(FunctionNumber function, Start start, Context *&home) {
  if (isChecked) [[unlikely]]
    check::callBegins(ownEntries()[static_cast<size_t>(function)].symbol.data());
  const Needs needs = start.needs;
  if (start.first)
    return start.first;
  if (needs == Needs::Always)
    return CUDA_SUCCESS;
  if (device::isForkedCopy()) // as on a GPU, whose contexts stay with the parent
    return CUDA_ERROR_NOT_INITIALIZED;
  if (thread().runsHostFunction)
    return CUDA_ERROR_NOT_PERMITTED;
  if (!isInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (start.once)
    return start.once;
  if (needs == Needs::Initialized)
    return CUDA_SUCCESS;
  if (needs == Needs::Anywhere && !isUsable(thread().current))
    return isMemoryShort() ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  const Context *current = thread().current;
  if (!current && start.home.find)
    current = home = start.home.find(start.home.handle);
  return beforeWork(needs, current);
}

CUresult driverCode(CUresult code) {
  switch (static_cast<int>(code)) {
  case cudaErrorInvalidDeviceFunction:
  case cudaErrorInvalidSymbol:
    return CUDA_ERROR_NOT_FOUND;
  case cudaErrorLaunchPendingCountExceeded:
  case cudaErrorSyncDepthExceeded:
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  case cudaErrorInvalidConfiguration:
  case cudaErrorInvalidPitchValue:
  case cudaErrorInvalidDevicePointer:
  case cudaErrorInvalidTexture:
  case cudaErrorInvalidTextureBinding:
  case cudaErrorInvalidChannelDescriptor:
  case cudaErrorInvalidMemcpyDirection:
  case cudaErrorInvalidFilterSetting:
  case cudaErrorInvalidNormSetting:
  case cudaErrorInvalidSurface:
  case cudaErrorMissingConfiguration:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return code;
}

namespace {

/// An answer to a question, and no error.
bool isAnswer(CUresult error, std::string_view function) {
  return error == CUDA_ERROR_NOT_READY || function.starts_with("cuGetProcAddress") ||
         function.starts_with("cuGetError");
}

/// Launches that end in the midst of a call are told of at its end, unless the thread holds up what
/// it would wait for.
void tellInCall() {
  if (!thread().runsHostFunction && !device::isForkedCopy())
    check::tellInCall();
}

} // namespace

void afterCheckedCall(FunctionNumber function, CUresult error) {
  const std::string_view symbol = ownEntries()[static_cast<size_t>(function)].symbol;
  tellInCall();
  error = error ? driverCode(error) : error;
  const char *name;
  if (driver::cuGetErrorName(error, &name) != CUDA_SUCCESS)
    name = "an unknown error";
  if (error == CUDA_SUCCESS)
    check::forgetExplanation();
  else if (!isAnswer(error, symbol))
    check::noteFailedCall(symbol.data(), name, error, false);
  check::callEnds();
}

CUresult refuse(FunctionNumber function) {
  size_t index = static_cast<size_t>(function);
  if (rooms().refused[index].isFirst())
    reportFailure(ownEntries()[index].symbol.data(), "not supported");
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace heddle::driver

/// For the runtime: `count` bytes from `offset` on are not in a variable of `bytes`.
extern "C" __attribute__((visibility("default"))) void
heddle_explain_variable(size_t offset, size_t count, size_t bytes) {
  using namespace heddle;
  if (driver::isChecked)
    check::explainFailure("api-out-of-bounds", "Access of " + check::counted(count, "byte") +
                                                   " from byte " + std::to_string(offset) +
                                                   " on of a variable of " +
                                                   check::counted(bytes, "byte"));
}

/// For the runtime (runtime/unread.h).
extern "C" __attribute__((visibility("default"))) void heddle_arrows_launch(const void *stub) {
  if (heddle::driver::isChecked)
    heddle::check::noteStub(stub);
}
extern "C" __attribute__((visibility("default"))) void heddle_launch_refused(int code) {
  if (heddle::driver::isChecked && !heddle::device::isForkedCopy())
    heddle::check::noteRefusedLaunch(code);
}
/// For libraries that would give host code device memory as its own: checks hide it.
extern "C" __attribute__((visibility("default"))) bool heddle_hides_device_memory() {
  return heddle::check::looksAtHostAccesses();
}

extern "C" __attribute__((visibility("default"))) void heddle_error_read() {
  if (heddle::driver::isChecked)
    heddle::check::noteErrorRead();
}

/// For the runtime, whose function returns this code.
extern "C" __attribute__((visibility("default"))) void heddle_call_failed(int code) {
  using namespace heddle;
  if (!driver::isChecked || device::isForkedCopy())
    return;
  const char *name = runtimeErrorText(code).name;
  check::noteFailedCall("a function of the runtime", name ? name : "an error", code, true);
}
