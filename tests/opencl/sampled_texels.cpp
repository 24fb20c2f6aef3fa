// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which texel a sampler that does not filter gives, and what one gives that does: OpenCL C, "Addressing and Filter Modes",
// in floats. Coordinates at the edges of texels too, where CUDA's textures, which count in steps, give a neighbour.
#include "opencl_test.h"

#include <cmath>

static const char *Source = R"(
kernel void read(read_only image2d_t in, sampler_t s, global const float2 *at, global uint *out) {
  size_t i = get_global_id(0);
  uint4 v = read_imageui(in, s, at[i]);
  out[i] = v.w ? v.x : 0x10000000;
}
kernel void filter(read_only image3d_t in, sampler_t s, global const float2 *at, global float *out) {
  size_t i = get_global_id(0);
  out[i] = read_imagef(in, s, (float4)(at[i], at[i].x * 0.7f, 0)).x;
}
)";

constexpr unsigned Width = 2591, Height = 7, Coordinates = 4096, Border = 0x10000000;

/// The coordinate along an axis, from texel 0.
static float unnormalized(cl_addressing_mode mode, float c, int extent) {
  if (mode == CL_ADDRESS_REPEAT)
    return (c - std::floor(c)) * extent;
  return (mode == CL_ADDRESS_MIRRORED_REPEAT ? std::fabs(c - 2.0f * std::rint(0.5f * c)) : c) * extent;
}

/// The index along an axis; for a border, one outside.
static int indexOf(cl_addressing_mode mode, float c, int extent) {
  const int i = static_cast<int>(std::floor(unnormalized(mode, c, extent)));
  if (mode == CL_ADDRESS_REPEAT)
    return i > extent - 1 ? i - extent : i;
  if (mode == CL_ADDRESS_CLAMP)
    return std::max(-1, std::min(i, extent));
  return std::max(0, std::min(i, extent - 1));
}

static cl_sampler sampler(Machine &m, cl_addressing_mode mode, cl_filter_mode filter) {
  const cl_sampler_properties wanted[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, CL_SAMPLER_ADDRESSING_MODE, mode,
                                          CL_SAMPLER_FILTER_MODE, filter, 0};
  cl_sampler made = clCreateSamplerWithProperties(m.context, wanted, &m.code);
  OK(m.code);
  return made;
}

static void checkNearest(Machine &m, cl_mem image, cl_kernel kernel, cl_addressing_mode mode, const std::vector<float> &at) {
  cl_mem places = m.buffer(at), out = m.buffer(std::vector<cl_uint>(Coordinates));
  setArguments(kernel, image, sampler(m, mode, CL_FILTER_NEAREST), places, out);
  m.run(kernel, {Coordinates});
  const auto got = m.read<cl_uint>(out);
  for (unsigned i = 0; i < Coordinates; ++i) {
    const int x = indexOf(mode, at[2 * i], Width), y = indexOf(mode, at[2 * i + 1], Height);
    const bool isIn = x >= 0 && x < static_cast<int>(Width) && y >= 0 && y < static_cast<int>(Height);
    CHECK(got[i] == (isIn ? y * Width + x : Border));
  }
}

constexpr int Edge = 8; // of a cube
static float valueAt(int x, int y, int z) { return static_cast<float>((x * 37 + y * 11 + z * 101) % 64) / 64; }

/// Texel i along an axis as a filter meets it; -1: the border.
static int tap(cl_addressing_mode mode, int i) {
  if (mode == CL_ADDRESS_REPEAT)
    return (i + Edge) % Edge;
  if (mode == CL_ADDRESS_CLAMP && (i < 0 || i >= Edge))
    return -1;
  return std::max(0, std::min(i, Edge - 1));
}

static float filtered(cl_addressing_mode mode, const float *c) {
  float weight[3], sum = 0;
  int first[3];
  for (int axis = 0; axis < 3; ++axis) {
    const float u = unnormalized(mode, c[axis], Edge) - 0.5f;
    first[axis] = static_cast<int>(std::floor(u));
    weight[axis] = u - std::floor(u);
  }
  for (int corner = 0; corner < 8; ++corner) {
    int at[3];
    float w = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const int isSecond = corner >> axis & 1;
      at[axis] = tap(mode, first[axis] + isSecond);
      w *= isSecond ? weight[axis] : 1 - weight[axis];
    }
    sum += at[0] < 0 || at[1] < 0 || at[2] < 0 ? 0 : w * valueAt(at[0], at[1], at[2]);
  }
  return sum;
}

static void checkLinear(Machine &m, cl_mem image, cl_kernel kernel, cl_addressing_mode mode, const std::vector<float> &at) {
  cl_mem places = m.buffer(at), out = m.buffer(std::vector<float>(Coordinates));
  setArguments(kernel, image, sampler(m, mode, CL_FILTER_LINEAR), places, out);
  m.run(kernel, {Coordinates});
  const auto got = m.read<float>(out);
  for (unsigned i = 0; i < Coordinates; ++i) {
    const float c[3] = {at[2 * i], at[2 * i + 1], at[2 * i] * 0.7f};
    CHECK(std::fabs(got[i] - filtered(mode, c)) < 1e-5f);
  }
}

int main() {
  Machine m;
  std::vector<cl_uint> texels(Width * Height * 4, 1);
  for (unsigned i = 0; i < Width * Height; ++i)
    texels[4 * i] = i;
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
  cl_image_desc d = {};
  d.image_type = CL_MEM_OBJECT_IMAGE2D;
  d.image_width = Width;
  d.image_height = Height;
  cl_mem image = clCreateImage(m.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &d, texels.data(), &m.code);
  OK(m.code);
  std::vector<float> at(2 * Coordinates);
  unsigned random = 1;
  for (unsigned i = 0; i < 2 * Coordinates; ++i) {
    random = random * 1664525 + 1013904223;
    const unsigned extent = i % 2 ? Height : Width;
    const float edge = static_cast<float>(static_cast<int>(random >> 8) % (3 * static_cast<int>(extent)) - static_cast<int>(extent)) / extent;
    at[i] = i % 8 < 4 ? edge : i % 8 < 6 ? std::nextafter(edge, 9.0f) : std::nextafter(edge, -9.0f);
  }
  std::vector<float> values(Edge * Edge * Edge);
  for (int i = 0; i < Edge * Edge * Edge; ++i)
    values[i] = valueAt(i % Edge, i / Edge % Edge, i / Edge / Edge);
  const cl_image_format floats = {CL_R, CL_FLOAT};
  d.image_type = CL_MEM_OBJECT_IMAGE3D;
  d.image_width = d.image_height = d.image_depth = Edge;
  cl_mem cube = clCreateImage(m.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &floats, &d, values.data(), &m.code);
  OK(m.code);
  cl_program program = m.build(Source);
  cl_kernel read = m.kernel(program, "read"), filter = m.kernel(program, "filter");
  for (cl_addressing_mode mode : {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT}) {
    checkNearest(m, image, read, mode, at);
    checkLinear(m, cube, filter, mode, at);
  }
  return 0;
}
