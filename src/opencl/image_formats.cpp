// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats that CUDA's arrays hold: one, two or four channels of 8, 16 or 32 bits. Orders only say
// which channel is which.
#include "opencl/image.h"

#include "opencl/info.h"

#include <algorithm>

namespace heddle::cl {

namespace {

struct Type {
  cl_channel_type type;
  CUarray_format element;
  unsigned bytes;
  bool isInteger;
};
constexpr Type Types[] = {
    {CL_SNORM_INT8, CU_AD_FORMAT_SIGNED_INT8, 1, false},
    {CL_SNORM_INT16, CU_AD_FORMAT_SIGNED_INT16, 2, false},
    {CL_UNORM_INT8, CU_AD_FORMAT_UNSIGNED_INT8, 1, false},
    {CL_UNORM_INT16, CU_AD_FORMAT_UNSIGNED_INT16, 2, false},
    {CL_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8, 1, true},
    {CL_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16, 2, true},
    {CL_SIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, 4, true},
    {CL_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT8, 1, true},
    {CL_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT16, 2, true},
    {CL_UNSIGNED_INT32, CU_AD_FORMAT_UNSIGNED_INT32, 4, true},
    {CL_HALF_FLOAT, CU_AD_FORMAT_HALF, 2, false},
    {CL_FLOAT, CU_AD_FORMAT_FLOAT, 4, false},
};

struct Order {
  cl_channel_order order;
  unsigned channels;
};
constexpr Order Orders[] = {{CL_R, 1},         {CL_A, 1},         {CL_RG, 2},    {CL_RA, 2},
                            {CL_RGBA, 4},      {CL_BGRA, 4},      {CL_ARGB, 4},  {CL_ABGR, 4},
                            {CL_INTENSITY, 1}, {CL_LUMINANCE, 1}, {CL_DEPTH, 1}, {CL_sRGBA, 4},
                            {CL_sBGRA, 4}};

bool isSrgb(const Order &order) { return order.order == CL_sRGBA || order.order == CL_sBGRA; }

/// OpenCL 3.0, "Image Format Descriptor": the types that an order goes with.
bool fits(const Order &order, const Type &type) {
  switch (order.order) {
  case CL_BGRA:
  case CL_ARGB:
  case CL_ABGR:
    return type.bytes == 1;
  case CL_INTENSITY:
  case CL_LUMINANCE:
    return !type.isInteger;
  case CL_DEPTH:
    return type.type == CL_FLOAT || type.type == CL_UNORM_INT16;
  case CL_sRGBA:
  case CL_sBGRA:
    return type.type == CL_UNORM_INT8;
  default:
    return true;
  }
}

/// Kernels do not write sRGB (cl_khr_srgb_image_writes), which buffers do not hold; depths are of two
/// dimensions.
bool fits(const Order &order, cl_mem_flags flags, cl_mem_object_type type) {
  if (isSrgb(order))
    return flags & CL_MEM_READ_ONLY && type != CL_MEM_OBJECT_IMAGE1D_BUFFER;
  return order.order != CL_DEPTH || type == CL_MEM_OBJECT_IMAGE2D ||
         type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

} // namespace

bool isImageType(cl_mem_object_type type) {
  return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

bool findFormat(const cl_image_format &format, cl_mem_flags flags, cl_mem_object_type image,
                Format &found) {
  for (const Order &order : Orders)
    for (const Type &type : Types)
      if (order.order == format.image_channel_order &&
          type.type == format.image_channel_data_type && fits(order, type) &&
          fits(order, flags, image)) {
        found = {type.element, order.channels, type.bytes, type.isInteger, isSrgb(order)};
        return true;
      }
  return false;
}

std::vector<cl_image_format> formatsOf(cl_mem_flags flags, cl_mem_object_type image) {
  std::vector<cl_image_format> all;
  for (const Order &order : Orders)
    for (const Type &type : Types)
      if (fits(order, type) && fits(order, flags, image))
        all.push_back({order.order, type.type});
  return all;
}

} // namespace heddle::cl

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                  cl_uint count, cl_image_format *formats, cl_uint *total) {
  using namespace heddle::cl;
  if (!isValid(context))
    return CL_INVALID_CONTEXT;
  if (!isImageType(type) || (!count && formats))
    return CL_INVALID_VALUE;
  const std::vector<cl_image_format> all =
      context->first()->hasImages() ? formatsOf(flags, type) : std::vector<cl_image_format>();
  if (formats)
    std::copy_n(all.begin(), std::min<size_t>(count, all.size()), formats);
  if (total)
    *total = static_cast<cl_uint>(all.size());
  return CL_SUCCESS;
}
