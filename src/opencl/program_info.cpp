// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clGetProgramInfo, clGetProgramBuildInfo.
#include "opencl/info.h"
#include "opencl/program.h"

#include <algorithm>

using namespace heddle::cl;

namespace {

/// CL_PROGRAM_BINARY_TYPE.
cl_program_binary_type typeOf(Stage stage) {
  switch (stage) {
  case Stage::None:
    return CL_PROGRAM_BINARY_TYPE_NONE;
  case Stage::Compiled:
    return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
  case Stage::Library:
    return CL_PROGRAM_BINARY_TYPE_LIBRARY;
  case Stage::Executable:
    return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  }
  return CL_PROGRAM_BINARY_TYPE_NONE;
}

std::string binaryOf(_cl_program &program) {
  if (program.stage == Stage::Executable)
    return writeBinary({program.stage, program.options, program.executable->image,
                        program.executable->kernels, program.executable->globalBytes});
  return program.stage == Stage::None
             ? ""
             : writeBinary({program.stage, program.options, program.code, {}});
}

cl_int giveBinaries(_cl_program &program, const Room &room) {
  const size_t bytes = program.devices.size() * sizeof(unsigned char *);
  if (room.value && room.size < bytes)
    return CL_INVALID_VALUE;
  const std::string binary = binaryOf(program);
  auto **places = static_cast<unsigned char **>(room.value);
  for (size_t i = 0; places && i != program.devices.size(); ++i)
    if (places[i])
      std::memcpy(places[i], binary.data(), binary.size());
  if (room.sizeReturned)
    *room.sizeReturned = bytes;
  return CL_SUCCESS;
}

} // namespace

/// There are no built-in kernels, so no name is one's.
cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                             const cl_device_id *list, const char *, cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  for (cl_uint i = 0; list && i != count; ++i)
    if (!isValid(list[i]) || !context->has(list[i]))
      return fail(code, CL_INVALID_DEVICE);
  return fail(code, CL_INVALID_VALUE);
}

cl_int clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value,
                        size_t *sizeReturned) {
  if (!isValid(program))
    return CL_INVALID_PROGRAM;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_PROGRAM_REFERENCE_COUNT:
    return room.give<cl_uint>(program->references);
  case CL_PROGRAM_CONTEXT:
    return room.give(program->context.get());
  case CL_PROGRAM_NUM_DEVICES:
    return room.give<cl_uint>(static_cast<cl_uint>(program->devices.size()));
  case CL_PROGRAM_DEVICES:
    return room.give(program->devices);
  case CL_PROGRAM_SOURCE:
    return room.give(program->source);
  case CL_PROGRAM_BINARY_SIZES:
    return room.give(std::vector<size_t>(program->devices.size(), binaryOf(*program).size()));
  case CL_PROGRAM_BINARIES:
    return giveBinaries(*program, room);
  case CL_PROGRAM_IL:
    return room.giveBytes(nullptr, 0);
  case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
  case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
    return room.give(false);
  default:
    break;
  }
  if (name != CL_PROGRAM_NUM_KERNELS && name != CL_PROGRAM_KERNEL_NAMES)
    return CL_INVALID_VALUE;
  if (!program->executable || program->status != CL_BUILD_SUCCESS)
    return CL_INVALID_PROGRAM_EXECUTABLE;
  if (name == CL_PROGRAM_NUM_KERNELS)
    return room.give(program->executable->kernels.size());
  std::string names;
  for (const auto &kernel : program->executable->kernels)
    names += (names.empty() ? "" : ";") + kernel.name;
  return room.give(names);
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                             size_t size, void *value, size_t *sizeReturned) {
  if (!isValid(program))
    return CL_INVALID_PROGRAM;
  if (std::find(program->devices.begin(), program->devices.end(), device) == program->devices.end())
    return CL_INVALID_DEVICE;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_PROGRAM_BUILD_STATUS:
    return room.give(program->status);
  case CL_PROGRAM_BUILD_OPTIONS:
    return room.give(program->options);
  case CL_PROGRAM_BUILD_LOG:
    return room.give(program->log);
  case CL_PROGRAM_BINARY_TYPE:
    return room.give(typeOf(program->stage));
  case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
    return room.give<size_t>(program->executable ? program->executable->globalBytes : 0);
  default:
    return CL_INVALID_VALUE;
  }
}
