// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding a device, and what it is.
#include "nvml/library.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <strings.h>

using namespace heddle::nvml;
using heddle::driver::isCpu;
using heddle::driver::pciText;
using heddle::driver::uuidText;

namespace heddle::nvml {
int refuse(const void *device) {
  if (!isInitialized())
    return NVML_ERROR_UNINITIALIZED;
  return gpuOf(device) ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
}

int refuse() { return isInitialized() ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_UNINITIALIZED; }
} // namespace heddle::nvml

namespace {

constexpr unsigned NvidiaVendor = 0x10de;

const cudaDeviceProp &propertiesOf(const Gpu &gpu) { return gpu.board->properties; }

/// The handle of the one GPU for which `isIt(gpu)`; of several, NVML_ERROR_INVALID_ARGUMENT.
template <typename F> nvmlReturn_t findDevice(const void *asked, nvmlDevice_t *handle, F &&isIt) {
  return onSystem(asked && handle, [&] {
    const auto &gpus = machine();
    if (std::ranges::count_if(gpus, isIt) > 1)
      return NVML_ERROR_INVALID_ARGUMENT;
    auto found = std::ranges::find_if(gpus, isIt);
    if (found == gpus.end())
      return NVML_ERROR_NOT_FOUND;
    *handle = handleOf(*found);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t count(unsigned *to) {
  return onSystem(to, [&] {
    *to = static_cast<unsigned>(machine().size());
    return NVML_SUCCESS;
  });
}

nvmlReturn_t findByIndex(unsigned index, nvmlDevice_t *handle) {
  return onSystem(handle, [&] {
    if (index >= machine().size())
      return NVML_ERROR_INVALID_ARGUMENT;
    *handle = handleOf(machine()[index]);
    return NVML_SUCCESS;
  });
}

/// "domain:bus:device.function" with a domain of four or eight digits, or without domain or function.
nvmlReturn_t findByPci(const char *text, nvmlDevice_t *handle) {
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  if (!text)
    return onSystem(false, [] { return NVML_SUCCESS; });
  if (std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
    domain = function = 0;
    if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)
      return NVML_ERROR_INVALID_ARGUMENT;
  }
  return findDevice(text, handle, [&](const Gpu &gpu) {
    return gpu.pciDomain == domain && gpu.pciBus == bus && slot == 0 && function == 0;
  });
}

nvmlBrandType_t brandOf(const Gpu &gpu) {
  const std::string_view name = propertiesOf(gpu).name;
  if (isCpu(*gpu.board))
    return NVML_BRAND_UNKNOWN;
  if (name.starts_with("Tesla"))
    return NVML_BRAND_TESLA;
  if (name.find("GeForce RTX") != name.npos)
    return NVML_BRAND_GEFORCE_RTX;
  return name.find("GeForce") != name.npos ? NVML_BRAND_GEFORCE : NVML_BRAND_NVIDIA;
}

nvmlDeviceArchitecture_t architectureOf(const Gpu &gpu) {
  const int cc = propertiesOf(gpu).major * 10 + propertiesOf(gpu).minor;
  if (isCpu(*gpu.board) || cc < 30)
    return NVML_DEVICE_ARCH_UNKNOWN;
  switch (cc) {
  case 75:
    return NVML_DEVICE_ARCH_TURING;
  case 89:
    return NVML_DEVICE_ARCH_ADA;
  }
  constexpr nvmlDeviceArchitecture_t OfMajor[] = {
      NVML_DEVICE_ARCH_KEPLER, NVML_DEVICE_ARCH_UNKNOWN, NVML_DEVICE_ARCH_MAXWELL,
      NVML_DEVICE_ARCH_PASCAL, NVML_DEVICE_ARCH_VOLTA,   NVML_DEVICE_ARCH_AMPERE,
      NVML_DEVICE_ARCH_HOPPER};
  const auto at = static_cast<size_t>(cc / 10 - 3);
  return at < std::size(OfMajor) ? OfMajor[at] : NVML_DEVICE_ARCH_UNKNOWN;
}

/// CUDA guide, "Compute Capabilities": units for single precision of a multiprocessor.
unsigned coresPerMultiprocessor(int major, int minor) {
  switch (major * 10 + minor) {
  case 20:
    return 32;
  case 21:
    return 48;
  case 60:
  case 70:
  case 75:
  case 80:
    return 64;
  }
  return major == 1 ? 8 : major == 3 ? 192 : 128;
}

void fill(const Gpu &gpu, nvmlPciInfo_v2_t &pci) {
  pci = {};
  std::snprintf(pci.busId, sizeof pci.busId, "%s", pciText(gpu).c_str());
  pci.domain = gpu.pciDomain;
  pci.bus = gpu.pciBus;
  if (gpu.board->pciDevice)
    pci.pciDeviceId = gpu.board->pciDevice << 16 | NvidiaVendor;
}

nvmlReturn_t givePci(nvmlDevice_t handle, nvmlPciInfo_v2_t *pci) {
  return onDevice(handle, pci, [&](const Gpu &gpu) {
    fill(gpu, *pci);
    return NVML_SUCCESS;
  });
}

} // namespace

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetCount(unsigned *to) { return count(to); }
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *to) { return count(to); }

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *handle) {
  return findByIndex(index, handle);
}
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *handle) {
  return findByIndex(index, handle);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *handle) {
  return findByPci(id, handle);
}
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id,
                                                              nvmlDevice_t *handle) {
  return findByPci(id, handle);
}

/// GPUs of one board have one serial number, which then names none of them.
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice_t *handle) {
  return findDevice(serial, handle,
                    [&](const Gpu &gpu) { return !gpu.serial.empty() && gpu.serial == serial; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *handle) {
  return findDevice(uuid, handle,
                    [&](const Gpu &gpu) { return strcasecmp(uuidText(gpu).c_str(), uuid) == 0; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t handle, char *name, unsigned length) {
  return onDevice(handle, name,
                  [&](const Gpu &gpu) { return giveText(name, length, propertiesOf(gpu).name); });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t handle, nvmlBrandType_t *type) {
  return give(handle, type, brandOf);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t handle, unsigned *index) {
  return give(handle, index, [](const Gpu &gpu) { return gpu.index; });
}

/// Of the file /dev/nvidia<n>, if there were one.
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t handle, unsigned *number) {
  return give(handle, number, [](const Gpu &gpu) { return gpu.index; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t handle, char *serial,
                                                 unsigned length) {
  return onDevice(handle, serial, [&](const Gpu &gpu) {
    return gpu.serial.empty() ? NVML_ERROR_NOT_SUPPORTED : giveText(serial, length, gpu.serial);
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t handle, char *uuid, unsigned length) {
  return onDevice(handle, uuid,
                  [&](const Gpu &gpu) { return giveText(uuid, length, uuidText(gpu)); });
}

/// On hardware it is made of the bus of the board's bridge.
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetBoardId(nvmlDevice_t handle, unsigned *boardId) {
  return give(handle, boardId, [](const Gpu &gpu) { return (gpu.card + 1) << 8; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t handle, unsigned *isMultiGpu) {
  return give(handle, isMultiGpu, [](const Gpu &gpu) { return gpu.board->gpus > 1; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t handle, nvmlPciInfo_v2_t *pci) {
  return givePci(handle, pci);
}
HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t handle, nvmlPciInfo_v2_t *pci) {
  return givePci(handle, pci);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t handle, nvmlPciInfo_t *pci) {
  return onDevice(handle, pci, [&](const Gpu &gpu) {
    nvmlPciInfo_v2_t old;
    fill(gpu, old);
    *pci = {};
    std::memcpy(pci->busIdLegacy, old.busId, sizeof old.busId);
    pci->domain = old.domain;
    pci->bus = old.bus;
    pci->pciDeviceId = old.pciDeviceId;
    std::snprintf(pci->busId, sizeof pci->busId, NVML_DEVICE_PCI_BUS_ID_FMT, old.domain, old.bus,
                  0u);
    return NVML_SUCCESS;
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t handle, int *major,
                                                                int *minor) {
  return onDevice(handle, major && minor, [&](const Gpu &gpu) {
    *major = propertiesOf(gpu).major;
    *minor = propertiesOf(gpu).minor;
    return NVML_SUCCESS;
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t handle,
                                                       nvmlDeviceArchitecture_t *architecture) {
  return give(handle, architecture, architectureOf);
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t handle, unsigned *cores) {
  return give(handle, cores, [](const Gpu &gpu) {
    const cudaDeviceProp &p = propertiesOf(gpu);
    return static_cast<unsigned>(p.multiProcessorCount) * coresPerMultiprocessor(p.major, p.minor);
  });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t handle, unsigned *bits) {
  return giveKnown(handle, bits, [](const Gpu &gpu) { return propertiesOf(gpu).memoryBusWidth; });
}

HEDDLE_NVML_API nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t handle,
                                                        nvmlDeviceAttributes_t *attributes) {
  return onDevice(handle, attributes, [&](const Gpu &gpu) {
    *attributes = {};
    attributes->multiprocessorCount = static_cast<unsigned>(propertiesOf(gpu).multiProcessorCount);
    attributes->sharedCopyEngineCount = static_cast<unsigned>(propertiesOf(gpu).asyncEngineCount);
    attributes->memorySizeMB = propertiesOf(gpu).totalGlobalMem >> 20;
    return NVML_SUCCESS;
  });
}
