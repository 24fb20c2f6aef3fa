// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of depths, of sRGB, of halves, and of a buffer's rows.
#include "opencl_test.h"

#include <cmath>
#include <cstdint>

static const char *Source = R"(
#if !__IMAGE_SUPPORT__ || __OPENCL_VERSION__ != 300
#error
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t Near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t Linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void depths(read_only image2d_depth_t in, write_only image2d_array_depth_t out, global float *f) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, (int4)(at, 1, 0), read_imagef(in, at) * 0.5f);
  if (at.x == 0 && at.y == 0) {
    f[0] = read_imagef(in, Linear, (float2)(1, 0.5f));
    f[1] = get_image_dim(out).y + get_image_array_size(out);
  }
}
kernel void colors(read_only image2d_t in, global float4 *out, read_only image2d_t halves) {
  int x = get_global_id(0);
  out[x] = read_imagef(in, Near, (int2)(x, 0));
  out[4 + x] = convert_float4(read_imageh(halves, Near, (int2)(x, 0)));
}
kernel void rows(read_write image2d_t im) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  uint4 v = read_imageui(im, at);
  write_imageui(im, at, v + 1);
}
kernel void put(write_only image2d_t im) {
  write_imageh(im, (int2)(get_global_id(0), 0), (half4)(0.5h, 1, -2, get_global_id(0)));
}
)";

static Machine m;
static cl_mem image(cl_mem_object_type type, cl_channel_order order, cl_channel_type channel, size_t width, size_t height,
                    void *data, cl_mem_flags flags = 0, size_t layers = 0, cl_mem buffer = nullptr, size_t pitch = 0) {
  cl_image_format format = {order, channel};
  cl_image_desc d = {};
  d.image_type = type;
  d.image_width = width;
  d.image_height = height;
  d.image_array_size = layers;
  d.image_row_pitch = pitch;
  d.mem_object = buffer;
  return clCreateImage(m.context, flags | (data ? CL_MEM_COPY_HOST_PTR : 0), &format, &d, data, &m.code);
}

static void depths(cl_program program) {
  float values[6] = {0, 0.25, 0.5, 1, 2, 4}, got[6];
  cl_mem in = image(CL_MEM_OBJECT_IMAGE2D, CL_DEPTH, CL_FLOAT, 3, 2, values);
  OK(m.code);
  cl_mem out = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_DEPTH, CL_FLOAT, 3, 2, nullptr, 0, 2);
  OK(m.code);
  cl_mem more = m.buffer(std::vector<float>(2));
  cl_kernel kernel = m.kernel(program, "depths");
  setArguments(kernel, in, out, more);
  m.run(kernel, {3, 2});
  cl_mem readable = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_DEPTH, CL_FLOAT, 3, 2, nullptr, CL_MEM_READ_ONLY, 2);
  CHECK_CODE(clSetKernelArg(kernel, 1, sizeof(readable), &readable), CL_INVALID_ARG_VALUE);
  const size_t origin[3] = {0, 0, 1}, region[3] = {3, 2, 1};
  OK(clEnqueueReadImage(m.queue, out, CL_TRUE, origin, region, 0, 0, got, 0, nullptr, nullptr));
  for (int i = 0; i < 6; ++i)
    CHECK(got[i] == values[i] / 2);
  CHECK(m.read<float>(more)[0] == 0.125f && m.read<float>(more)[1] == 4);
  cl_mem other = image(CL_MEM_OBJECT_IMAGE2D, CL_R, CL_FLOAT, 3, 2, values);
  CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(other), &other), CL_INVALID_MEM_OBJECT);
  image(CL_MEM_OBJECT_IMAGE3D, CL_DEPTH, CL_FLOAT, 3, 2, nullptr);
  CHECK(m.code != CL_SUCCESS);
}

static void colors(cl_program program) {
  uint8_t texels[4][4] = {{0, 10, 128, 255}, {255, 188, 60, 128}, {1, 2, 3, 4}, {100, 150, 200, 250}};
  cl_mem in = image(CL_MEM_OBJECT_IMAGE2D, CL_sBGRA, CL_UNORM_INT8, 4, 1, texels, CL_MEM_READ_ONLY);
  OK(m.code);
  cl_mem halves = image(CL_MEM_OBJECT_IMAGE2D, CL_RGBA, CL_HALF_FLOAT, 4, 1, nullptr);
  cl_kernel put = m.kernel(program, "put"), kernel = m.kernel(program, "colors");
  setArguments(put, halves);
  m.run(put, {4});
  cl_mem out = m.buffer(std::vector<float>(32));
  setArguments(kernel, in, out, halves);
  m.run(kernel, {4});
  const auto got = m.read<float>(out);
  const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  for (int i = 0; i < 4; ++i) {
    for (int c = 0; c < 3; ++c)
      CHECK(std::fabs(got[4 * i + c] - linear(texels[i][2 - c] / 255.)) < 1 / 512.); // in eight bits, as GPUs give it
    CHECK(std::fabs(got[4 * i + 3] - texels[i][3] / 255.) < 1e-6);
    CHECK(got[16 + 4 * i] == 0.5 && got[16 + 4 * i + 2] == -2 && got[16 + 4 * i + 3] == i);
  }
  image(CL_MEM_OBJECT_IMAGE2D, CL_sRGBA, CL_UNORM_INT8, 4, 1, nullptr, CL_MEM_WRITE_ONLY);
  CHECK_CODE(m.code, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  cl_mem bytes = m.buffer(std::vector<uint8_t>(64));
  image(CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_sRGBA, CL_UNORM_INT8, 16, 0, nullptr, CL_MEM_READ_ONLY, 0, bytes);
  CHECK_CODE(m.code, CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

static void rows(cl_program program) {
  cl_uint alignment = 0;
  OK(clGetDeviceInfo(m.device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(alignment), &alignment, nullptr));
  const size_t pitch = alignment;
  std::vector<uint8_t> bytes(3 * pitch, 7);
  cl_mem buffer = m.buffer(bytes);
  cl_mem view = image(CL_MEM_OBJECT_IMAGE2D, CL_R, CL_UNSIGNED_INT8, 5, 3, nullptr, 0, 0, buffer, pitch);
  OK(m.code);
  cl_kernel kernel = m.kernel(program, "rows");
  setArguments(kernel, view);
  m.run(kernel, {5, 3});
  uint8_t got[15];
  const size_t origin[3] = {}, region[3] = {5, 3, 1};
  OK(clEnqueueReadImage(m.queue, view, CL_TRUE, origin, region, 0, 0, got, 0, nullptr, nullptr));
  const auto all = m.read<uint8_t>(buffer);
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < pitch; ++x)
      CHECK(all[y * pitch + x] == (x < 5 ? 8 : 7) && (x >= 5 || got[5 * y + x] == 8));
  image(CL_MEM_OBJECT_IMAGE2D, CL_R, CL_UNSIGNED_INT8, 5, 4, nullptr, 0, 0, buffer, pitch);
  CHECK_CODE(m.code, CL_INVALID_IMAGE_SIZE);
}

int main() {
  cl_program program = m.build(Source);
  depths(program);
  colors(program);
  rows(program);
}
