// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices. A board of HEDDLE_DEVICE is a GPU, as CUDA programs see it. The processor says that it is
// one, and is found by programs that want a GPU, too.
#include "opencl/context.h"

#include <algorithm>

using namespace heddle::cl;

/// Of libheddle_driver (driver/gpu/cuda_libraries.cpp).
extern "C" bool heddle_is_on_gpu(int device, bool *areAll);

CUcontext _cl_device_id::enter() {
  std::call_once(once, [&] {
    cu().cuDevicePrimaryCtxRetain(&context, number);
    auto limit = [&](CUdevice_attribute which) { return static_cast<size_t>(attribute(which)); };
    mostThreads[0] = limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
    mostThreads[1] = limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
    mostThreads[2] = limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    mostShared = limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  });
  return context;
}

int _cl_device_id::attribute(CUdevice_attribute which) const {
  int value = 0;
  cu().cuDeviceGetAttribute(&value, which, number);
  return value;
}

bool _cl_device_id::isHost() const {
  return attribute(CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST) != 0;
}

bool _cl_device_id::hasImages() const {
  bool areAll = false;
  return !heddle_is_on_gpu(number, &areAll);
}

cl_device_type _cl_device_id::type() const {
  return isHost() ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
}

std::string _cl_device_id::name() const {
  char text[256] = "";
  cu().cuDeviceGetName(text, sizeof(text), number);
  return text;
}

namespace {

constexpr cl_device_type KnownTypes = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                                      CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                      CL_DEVICE_TYPE_CUSTOM;

std::vector<cl_device_id> devicesOf(cl_device_type type) {
  std::vector<cl_device_id> found;
  for (cl_device_id device : devices()) {
    const bool isDefault = (type & CL_DEVICE_TYPE_DEFAULT) && found.empty();
    if (type == CL_DEVICE_TYPE_ALL || ((device->type() | CL_DEVICE_TYPE_GPU) & type) || isDefault)
      found.push_back(device);
  }
  return found;
}

} // namespace

cl_int clGetDeviceIDs(cl_platform_id given, cl_device_type type, cl_uint count, cl_device_id *list,
                      cl_uint *total) {
  if (given && given != &platform())
    return CL_INVALID_PLATFORM;
  if (type != CL_DEVICE_TYPE_ALL && (!(type & KnownTypes) || (type & ~KnownTypes)))
    return CL_INVALID_DEVICE_TYPE;
  if ((!count && list) || (!list && !total))
    return CL_INVALID_VALUE;
  const std::vector<cl_device_id> found = devicesOf(type);
  if (total)
    *total = static_cast<cl_uint>(found.size());
  if (list)
    std::copy_n(found.begin(), std::min<size_t>(count, found.size()), list);
  return found.empty() ? CL_DEVICE_NOT_FOUND : CL_SUCCESS;
}

cl_int clRetainDevice(cl_device_id device) {
  return isValid(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}
cl_int clReleaseDevice(cl_device_id device) {
  return isValid(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/// CL_DEVICE_PARTITION_PROPERTIES has no way to partition.
cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
                          cl_uint, cl_device_id *, cl_uint *) {
  return isValid(device) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *ofDevice, cl_ulong *ofHost) {
  if (!isValid(device))
    return CL_INVALID_DEVICE;
  if (!ofDevice || !ofHost)
    return CL_INVALID_VALUE;
  *ofDevice = *ofHost = hostNanoseconds();
  return CL_SUCCESS;
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *ofHost) {
  if (!isValid(device))
    return CL_INVALID_DEVICE;
  if (!ofHost)
    return CL_INVALID_VALUE;
  *ofHost = hostNanoseconds();
  return CL_SUCCESS;
}
