// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/image.h"

#include "base/abi/texture_descriptor.h"
#include "opencl/info.h"

#include <algorithm>

using namespace heddle::cl;

namespace heddle::cl {

size_t Image::extent(unsigned dimension) const {
  const bool isRow = description.image_type == CL_MEM_OBJECT_IMAGE1D ||
                     description.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  switch (dimension) {
  case 0:
    return description.image_width;
  case 1:
    return description.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? description.image_array_size
           : isRow                                               ? 1
                                                                 : description.image_height;
  default:
    return description.image_type == CL_MEM_OBJECT_IMAGE3D         ? description.image_depth
           : description.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? description.image_array_size
                                                                   : 1;
  }
}

bool Map::isCopied(const _cl_mem &memory) const { return memory.hostPointer || copy; }

namespace {

bool isLayers(const Image &image) {
  return image.description.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
         image.description.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

/// The side of a copy that is the image, and how many rows and slices it has there. The layers of an
/// array of rows are CUDA's slices.
struct Side {
  CUmemorytype type;
  CUdeviceptr device;
  size_t pitch, x, y, z, height, depth;
};
Side sideOf(const _cl_mem &memory, const ImageBox &box) {
  const Image &image = *memory.image;
  const size_t x = box.origin[0] * image.layout.texelBytes();
  if (!image.array)
    return {CU_MEMORYTYPE_DEVICE, memory.device(),
            image.rowBytes(),     x,
            box.origin[1],        0,
            box.region[1],        1};
  if (image.description.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    return {CU_MEMORYTYPE_ARRAY, 0, 0, x, 0, box.origin[1], 1, box.region[1]};
  return {CU_MEMORYTYPE_ARRAY, 0, 0, x, box.origin[1], box.origin[2], box.region[1], box.region[2]};
}

struct Pitches {
  size_t row, rows;
};
Pitches pitchesOf(const Image &image, const ImageBox &box, size_t row, size_t slice) {
  row = row ? row : box.region[0] * image.layout.texelBytes();
  if (image.description.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    return {slice ? slice : row, 1};
  return {row, slice ? slice / row : box.region[1]};
}

} // namespace

CUDA_MEMCPY3D boxToMemory(const _cl_mem &memory, const ImageBox &box, void *to, size_t row,
                          size_t slice) {
  const Side side = sideOf(memory, box);
  const Pitches pitches = pitchesOf(*memory.image, box, row, slice);
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = side.type;
  copy.srcArray = memory.image->array;
  copy.srcDevice = side.device;
  copy.srcPitch = side.pitch;
  copy.srcXInBytes = side.x;
  copy.srcY = side.y;
  copy.srcZ = side.z;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to;
  copy.dstPitch = pitches.row;
  copy.dstHeight = pitches.rows;
  copy.WidthInBytes = box.region[0] * memory.image->layout.texelBytes();
  copy.Height = side.height;
  copy.Depth = side.depth;
  return copy;
}

CUDA_MEMCPY3D memoryToBox(const _cl_mem &memory, const ImageBox &box, const void *from, size_t row,
                          size_t slice) {
  const CUDA_MEMCPY3D back = boxToMemory(memory, box, nullptr, row, slice);
  CUDA_MEMCPY3D copy = {};
  copy.dstMemoryType = back.srcMemoryType;
  copy.dstArray = back.srcArray;
  copy.dstDevice = back.srcDevice;
  copy.dstPitch = back.srcPitch;
  copy.dstXInBytes = back.srcXInBytes;
  copy.dstY = back.srcY;
  copy.dstZ = back.srcZ;
  copy.srcMemoryType = back.dstMemoryType;
  copy.srcHost = from;
  copy.srcPitch = back.dstPitch;
  copy.srcHeight = back.dstHeight;
  copy.WidthInBytes = back.WidthInBytes;
  copy.Height = back.Height;
  copy.Depth = back.Depth;
  return copy;
}

void destroyImage(_cl_mem &memory) {
  Image &image = *memory.image;
  if (image.descriptor) {
    if (image.descriptor->texture)
      cu().cuTexObjectDestroy(image.descriptor->texture);
    if (image.descriptor->surface)
      cu().cuSurfObjectDestroy(image.descriptor->surface);
    deallocate(*memory.context, image.descriptor);
  }
  if (image.array)
    cu().cuArrayDestroy(image.array);
}

namespace {

/// What an image is made of: CL_MEM_OBJECT_IMAGE1D_BUFFER, or rows (cl_khr_image2d_from_buffer).
cl_int checkBuffer(const _cl_context &context, const cl_image_desc &d, const Format &format) {
  const bool isRows = d.image_type == CL_MEM_OBJECT_IMAGE2D;
  if (!d.mem_object)
    return d.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
  if (!isValid(d.mem_object) || !d.mem_object->isBuffer() ||
      (!isRows && d.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  const size_t row = d.image_row_pitch ? d.image_row_pitch : d.image_width * format.texelBytes();
  cl_uint alignment = 0; // in texels
  clGetDeviceInfo(context.first(), CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(alignment), &alignment,
                  nullptr);
  if (isRows && row % (alignment * format.texelBytes()))
    return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  return row * (isRows ? d.image_height : 1) > d.mem_object->size ? CL_INVALID_IMAGE_SIZE
                                                                  : CL_SUCCESS;
}

cl_int checkDescription(const _cl_context &context, const cl_image_desc &d, const Format &format,
                        const void *host) {
  const bool hasRows = d.image_type != CL_MEM_OBJECT_IMAGE1D &&
                       d.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER &&
                       d.image_type != CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (!d.image_width || (hasRows && !d.image_height) ||
      (d.image_type == CL_MEM_OBJECT_IMAGE3D && !d.image_depth) || d.num_mip_levels ||
      d.num_samples)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  const bool isArray =
      d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || d.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  if (isArray && !d.image_array_size)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  const size_t row = d.image_width * format.texelBytes();
  if (!host && (d.image_row_pitch || d.image_slice_pitch) && !d.mem_object)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  if (d.image_row_pitch && (d.image_row_pitch < row || d.image_row_pitch % format.texelBytes()))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  const bool isSolid = d.image_type == CL_MEM_OBJECT_IMAGE3D;
  const size_t pitch = std::max(row, d.image_row_pitch);
  if (d.image_slice_pitch && (isSolid || isArray) &&
      (d.image_slice_pitch < pitch * (hasRows ? d.image_height : 1) || d.image_slice_pitch % pitch))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  if (cl_int error = checkBuffer(context, d, format))
    return error;
  const bool isBuffer = d.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  size_t limits[4] = {};
  cl_device_info names[4] = {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                             CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE};
  if (isSolid) {
    names[0] = CL_DEVICE_IMAGE3D_MAX_WIDTH;
    names[1] = CL_DEVICE_IMAGE3D_MAX_HEIGHT;
  } else if (isBuffer) {
    names[0] = CL_DEVICE_IMAGE_MAX_BUFFER_SIZE;
  }
  for (unsigned i = 0; i != 4; ++i)
    clGetDeviceInfo(context.first(), names[i], sizeof(size_t), &limits[i], nullptr);
  const bool isTooLarge = d.image_width > limits[0] || (hasRows && d.image_height > limits[1]) ||
                          (isSolid && d.image_depth > limits[2]) ||
                          (isArray && d.image_array_size > limits[3]);
  return isTooLarge ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

CUresult makeArray(Image &image) {
  CUDA_ARRAY3D_DESCRIPTOR d = {};
  const cl_mem_object_type type = image.description.image_type;
  d.Width = image.description.image_width;
  d.Height = type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY
                 ? 0
                 : image.description.image_height;
  d.Depth = type == CL_MEM_OBJECT_IMAGE3D ? image.description.image_depth
            : isLayers(image)             ? image.description.image_array_size
                                          : 0;
  d.Format = image.layout.element;
  d.NumChannels = image.layout.channels;
  d.Flags = CUDA_ARRAY3D_SURFACE_LDST | (isLayers(image) ? CUDA_ARRAY3D_LAYERED : 0u);
  return cu().cuArray3DCreate_v2(&image.array, &d);
}

/// What a kernel gets. Only processors have images: a surface object says where the texels of an array lie.
CUresult describe(_cl_mem &memory) {
  Image &image = *memory.image;
  image.descriptor =
      reinterpret_cast<HeddleClImage *>(allocate(*memory.context, sizeof(HeddleClImage)));
  if (!image.descriptor)
    return CUDA_ERROR_OUT_OF_MEMORY;
  HeddleClImage &d = *image.descriptor;
  d = {};
  d.order = image.format.image_channel_order;
  d.type = image.format.image_channel_data_type;
  d.width = static_cast<unsigned>(image.extent(0));
  d.height = static_cast<unsigned>(image.description.image_height);
  d.depth = static_cast<unsigned>(image.description.image_depth);
  d.layers = static_cast<unsigned>(image.description.image_array_size);
  d.texelBytes = image.layout.texelBytes();
  d.channels = image.layout.channels;
  CUDA_RESOURCE_DESC resource = {};
  if (image.array) {
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = image.array;
    CUsurfObject made = 0;
    if (CUresult error = cu().cuSurfObjectCreate(&made, &resource))
      return error;
    d.surface = made;
    const auto &surface = *reinterpret_cast<const SurfaceDescriptor *>(made);
    d.data = reinterpret_cast<unsigned long>(surface.data);
    d.rowBytes = surface.rowBytes;
    d.sliceBytes = surface.sliceBytes;
  } else {
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {memory.device(), image.layout.element, image.layout.channels,
                            image.extent(0), image.extent(1),      image.rowBytes()};
    d.data = memory.device();
    d.rowBytes = image.rowBytes();
  }
  if (!image.layout.isSrgb)
    return CUDA_SUCCESS;
  CUDA_TEXTURE_DESC texture = {};
  texture.flags = CU_TRSF_SRGB;
  CUtexObject table = 0;
  CUresult error = cu().cuTexObjectCreate(&table, &resource, &texture, nullptr);
  d.texture = table;
  return error;
}

cl_mem create(cl_context context, std::vector<cl_mem_properties> properties, cl_mem_flags flags,
              const cl_image_format *format, const cl_image_desc *description, void *host,
              cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  if (!context->first()->hasImages())
    return fail(code, CL_INVALID_OPERATION);
  if (cl_int error = checkFlags(flags & ~static_cast<cl_mem_flags>(CL_MEM_KERNEL_READ_AND_WRITE)))
    return fail(code, error);
  Format layout;
  if (!format || format->image_channel_order < CL_R || format->image_channel_order > CL_ABGR ||
      format->image_channel_data_type < CL_SNORM_INT8 ||
      format->image_channel_data_type > CL_UNORM_INT_101010_2)
    return fail(code, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  if (!description || !isImageType(description->image_type))
    return fail(code, CL_INVALID_IMAGE_DESCRIPTOR);
  if (!findFormat(*format, flags, description->image_type, layout))
    return fail(code, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  if (cl_int error = checkDescription(*context, *description, layout, host))
    return fail(code, error);
  if (!host != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    return fail(code, CL_INVALID_HOST_PTR);
  auto *memory = new _cl_mem;
  memory->context = Ref(context);
  memory->properties = std::move(properties);
  memory->type = description->image_type;
  memory->flags = flags & AccessFlags ? flags : flags | CL_MEM_READ_WRITE;
  memory->hostPointer = flags & CL_MEM_USE_HOST_PTR ? host : nullptr;
  memory->image = std::make_unique<Image>();
  Image &image = *memory->image;
  image.format = *format;
  image.description = *description;
  image.layout = layout;
  memory->size = image.rowBytes() * image.extent(1) * image.extent(2);
  Current current(context->first()->context);
  CUresult error = CUDA_SUCCESS;
  if (description->mem_object) {
    memory->parent = Ref(description->mem_object);
    memory->at = description->mem_object->at;
  } else {
    error = makeArray(image);
  }
  if (error == CUDA_SUCCESS)
    error = describe(*memory);
  if (error == CUDA_SUCCESS && host) {
    const ImageBox all = {{0, 0, 0}, {image.extent(0), image.extent(1), image.extent(2)}};
    const CUDA_MEMCPY3D copy = memoryToBox(*memory, all, host, description->image_row_pitch,
                                           description->image_slice_pitch);
    error = cu().cuMemcpy3D_v2(&copy);
  }
  if (error == CUDA_SUCCESS)
    return succeed(code, memory);
  memory->release();
  return fail(code, error == CUDA_ERROR_OUT_OF_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                                                      : CL_OUT_OF_RESOURCES);
}

} // namespace

} // namespace heddle::cl

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *description, void *host, cl_int *code) {
  return create(context, {}, flags, format, description, host, code);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, const cl_image_format *format,
                                   const cl_image_desc *description, void *host, cl_int *code) {
  if (properties && *properties)
    return fail(code, isValid(context) ? CL_INVALID_PROPERTY : CL_INVALID_CONTEXT);
  return create(context,
                properties ? std::vector<cl_mem_properties>{0} : std::vector<cl_mem_properties>(),
                flags, format, description, host, code);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                       size_t width, size_t height, size_t row, void *host, cl_int *code) {
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width;
  description.image_height = height;
  description.image_row_pitch = row;
  return create(context, {}, flags, format, &description, host, code);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                       size_t width, size_t height, size_t depth, size_t row, size_t slice,
                       void *host, cl_int *code) {
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE3D;
  description.image_width = width;
  description.image_height = height;
  description.image_depth = depth;
  description.image_row_pitch = row;
  description.image_slice_pitch = slice;
  return create(context, {}, flags, format, &description, host, code);
}

cl_int clGetImageInfo(cl_mem memory, cl_image_info name, size_t size, void *value,
                      size_t *sizeReturned) {
  if (!isValid(memory) || !memory->image)
    return CL_INVALID_MEM_OBJECT;
  const Room room = {size, value, sizeReturned};
  const Image &image = *memory->image;
  const cl_image_desc &d = image.description;
  const bool hasRows = d.image_type == CL_MEM_OBJECT_IMAGE2D ||
                       d.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                       d.image_type == CL_MEM_OBJECT_IMAGE3D;
  const size_t row =
      memory->hostPointer && d.image_row_pitch ? d.image_row_pitch : image.rowBytes();
  switch (name) {
  case CL_IMAGE_FORMAT:
    return room.give(image.format);
  case CL_IMAGE_ELEMENT_SIZE:
    return room.give<size_t>(image.layout.texelBytes());
  case CL_IMAGE_ROW_PITCH:
    return room.give(row);
  case CL_IMAGE_SLICE_PITCH: {
    const bool hasSlices = d.image_type == CL_MEM_OBJECT_IMAGE3D || isLayers(image);
    const size_t tight = row * (hasRows ? d.image_height : 1);
    return room.give(!hasSlices                                   ? 0
                     : memory->hostPointer && d.image_slice_pitch ? d.image_slice_pitch
                                                                  : tight);
  }
  case CL_IMAGE_WIDTH:
    return room.give(d.image_width);
  case CL_IMAGE_HEIGHT:
    return room.give(hasRows ? d.image_height : 0);
  case CL_IMAGE_DEPTH:
    return room.give(d.image_type == CL_MEM_OBJECT_IMAGE3D ? d.image_depth : 0);
  case CL_IMAGE_ARRAY_SIZE:
    return room.give(isLayers(image) ? d.image_array_size : 0);
  case CL_IMAGE_BUFFER:
    return room.give(d.mem_object);
  case CL_IMAGE_NUM_MIP_LEVELS:
  case CL_IMAGE_NUM_SAMPLES:
    return room.give<cl_uint>(0);
  default:
    return CL_INVALID_VALUE;
  }
}
