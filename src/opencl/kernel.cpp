// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/kernel.h"

#include "opencl/image.h"
#include "opencl/info.h"
#include "opencl/sampler.h"
#include "opencl/svm.h"

#include <algorithm>

using namespace heddle::cl;
using heddle::opencl::ArgumentKind;

_cl_kernel::~_cl_kernel() { --program->kernels; }

FixedArguments _cl_kernel::fixedArguments() const {
  FixedArguments fixed;
  for (uint32_t i = 0; i != slots.size(); ++i)
    if (const ArgumentKind kind = facts->arguments[i].kind;
        kind == ArgumentKind::Image || kind == ArgumentKind::Sampler)
      fixed.push_back({i, kind == ArgumentKind::Image, slots[i].fixed});
  return fixed;
}

Forms _cl_kernel::formsOn(cl_device_id device, CUresult &error, const FixedArguments &fixed) {
  std::lock_guard lock(mutex);
  for (const Known &one : known)
    if (one.device == device && one.fixed == fixed)
      return one.forms;
  Forms found;
  Executable *specialized = executable->specializedFor(facts->name, fixed);
  CUmodule module = specialized ? specialized->moduleOn(device, error) : nullptr;
  if (!module) {
    error = error == CUDA_SUCCESS ? CUDA_ERROR_INVALID_IMAGE : error;
    return found;
  }
  Current current(device->context);
  error = CUDA_SUCCESS;
  if (!facts->needsRange)
    error = cu().cuModuleGetFunction(&found.plain, module, facts->name.c_str());
  for (auto [form, prefix] : {std::pair(&found.ranged, heddle::opencl::RangeForm),
                              std::pair(&found.wide, heddle::opencl::WideForm)})
    if (error == CUDA_SUCCESS)
      error = cu().cuModuleGetFunction(form, module, (prefix + facts->name).c_str());
  if (error != CUDA_SUCCESS)
    return found;
  auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    cu().cuFuncGetAttribute(&value, which, found.plain ? found.plain : found.ranged);
    return static_cast<size_t>(value);
  };
  found.mostThreads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  found.staticShared = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  known.push_back({device, fixed, found});
  return found;
}

int _cl_kernel::attribute(cl_device_id device, CUfunction_attribute which) {
  CUresult error = CUDA_SUCCESS;
  const Forms found = formsOn(device, error);
  Current current(device->context);
  int value = 0;
  cu().cuFuncGetAttribute(&value, which, found.plain ? found.plain : found.ranged);
  return value;
}

namespace heddle::cl {

size_t layOutLocals(const _cl_kernel &kernel, std::vector<uint32_t> *offsets) {
  size_t bytes = 0;
  for (size_t i = 0; i != kernel.slots.size(); ++i) {
    const auto &argument = kernel.facts->arguments[i];
    const size_t align = std::max<size_t>(argument.align, 16);
    if (argument.kind == ArgumentKind::Local)
      bytes = (bytes + align - 1) / align * align;
    if (offsets)
      offsets->push_back(static_cast<uint32_t>(bytes));
    bytes += kernel.slots[i].localBytes;
  }
  return bytes;
}

namespace {

cl_kernel create(cl_program program, std::shared_ptr<Executable> executable,
                 const opencl::Kernel &facts, cl_int *code) {
  auto *kernel = new _cl_kernel;
  kernel->program = Ref(program);
  kernel->executable = std::move(executable);
  kernel->facts = &facts;
  kernel->slots.resize(facts.arguments.size());
  ++program->kernels;
  CUresult error = CUDA_SUCCESS;
  kernel->formsOn(program->devices.front(), error);
  if (error == CUDA_SUCCESS)
    return succeed(code, kernel);
  kernel->release();
  return fail(code, codeOf(error));
}

/// A binary has one that counts once it is built, as a source does.
std::shared_ptr<Executable> executableOf(cl_program program) {
  std::lock_guard lock(program->mutex);
  return program->status == CL_BUILD_SUCCESS ? program->executable : nullptr;
}

void setBytes(Slot &slot, const void *bytes, size_t size) {
  slot.bytes.assign(static_cast<const char *>(bytes), static_cast<const char *>(bytes) + size);
  slot.isSet = true;
}

cl_int setPointer(_cl_kernel &kernel, Slot &slot, size_t size, const void *value) {
  if (size != sizeof(cl_mem))
    return CL_INVALID_ARG_SIZE;
  cl_mem memory = value ? *static_cast<const cl_mem *>(value) : nullptr;
  if (memory && (!isValid(memory) || !memory->isBuffer()))
    return CL_INVALID_MEM_OBJECT;
  if (memory && memory->context.get() != kernel.program->context.get())
    return CL_INVALID_MEM_OBJECT;
  const CUdeviceptr at = memory ? memory->device() : 0;
  slot.memory = memory;
  setBytes(slot, &at, sizeof(at));
  return CL_SUCCESS;
}

/// The type that an argument of this name takes.
cl_mem_object_type imageType(const std::string &name) {
  return name == "image1d_t"               ? CL_MEM_OBJECT_IMAGE1D
         : name == "image1d_buffer_t"      ? CL_MEM_OBJECT_IMAGE1D_BUFFER
         : name == "image1d_array_t"       ? CL_MEM_OBJECT_IMAGE1D_ARRAY
         : name == "image3d_t"             ? CL_MEM_OBJECT_IMAGE3D
         : name.find("array") != name.npos ? CL_MEM_OBJECT_IMAGE2D_ARRAY
                                           : CL_MEM_OBJECT_IMAGE2D;
}

bool isDepth(const std::string &type) { return type.find("_depth_t") != type.npos; }

/// Whether an argument of this access may have memory with these flags.
bool allows(cl_mem_flags flags, const std::string &access) {
  return !((flags & CL_MEM_READ_ONLY) && access != "read_only") &&
         !((flags & CL_MEM_WRITE_ONLY) && access != "write_only");
}

cl_int setImage(_cl_kernel &kernel, Slot &slot, const opencl::Argument &argument, size_t size,
                const void *value) {
  const std::string &type = argument.type;
  if (size != sizeof(cl_mem))
    return CL_INVALID_ARG_SIZE;
  cl_mem memory = value ? *static_cast<const cl_mem *>(value) : nullptr;
  if (!isValid(memory) || !memory->image || memory->type != imageType(type) ||
      isDepth(type) != (memory->image->format.image_channel_order == CL_DEPTH) ||
      memory->context.get() != kernel.program->context.get())
    return CL_INVALID_MEM_OBJECT;
  if (!allows(memory->flags, argument.access))
    return CL_INVALID_ARG_VALUE;
  const HeddleClImage &d = *memory->image->descriptor;
  slot.memory = memory;
  slot.fixed = {d.order, d.type, d.texelBytes, d.channels};
  setBytes(slot, &memory->image->descriptor, sizeof(void *));
  return CL_SUCCESS;
}

cl_int setSampler(Slot &slot, size_t size, const void *value) {
  if (size != sizeof(cl_sampler))
    return CL_INVALID_ARG_SIZE;
  cl_sampler sampler = value ? *static_cast<const cl_sampler *>(value) : nullptr;
  if (!isValid(sampler))
    return CL_INVALID_SAMPLER;
  slot.fixed = {sampler->bits};
  setBytes(slot, &sampler->bits, sizeof(sampler->bits));
  return CL_SUCCESS;
}

cl_int setLocal(_cl_kernel &kernel, Slot &slot, size_t size, const void *value) {
  if (value)
    return CL_INVALID_ARG_VALUE;
  if (!size)
    return CL_INVALID_ARG_SIZE;
  slot.localBytes = size;
  slot.isSet = true;
  return CL_SUCCESS;
}

} // namespace

} // namespace heddle::cl

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
  if (!isValid(program))
    return fail(code, CL_INVALID_PROGRAM);
  if (!name)
    return fail(code, CL_INVALID_VALUE);
  auto executable = executableOf(program);
  if (!executable)
    return fail(code, CL_INVALID_PROGRAM_EXECUTABLE);
  for (const auto &facts : executable->kernels)
    if (facts.name == name)
      return create(program, executable, facts, code);
  return fail(code, CL_INVALID_KERNEL_NAME);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint count, cl_kernel *kernels,
                                cl_uint *total) {
  if (!isValid(program))
    return CL_INVALID_PROGRAM;
  auto executable = executableOf(program);
  if (!executable)
    return CL_INVALID_PROGRAM_EXECUTABLE;
  if (kernels && count < executable->kernels.size())
    return CL_INVALID_VALUE;
  if (total)
    *total = static_cast<cl_uint>(executable->kernels.size());
  for (size_t i = 0; kernels && i != executable->kernels.size(); ++i) {
    cl_int code = CL_SUCCESS;
    kernels[i] = create(program, executable, executable->kernels[i], &code);
    if (code)
      return code;
  }
  return CL_SUCCESS;
}

cl_kernel clCloneKernel(cl_kernel source, cl_int *code) {
  if (!isValid(source))
    return fail(code, CL_INVALID_KERNEL);
  cl_kernel kernel = create(source->program.get(), source->executable, *source->facts, code);
  if (kernel)
    kernel->slots = source->slots;
  return kernel;
}

cl_int clRetainKernel(cl_kernel kernel) {
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  kernel->retain();
  return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel kernel) {
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  kernel->release();
  return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  if (index >= kernel->slots.size())
    return CL_INVALID_ARG_INDEX;
  Slot &slot = kernel->slots[index];
  const auto &argument = kernel->facts->arguments[index];
  switch (argument.kind) {
  case ArgumentKind::Value:
    if (!value)
      return CL_INVALID_ARG_VALUE;
    if (size != argument.size)
      return CL_INVALID_ARG_SIZE;
    setBytes(slot, value, size);
    return CL_SUCCESS;
  case ArgumentKind::Global:
  case ArgumentKind::Constant:
    return setPointer(*kernel, slot, size, value);
  case ArgumentKind::Local:
    return setLocal(*kernel, slot, size, value);
  case ArgumentKind::Image:
    return setImage(*kernel, slot, argument, size, value);
  case ArgumentKind::Sampler:
    return setSampler(slot, size, value);
  }
  return CL_INVALID_ARG_VALUE;
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value) {
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  if (index >= kernel->slots.size())
    return CL_INVALID_ARG_INDEX;
  const ArgumentKind kind = kernel->facts->arguments[index].kind;
  if (kind != ArgumentKind::Global && kind != ArgumentKind::Constant)
    return CL_INVALID_ARG_VALUE;
  if (value && !isSvm(*kernel->program->context, value))
    useSystemMemory();
  setBytes(kernel->slots[index], &value, sizeof(value));
  return CL_SUCCESS;
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                           const void *value) {
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  if (!value && (size || name != CL_KERNEL_EXEC_INFO_SVM_PTRS)) // none is an empty list
    return CL_INVALID_VALUE;
  switch (name) {
  case CL_KERNEL_EXEC_INFO_SVM_PTRS: // all of them can be reached
    return !size == !value && size % sizeof(void *) == 0 ? CL_SUCCESS : CL_INVALID_VALUE;
  case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
    if (size != sizeof(cl_bool))
      return CL_INVALID_VALUE;
    if (!*static_cast<const cl_bool *>(value))
      return CL_SUCCESS;
    if (!hasSystemMemory(*kernel->program->context))
      return CL_INVALID_OPERATION;
    useSystemMemory();
    return CL_SUCCESS;
  default:
    return CL_INVALID_VALUE;
  }
}
