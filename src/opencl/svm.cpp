// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared virtual memory is managed memory of CUDA, or any of the host where a device shares that.
#include "opencl/svm.h"

#include "opencl/memory.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace heddle::cl;

/// Our driver's (driver/launch/host_pointers.cpp).
extern "C" void heddle_driver_unify_memory();

namespace {

struct Block {
  _cl_context *context;
  size_t size;
};
struct Blocks {
  std::mutex mutex;
  std::map<const char *, Block> byAddress;
};
Blocks &blocks() {
  static auto &all = *new Blocks;
  return all;
}

cl_device_svm_capabilities capabilitiesOf(cl_device_id device) {
  cl_device_svm_capabilities has = 0;
  clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(has), &has, nullptr);
  return has;
}

bool take(const void *pointer) {
  std::lock_guard lock(blocks().mutex);
  return blocks().byAddress.erase(static_cast<const char *>(pointer)) != 0;
}

cl_int check(cl_command_queue queue, cl_uint count, const cl_event *list) {
  return isValid(queue) ? checkWaitList(queue->context.get(), count, list)
                        : CL_INVALID_COMMAND_QUEUE;
}

/// CUDA fills no pageable memory.
CUresult fillOnHost(void *to, const std::vector<char> &pattern, size_t size, CUstream stream) {
  struct Fill {
    char *to;
    std::vector<char> pattern;
    size_t size;
  };
  auto *fill = new Fill{static_cast<char *>(to), pattern, size};
  const CUresult result = cu().cuLaunchHostFunc(
      stream,
      [](void *given) {
        std::unique_ptr<Fill> fill(static_cast<Fill *>(given));
        for (size_t at = 0; at != fill->size; at += fill->pattern.size())
          std::memcpy(fill->to + at, fill->pattern.data(), fill->pattern.size());
      },
      fill);
  if (result != CUDA_SUCCESS)
    delete fill;
  return result;
}

} // namespace

size_t heddle::cl::svmBytes(const _cl_context &context, const void *pointer) {
  const auto *at = static_cast<const char *>(pointer);
  std::lock_guard lock(blocks().mutex);
  auto next = blocks().byAddress.upper_bound(at);
  if (next == blocks().byAddress.begin())
    return 0;
  const auto &[start, block] = *std::prev(next);
  return block.context == &context && at < start + block.size
             ? static_cast<size_t>(start + block.size - at)
             : 0;
}

bool heddle::cl::hasSystemMemory(const _cl_context &context) {
  return std::any_of(context.devices.begin(), context.devices.end(), [](cl_device_id device) {
    return capabilitiesOf(device) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  });
}

void heddle::cl::useSystemMemory() { heddle_driver_unify_memory(); }

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  constexpr cl_svm_mem_flags Access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  constexpr cl_svm_mem_flags Fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
  constexpr cl_uint Most = 128;
  if (!isValid(context) || !size || (flags & ~(Access | Fine)) || (alignment & (alignment - 1)) ||
      alignment > Most || ((flags & CL_MEM_SVM_ATOMICS) && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)))
    return nullptr;
  if ((flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) &&
      !(capabilitiesOf(context->first()) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
    return nullptr;
  char *at = allocate(*context, size);
  if (at) {
    std::lock_guard lock(blocks().mutex);
    blocks().byAddress[at] = {context, size};
  }
  return at;
}

void clSVMFree(cl_context context, void *pointer) {
  if (isValid(context) && pointer && take(pointer))
    deallocate(*context, pointer);
}

/// Once its command's turn has come, a thread that may call anything frees; `freed` ends the command.
cl_int clEnqueueSVMFree(cl_command_queue queue, cl_uint number, void *pointers[],
                        void (*release)(cl_command_queue, cl_uint, void *[], void *), void *data,
                        cl_uint count, const cl_event *list, cl_event *event) {
  if (cl_int error = check(queue, count, list))
    return error;
  if (!number != !pointers)
    return CL_INVALID_VALUE;
  struct Call {
    Ref<_cl_command_queue> queue;
    Ref<_cl_event> freed;
    std::vector<void *> pointers;
    decltype(release) function;
    void *data;
  };
  cl_event turn = nullptr;
  if (cl_int error = enqueue(queue, CL_COMMAND_MARKER, {count, list}, &turn,
                             [](CUstream) { return CUDA_SUCCESS; }))
    return error;
  cl_event freed = clCreateUserEvent(queue->context.get(), nullptr);
  auto *call =
      new Call{Ref(queue), Ref(freed), std::vector(pointers, pointers + number), release, data};
  callWhen(
      *turn, CL_COMPLETE,
      [](cl_event, cl_int status, void *given) {
        std::unique_ptr<Call> call(static_cast<Call *>(given));
        if (status == CL_COMPLETE && call->function)
          call->function(call->queue.get(), static_cast<cl_uint>(call->pointers.size()),
                         call->pointers.data(), call->data);
        else if (status == CL_COMPLETE)
          for (void *pointer : call->pointers)
            clSVMFree(call->queue->context.get(), pointer);
        clSetUserEventStatus(call->freed.get(), status);
      },
      call);
  turn->release();
  const cl_int error = enqueue(queue, CL_COMMAND_SVM_FREE, {1, &freed}, event,
                               [](CUstream) { return CUDA_SUCCESS; });
  freed->release();
  return error;
}

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool isBlocking, void *to, const void *from,
                          size_t size, cl_uint count, const cl_event *list, cl_event *event) {
  if (cl_int error = check(queue, count, list))
    return error;
  if (!to || !from)
    return CL_INVALID_VALUE;
  const auto *source = static_cast<const char *>(from), *target = static_cast<const char *>(to);
  if (source < target + size && target < source + size)
    return CL_MEM_COPY_OVERLAP;
  return enqueue(
      queue, CL_COMMAND_SVM_MEMCPY, {count, list}, event,
      [=](CUstream stream) {
        return size ? cu().cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to),
                                         reinterpret_cast<CUdeviceptr>(from), size, stream)
                    : CUDA_SUCCESS;
      },
      isBlocking);
}

cl_int clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern,
                           size_t patternSize, size_t size, cl_uint count, const cl_event *list,
                           cl_event *event) {
  if (cl_int error = check(queue, count, list))
    return error;
  if (!to || !pattern || !isPatternSize(patternSize) || size % patternSize ||
      reinterpret_cast<uintptr_t>(to) % patternSize)
    return CL_INVALID_VALUE;
  const auto *bytes = static_cast<const char *>(pattern);
  const bool isSystem = !isSvm(*queue->context, to);
  return enqueue(queue, CL_COMMAND_SVM_MEMFILL, {count, list}, event,
                 [=, copy = std::vector(bytes, bytes + patternSize)](CUstream stream) {
                   if (!size)
                     return CUDA_SUCCESS;
                   return isSystem
                              ? fillOnHost(to, copy, size, stream)
                              : fillMemory(reinterpret_cast<CUdeviceptr>(to), copy, size, stream);
                 });
}

cl_int clEnqueueSVMMap(cl_command_queue queue, cl_bool isBlocking, cl_map_flags, void *pointer,
                       size_t size, cl_uint count, const cl_event *list, cl_event *event) {
  if (cl_int error = check(queue, count, list))
    return error;
  if (!pointer || !size)
    return CL_INVALID_VALUE;
  return enqueue(
      queue, CL_COMMAND_SVM_MAP, {count, list}, event, [](CUstream) { return CUDA_SUCCESS; },
      isBlocking);
}

cl_int clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint count, const cl_event *list,
                         cl_event *event) {
  if (cl_int error = check(queue, count, list))
    return error;
  if (!pointer)
    return CL_INVALID_VALUE;
  return enqueue(queue, CL_COMMAND_SVM_UNMAP, {count, list}, event,
                 [](CUstream) { return CUDA_SUCCESS; });
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint number, const void **pointers,
                              const size_t *, cl_mem_migration_flags flags, cl_uint count,
                              const cl_event *list, cl_event *event) {
  if (cl_int error = check(queue, count, list))
    return error;
  if (!number || !pointers ||
      (flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)))
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i != number; ++i)
    if (!isSvm(*queue->context, pointers[i]))
      return CL_INVALID_VALUE;
  return enqueue(queue, CL_COMMAND_SVM_MIGRATE_MEM, {count, list}, event,
                 [](CUstream) { return CUDA_SUCCESS; });
}
