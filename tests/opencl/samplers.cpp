// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel with samplers of all kinds and images of several formats as arguments, by the formulas of "Image
// Addressing and Filtering"; the same in a program with a variable, whose kernels are not made for their arguments.
#include "opencl_test.h"

#include <algorithm>
#include <cmath>

static const char *Source = R"(
#ifdef COUNTS
global int launches;
#endif
kernel void sample(read_only image2d_t in, sampler_t how, global const float2 *places, global float4 *out) {
  int i = get_global_id(0);
#ifdef COUNTS
  if (i == 0) atomic_inc((volatile global int *)&launches);
#endif
  out[i] = read_imagef(in, how, places[i]);
}
kernel void copy(read_only image2d_t in, sampler_t how, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, how, at));
}
)";

constexpr int Width = 13, Height = 7, Count = 200;

struct Kind {
  bool isNormalized, isLinear;
  cl_addressing_mode mode;
};

/// An index, or -1 for the border.
static int indexOf(const Kind &kind, int i, int extent) {
  if (kind.mode == CL_ADDRESS_REPEAT)
    return i < 0 ? i + extent : i >= extent ? i - extent : i;
  if (kind.mode == CL_ADDRESS_CLAMP && (i < 0 || i >= extent))
    return -1;
  return std::min(std::max(i, 0), extent - 1);
}

static float coordinate(const Kind &kind, float c, int extent) {
  if (!kind.isNormalized)
    return c;
  if (kind.mode == CL_ADDRESS_REPEAT)
    c -= std::floor(c);
  if (kind.mode == CL_ADDRESS_MIRRORED_REPEAT)
    c = std::fabs(c - 2 * std::rint(0.5f * c));
  return c * extent;
}

template <typename Texel>
static float expected(const Kind &kind, float x, float y, int channel, Texel &&texel) {
  const float half = kind.isLinear ? 0.5f : 0.0f;
  const float u = coordinate(kind, x, Width) - half, v = coordinate(kind, y, Height) - half;
  const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
  const float a = kind.isLinear ? u - i : 0, b = kind.isLinear ? v - j : 0;
  auto at = [&](int di, int dj) {
    const int column = indexOf(kind, i + di, Width), row = indexOf(kind, j + dj, Height);
    return column < 0 || row < 0 ? 0.0f : texel(column, row, channel);
  };
  return (1 - a) * (1 - b) * at(0, 0) + a * (1 - b) * at(1, 0) + (1 - a) * b * at(0, 1) +
         a * b * at(1, 1);
}

static cl_mem image(Machine &m, cl_image_format format, void *texels) {
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = Width;
  description.image_height = Height;
  const cl_mem_flags flags = texels ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE;
  cl_mem made = clCreateImage(m.context, flags, &format, &description, texels, &m.code);
  OK(m.code);
  return made;
}

/// `read`: the float that the texels' number i stands for.
template <typename Read>
static void check(Machine &m, cl_program program, cl_image_format format, void *texels,
                  Read &&read) {
  cl_kernel kernel = m.kernel(program, "sample");
  cl_mem in = image(m, format, texels), out = m.buffer(std::vector<cl_float>(4 * Count));
  auto texel = [&](int x, int y, int channel) { return read(4 * (y * Width + x) + channel); };
  for (cl_addressing_mode mode :
       {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT})
    for (int bits = mode == CL_ADDRESS_REPEAT || mode == CL_ADDRESS_MIRRORED_REPEAT; bits < 4;
         ++bits) {
      const Kind kind = {(bits & 1) != 0, bits > 1, mode};
      if (mode >= CL_ADDRESS_REPEAT && !kind.isNormalized)
        continue;
      std::vector<cl_float> places;
      for (int i = 0; i < Count; ++i) // beside the middles of texels, and between -1 and 2 images
        for (int extent : {Width, Height}) {
          const float place =
              (i * (extent == Width ? 37 : 29) % (3 * extent) - extent) + 0.125f + 0.25f * (i % 4);
          places.push_back(kind.isNormalized ? place / extent : place);
        }
      cl_sampler sampler =
          clCreateSampler(m.context, kind.isNormalized, mode,
                          kind.isLinear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &m.code);
      OK(m.code);
      setArguments(kernel, in, sampler, m.buffer(places), out);
      m.run(kernel, {Count});
      const std::vector<cl_float> result = m.read<cl_float>(out);
      for (int i = 0; i < Count; ++i)
        for (int c = 0; c < 4; ++c)
          CHECK(std::fabs(result[4 * i + c] -
                          expected(kind, places[2 * i], places[2 * i + 1], c, texel)) < 2e-5f);
    }
}

/// The same kernel with formats of its two images in turn.
static void copies(Machine &m, cl_program program, std::vector<cl_uchar> bytes) {
  cl_kernel kernel = m.kernel(program, "copy");
  cl_sampler sampler =
      clCreateSampler(m.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &m.code);
  const size_t origin[3] = {}, region[3] = {Width, Height, 1};
  for (cl_uint order : {CL_RGBA, CL_BGRA, CL_RGBA}) {
    cl_mem in = image(m, {order, CL_UNORM_INT8}, bytes.data()),
           out = image(m, {CL_RGBA, CL_UNORM_INT8}, nullptr);
    setArguments(kernel, in, sampler, out);
    m.run(kernel, {Width, Height});
    std::vector<cl_uchar> result(bytes.size());
    OK(clEnqueueReadImage(m.queue, out, CL_TRUE, origin, region, 0, 0, result.data(), 0, nullptr,
                          nullptr));
    for (size_t i = 0; i < bytes.size(); ++i)
      CHECK(result[i] == bytes[order == CL_BGRA && i % 4 != 3 ? i - i % 4 + 2 - i % 4 : i]);
  }
}

int main() {
  Machine m;
  std::vector<cl_float> floats(4 * Width * Height);
  std::vector<cl_uchar> bytes(floats.size());
  std::vector<cl_short> shorts(floats.size());
  for (size_t i = 0; i < floats.size(); ++i) {
    bytes[i] = static_cast<cl_uchar>(i * 7919);
    shorts[i] = static_cast<cl_short>(i * 7919);
    floats[i] = static_cast<float>(bytes[i]) / 64;
  }
  cl_program program = m.build(Source);
  check(m, program, {CL_RGBA, CL_UNORM_INT8}, bytes.data(),
        [&](int i) { return bytes[i] / 255.0f; });
  copies(m, program, bytes);
  program = m.build(Source, "-cl-std=CL3.0 -DCOUNTS");
  check(m, program, {CL_RGBA, CL_FLOAT}, floats.data(), [&](int i) { return floats[i]; });
  check(m, program, {CL_RGBA, CL_SNORM_INT16}, shorts.data(),
        [&](int i) { return std::max(shorts[i] / 32767.0f, -1.0f); });
  copies(m, program, bytes);
}
