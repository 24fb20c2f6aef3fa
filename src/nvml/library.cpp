// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library itself: initialisation, versions, texts of errors.
#include "nvml/library.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace heddle::nvml;

/// Who looks for the machine's library knows ours by it (driver/gpu/cuda_libraries.cpp).
extern "C" __attribute__((visibility("default"))) const char heddle_is_ours = 1;

namespace {

/// What we say that our driver is: the one that came with CUDA 13.0.
constexpr std::string_view DriverVersion = "580.65.06", NvmlVersion = "13.580.65.06";

struct State {
  std::mutex mutex;
  std::atomic<int> users = 0;
  std::atomic<const heddle::driver::Machine *> machine = nullptr; ///< stays, for handles do
};

State &state() {
  static State &s = *new State;
  return s;
}

const heddle::driver::Machine *makeMachine() {
  auto made = heddle::driver::makeMachine(std::getenv("HEDDLE_DEVICE"));
  if (made)
    return new heddle::driver::Machine(std::move(*made));
  std::fprintf(stderr, "heddle: %s\n", made.error().c_str());
  return nullptr;
}

nvmlReturn_t initialize() {
  State &s = state();
  std::lock_guard guard(s.mutex);
  if (!s.machine)
    s.machine = makeMachine();
  if (!s.machine)
    return NVML_ERROR_DRIVER_NOT_LOADED;
  ++s.users;
  return NVML_SUCCESS;
}

} // namespace

namespace heddle::nvml {

bool isInitialized() { return state().users > 0; }

const driver::Machine &machine() {
  static const driver::Machine &none = *new driver::Machine;
  const driver::Machine *machine = state().machine;
  return machine ? *machine : none;
}

const Gpu *gpuOf(const void *handle) {
  for (const Gpu &gpu : machine())
    if (&gpu == handle)
      return &gpu;
  return nullptr;
}

nvmlDevice_t handleOf(const Gpu &gpu) {
  return reinterpret_cast<nvmlDevice_t>(const_cast<Gpu *>(&gpu));
}

nvmlReturn_t giveText(char *to, unsigned length, std::string_view text) {
  if (length <= text.size())
    return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = 0;
  return NVML_SUCCESS;
}

} // namespace heddle::nvml

HEDDLE_NVML_API nvmlReturn_t nvmlInit() { return initialize(); }
HEDDLE_NVML_API nvmlReturn_t nvmlInit_v2() { return initialize(); }
HEDDLE_NVML_API nvmlReturn_t nvmlInitWithFlags(unsigned) { return initialize(); }

HEDDLE_NVML_API nvmlReturn_t nvmlShutdown() {
  State &s = state();
  std::lock_guard guard(s.mutex);
  if (!s.users)
    return NVML_ERROR_UNINITIALIZED;
  --s.users;
  return NVML_SUCCESS;
}

HEDDLE_NVML_API nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length) {
  return onSystem(version, [&] { return giveText(version, length, DriverVersion); });
}

HEDDLE_NVML_API nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length) {
  return version ? giveText(version, length, NvmlVersion) : NVML_ERROR_INVALID_ARGUMENT;
}

HEDDLE_NVML_API nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
  if (!version)
    return NVML_ERROR_INVALID_ARGUMENT;
  *version = heddle::driver::Version;
  return NVML_SUCCESS;
}

HEDDLE_NVML_API nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) {
  return nvmlSystemGetCudaDriverVersion(version);
}

/// There are no S-class boxes, and no device is kept from programs.
HEDDLE_NVML_API nvmlReturn_t nvmlUnitGetCount(unsigned *count) {
  return onSystem(count, [&] { return *count = 0, NVML_SUCCESS; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlGetExcludedDeviceCount(unsigned *count) {
  if (!count)
    return NVML_ERROR_INVALID_ARGUMENT;
  *count = 0;
  return NVML_SUCCESS;
}

HEDDLE_NVML_API const char *nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
#define HEDDLE_NVML_ERROR(name, text)                                                              \
  case NVML_##name:                                                                                \
    return text;
#include "nvml/errors.def"
#undef HEDDLE_NVML_ERROR
  }
  return "Unknown Error";
}
