// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/context.h"
#include "opencl/info.h"

#include <algorithm>
#include <cstring>
#include <ctime>

using namespace heddle::cl;

namespace heddle::cl {

_cl_platform_id &platform() {
  static auto &only = *new _cl_platform_id;
  return only;
}

std::vector<cl_device_id> &devices() {
  static auto &all = *[] {
    auto *list = new std::vector<cl_device_id>;
    for (int i = 0; i < deviceCount(); ++i) {
      auto *device = new _cl_device_id;
      cu().cuDeviceGet(&device->number, i);
      list->push_back(device);
    }
    return list;
  }();
  return all;
}

cl_ulong hostNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<cl_ulong>(now.tv_sec) * 1'000'000'000 + static_cast<cl_ulong>(now.tv_nsec);
}

namespace {

bool isOurs(cl_platform_id given) { return !given || given == &platform(); }

void *extensionFunction(const char *name) {
  if (!std::strcmp(name, "clIcdGetPlatformIDsKHR"))
    return reinterpret_cast<void *>(clGetPlatformIDs);
  if (!std::strcmp(name, "clGetPlatformInfo"))
    return reinterpret_cast<void *>(clGetPlatformInfo);
  if (!std::strcmp(name, "clGetKernelSubGroupInfoKHR"))
    return reinterpret_cast<void *>(clGetKernelSubGroupInfoKHR);
  return nullptr;
}

} // namespace

} // namespace heddle::cl

cl_int clGetPlatformIDs(cl_uint count, cl_platform_id *platforms, cl_uint *total) {
  if ((!count && platforms) || (!platforms && !total))
    return CL_INVALID_VALUE;
  if (total)
    *total = 1;
  if (platforms)
    *platforms = &platform();
  return CL_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) cl_int
clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms, cl_uint *total) {
  return clGetPlatformIDs(count, platforms, total);
}

extern "C" __attribute__((visibility("default"))) cl_int clGetPlatformInfo(cl_platform_id given,
                                                                           cl_platform_info name,
                                                                           size_t size, void *value,
                                                                           size_t *sizeReturned) {
  if (!isOurs(given))
    return CL_INVALID_PLATFORM;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_PLATFORM_PROFILE:
    return room.give("FULL_PROFILE");
  case CL_PLATFORM_VERSION:
    return room.give("OpenCL 3.0 Heddle");
  case CL_PLATFORM_NUMERIC_VERSION:
    return room.give<cl_version>(CL_MAKE_VERSION(Major, Minor, 0));
  case CL_PLATFORM_NAME:
    return room.give("Heddle");
  case CL_PLATFORM_VENDOR:
    return room.give("The Heddle authors");
  case CL_PLATFORM_EXTENSIONS:
    return room.give("cl_khr_icd cl_khr_extended_versioning");
  case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
    return room.give(
        std::vector<cl_name_version>{{CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"},
                                     {CL_MAKE_VERSION(1, 0, 0), "cl_khr_extended_versioning"}});
  case CL_PLATFORM_HOST_TIMER_RESOLUTION:
    return room.give<cl_ulong>(1);
  case CL_PLATFORM_ICD_SUFFIX_KHR:
    return room.give("HEDDLE");
  default:
    return CL_INVALID_VALUE;
  }
}

extern "C" __attribute__((visibility("default"))) void *
clGetExtensionFunctionAddress(const char *name) {
  return name ? extensionFunction(name) : nullptr;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id given, const char *name) {
  return isOurs(given) && name ? extensionFunction(name) : nullptr;
}

cl_int clUnloadCompiler() { return CL_SUCCESS; }
cl_int clUnloadPlatformCompiler(cl_platform_id given) {
  return given == &platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
