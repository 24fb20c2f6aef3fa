// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clGetDeviceInfo.
#include "opencl/context.h"
#include "opencl/info.h"

#include <algorithm>
#include <string_view>

using namespace heddle::cl;

namespace {

std::vector<cl_name_version> offered(const _cl_device_id &device,
                                     std::vector<cl_name_version> names) {
  std::erase_if(names, [&](const cl_name_version &one) { return !device.offers(one.name); });
  return names;
}

std::vector<cl_name_version> extensions(const _cl_device_id &device) {
  return offered(device, {
#define HEDDLE_OPENCL_EXTENSION(name, major, minor, patch)                                         \
  {CL_MAKE_VERSION(major, minor, patch), #name},
#include "frontend/opencl/features.def"
                         });
}

std::vector<cl_name_version> features(const _cl_device_id &device) {
  return offered(device, {
#define HEDDLE_OPENCL_FEATURE(name) {CL_MAKE_VERSION(3, 0, 0), #name},
#include "frontend/opencl/features.def"
                         });
}

std::string extensionNames(const _cl_device_id &device) {
  std::string names;
  for (const cl_name_version &one : extensions(device))
    names += (names.empty() ? "" : " ") + std::string(one.name);
  return names;
}

size_t memoryBytes(const _cl_device_id &device) {
  size_t bytes = 0;
  cu().cuDeviceTotalMem_v2(&bytes, device.number);
  return bytes;
}

/// What a device says in numbers of 32 bits; false if it is something else.
bool numberOf(const _cl_device_id &device, cl_device_info name, cl_uint &value) {
  switch (name) {
  case CL_DEVICE_VENDOR_ID:
    value = 0x48454444; // "HEDD": no number of PCI's
    return true;
  case CL_DEVICE_MAX_COMPUTE_UNITS:
    value = static_cast<cl_uint>(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    return true;
  case CL_DEVICE_MAX_CLOCK_FREQUENCY: // MHz
    value = static_cast<cl_uint>(device.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000);
    return true;
  case CL_DEVICE_ADDRESS_BITS:
    value = 64;
    return true;
  case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
    value = 3;
    return true;
  // simt makes vectors of threads, so what a thread computes with is best a scalar.
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
    value = 1;
    return true;
  case CL_DEVICE_MAX_PIPE_ARGS:
  case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
  case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
  case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
  case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
  case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
  case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
  case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
  case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
  case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
  case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
    value = 0;
    return true;
  case CL_DEVICE_IMAGE_PITCH_ALIGNMENT: // texels: CUDA's bytes, for those of one byte
    value = static_cast<cl_uint>(device.attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT));
    return true;
  case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
    value = static_cast<cl_uint>(device.attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
    return true;
  case CL_DEVICE_MEM_BASE_ADDR_ALIGN: // bits
    value = 128 * 8;
    return true;
  case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
    value = 128;
    return true;
  case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
    value = 64;
    return true;
  case CL_DEVICE_MAX_NUM_SUB_GROUPS: // warps
    value = static_cast<cl_uint>(device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) /
                                 device.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
    return true;
  case CL_DEVICE_MAX_READ_IMAGE_ARGS:
  case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
  case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
    value = device.hasImages() ? 128 : 0;
    return true;
  case CL_DEVICE_MAX_SAMPLERS:
    value = device.hasImages() ? 16 : 0;
    return true;
  case CL_DEVICE_MAX_CONSTANT_ARGS:
    value = 64;
    return true;
  case CL_DEVICE_REFERENCE_COUNT:
    value = 1;
    return true;
  default:
    return false;
  }
}

bool sizeOf(const _cl_device_id &device, cl_device_info name, size_t &value) {
  auto limit = [&](CUdevice_attribute which) {
    return static_cast<size_t>(device.attribute(which));
  };
  auto imageLimit = [&](CUdevice_attribute which) { return device.hasImages() ? limit(which) : 0; };
  switch (name) {
  case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    value = static_cast<size_t>(device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    return true;
  case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
    value = static_cast<size_t>(device.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
    return true;
  case CL_DEVICE_MAX_PARAMETER_SIZE: // CUDA's 4 KiB, less a Range
    value = 4096 - 128;
    return true;
  case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
    value = 1;
    return true;
  case CL_DEVICE_PRINTF_BUFFER_SIZE:
    value = 1 << 20;
    return true;
  case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
    value = 1 << 30;
    return true;
  case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
    value = 1 << 30;
    return true;
  case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    value = imageLimit(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH);
    return true;
  case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
    value = imageLimit(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT);
    return true;
  case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    value = imageLimit(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH);
    return true;
  case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    value = imageLimit(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT);
    return true;
  case CL_DEVICE_IMAGE3D_MAX_DEPTH:
    value = imageLimit(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH);
    return true;
  case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
    value = imageLimit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return true;
  case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
    value = imageLimit(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS);
    return true;
  default:
    return false;
  }
}

bool longOf(const _cl_device_id &device, cl_device_info name, cl_ulong &value) {
  const cl_ulong floats = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                          CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
  switch (name) {
  case CL_DEVICE_TYPE:
    value = device.type();
    return true;
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE: // OpenCL's least, which NVIDIA's has too
    value = std::max(memoryBytes(device) / 4, std::min<size_t>(memoryBytes(device), 1 << 30));
    return true;
  case CL_DEVICE_GLOBAL_MEM_SIZE:
    value = memoryBytes(device);
    return true;
  case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
    value = static_cast<cl_ulong>(device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    return true;
  case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: // a pointer like any other; kernels count its elements by `int`
    if (!longOf(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, value))
      return false;
    value = std::min<cl_ulong>(value, 1 << 30);
    return true;
  case CL_DEVICE_LOCAL_MEM_SIZE:
    value =
        static_cast<cl_ulong>(device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    return true;
  case CL_DEVICE_SINGLE_FP_CONFIG:
    value = floats | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    return true;
  case CL_DEVICE_DOUBLE_FP_CONFIG:
  case CL_DEVICE_HALF_FP_CONFIG:
    value = floats;
    return true;
  case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
  case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
  case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
    value = 0;
    return true;
  case CL_DEVICE_EXECUTION_CAPABILITIES:
    value = CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL;
    return true;
  case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
    value = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    return true;
  case CL_DEVICE_SVM_CAPABILITIES:
    value = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    if (device.isHost())
      value |=
          CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
    return true;
  case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
    value = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
            CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
            CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
            CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
    return true;
  case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
    value = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
            CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
            CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
            CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
    return true;
  default:
    return false;
  }
}

/// -1 if it is no truth.
int truthOf(const _cl_device_id &device, cl_device_info name) {
  switch (name) {
  case CL_DEVICE_ENDIAN_LITTLE:
  case CL_DEVICE_AVAILABLE:
  case CL_DEVICE_COMPILER_AVAILABLE:
  case CL_DEVICE_LINKER_AVAILABLE:
  case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
  case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: // warps: docs/progress.md
  case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
  case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
  case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    return 1;
  case CL_DEVICE_HOST_UNIFIED_MEMORY:
    return device.isHost();
  case CL_DEVICE_IMAGE_SUPPORT:
    return device.hasImages();
  case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
  case CL_DEVICE_PIPE_SUPPORT:
    return 0;
  default:
    return -1;
  }
}

cl_int otherInfo(_cl_device_id &device, cl_device_info name, const Room &room) {
  switch (name) {
  case CL_DEVICE_NAME:
    return room.give(device.name());
  case CL_DEVICE_VENDOR:
    return room.give("The Heddle authors");
  case CL_DRIVER_VERSION:
    return room.give("0.1");
  case CL_DEVICE_PROFILE:
    return room.give("FULL_PROFILE");
  case CL_DEVICE_VERSION:
    return room.give("OpenCL 3.0 Heddle");
  case CL_DEVICE_NUMERIC_VERSION:
    return room.give<cl_version>(CL_MAKE_VERSION(Major, Minor, 0));
  case CL_DEVICE_OPENCL_C_VERSION: // of programs without -cl-std
    return room.give("OpenCL C 1.2 Heddle");
  case CL_DEVICE_OPENCL_C_ALL_VERSIONS: {
    std::vector<cl_name_version> all;
    for (auto [major, minor] : {std::pair(1u, 0u), {1u, 1u}, {1u, 2u}, {2u, 0u}, {3u, 0u}})
      all.push_back({CL_MAKE_VERSION(major, minor, 0), "OpenCL C"});
    return room.give(all);
  }
  case CL_DEVICE_OPENCL_C_FEATURES:
    return room.give(features(device));
  case CL_DEVICE_EXTENSIONS:
    return room.give(extensionNames(device));
  case CL_DEVICE_EXTENSIONS_WITH_VERSION:
    return room.give(extensions(device));
  case CL_DEVICE_ILS_WITH_VERSION:
  case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
    return room.give(std::vector<cl_name_version>());
  case CL_DEVICE_IL_VERSION:
  case CL_DEVICE_BUILT_IN_KERNELS:
    return room.give("");
  case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: // none: the form's least date, as POCL says it
    return room.give("v0000-01-01-00");
  case CL_DEVICE_PLATFORM:
    return room.give<cl_platform_id>(&platform());
  case CL_DEVICE_PARENT_DEVICE:
    return room.give<cl_device_id>(nullptr);
  case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
    auto limit = [&](CUdevice_attribute which) {
      return static_cast<size_t>(device.attribute(which));
    };
    return room.give(std::vector<size_t>{limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                                         limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                                         limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)});
  }
  case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
    return room.give<cl_device_mem_cache_type>(CL_READ_WRITE_CACHE);
  case CL_DEVICE_LOCAL_MEM_TYPE:
    return room.give<cl_device_local_mem_type>(CL_LOCAL);
  case CL_DEVICE_PARTITION_PROPERTIES:
    return room.give(std::vector<cl_device_partition_property>{0});
  case CL_DEVICE_PARTITION_TYPE:
    return room.give(std::vector<cl_device_partition_property>());
  default:
    return CL_INVALID_VALUE;
  }
}

} // namespace

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                       size_t *sizeReturned) {
  if (!isValid(device))
    return CL_INVALID_DEVICE;
  const Room room = {size, value, sizeReturned};
  if (cl_uint number; numberOf(*device, name, number))
    return room.give(number);
  if (size_t bytes; sizeOf(*device, name, bytes))
    return room.give(bytes);
  if (cl_ulong number; longOf(*device, name, number))
    return room.give(number);
  if (int truth = truthOf(*device, name); truth >= 0)
    return room.give(truth == 1);
  return otherInfo(*device, name, room);
}
