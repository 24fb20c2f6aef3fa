// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that read, write, copy, fill, map and migrate buffers.
#include "opencl/image.h"

#include <algorithm>
#include <cstring>

using namespace heddle::cl;

namespace {

/// The checks that all commands on one buffer begin with.
cl_int check(cl_command_queue queue, cl_mem buffer, const WaitList &waits) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (cl_int error = checkMemory(queue, buffer))
    return error;
  if (!buffer->isBuffer())
    return CL_INVALID_MEM_OBJECT;
  return checkWaitList(queue->context.get(), waits.count, waits.events);
}

bool isInside(const _cl_mem &buffer, size_t offset, size_t size) {
  return offset <= buffer.size && size <= buffer.size - offset;
}

CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

/// A box in memory: OpenCL, "clEnqueueReadBufferRect".
struct Box {
  size_t origin[3], row, slice;

  Box(const size_t *from, const size_t *region, size_t rowPitch, size_t slicePitch)
      : origin{from[0], from[1], from[2]}, row(rowPitch ? rowPitch : region[0]),
        slice(slicePitch ? slicePitch : row * region[1]) {}
  size_t start() const { return origin[2] * slice + origin[1] * row + origin[0]; }
  /// Behind the last byte.
  size_t end(const size_t *region) const {
    return start() + (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
  }
};

cl_int checkRegion(const size_t *region, size_t row, size_t slice) {
  if (!region[0] || !region[1] || !region[2])
    return CL_INVALID_VALUE;
  if (row && row < region[0])
    return CL_INVALID_VALUE;
  const size_t actualRow = row ? row : region[0];
  if (slice && (slice < region[1] * actualRow || slice % actualRow))
    return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

CUDA_MEMCPY3D boxCopy(const char *from, const Box &source, char *to, const Box &target,
                      const size_t *region) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = address(from + source.start());
  copy.srcPitch = source.row;
  copy.srcHeight = source.slice / source.row;
  copy.dstDevice = address(to + target.start());
  copy.dstPitch = target.row;
  copy.dstHeight = target.slice / target.row;
  copy.WidthInBytes = region[0];
  copy.Height = region[1];
  copy.Depth = region[2];
  return copy;
}

/// Host memory that CUDA does not know is named as the host's.
void markHost(CUDA_MEMCPY3D &copy, bool isSource) {
  if (isSource) {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = reinterpret_cast<const void *>(copy.srcDevice);
  } else {
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = reinterpret_cast<void *>(copy.dstDevice);
  }
}

/// CL_MEM_COPY_OVERLAP of boxes: OpenCL 3.0, appendix E, for equal pitches; others by their extents.
bool overlap(const Box &a, const Box &b, const size_t *region) {
  const size_t aStart = a.start(), bStart = b.start();
  if (a.end(region) <= bStart || b.end(region) <= aStart)
    return false;
  if (a.row != b.row || a.slice != b.slice)
    return true;
  for (unsigned d = 0; d != 3; ++d) {
    const size_t low = std::max(a.origin[d], b.origin[d]);
    if (low >= std::min(a.origin[d], b.origin[d]) + region[d]) {
      // Apart in this direction, unless a row or slice reaches into the next.
      const bool reaches =
          d == 0 ? std::max(a.origin[0], b.origin[0]) + region[0] > a.row
                 : d == 1 && (std::max(a.origin[1], b.origin[1]) + region[1]) * a.row > a.slice;
      return reaches;
    }
  }
  return true;
}

} // namespace

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking, size_t offset,
                           size_t size, void *to, cl_uint count, const cl_event *list,
                           cl_event *event) {
  if (cl_int error = check(queue, buffer, {count, list}))
    return error;
  if (!to || !isInside(*buffer, offset, size))
    return CL_INVALID_VALUE;
  if (buffer->flags & NoHostRead)
    return CL_INVALID_OPERATION;
  return enqueue(
      queue, CL_COMMAND_READ_BUFFER, {count, list}, event,
      [=, kept = Ref(buffer)](CUstream stream) {
        return cu().cuMemcpyDtoHAsync_v2(to, kept->device() + offset, size, stream);
      },
      isBlocking);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking,
                            size_t offset, size_t size, const void *from, cl_uint count,
                            const cl_event *list, cl_event *event) {
  if (cl_int error = check(queue, buffer, {count, list}))
    return error;
  if (!from || !isInside(*buffer, offset, size))
    return CL_INVALID_VALUE;
  if (buffer->flags & NoHostWrite)
    return CL_INVALID_OPERATION;
  return enqueue(
      queue, CL_COMMAND_WRITE_BUFFER, {count, list}, event,
      [=, kept = Ref(buffer)](CUstream stream) {
        return cu().cuMemcpyHtoDAsync_v2(kept->device() + offset, from, size, stream);
      },
      isBlocking);
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking,
                               const size_t *bufferOrigin, const size_t *hostOrigin,
                               const size_t *region, size_t bufferRow, size_t bufferSlice,
                               size_t hostRow, size_t hostSlice, void *to, cl_uint count,
                               const cl_event *list, cl_event *event) {
  if (cl_int error = check(queue, buffer, {count, list}))
    return error;
  if (!to || !bufferOrigin || !hostOrigin || !region ||
      checkRegion(region, bufferRow, bufferSlice) || checkRegion(region, hostRow, hostSlice))
    return CL_INVALID_VALUE;
  const Box source(bufferOrigin, region, bufferRow, bufferSlice),
      target(hostOrigin, region, hostRow, hostSlice);
  if (source.end(region) > buffer->size)
    return CL_INVALID_VALUE;
  if (buffer->flags & NoHostRead)
    return CL_INVALID_OPERATION;
  CUDA_MEMCPY3D copy = boxCopy(buffer->at, source, static_cast<char *>(to), target, region);
  markHost(copy, false);
  return enqueue(
      queue, CL_COMMAND_READ_BUFFER_RECT, {count, list}, event,
      [=, kept = Ref(buffer)](CUstream stream) { return cu().cuMemcpy3DAsync_v2(&copy, stream); },
      isBlocking);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking,
                                const size_t *bufferOrigin, const size_t *hostOrigin,
                                const size_t *region, size_t bufferRow, size_t bufferSlice,
                                size_t hostRow, size_t hostSlice, const void *from, cl_uint count,
                                const cl_event *list, cl_event *event) {
  if (cl_int error = check(queue, buffer, {count, list}))
    return error;
  if (!from || !bufferOrigin || !hostOrigin || !region ||
      checkRegion(region, bufferRow, bufferSlice) || checkRegion(region, hostRow, hostSlice))
    return CL_INVALID_VALUE;
  const Box source(hostOrigin, region, hostRow, hostSlice),
      target(bufferOrigin, region, bufferRow, bufferSlice);
  if (target.end(region) > buffer->size)
    return CL_INVALID_VALUE;
  if (buffer->flags & NoHostWrite)
    return CL_INVALID_OPERATION;
  CUDA_MEMCPY3D copy = boxCopy(static_cast<const char *>(from), source, buffer->at, target, region);
  markHost(copy, true);
  return enqueue(
      queue, CL_COMMAND_WRITE_BUFFER_RECT, {count, list}, event,
      [=, kept = Ref(buffer)](CUstream stream) { return cu().cuMemcpy3DAsync_v2(&copy, stream); },
      isBlocking);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t fromOffset,
                           size_t toOffset, size_t size, cl_uint count, const cl_event *list,
                           cl_event *event) {
  for (cl_mem buffer : {from, to})
    if (cl_int error = check(queue, buffer, {count, list}))
      return error;
  if (!isInside(*from, fromOffset, size) || !isInside(*to, toOffset, size))
    return CL_INVALID_VALUE;
  const char *source = from->at + fromOffset, *target = to->at + toOffset;
  if (source < target + size && target < source + size)
    return CL_MEM_COPY_OVERLAP;
  return enqueue(queue, CL_COMMAND_COPY_BUFFER, {count, list}, event,
                 [=, keptFrom = Ref(from), keptTo = Ref(to)](CUstream stream) {
                   return cu().cuMemcpyDtoDAsync_v2(address(target), address(source), size, stream);
                 });
}

cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
                               const size_t *fromOrigin, const size_t *toOrigin,
                               const size_t *region, size_t fromRow, size_t fromSlice, size_t toRow,
                               size_t toSlice, cl_uint count, const cl_event *list,
                               cl_event *event) {
  for (cl_mem buffer : {from, to})
    if (cl_int error = check(queue, buffer, {count, list}))
      return error;
  if (!fromOrigin || !toOrigin || !region || checkRegion(region, fromRow, fromSlice) ||
      checkRegion(region, toRow, toSlice))
    return CL_INVALID_VALUE;
  const Box source(fromOrigin, region, fromRow, fromSlice),
      target(toOrigin, region, toRow, toSlice);
  if (source.end(region) > from->size || target.end(region) > to->size)
    return CL_INVALID_VALUE;
  if (from == to && (source.row != target.row || source.slice != target.slice))
    return CL_INVALID_VALUE;
  if (from == to && overlap(source, target, region))
    return CL_MEM_COPY_OVERLAP;
  const CUDA_MEMCPY3D copy = boxCopy(from->at, source, to->at, target, region);
  return enqueue(queue, CL_COMMAND_COPY_BUFFER_RECT, {count, list}, event,
                 [=, keptFrom = Ref(from), keptTo = Ref(to)](CUstream stream) {
                   return cu().cuMemcpy3DAsync_v2(&copy, stream);
                 });
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                           size_t patternSize, size_t offset, size_t size, cl_uint count,
                           const cl_event *list, cl_event *event) {
  if (cl_int error = check(queue, buffer, {count, list}))
    return error;
  if (!pattern || !isPatternSize(patternSize) || offset % patternSize || size % patternSize ||
      !isInside(*buffer, offset, size))
    return CL_INVALID_VALUE;
  const auto *bytes = static_cast<const char *>(pattern);
  return enqueue(
      queue, CL_COMMAND_FILL_BUFFER, {count, list}, event,
      [=, kept = Ref(buffer), copy = std::vector(bytes, bytes + patternSize)](CUstream stream) {
        return size ? fillMemory(kept->device() + offset, copy, size, stream) : CUDA_SUCCESS;
      });
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking,
                         cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                         const cl_event *list, cl_event *event, cl_int *code) {
  auto answer = [&](cl_int error) {
    if (code)
      *code = error;
    return nullptr;
  };
  if (cl_int error = check(queue, buffer, {count, list}))
    return answer(error);
  constexpr cl_map_flags Known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  if (!size || !isInside(*buffer, offset, size) || (flags & ~Known) ||
      ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
    return answer(CL_INVALID_VALUE);
  if (((flags & CL_MAP_READ) && (buffer->flags & NoHostRead)) ||
      ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) && (buffer->flags & NoHostWrite)))
    return answer(CL_INVALID_OPERATION);
  // Where the program's memory could not be used in place, it is brought up to date.
  const bool isCopied = buffer->hostPointer && buffer->hostPointer != buffer->at;
  char *mapped = (isCopied ? static_cast<char *>(buffer->hostPointer) : buffer->at) + offset;
  cl_int error = enqueue(
      queue, CL_COMMAND_MAP_BUFFER, {count, list}, event,
      [=, kept = Ref(buffer)](CUstream stream) {
        return isCopied ? cu().cuMemcpyDtoHAsync_v2(mapped, kept->device() + offset, size, stream)
                        : CUDA_SUCCESS;
      },
      isBlocking);
  answer(error);
  if (error)
    return nullptr;
  std::lock_guard lock(buffer->mutex);
  buffer->maps.push_back({mapped, flags, nullptr, {}, 0, 0});
  return mapped;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped, cl_uint count,
                               const cl_event *list, cl_event *event) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (cl_int error = checkMemory(queue, memory))
    return error;
  if (cl_int error = checkWaitList(queue->context.get(), count, list))
    return error;
  Map map;
  {
    std::lock_guard lock(memory->mutex);
    auto at = std::find_if(memory->maps.begin(), memory->maps.end(),
                           [&](const Map &known) { return known.pointer == mapped; });
    if (at == memory->maps.end())
      return CL_INVALID_VALUE;
    map = std::move(*at);
    memory->maps.erase(at);
  }
  const bool isWritten = map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
  return enqueue(
      queue, CL_COMMAND_UNMAP_MEM_OBJECT, {count, list}, event,
      [=, kept = Ref(memory)](CUstream stream) {
        if (kept->image && map.isCopied(*kept) && isWritten) {
          const CUDA_MEMCPY3D copy = memoryToBox(*kept, map.box, mapped, map.row, map.slice);
          return cu().cuMemcpy3DAsync_v2(&copy, stream);
        }
        if (kept->image || !kept->hostPointer || kept->hostPointer == kept->at)
          return CUDA_SUCCESS;
        return cu().cuMemcpyHtoDAsync_v2(kept->device(), kept->hostPointer, kept->size, stream);
      });
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint number, const cl_mem *objects,
                                  cl_mem_migration_flags flags, cl_uint count, const cl_event *list,
                                  cl_event *event) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (!number || !objects ||
      (flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)))
    return CL_INVALID_VALUE;
  std::vector<Ref<_cl_mem>> kept;
  for (cl_mem object : std::vector(objects, objects + number)) {
    if (cl_int error = checkMemory(queue, object))
      return error;
    kept.emplace_back(object);
  }
  if (cl_int error = checkWaitList(queue->context.get(), count, list))
    return error;
  const CUdevice to = flags & CL_MIGRATE_MEM_OBJECT_HOST ? CU_DEVICE_CPU : queue->device->number;
  return enqueue(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, {count, list}, event, [=](CUstream stream) {
    for (const auto &object : kept)
      if (object->owner == _cl_mem::Owner::Managed)
        if (CUresult error = cu().cuMemPrefetchAsync(object->device(), object->size, to, stream))
          return error;
    return CUDA_SUCCESS;
  });
}

cl_int clEnqueueNativeKernel(cl_command_queue queue, void (*function)(void *), void *arguments,
                             size_t size, cl_uint number, const cl_mem *objects,
                             const void **places, cl_uint count, const cl_event *list,
                             cl_event *event) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (!function || (!arguments && (size || number)) || (arguments && !size) ||
      (number && (!objects || !places)) || (!number && (objects || places)))
    return CL_INVALID_VALUE;
  if (cl_int error = checkWaitList(queue->context.get(), count, list))
    return error;
  struct Call {
    void (*function)(void *);
    std::vector<char> block;
    std::vector<Ref<_cl_mem>> kept;
  };
  const auto *bytes = static_cast<const char *>(arguments);
  auto call = std::make_shared<Call>(Call{function, std::vector(bytes, bytes + size), {}});
  for (cl_uint i = 0; i != number; ++i) {
    if (objects[i] && !isValid(objects[i]))
      return CL_INVALID_MEM_OBJECT;
    const void *at = objects[i] ? objects[i]->at : nullptr;
    const auto offset = static_cast<size_t>(static_cast<const char *>(places[i]) - bytes);
    if (offset > size || size - offset < sizeof(at))
      return CL_INVALID_VALUE;
    std::memcpy(call->block.data() + offset, &at, sizeof(at));
    if (objects[i])
      call->kept.emplace_back(objects[i]);
  }
  return enqueue(queue, CL_COMMAND_NATIVE_KERNEL, {count, list}, event, [call](CUstream stream) {
    auto *held = new std::shared_ptr<Call>(call);
    return cu().cuLaunchHostFunc(
        stream,
        [](void *data) {
          std::unique_ptr<std::shared_ptr<Call>> held(static_cast<std::shared_ptr<Call> *>(data));
          Call &call = **held;
          call.function(call.block.empty() ? nullptr : call.block.data());
        },
        held);
  });
}
