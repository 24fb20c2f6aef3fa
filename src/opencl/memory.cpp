// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/memory.h"

#include "opencl/image.h"
#include "opencl/info.h"
#include "opencl/svm.h"

#include <algorithm>

using namespace heddle::cl;

_cl_mem::_cl_mem() = default;

_cl_mem::~_cl_mem() {
  Current current(context->first()->context);
  if (image)
    destroyImage(*this);
  if (owner == Owner::Managed)
    deallocate(*context, at);
  else if (owner == Owner::Registered)
    cu().cuMemHostUnregister(hostPointer);
  for (auto one = destructors.rbegin(); one != destructors.rend(); ++one)
    one->first(this, one->second);
}

namespace heddle::cl {

static bool isOneOf(cl_mem_flags flags, cl_mem_flags set) {
  return ((flags & set) & ((flags & set) - 1)) == 0;
}

cl_int checkFlags(cl_mem_flags flags) {
  if (flags & ~(AccessFlags | PointerFlags | HostFlags))
    return CL_INVALID_VALUE;
  if (!isOneOf(flags, AccessFlags) || !isOneOf(flags, HostFlags))
    return CL_INVALID_VALUE;
  if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

char *allocate(_cl_context &context, size_t bytes) {
  Current current(context.first()->context);
  CUdeviceptr at = 0;
  const bool isThere = cu().cuMemAllocManaged(&at, bytes, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS;
  return isThere ? reinterpret_cast<char *>(at) : nullptr;
}

void deallocate(_cl_context &context, void *at) {
  Current current(context.first()->context);
  cu().cuMemFree_v2(reinterpret_cast<CUdeviceptr>(at));
}

cl_int checkMemory(const _cl_command_queue *queue, const _cl_mem *memory) {
  if (!isValid(memory))
    return CL_INVALID_MEM_OBJECT;
  return memory->context.get() == queue->context.get() ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

namespace {

/// The program's own memory, where CUDA can use it in place. Memory of clSVMAlloc can be used as it is.
bool useInPlace(_cl_mem &memory) {
  Current current(memory.context->first()->context);
  if (isSvm(*memory.context, memory.hostPointer)) {
    memory.at = static_cast<char *>(memory.hostPointer);
    memory.owner = _cl_mem::Owner::Program;
    return true;
  }
  if (cu().cuMemHostRegister_v2(memory.hostPointer, memory.size,
                                CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_PORTABLE) !=
      CUDA_SUCCESS)
    return false;
  CUdeviceptr at = 0;
  if (cu().cuMemHostGetDevicePointer_v2(&at, memory.hostPointer, 0) == CUDA_SUCCESS &&
      reinterpret_cast<void *>(at) == memory.hostPointer) {
    memory.at = static_cast<char *>(memory.hostPointer);
    memory.owner = _cl_mem::Owner::Registered;
    return true;
  }
  cu().cuMemHostUnregister(memory.hostPointer);
  return false;
}

cl_mem createBuffer(cl_context context, std::vector<cl_mem_properties> properties,
                    cl_mem_flags flags, size_t size, void *host, cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  if (cl_int error = checkFlags(flags))
    return fail(code, error);
  cl_ulong most = 0;
  for (cl_device_id device : context->devices) {
    cl_ulong bytes = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(bytes), &bytes, nullptr);
    most = std::max(most, bytes);
  }
  if (!size || size > most)
    return fail(code, CL_INVALID_BUFFER_SIZE);
  if (!host != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    return fail(code, CL_INVALID_HOST_PTR);
  if (flags & CL_MEM_USE_HOST_PTR)
    if (size_t room = svmBytes(*context, host); room && size > room)
      return fail(code, CL_INVALID_BUFFER_SIZE);
  auto *memory = new _cl_mem;
  memory->context = Ref(context);
  memory->properties = std::move(properties);
  memory->flags = flags & AccessFlags ? flags : flags | CL_MEM_READ_WRITE;
  memory->size = size;
  memory->hostPointer = flags & CL_MEM_USE_HOST_PTR ? host : nullptr;
  if (!memory->hostPointer || !useInPlace(*memory)) {
    memory->at = allocate(*context, size);
    memory->owner = memory->at ? _cl_mem::Owner::Managed : _cl_mem::Owner::None;
    if (memory->at && host)
      std::memcpy(memory->at, host, size);
  }
  if (memory->at)
    return succeed(code, memory);
  memory->release();
  return fail(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

/// What a sub-buffer takes over from its parent.
cl_mem_flags inheritedFlags(cl_mem_flags own, cl_mem_flags parent) {
  if (!(own & AccessFlags))
    own |= parent & AccessFlags;
  if (!(own & HostFlags))
    own |= parent & HostFlags;
  return own | (parent & PointerFlags);
}

bool contradicts(cl_mem_flags own, cl_mem_flags parent) {
  if ((parent & CL_MEM_WRITE_ONLY) && (own & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)))
    return true;
  if ((parent & CL_MEM_READ_ONLY) && (own & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
    return true;
  if ((parent & CL_MEM_HOST_WRITE_ONLY) && (own & CL_MEM_HOST_READ_ONLY))
    return true;
  if ((parent & CL_MEM_HOST_READ_ONLY) && (own & CL_MEM_HOST_WRITE_ONLY))
    return true;
  return (parent & CL_MEM_HOST_NO_ACCESS) &&
         (own & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY));
}

} // namespace

} // namespace heddle::cl

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *code) {
  return createBuffer(context, {}, flags, size, host, code);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host, cl_int *code) {
  if (properties && *properties)
    return fail(code, isValid(context) ? CL_INVALID_PROPERTY : CL_INVALID_CONTEXT);
  return createBuffer(
      context, properties ? std::vector<cl_mem_properties>{0} : std::vector<cl_mem_properties>(),
      flags, size, host, code);
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *info, cl_int *code) {
  if (!isValid(parent) || !parent->isBuffer() || parent->parent)
    return fail(code, CL_INVALID_MEM_OBJECT);
  if (flags & ~(AccessFlags | HostFlags) || !isOneOf(flags, AccessFlags) ||
      !isOneOf(flags, HostFlags) || contradicts(flags, parent->flags) ||
      type != CL_BUFFER_CREATE_TYPE_REGION || !info)
    return fail(code, CL_INVALID_VALUE);
  const auto &region = *static_cast<const cl_buffer_region *>(info);
  if (!region.size)
    return fail(code, CL_INVALID_BUFFER_SIZE);
  if (region.origin > parent->size || region.size > parent->size - region.origin)
    return fail(code, CL_INVALID_VALUE);
  cl_uint bits = 0;
  clGetDeviceInfo(parent->context->first(), CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits,
                  nullptr);
  if (region.origin % (bits / 8))
    return fail(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  auto *memory = new _cl_mem;
  memory->context = parent->context;
  memory->flags = inheritedFlags(flags, parent->flags);
  memory->size = region.size;
  memory->offset = region.origin;
  memory->at = parent->at + region.origin;
  if (parent->hostPointer)
    memory->hostPointer = static_cast<char *>(parent->hostPointer) + region.origin;
  memory->parent = Ref(parent);
  return succeed(code, memory);
}

cl_int clRetainMemObject(cl_mem memory) {
  if (!isValid(memory))
    return CL_INVALID_MEM_OBJECT;
  memory->retain();
  return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem memory) {
  if (!isValid(memory))
    return CL_INVALID_MEM_OBJECT;
  memory->release();
  return CL_SUCCESS;
}

/// No memory object is a pipe.
cl_int clGetPipeInfo(cl_mem, cl_pipe_info, size_t, void *, size_t *) {
  return CL_INVALID_MEM_OBJECT;
}

cl_int clSetMemObjectDestructorCallback(cl_mem memory, void (*notify)(cl_mem, void *), void *data) {
  if (!isValid(memory))
    return CL_INVALID_MEM_OBJECT;
  if (!notify)
    return CL_INVALID_VALUE;
  std::lock_guard lock(memory->mutex);
  memory->destructors.emplace_back(notify, data);
  return CL_SUCCESS;
}

cl_int clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t size, void *value,
                          size_t *sizeReturned) {
  if (!isValid(memory))
    return CL_INVALID_MEM_OBJECT;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_MEM_TYPE:
    return room.give(memory->type);
  case CL_MEM_FLAGS:
    return room.give(memory->flags);
  case CL_MEM_SIZE:
    return room.give(memory->size);
  case CL_MEM_HOST_PTR:
    return room.give(memory->hostPointer);
  case CL_MEM_MAP_COUNT:
    return room.give<cl_uint>(static_cast<cl_uint>(memory->maps.size()));
  case CL_MEM_REFERENCE_COUNT:
    return room.give<cl_uint>(memory->references);
  case CL_MEM_CONTEXT:
    return room.give(memory->context.get());
  case CL_MEM_ASSOCIATED_MEMOBJECT:
    return room.give(memory->parent.get());
  case CL_MEM_OFFSET:
    return room.give(memory->offset);
  case CL_MEM_USES_SVM_POINTER:
    return room.give(memory->hostPointer && isSvm(*memory->context, memory->hostPointer));
  case CL_MEM_PROPERTIES:
    return room.give(memory->properties);
  default:
    return CL_INVALID_VALUE;
  }
}
