// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clGetKernelInfo and its like.
#include "opencl/info.h"
#include "opencl/kernel.h"

#include <algorithm>

using namespace heddle::cl;

namespace {

cl_kernel_arg_address_qualifier addressQualifier(uint32_t space) {
  constexpr cl_kernel_arg_address_qualifier Qualifiers[] = {
      CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
      CL_KERNEL_ARG_ADDRESS_LOCAL};
  return Qualifiers[std::min(space, 3u)];
}

cl_kernel_arg_access_qualifier accessQualifier(const std::string &text) {
  return text == "read_only"    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
         : text == "write_only" ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
         : text == "read_write" ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                                : CL_KERNEL_ARG_ACCESS_NONE;
}

cl_kernel_arg_type_qualifier typeQualifier(const std::string &text) {
  cl_kernel_arg_type_qualifier set = CL_KERNEL_ARG_TYPE_NONE;
  if (text.find("const") != text.npos)
    set |= CL_KERNEL_ARG_TYPE_CONST;
  if (text.find("restrict") != text.npos)
    set |= CL_KERNEL_ARG_TYPE_RESTRICT;
  if (text.find("volatile") != text.npos)
    set |= CL_KERNEL_ARG_TYPE_VOLATILE;
  return set;
}

/// The device of clGetKernelWorkGroupInfo and clGetKernelSubGroupInfo; null if it is wrong.
cl_device_id deviceFor(_cl_kernel &kernel, cl_device_id device) {
  const auto &devices = kernel.program->devices;
  if (!device)
    return devices.size() == 1 ? devices.front() : nullptr;
  return std::find(devices.begin(), devices.end(), device) != devices.end() ? device : nullptr;
}

/// The arguments that both have: sets the device, or gives the code.
cl_int checkTarget(cl_kernel kernel, cl_device_id &device) {
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  device = deviceFor(*kernel, device);
  return device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

} // namespace

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                       size_t *sizeReturned) {
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_KERNEL_FUNCTION_NAME:
    return room.give(kernel->facts->name);
  case CL_KERNEL_NUM_ARGS:
    return room.give<cl_uint>(static_cast<cl_uint>(kernel->slots.size()));
  case CL_KERNEL_REFERENCE_COUNT:
    return room.give<cl_uint>(kernel->references);
  case CL_KERNEL_CONTEXT:
    return room.give(kernel->program->context.get());
  case CL_KERNEL_PROGRAM:
    return room.give(kernel->program.get());
  case CL_KERNEL_ATTRIBUTES:
    return room.give(kernel->facts->attributes);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t size,
                          void *value, size_t *sizeReturned) {
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  if (index >= kernel->slots.size())
    return CL_INVALID_ARG_INDEX;
  const auto &argument = kernel->facts->arguments[index];
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
    return room.give(addressQualifier(argument.addressSpace));
  case CL_KERNEL_ARG_ACCESS_QUALIFIER:
    return room.give(accessQualifier(argument.access));
  case CL_KERNEL_ARG_TYPE_NAME:
    return room.give(argument.type);
  case CL_KERNEL_ARG_TYPE_QUALIFIER:
    return room.give(typeQualifier(argument.qualifiers));
  case CL_KERNEL_ARG_NAME:
    return room.give(argument.name);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info name, size_t size, void *value,
                                size_t *sizeReturned) {
  if (cl_int error = checkTarget(kernel, device))
    return error;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_KERNEL_WORK_GROUP_SIZE:
    return room.give(
        static_cast<size_t>(kernel->attribute(device, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)));
  case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
    const auto &shape = kernel->facts->requiredShape;
    return room.give(std::vector<size_t>{shape[0], shape[1], shape[2]});
  }
  case CL_KERNEL_LOCAL_MEM_SIZE:
    return room.give<cl_ulong>(
        static_cast<cl_ulong>(kernel->attribute(device, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)) +
        layOutLocals(*kernel, nullptr));
  case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
    return room.give(static_cast<size_t>(device->attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE)));
  case CL_KERNEL_PRIVATE_MEM_SIZE:
    return room.give<cl_ulong>(
        static_cast<cl_ulong>(kernel->attribute(device, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)));
  default: // CL_KERNEL_GLOBAL_WORK_SIZE is of built-in kernels
    return CL_INVALID_VALUE;
  }
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name,
                               size_t inputSize, const void *input, size_t size, void *value,
                               size_t *sizeReturned) {
  if (cl_int error = checkTarget(kernel, device))
    return error;
  const Room room = {size, value, sizeReturned};
  const auto warp = static_cast<size_t>(device->attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  const auto most =
      static_cast<size_t>(kernel->attribute(device, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  switch (name) {
  case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
  case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: {
    const auto *extents = static_cast<const size_t *>(input);
    if (!extents || !inputSize || inputSize % sizeof(size_t) || inputSize > 3 * sizeof(size_t))
      return CL_INVALID_VALUE;
    size_t threads = 1;
    for (size_t i = 0; i != inputSize / sizeof(size_t); ++i)
      threads *= extents[i];
    return room.give(name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE
                         ? std::min(threads, warp)
                         : (threads + warp - 1) / warp);
  }
  case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
    if (!input || inputSize != sizeof(size_t) || size % sizeof(size_t))
      return CL_INVALID_VALUE;
    const size_t threads = *static_cast<const size_t *>(input) * warp;
    std::vector<size_t> extents(std::clamp<size_t>(size / sizeof(size_t), 1, 3),
                                threads <= most && threads ? 1 : 0);
    extents[0] = threads <= most ? threads : 0;
    return room.give(extents);
  }
  case CL_KERNEL_MAX_NUM_SUB_GROUPS:
    return room.give((most + warp - 1) / warp);
  case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
    return room.give<size_t>(0);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                  cl_kernel_sub_group_info name, size_t inputSize,
                                  const void *input, size_t size, void *value,
                                  size_t *sizeReturned) {
  return clGetKernelSubGroupInfo(kernel, device, name, inputSize, input, size, value, sizeReturned);
}
