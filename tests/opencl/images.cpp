// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
// RUN: %heddle check --error-exitcode 3 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of all kinds: samplers of the program and of the source, channel orders and types, writes, copies, fills, maps,
// images of buffers and of the program's memory.
#include "opencl_test.h"

#include <cmath>
#include <cstring>

static const char *Source = R"(
constant sampler_t Linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void sample2(read_only image2d_t in, sampler_t s, global float4 *out) {
  const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  out[0] = read_imagef(in, s, (float2)(1.0f, 0.5f));
  out[1] = read_imagef(in, border, (int2)(-1, 0));
  out[2] = read_imagef(in, Linear, (float2)(1.125f, 0.25f));
  out[3] = read_imagef(in, (int2)(3, 1));
  out[4] = (float4)(get_image_width(in), get_image_height(in), get_image_channel_order(in), get_image_channel_data_type(in));
}
kernel void between(read_only image1d_t in, global float *out) {
  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  out[0] = read_imagef(in, s, 1.0f).x;
  out[1] = read_imagef(in, s, 0.5f).x;
}
kernel void turn(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, at).wzyx);
}
kernel void other(read_only image3d_t a, write_only image3d_t b, read_only image2d_array_t c, read_only image1d_array_t d,
                  read_only image1d_buffer_t e, read_write image1d_t f, global int4 *out) {
  int i = get_global_id(0);
  write_imageui(b, (int4)(i, 1, 1, 0), read_imageui(a, (int4)(i, 0, 1, 0)) + 1);
  out[i] = read_imagei(c, (int4)(i, 1, 1, 0));
  out[4 + i] = read_imagei(d, (int2)(i, 2));
  out[8 + i] = read_imagei(e, i);
  int4 v = read_imagei(f, i);
  write_imagei(f, i, v * 1000);
  write_imagei(f, 1000, v);
  if (i == 0) out[12] = (int4)(get_image_depth(a), (int)get_image_array_size(c), (int)get_image_array_size(d), get_image_dim(a).y);
}
)";

static Machine *m;
static cl_mem image(cl_mem_object_type type, cl_channel_order order, cl_channel_type channel, size_t width, size_t height,
                    size_t depth, size_t layers, void *data, cl_mem buffer = nullptr, cl_mem_flags flags = CL_MEM_READ_WRITE) {
  cl_image_format format = {order, channel};
  cl_image_desc d = {};
  d.image_type = type;
  d.image_width = width;
  d.image_height = height;
  d.image_depth = depth;
  d.image_array_size = layers;
  d.mem_object = buffer;
  cl_mem made = clCreateImage(m->context, flags | (data ? CL_MEM_COPY_HOST_PTR : 0), &format, &d, data, &m->code);
  OK(m->code);
  return made;
}

int main() {
  Machine machine;
  m = &machine;
  cl_program program = machine.build(Source);

  unsigned char bytes[8][4];
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 4; ++c)
      bytes[i][c] = 10 * i + c;
  cl_mem rgba = image(CL_MEM_OBJECT_IMAGE2D, CL_RGBA, CL_UNORM_INT8, 4, 2, 0, 0, bytes);
  cl_mem bgra = image(CL_MEM_OBJECT_IMAGE2D, CL_BGRA, CL_UNORM_INT8, 4, 2, 0, 0, nullptr);
  cl_mem out = machine.buffer(std::vector<float>(20));
  const cl_sampler_properties wanted[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP_TO_EDGE,
                                          CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  cl_sampler sampler = clCreateSamplerWithProperties(machine.context, wanted, &machine.code);
  OK(machine.code);
  cl_kernel sample2 = machine.kernel(program, "sample2");
  setArguments(sample2, rgba, sampler, out);
  machine.run(sample2, {1});
  std::vector<float> v = machine.read<float>(out);
  for (int c = 0; c < 4; ++c) {
    CHECK(std::abs(v[c] - (5 + c) / 255.0f) < 1e-5f);
    CHECK(v[4 + c] == 0);
    CHECK(std::abs(v[8 + c] - (0 + c) / 255.0f) < 1e-4f);
    CHECK(std::abs(v[12 + c] - (70 + c) / 255.0f) < 1e-6f);
  }
  CHECK(v[16] == 4 && v[17] == 2 && v[18] == CL_RGBA && v[19] == CL_UNORM_INT8);

  cl_kernel turn = machine.kernel(program, "turn");
  setArguments(turn, rgba, bgra);
  machine.run(turn, {4, 2});
  unsigned char read[8][4];
  size_t origin[3] = {0, 0, 0}, region[3] = {4, 2, 1};
  OK(clEnqueueReadImage(machine.queue, bgra, CL_TRUE, origin, region, 0, 0, read, 0, nullptr, nullptr));
  for (int i = 0; i < 8; ++i) // written as wzyx, and b, g, r, a lie in memory
    CHECK(read[i][0] == bytes[i][1] && read[i][1] == bytes[i][2] && read[i][2] == bytes[i][3] && read[i][3] == bytes[i][0]);

  unsigned solid[2][3][4] = {}, layers[2][2][4], rows[3][4], row[4] = {1, 2, 3, 4};
  for (int z = 0, n = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x)
        solid[z][y][x] = n++;
  for (int i = 0; i < 16; ++i)
    (&layers[0][0][0])[i] = 100 + i;
  for (int i = 0; i < 12; ++i)
    (&rows[0][0])[i] = 200 + i;
  cl_mem a = image(CL_MEM_OBJECT_IMAGE3D, CL_R, CL_UNSIGNED_INT32, 4, 3, 2, 0, solid);
  cl_mem b = image(CL_MEM_OBJECT_IMAGE3D, CL_R, CL_UNSIGNED_INT32, 4, 3, 2, 0, nullptr);
  cl_mem c = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_R, CL_SIGNED_INT32, 4, 2, 0, 2, layers);
  cl_mem d = image(CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_R, CL_SIGNED_INT32, 4, 0, 0, 3, rows);
  cl_mem texels = machine.buffer(std::vector<int>{7, 8, 9, 10});
  cl_mem e = image(CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_R, CL_SIGNED_INT32, 4, 0, 0, 0, nullptr, texels);
  cl_mem f = image(CL_MEM_OBJECT_IMAGE1D, CL_R, CL_SIGNED_INT16, 4, 0, 0, 0, nullptr);
  short shorts[4] = {1, -2, 30, 40};
  size_t line[3] = {4, 1, 1};
  OK(clEnqueueWriteImage(machine.queue, f, CL_TRUE, origin, line, 0, 0, shorts, 0, nullptr, nullptr));
  cl_uint clear[4] = {77, 0, 0, 0};
  size_t all[3] = {4, 3, 2};
  OK(clEnqueueFillImage(machine.queue, b, clear, origin, all, 0, nullptr, nullptr));
  cl_mem ints = machine.buffer(std::vector<int>(13 * 4));
  cl_mem single = image(CL_MEM_OBJECT_IMAGE2D, CL_R, CL_SNORM_INT8, 1, 1, 0, 0, nullptr);
  const float half[4] = {62.5f / 127}; // whose product with 127 is 62.5 as a float, to even
  signed char byte = 0;
  size_t texel[3] = {1, 1, 1};
  OK(clEnqueueFillImage(machine.queue, single, half, origin, texel, 0, nullptr, nullptr));
  OK(clEnqueueReadImage(machine.queue, single, CL_TRUE, origin, texel, 0, 0, &byte, 0, nullptr, nullptr));
  CHECK(byte == 62);
  float large[2] = {3e38f, 1e38f};
  cl_mem pair = image(CL_MEM_OBJECT_IMAGE1D, CL_R, CL_FLOAT, 2, 0, 0, 0, large), filtered = machine.buffer(std::vector<float>(2));
  cl_kernel between = machine.kernel(program, "between");
  setArguments(between, pair, filtered);
  machine.run(between, {1});
  CHECK(machine.read<float>(filtered)[0] == 2e38f && machine.read<float>(filtered)[1] == 3e38f);
  cl_kernel other = machine.kernel(program, "other");
  setArguments(other, a, b, c, d, e, f, ints);
  machine.run(other, {4});
  std::vector<int> got = machine.read<int>(ints);
  for (int i = 0; i < 4; ++i) {
    CHECK(got[4 * i] == 112 + i && got[4 * i + 1] == 0 && got[4 * i + 3] == 1);
    CHECK(got[16 + 4 * i] == 208 + i && got[32 + 4 * i] == 7 + i);
  }
  CHECK(got[48] == 2 && got[49] == 2 && got[50] == 3 && got[51] == 3);
  OK(clEnqueueReadImage(machine.queue, f, CL_TRUE, origin, line, 0, 0, shorts, 0, nullptr, nullptr));
  CHECK(shorts[0] == 1000 && shorts[1] == -2000 && shorts[2] == 30000 && shorts[3] == 32767);

  size_t pitch = 0, slice = 0;
  auto *mapped = static_cast<unsigned *>(clEnqueueMapImage(machine.queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
                                                           all, &pitch, &slice, 0, nullptr, nullptr, &machine.code));
  OK(machine.code);
  CHECK(pitch == 16 && slice == 48 && mapped[0] == 77);
  for (int i = 0; i < 4; ++i)
    CHECK(mapped[12 + 4 + i] == solid[1][0][i] + 1);
  mapped[5] = 123;
  OK(clEnqueueUnmapMemObject(machine.queue, b, mapped, 0, nullptr, nullptr));

  // A box is mapped where it lies: a pitch is the image's, and nothing is copied.
  size_t inside[3] = {1, 2, 1}, box[3] = {2, 1, 1};
  auto *part = static_cast<unsigned *>(clEnqueueMapImage(machine.queue, b, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, inside, box,
                                                         &pitch, &slice, 0, nullptr, nullptr, &machine.code));
  OK(machine.code);
  CHECK(part == mapped + 12 + 8 + 1 && pitch == 16 && slice == 48);
  part[0] = 321;
  OK(clEnqueueUnmapMemObject(machine.queue, b, part, 0, nullptr, nullptr));
  unsigned mappedBox[2];
  OK(clEnqueueReadImage(machine.queue, b, CL_TRUE, inside, box, 0, 0, mappedBox, 0, nullptr, nullptr));
  CHECK(mappedBox[0] == 321);

  // From one slice to a layer, and to a buffer.
  cl_mem layer = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_R, CL_UNSIGNED_INT32, 4, 3, 0, 5, nullptr);
  size_t to[3] = {0, 0, 3}, one[3] = {4, 3, 1};
  OK(clEnqueueCopyImage(machine.queue, b, layer, origin, to, one, 0, nullptr, nullptr));
  cl_mem linear = machine.buffer(std::vector<unsigned>(14));
  OK(clEnqueueCopyImageToBuffer(machine.queue, layer, linear, to, one, 8, 0, nullptr, nullptr));
  std::vector<unsigned> flat = machine.read<unsigned>(linear);
  CHECK(flat[0] == 0 && flat[2] == 77 && flat[2 + 5] == 123);
  OK(clEnqueueCopyBufferToImage(machine.queue, linear, a, 0, origin, line, 0, nullptr, nullptr));
  OK(clEnqueueReadImage(machine.queue, a, CL_TRUE, origin, line, 0, 0, row, 0, nullptr, nullptr));
  CHECK(row[0] == 0 && row[2] == 77);

  // Slices in memory that are no whole number of rows apart.
  cl_mem cube = image(CL_MEM_OBJECT_IMAGE3D, CL_R, CL_UNSIGNED_INT8, 3, 2, 3, 0, nullptr);
  const size_t whole[3] = {3, 2, 3};
  char loose[3 * 13] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL", back[3 * 11] = {};
  OK(clEnqueueWriteImage(machine.queue, cube, CL_FALSE, origin, whole, 5, 13, loose, 0, nullptr, nullptr));
  OK(clEnqueueReadImage(machine.queue, cube, CL_TRUE, origin, whole, 4, 11, back, 0, nullptr, nullptr));
  CHECK(!std::memcmp(back + 11, "nop", 3) && !std::memcmp(back + 15, "stu", 3) && !std::memcmp(back + 26, "FGH", 3));

  cl_image_format wrong = {CL_RGB, CL_FLOAT};
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = 4;
  clCreateImage(machine.context, 0, &wrong, &description, nullptr, &machine.code);
  CHECK_CODE(machine.code, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  wrong = {CL_R, CL_FLOAT};
  description.image_type = CL_MEM_OBJECT_PIPE;
  clCreateImage(machine.context, 0, &wrong, &description, nullptr, &machine.code);
  CHECK_CODE(machine.code, CL_INVALID_IMAGE_DESCRIPTOR);
  description.image_type = CL_MEM_OBJECT_IMAGE3D;
  description.image_depth = 2;
  description.image_slice_pitch = 63;
  std::vector<float> numbers(64);
  clCreateImage(machine.context, CL_MEM_COPY_HOST_PTR, &wrong, &description, numbers.data(), &machine.code);
  CHECK_CODE(machine.code, CL_INVALID_IMAGE_DESCRIPTOR);
  CHECK_CODE(clSetKernelArg(sample2, 0, sizeof(a), &a), CL_INVALID_MEM_OBJECT);
  CHECK_CODE(clSetKernelArg(sample2, 1, sizeof(a), &a), CL_INVALID_SAMPLER);
}
