// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What devices there are and what they are like. None of it is work for a device: it answers on a
// lost context too.
#include "driver/boards/board.h"
#include "driver/device/context.h"

#include <cstdio>
#include <cstring>
#include <string_view>

using namespace heddle::driver;

namespace {

/// Where the fields of CUDA 11's cudaDeviceProp end in ours.
constexpr size_t OldPropertiesBytes = offsetof(cudaDeviceProp, hostRegisterSupported);

/// The board's properties, and what depends on the GPU's place in the machine.
cudaDeviceProp propertiesOf(const Context &device) {
  cudaDeviceProp p = device.board->properties;
  const Gpu &gpu = *device.gpu;
  std::memcpy(p.uuid.bytes, gpu.uuid.data(), gpu.uuid.size());
  p.pciDomainID = static_cast<int>(gpu.pciDomain);
  p.pciBusID = static_cast<int>(gpu.pciBus);
  p.multiGpuBoardGroupID = static_cast<int>(gpu.card);
  p.computeMode = Ledger::get().computeMode(gpu.uuid);
  return p;
}

CUresult attributeOf(const Context &device, cudaDeviceAttr attribute, int &value) {
  const cudaDeviceProp p = propertiesOf(device);
  switch (static_cast<int>(attribute)) {
#define HEDDLE_ATTRIBUTE(name, expression)                                                         \
  case cudaDevAttr##name:                                                                          \
    value = static_cast<int>(expression);                                                          \
    return CUDA_SUCCESS;
#include "driver/device/attributes.def"
#undef HEDDLE_ATTRIBUTE
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// How many of the wishes a device meets. Zero and an empty name wish for nothing.
int score(const cudaDeviceProp &have, const cudaDeviceProp &wish) {
  auto atLeast = [](auto has, auto wants) { return wants != 0 && has >= wants; };
  return 8 * (wish.name[0] && std::strcmp(have.name, wish.name) == 0) +
         4 * atLeast(have.major * 10 + have.minor, wish.major * 10 + wish.minor) +
         atLeast(have.totalGlobalMem, wish.totalGlobalMem) +
         atLeast(have.multiProcessorCount, wish.multiProcessorCount) +
         atLeast(have.sharedMemPerBlock, wish.sharedMemPerBlock) +
         atLeast(have.maxThreadsPerBlock, wish.maxThreadsPerBlock) +
         atLeast(have.clockRate, wish.clockRate) + atLeast(have.regsPerBlock, wish.regsPerBlock);
}

int bestDevice(const cudaDeviceProp &wish) {
  int best = 0, bestScore = -1;
  for (auto &device : state().devices)
    if (int points = score(propertiesOf(*device), wish); points > bestScore) {
      best = device->ordinal;
      bestScore = points;
    }
  return best;
}

/// "domain:bus:device.function", the domain and the function may be missing.
CUresult findByPciBusId(int &ordinal, const char *text) {
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  if (std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
    domain = function = 0;
    if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (auto &device : state().devices)
    if (domain == device->gpu->pciDomain && slot == 0 && function == 0 &&
        bus == device->gpu->pciBus) {
      ordinal = device->ordinal;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_DEVICE;
}

template <typename F> CUresult query(F &&body) { return enter(body, EnterLost); }

/// Runs `body(device)` for a valid ordinal.
template <typename F> CUresult queryDevice(int ordinal, F &&body) {
  return query([&] {
    Context *device = primaryAt(ordinal);
    return device ? body(*device) : CUDA_ERROR_INVALID_DEVICE;
  });
}

} // namespace

CUresult heddle::driver::cudaGetDeviceCount(int *count) {
  if (count)
    *count = static_cast<int>(state().devices.size());
  return query([&] { return count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; });
}

CUresult heddle::driver::cudaGetDeviceProperties_v2(cudaDeviceProp *properties, int ordinal) {
  return queryDevice(ordinal, [&](Context &device) {
    if (!properties)
      return CUDA_ERROR_INVALID_VALUE;
    *properties = propertiesOf(device);
    return CUDA_SUCCESS;
  });
}

/// As objects compiled with CUDA 11 call it: with their shorter struct.
CUresult heddle::driver::cudaGetDeviceProperties(void *properties, int ordinal) {
  return queryDevice(ordinal, [&](Context &device) {
    if (!properties)
      return CUDA_ERROR_INVALID_VALUE;
    const cudaDeviceProp all = propertiesOf(device);
    std::memcpy(properties, &all, OldPropertiesBytes);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int ordinal) {
  return queryDevice(ordinal, [&](Context &device) {
    return value ? attributeOf(device, attribute, *value) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult heddle::driver::cudaChooseDevice(int *device, const cudaDeviceProp *wish) {
  return query([&] {
    if (!device || !wish)
      return CUDA_ERROR_INVALID_VALUE;
    *device = bestDevice(*wish);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceGetPCIBusId(char *text, int length, int ordinal) {
  return queryDevice(ordinal, [&](Context &device) {
    constexpr int Needed = 13; // 0000:01:00.0 and the null byte
    if (!text || length < Needed)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(text, static_cast<size_t>(length), "%s", pciText(*device.gpu).c_str());
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaDeviceGetByPCIBusId(int *device, const char *text) {
  return query(
      [&] { return device && text ? findByPciBusId(*device, text) : CUDA_ERROR_INVALID_VALUE; });
}

/// The manual gives no rule. On an H200 it is the limit on linear textures in texels of 16 bytes,
/// so there are more of smaller ones.
CUresult heddle::driver::cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                              const cudaChannelFormatDesc *format,
                                                              int ordinal) {
  return queryDevice(ordinal, [&](Context &device) {
    if (!width || !format)
      return CUDA_ERROR_INVALID_VALUE;
    const int bits = format->x + format->y + format->z + format->w;
    if (bits <= 0 || bits % 8)
      return CUresult(cudaErrorInvalidChannelDescriptor);
    *width = static_cast<size_t>(device.board->properties.maxTexture1DLinear) * 16 / (bits / 8);
    return CUDA_SUCCESS;
  });
}
