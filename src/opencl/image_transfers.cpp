// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that read, write, copy, fill and map images.
#include "opencl/image.h"

#include "opencl/info.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

extern "C" bool heddle_hides_device_memory(); // src/driver/call.cpp

using namespace heddle::cl;

namespace {

cl_int check(cl_command_queue queue, cl_mem memory, const WaitList &waits) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (cl_int error = checkMemory(queue, memory))
    return error;
  return checkWaitList(queue->context.get(), waits.count, waits.events);
}

cl_int checkImage(cl_command_queue queue, cl_mem memory, const WaitList &waits) {
  if (cl_int error = check(queue, memory, waits))
    return error;
  return memory->image ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

cl_int boxOf(const _cl_mem &memory, const size_t *origin, const size_t *region, ImageBox &box) {
  if (!origin || !region)
    return CL_INVALID_VALUE;
  for (unsigned d = 0; d != 3; ++d) {
    const size_t extent = memory.image->extent(d);
    if (!region[d] || origin[d] > extent || region[d] > extent - origin[d])
      return CL_INVALID_VALUE;
    box.origin[d] = origin[d];
    box.region[d] = region[d];
  }
  return CL_SUCCESS;
}

cl_int checkPitches(const _cl_mem &memory, const ImageBox &box, size_t row, size_t slice) {
  const size_t tight = box.region[0] * memory.image->layout.texelBytes();
  if (row && row < tight)
    return CL_INVALID_VALUE;
  const bool isRows = memory.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (slice && slice < (row ? row : tight) * (isRows ? 1 : box.region[1]))
    return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

/// Makes the host's side of a copy a device's.
void useDevice(CUDA_MEMCPY3D &copy) {
  if (copy.srcMemoryType == CU_MEMORYTYPE_HOST) {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(copy.srcHost);
  } else {
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(copy.dstHost);
  }
}

bool isSameFormat(const _cl_mem &a, const _cl_mem &b) {
  return a.image->format.image_channel_order == b.image->format.image_channel_order &&
         a.image->format.image_channel_data_type == b.image->format.image_channel_data_type;
}

bool overlap(const ImageBox &a, const ImageBox &b) {
  for (unsigned d = 0; d != 3; ++d)
    if (a.origin[d] >= b.origin[d] + b.region[d] || b.origin[d] >= a.origin[d] + a.region[d])
      return false;
  return true;
}

/// IEEE half of a float, rounded to nearest even.
uint16_t halfOf(float value) { return __builtin_bit_cast(uint16_t, static_cast<_Float16>(value)); }

/// OpenCL C, "Conversion Rules for Normalized Integer Channel Data Types": the product is a float.
float scaled(float value, float least, float most) {
  const float v = value > 1 ? 1 : value < least ? least : value == value ? value : 0;
  return std::nearbyint(v * most);
}

/// A channel of a colour as a texel has it.
uint32_t encode(cl_channel_type type, const void *color, unsigned channel) {
  const float real = static_cast<const float *>(color)[channel];
  const int32_t number = static_cast<const int32_t *>(color)[channel];
  const uint32_t word = static_cast<const uint32_t *>(color)[channel];
  switch (type) {
  case CL_SNORM_INT8:
    return static_cast<uint32_t>(static_cast<int>(scaled(real, -1, 127)));
  case CL_SNORM_INT16:
    return static_cast<uint32_t>(static_cast<int>(scaled(real, -1, 32767)));
  case CL_UNORM_INT8:
    return static_cast<uint32_t>(scaled(real, 0, 255));
  case CL_UNORM_INT16:
    return static_cast<uint32_t>(scaled(real, 0, 65535));
  case CL_HALF_FLOAT:
    return halfOf(real);
  case CL_SIGNED_INT8:
    return static_cast<uint32_t>(std::clamp(number, -128, 127));
  case CL_SIGNED_INT16:
    return static_cast<uint32_t>(std::clamp(number, -32768, 32767));
  case CL_UNSIGNED_INT8:
    return std::min(word, 255u);
  case CL_UNSIGNED_INT16:
    return std::min(word, 65535u);
  default:
    return word;
  }
}

/// Which channel of a colour is each of a texel's.
std::array<unsigned, 4> channelsOf(cl_channel_order order) {
  switch (order) {
  case CL_A:
    return {3, 3, 3, 3};
  case CL_RA:
    return {0, 3, 3, 3};
  case CL_BGRA:
  case CL_sBGRA:
    return {2, 1, 0, 3};
  case CL_ARGB:
    return {3, 0, 1, 2};
  case CL_ABGR:
    return {3, 2, 1, 0};
  default:
    return {0, 1, 2, 3};
  }
}

/// IEC 61966-2-1.
float srgbOf(float linear) {
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

std::vector<char> texelOf(const Image &image, const void *color) {
  std::vector<char> texel;
  float inSrgb[4];
  if (image.layout.isSrgb) {
    std::memcpy(inSrgb, color, sizeof(inSrgb));
    std::transform(inSrgb, inSrgb + 3, inSrgb, srgbOf);
    color = inSrgb;
  }
  const std::array<unsigned, 4> channels = channelsOf(image.format.image_channel_order);
  for (unsigned c = 0; c != image.layout.channels; ++c) {
    const uint32_t word = encode(image.format.image_channel_data_type, color, channels[c]);
    const auto *bytes = reinterpret_cast<const char *>(&word);
    texel.insert(texel.end(), bytes, bytes + image.layout.channelBytes);
  }
  return texel;
}

/// Calls `copy(part, bytes behind the memory's start)` for what one copy of CUDA's can do: all of a
/// box, or each of its slices where they are no whole number of rows apart in memory.
template <typename Copy>
CUresult copyParts(const _cl_mem &memory, const ImageBox &box, size_t row, size_t slice,
                   Copy &&copy) {
  row = row ? row : box.region[0] * memory.image->layout.texelBytes();
  if (slice % row == 0 || box.region[2] == 1)
    return copy(box, size_t(0));
  ImageBox part = box;
  part.region[2] = 1;
  for (size_t z = 0; z != box.region[2]; ++z, ++part.origin[2])
    if (CUresult error = copy(part, z * slice))
      return error;
  return CUDA_SUCCESS;
}

} // namespace

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem memory, cl_bool isBlocking,
                          const size_t *origin, const size_t *region, size_t row, size_t slice,
                          void *to, cl_uint count, const cl_event *list, cl_event *event) {
  if (cl_int error = checkImage(queue, memory, {count, list}))
    return error;
  ImageBox box;
  if (!to || boxOf(*memory, origin, region, box) || checkPitches(*memory, box, row, slice))
    return CL_INVALID_VALUE;
  if (memory->flags & NoHostRead)
    return CL_INVALID_OPERATION;
  return enqueue(
      queue, CL_COMMAND_READ_IMAGE, {count, list}, event,
      [=, kept = Ref(memory)](CUstream stream) {
        return copyParts(*kept, box, row, slice, [&](const ImageBox &part, size_t at) {
          const CUDA_MEMCPY3D copy =
              boxToMemory(*kept, part, static_cast<char *>(to) + at, row, slice);
          return cu().cuMemcpy3DAsync_v2(&copy, stream);
        });
      },
      isBlocking);
}

cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem memory, cl_bool isBlocking,
                           const size_t *origin, const size_t *region, size_t row, size_t slice,
                           const void *from, cl_uint count, const cl_event *list, cl_event *event) {
  if (cl_int error = checkImage(queue, memory, {count, list}))
    return error;
  ImageBox box;
  if (!from || boxOf(*memory, origin, region, box) || checkPitches(*memory, box, row, slice))
    return CL_INVALID_VALUE;
  if (memory->flags & NoHostWrite)
    return CL_INVALID_OPERATION;
  return enqueue(
      queue, CL_COMMAND_WRITE_IMAGE, {count, list}, event,
      [=, kept = Ref(memory)](CUstream stream) {
        return copyParts(*kept, box, row, slice, [&](const ImageBox &part, size_t at) {
          const CUDA_MEMCPY3D copy =
              memoryToBox(*kept, part, static_cast<const char *>(from) + at, row, slice);
          return cu().cuMemcpy3DAsync_v2(&copy, stream);
        });
      },
      isBlocking);
}

cl_int clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *fromOrigin,
                          const size_t *toOrigin, const size_t *region, cl_uint count,
                          const cl_event *list, cl_event *event) {
  for (cl_mem memory : {from, to})
    if (cl_int error = checkImage(queue, memory, {count, list}))
      return error;
  if (!isSameFormat(*from, *to))
    return CL_IMAGE_FORMAT_MISMATCH;
  ImageBox source, target;
  if (boxOf(*from, fromOrigin, region, source) || boxOf(*to, toOrigin, region, target))
    return CL_INVALID_VALUE;
  if (from == to && overlap(source, target))
    return CL_MEM_COPY_OVERLAP;
  return enqueue(queue, CL_COMMAND_COPY_IMAGE, {count, list}, event,
                 [=, keptFrom = Ref(from), keptTo = Ref(to)](CUstream stream) {
                   // An image's layers may be another's rows: the copy goes over memory that is a box for both.
                   const size_t bytes = source.region[0] * source.region[1] * source.region[2] *
                                        keptFrom->image->layout.texelBytes();
                   char *between = allocate(*keptFrom->context, bytes);
                   if (!between)
                     return CUDA_ERROR_OUT_OF_MEMORY;
                   CUDA_MEMCPY3D copy = boxToMemory(*keptFrom, source, between, 0, 0);
                   useDevice(copy);
                   CUresult error = cu().cuMemcpy3DAsync_v2(&copy, stream);
                   copy = memoryToBox(*keptTo, target, between, 0, 0);
                   useDevice(copy);
                   if (error == CUDA_SUCCESS)
                     error = cu().cuMemcpy3DAsync_v2(&copy, stream);
                   cu().cuStreamSynchronize(stream);
                   deallocate(*keptFrom->context, between);
                   return error;
                 });
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                  const size_t *origin, const size_t *region, size_t offset,
                                  cl_uint count, const cl_event *list, cl_event *event) {
  if (cl_int error = checkImage(queue, from, {count, list}))
    return error;
  if (cl_int error = check(queue, to, {count, list}))
    return error;
  if (!to->isBuffer())
    return CL_INVALID_MEM_OBJECT;
  ImageBox box;
  if (boxOf(*from, origin, region, box))
    return CL_INVALID_VALUE;
  const size_t bytes = region[0] * region[1] * region[2] * from->image->layout.texelBytes();
  if (offset > to->size || bytes > to->size - offset)
    return CL_INVALID_VALUE;
  return enqueue(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, {count, list}, event,
                 [=, keptFrom = Ref(from), keptTo = Ref(to)](CUstream stream) {
                   CUDA_MEMCPY3D copy = boxToMemory(*keptFrom, box, keptTo->at + offset, 0, 0);
                   useDevice(copy);
                   return cu().cuMemcpy3DAsync_v2(&copy, stream);
                 });
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
                                  const size_t *origin, const size_t *region, cl_uint count,
                                  const cl_event *list, cl_event *event) {
  if (cl_int error = checkImage(queue, to, {count, list}))
    return error;
  if (cl_int error = check(queue, from, {count, list}))
    return error;
  if (!from->isBuffer())
    return CL_INVALID_MEM_OBJECT;
  ImageBox box;
  if (boxOf(*to, origin, region, box))
    return CL_INVALID_VALUE;
  const size_t bytes = region[0] * region[1] * region[2] * to->image->layout.texelBytes();
  if (offset > from->size || bytes > from->size - offset)
    return CL_INVALID_VALUE;
  return enqueue(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, {count, list}, event,
                 [=, keptFrom = Ref(from), keptTo = Ref(to)](CUstream stream) {
                   CUDA_MEMCPY3D copy = memoryToBox(*keptTo, box, keptFrom->at + offset, 0, 0);
                   useDevice(copy);
                   return cu().cuMemcpy3DAsync_v2(&copy, stream);
                 });
}

cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem memory, const void *color,
                          const size_t *origin, const size_t *region, cl_uint count,
                          const cl_event *list, cl_event *event) {
  if (cl_int error = checkImage(queue, memory, {count, list}))
    return error;
  ImageBox box;
  if (!color || boxOf(*memory, origin, region, box))
    return CL_INVALID_VALUE;
  const std::vector<char> texel = texelOf(*memory->image, color);
  auto texels = std::make_shared<std::vector<char>>();
  for (size_t i = 0; i != region[0] * region[1] * region[2]; ++i)
    texels->insert(texels->end(), texel.begin(), texel.end());
  return enqueue(
      queue, CL_COMMAND_FILL_IMAGE, {count, list}, event,
      [=, kept = Ref(memory)](CUstream stream) { // CUDA has read the texels when it returns
        const CUDA_MEMCPY3D copy = memoryToBox(*kept, box, texels->data(), 0, 0);
        return cu().cuMemcpy3DAsync_v2(&copy, stream);
      });
}

namespace {

/// Where an image's texels lie, and its pitches: a device that has images is the processor.
char *texelsOf(const _cl_mem &memory, size_t &row, size_t &slice) {
  const Image &image = *memory.image;
  const HeddleClImage &known = *image.descriptor;
  row = known.rowBytes;
  slice = image.array ? known.sliceBytes : row * image.extent(1);
  return image.array ? reinterpret_cast<char *>(known.data) : memory.at;
}

/// Checks hide arrays from host code, which may not know where they lie.
bool isHiddenFromHost(const Image &image) { return image.array && heddle_hides_device_memory(); }

} // namespace

void *clEnqueueMapImage(cl_command_queue queue, cl_mem memory, cl_bool isBlocking,
                        cl_map_flags flags, const size_t *origin, const size_t *region, size_t *row,
                        size_t *slice, cl_uint count, const cl_event *list, cl_event *event,
                        cl_int *code) {
  if (cl_int error = checkImage(queue, memory, {count, list}))
    return fail(code, error);
  ImageBox box;
  const Image &image = *memory->image;
  const bool hasSlices = memory->type == CL_MEM_OBJECT_IMAGE3D ||
                         memory->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                         memory->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  constexpr cl_map_flags Known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  if (!row || (hasSlices && !slice) || boxOf(*memory, origin, region, box) || (flags & ~Known) ||
      ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
    return fail(code, CL_INVALID_VALUE);
  if (((flags & CL_MAP_READ) && (memory->flags & NoHostRead)) ||
      ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) && (memory->flags & NoHostWrite)))
    return fail(code, CL_INVALID_OPERATION);
  Map map = {nullptr, flags, nullptr, box, 0, 0};
  const bool isRows = memory->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  char *texels = static_cast<char *>(memory->hostPointer); // the map is a part of it
  if (texels) {
    clGetImageInfo(memory, CL_IMAGE_ROW_PITCH, sizeof(size_t), &map.row, nullptr);
    clGetImageInfo(memory, CL_IMAGE_SLICE_PITCH, sizeof(size_t), &map.slice, nullptr);
  } else {
    texels = texelsOf(*memory, map.row, map.slice);
    if (isHiddenFromHost(image)) {
      map.copy = std::make_shared<std::vector<char>>(map.slice * image.extent(2) *
                                                     (isRows ? image.extent(1) : 1));
      texels = map.copy->data();
    }
  }
  map.pointer = texels + origin[0] * image.layout.texelBytes() +
                origin[1] * (isRows ? map.slice : map.row) + origin[2] * map.slice;
  const cl_int error = enqueue(
      queue, CL_COMMAND_MAP_IMAGE, {count, list}, event,
      [=, kept = Ref(memory)](CUstream stream) {
        if (!map.isCopied(*kept) || (map.flags & CL_MAP_WRITE_INVALIDATE_REGION))
          return CUDA_SUCCESS;
        const CUDA_MEMCPY3D copy = boxToMemory(*kept, map.box, map.pointer, map.row, map.slice);
        return cu().cuMemcpy3DAsync_v2(&copy, stream);
      },
      isBlocking);
  if (error)
    return fail(code, error);
  *row = map.row;
  if (slice)
    *slice = hasSlices ? map.slice : 0;
  std::lock_guard lock(memory->mutex);
  memory->maps.push_back(map);
  return succeed(code, static_cast<char *>(map.pointer));
}
