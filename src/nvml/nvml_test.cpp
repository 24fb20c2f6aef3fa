// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVML as programs see it: they link the library.
#include "nvml.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <unistd.h>

namespace {

/// 0: a K20, 1 and 2: a K10, 3: a GeForce; behind another hub 4: this machine's processor.
const bool devicesChosen = [] {
  setenv("CUDA_VISIBLE_DEVICES", "1", 1); // which hides nothing here
  setenv("HEDDLE_MACHINE", "", 1);
  return setenv("HEDDLE_DEVICE", "k20,k10,gtx480/cpu", 1) == 0;
}();

#define EXPECT_DONE(call) EXPECT_EQ(call, NVML_SUCCESS)

nvmlDevice_t deviceAt(unsigned index) {
  nvmlDevice_t device = nullptr;
  EXPECT_DONE(nvmlDeviceGetHandleByIndex(index, &device));
  return device;
}

class NvmlTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(nvmlInit(), NVML_SUCCESS); }
  void TearDown() override { EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS); }
};

using Ask = nvmlReturn_t (*)(nvmlDevice_t, char *, unsigned);
std::string textOf(Ask ask, unsigned index) {
  char text[NVML_DEVICE_NAME_V2_BUFFER_SIZE] = "";
  EXPECT_DONE(ask(deviceAt(index), text, sizeof text));
  return text;
}

TEST(Nvml, mustBeInitialized) {
  unsigned count;
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex(0, &device), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &count),
            NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
  EXPECT_DONE(nvmlInitWithFlags(NVML_INIT_FLAG_NO_GPUS));
  EXPECT_DONE(nvmlInit());
  EXPECT_DONE(nvmlShutdown());
  EXPECT_DONE(nvmlDeviceGetCount(&count)) << "as often as it was initialised";
  EXPECT_DONE(nvmlShutdown());
  EXPECT_EQ(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
}

TEST(Nvml, errorStrings) {
  EXPECT_STREQ(nvmlErrorString(NVML_SUCCESS), "Success");
  EXPECT_STREQ(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported");
  EXPECT_STREQ(nvmlErrorString(static_cast<nvmlReturn_t>(500)), "Unknown Error");
}

TEST_F(NvmlTest, versions) {
  char text[80];
  int cuda = 0;
  EXPECT_DONE(nvmlSystemGetDriverVersion(text, sizeof text));
  EXPECT_EQ(std::string(text).substr(0, 4), "580.");
  EXPECT_EQ(nvmlSystemGetDriverVersion(text, 3), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_DONE(nvmlSystemGetNVMLVersion(text, sizeof text));
  EXPECT_EQ(std::string(text).substr(0, 7), "13.580.");
  EXPECT_DONE(nvmlSystemGetCudaDriverVersion(&cuda));
  EXPECT_DONE(nvmlSystemGetCudaDriverVersion_v2(&cuda));
  EXPECT_EQ(NVML_CUDA_DRIVER_VERSION_MAJOR(cuda), 13);
  EXPECT_EQ(NVML_CUDA_DRIVER_VERSION_MINOR(cuda), 0);
  unsigned count = 7;
  EXPECT_DONE(nvmlUnitGetCount(&count));
  EXPECT_EQ(count, 0u);
  EXPECT_DONE(nvmlGetExcludedDeviceCount(&count));
}

TEST_F(NvmlTest, handles) {
  unsigned count = 0;
  EXPECT_DONE(nvmlDeviceGetCount(&count));
  ASSERT_EQ(count, 5u);
  std::set<std::string> uuids;
  for (unsigned i = 0; i < count; ++i) {
    nvmlDevice_t device = deviceAt(i), found = nullptr;
    const std::string uuid = textOf(nvmlDeviceGetUUID, i);
    uuids.insert(uuid);
    EXPECT_DONE(nvmlDeviceGetHandleByUUID(uuid.c_str(), &found));
    EXPECT_EQ(found, device);
    nvmlPciInfo_t pci;
    EXPECT_DONE(nvmlDeviceGetPciInfo(device, &pci));
    for (const char *id : {pci.busId, pci.busIdLegacy}) {
      found = nullptr;
      EXPECT_DONE(nvmlDeviceGetHandleByPciBusId(id, &found));
      EXPECT_EQ(found, device) << id;
    }
    unsigned index = 9, minor = 9;
    EXPECT_DONE(nvmlDeviceGetIndex(device, &index));
    EXPECT_DONE(nvmlDeviceGetMinorNumber(device, &minor));
    EXPECT_EQ(index, i);
    EXPECT_EQ(minor, i);
  }
  EXPECT_EQ(uuids.size(), count);
  nvmlDevice_t device;
  EXPECT_EQ(nvmlDeviceGetHandleByIndex(5, &device), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetHandleByUUID("GPU-1", &device), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId("0000:77:00.0", &device), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId("bus", &device), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetIndex(reinterpret_cast<nvmlDevice_t>(&device), &count),
            NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(NvmlTest, serials) {
  nvmlDevice_t device = nullptr;
  char text[NVML_DEVICE_SERIAL_BUFFER_SIZE];
  const std::string serial = textOf(nvmlDeviceGetSerial, 0);
  EXPECT_EQ(serial.size(), 13u);
  EXPECT_DONE(nvmlDeviceGetHandleBySerial(serial.c_str(), &device));
  EXPECT_EQ(device, deviceAt(0));
  EXPECT_EQ(textOf(nvmlDeviceGetSerial, 1), textOf(nvmlDeviceGetSerial, 2)) << "of the board";
  EXPECT_EQ(nvmlDeviceGetHandleBySerial(textOf(nvmlDeviceGetSerial, 1).c_str(), &device),
            NVML_ERROR_INVALID_ARGUMENT)
      << "names two";
  for (unsigned index : {3u, 4u})
    EXPECT_EQ(nvmlDeviceGetSerial(deviceAt(index), text, sizeof text), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(NvmlTest, identity) {
  EXPECT_EQ(textOf(nvmlDeviceGetName, 0), "Tesla K20c");
  EXPECT_EQ(textOf(nvmlDeviceGetName, 2), "Tesla K10.G1.8GB");
  char text[8];
  EXPECT_EQ(nvmlDeviceGetName(deviceAt(0), text, sizeof text), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(nvmlDeviceGetName(deviceAt(0), nullptr, 8), NVML_ERROR_INVALID_ARGUMENT);
  nvmlBrandType_t brand;
  EXPECT_DONE(nvmlDeviceGetBrand(deviceAt(0), &brand));
  EXPECT_EQ(brand, NVML_BRAND_TESLA);
  EXPECT_DONE(nvmlDeviceGetBrand(deviceAt(3), &brand));
  EXPECT_EQ(brand, NVML_BRAND_GEFORCE);
  int major = 0, minor = 0;
  EXPECT_DONE(nvmlDeviceGetCudaComputeCapability(deviceAt(0), &major, &minor));
  EXPECT_EQ(major * 10 + minor, 35);
  nvmlDeviceArchitecture_t architecture;
  EXPECT_DONE(nvmlDeviceGetArchitecture(deviceAt(0), &architecture));
  EXPECT_EQ(architecture, unsigned(NVML_DEVICE_ARCH_KEPLER));
  EXPECT_DONE(nvmlDeviceGetArchitecture(deviceAt(3), &architecture));
  EXPECT_EQ(architecture, NVML_DEVICE_ARCH_UNKNOWN) << "older than all that NVML names";
  unsigned value = 0;
  EXPECT_DONE(nvmlDeviceGetNumGpuCores(deviceAt(0), &value));
  EXPECT_EQ(value, 2496u);
  EXPECT_DONE(nvmlDeviceGetNumGpuCores(deviceAt(1), &value));
  EXPECT_EQ(value, 1536u);
  EXPECT_DONE(nvmlDeviceGetMemoryBusWidth(deviceAt(0), &value));
  EXPECT_EQ(value, 320u);
  EXPECT_EQ(nvmlDeviceGetMemoryBusWidth(deviceAt(4), &value), NVML_ERROR_NOT_SUPPORTED);
  nvmlDeviceAttributes_t attributes;
  EXPECT_DONE(nvmlDeviceGetAttributes(deviceAt(0), &attributes));
  EXPECT_EQ(attributes.multiprocessorCount, 13u);
  nvmlPciInfo_t pci;
  EXPECT_DONE(nvmlDeviceGetPciInfo(deviceAt(4), &pci));
  EXPECT_STREQ(pci.busId, "00000000:41:00.0");
  EXPECT_EQ(pci.pciDeviceId, 0u);
  EXPECT_DONE(nvmlDeviceGetPciInfo(deviceAt(0), &pci));
  EXPECT_EQ(pci.pciDeviceId, 0x102210deu);
  nvmlPciInfo_v2_t old;
  EXPECT_DONE(nvmlDeviceGetPciInfo_v2(deviceAt(1), &old));
  EXPECT_STREQ(old.busId, "0000:02:00.0");
  EXPECT_EQ(old.bus, 2u);
}

TEST_F(NvmlTest, memory) {
  nvmlMemory_t memory;
  EXPECT_DONE(nvmlDeviceGetMemoryInfo(deviceAt(0), &memory));
  EXPECT_EQ(memory.total, 5032706048u);
  EXPECT_EQ(memory.free + memory.used, memory.total);
  nvmlMemory_v2_t second = {};
  EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(deviceAt(0), &second), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  second.version = nvmlMemory_v2;
  EXPECT_DONE(nvmlDeviceGetMemoryInfo_v2(deviceAt(0), &second));
  EXPECT_EQ(second.total, memory.total);
  nvmlBAR1Memory_t bar1;
  EXPECT_EQ(nvmlDeviceGetBAR1MemoryInfo(deviceAt(0), &bar1), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(NvmlTest, useAndProcesses) {
  nvmlUtilization_t use;
  EXPECT_DONE(nvmlDeviceGetUtilizationRates(deviceAt(0), &use));
  EXPECT_LE(use.gpu, 100u);
  unsigned count = 0;
  nvmlProcessInfo_t infos[2];
  EXPECT_DONE(nvmlDeviceGetComputeRunningProcesses(deviceAt(0), &count, nullptr));
  EXPECT_EQ(count, 0u) << "tests/runtime/processes_share.test has some";
  for (auto ask :
       {nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlDeviceGetMPSComputeRunningProcesses_v3}) {
    count = 2;
    EXPECT_DONE(ask(deviceAt(0), &count, infos));
    EXPECT_EQ(count, 0u);
  }
  char name[256];
  EXPECT_DONE(nvmlSystemGetProcessName(static_cast<unsigned>(getpid()), name, sizeof name));
  EXPECT_NE(std::strstr(name, "nvml_test"), nullptr) << name;
  EXPECT_EQ(nvmlSystemGetProcessName(0x7fffffff, name, sizeof name), NVML_ERROR_NOT_FOUND);
}

TEST_F(NvmlTest, modes) {
  nvmlDevice_t device = deviceAt(1);
  nvmlComputeMode_t mode;
  EXPECT_DONE(nvmlDeviceSetComputeMode(device, NVML_COMPUTEMODE_EXCLUSIVE_PROCESS));
  EXPECT_DONE(nvmlDeviceGetComputeMode(device, &mode));
  EXPECT_EQ(mode, NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
  EXPECT_DONE(nvmlDeviceGetComputeMode(deviceAt(2), &mode));
  EXPECT_EQ(mode, NVML_COMPUTEMODE_DEFAULT);
  EXPECT_EQ(nvmlDeviceSetComputeMode(device, NVML_COMPUTEMODE_EXCLUSIVE_THREAD),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceSetComputeMode(device, static_cast<nvmlComputeMode_t>(17)),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_DONE(nvmlDeviceSetComputeMode(device, NVML_COMPUTEMODE_DEFAULT));
  nvmlEnableState_t state, pending;
  EXPECT_DONE(nvmlDeviceGetPersistenceMode(device, &state));
  EXPECT_EQ(state, NVML_FEATURE_DISABLED);
  EXPECT_DONE(nvmlDeviceGetDisplayMode(device, &state));
  EXPECT_DONE(nvmlDeviceGetDisplayActive(device, &state));
  EXPECT_DONE(nvmlDeviceGetEccMode(device, &state, &pending));
  EXPECT_EQ(state, NVML_FEATURE_ENABLED);
  EXPECT_DONE(nvmlDeviceGetDefaultEccMode(device, &state));
  EXPECT_EQ(nvmlDeviceGetEccMode(deviceAt(3), &state, &pending), NVML_ERROR_NOT_SUPPORTED);
  unsigned value = 9;
  EXPECT_DONE(nvmlDeviceIsMigDeviceHandle(device, &value));
  EXPECT_EQ(value, 0u);
  EXPECT_DONE(nvmlDeviceGetMaxMigDeviceCount(device, &value));
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(nvmlDeviceGetMigMode(device, &value, &value), NVML_ERROR_NOT_SUPPORTED);
  nvmlFieldValue_t field = {};
  EXPECT_DONE(nvmlDeviceGetFieldValues(device, 1, &field));
  EXPECT_EQ(field.nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(NvmlTest, clocksAndSensors) {
  unsigned value = 0;
  EXPECT_DONE(nvmlDeviceGetClockInfo(deviceAt(0), NVML_CLOCK_SM, &value));
  EXPECT_EQ(value, 705u);
  EXPECT_DONE(nvmlDeviceGetMaxClockInfo(deviceAt(0), NVML_CLOCK_MEM, &value));
  EXPECT_EQ(value, 2600u);
  EXPECT_DONE(nvmlDeviceGetClockInfo(deviceAt(3), NVML_CLOCK_GRAPHICS, &value));
  EXPECT_EQ(value, 700u) << "half of the cores' clock";
  EXPECT_EQ(nvmlDeviceGetClockInfo(deviceAt(0), NVML_CLOCK_VIDEO, &value),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetClockInfo(deviceAt(0), NVML_CLOCK_COUNT, &value),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetTemperature(deviceAt(0), NVML_TEMPERATURE_GPU, &value),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetFanSpeed(deviceAt(0), &value), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetPowerUsage(deviceAt(0), &value), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetPowerUsage(nullptr, &value), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(NvmlTest, topology) {
  nvmlGpuTopologyLevel_t level;
  auto between = [&](unsigned a, unsigned b) {
    EXPECT_DONE(nvmlDeviceGetTopologyCommonAncestor(deviceAt(a), deviceAt(b), &level));
    return level;
  };
  EXPECT_EQ(between(1, 2), NVML_TOPOLOGY_INTERNAL);
  EXPECT_EQ(between(0, 1), NVML_TOPOLOGY_HOSTBRIDGE);
  EXPECT_EQ(between(0, 4), NVML_TOPOLOGY_SYSTEM);
  nvmlGpuP2PStatus_t status;
  auto access = [&](unsigned a, unsigned b) {
    EXPECT_DONE(
        nvmlDeviceGetP2PStatus(deviceAt(a), deviceAt(b), NVML_P2P_CAPS_INDEX_READ, &status));
    return status;
  };
  EXPECT_EQ(access(0, 1), NVML_P2P_STATUS_OK);
  EXPECT_EQ(access(0, 3), NVML_P2P_STATUS_GPU_NOT_SUPPORTED);
  EXPECT_EQ(access(0, 4), NVML_P2P_STATUS_IOH_TOPOLOGY_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetP2PStatus(deviceAt(0), deviceAt(0), NVML_P2P_CAPS_INDEX_READ, &status),
            NVML_ERROR_INVALID_ARGUMENT);
  int same = -1;
  EXPECT_DONE(nvmlDeviceOnSameBoard(deviceAt(1), deviceAt(2), &same));
  EXPECT_EQ(same, 1);
  EXPECT_DONE(nvmlDeviceOnSameBoard(deviceAt(0), deviceAt(2), &same));
  EXPECT_EQ(same, 0);
  unsigned first = 0, second = 0, several = 9;
  EXPECT_DONE(nvmlDeviceGetBoardId(deviceAt(1), &first));
  EXPECT_DONE(nvmlDeviceGetBoardId(deviceAt(2), &second));
  EXPECT_EQ(first, second);
  EXPECT_DONE(nvmlDeviceGetMultiGpuBoard(deviceAt(2), &several));
  EXPECT_EQ(several, 1u);
  nvmlDevice_t near[4];
  unsigned count = 0;
  EXPECT_DONE(
      nvmlDeviceGetTopologyNearestGpus(deviceAt(1), NVML_TOPOLOGY_HOSTBRIDGE, &count, nullptr));
  ASSERT_EQ(count, 2u);
  EXPECT_DONE(
      nvmlDeviceGetTopologyNearestGpus(deviceAt(1), NVML_TOPOLOGY_HOSTBRIDGE, &count, near));
  EXPECT_EQ(near[0], deviceAt(0));
  EXPECT_EQ(near[1], deviceAt(3));
  count = 0;
  EXPECT_DONE(nvmlSystemGetTopologyGpuSet(0, &count, nullptr));
  EXPECT_EQ(count, 5u);
  unsigned long set[2] = {};
  EXPECT_DONE(nvmlDeviceGetCpuAffinity(deviceAt(0), 2, set));
  EXPECT_NE(set[0] | set[1], 0ul);
  EXPECT_DONE(nvmlDeviceGetCpuAffinityWithinScope(deviceAt(0), 2, set, NVML_AFFINITY_SCOPE_NODE));
  EXPECT_DONE(nvmlDeviceGetMemoryAffinity(deviceAt(0), 2, set, NVML_AFFINITY_SCOPE_NODE));
  EXPECT_EQ(set[0], 1ul);
  EXPECT_DONE(nvmlDeviceSetCpuAffinity(deviceAt(0)));
  EXPECT_DONE(nvmlDeviceClearCpuAffinity(deviceAt(0)));
}

/// The table's functions are there, and those that are not done refuse.
TEST_F(NvmlTest, everyFunctionOfTheTable) {
  using OfDevice = int (*)(const void *);
  using OfSystem = int (*)();
  enum Kind { Done, Device, System };
  auto check = [](Kind kind, const char *name) {
    void *function = dlsym(RTLD_DEFAULT, name);
    ASSERT_TRUE(function) << name;
    if (kind == Device)
      EXPECT_EQ(reinterpret_cast<OfDevice>(function)(deviceAt(0)), NVML_ERROR_NOT_SUPPORTED)
          << name;
    if (kind == System)
      EXPECT_EQ(reinterpret_cast<OfSystem>(function)(), NVML_ERROR_NOT_SUPPORTED) << name;
  };
#define HEDDLE_NVML(state, name, parameters) check(state, #name);
#include "heddle/nvml_functions.inc"
#undef HEDDLE_NVML
}

} // namespace
