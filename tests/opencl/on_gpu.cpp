// REQUIRES: opencl
// RUN: %opencl %s -o %t
// RUN: env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL on a GPU of the machine, for which our own driver stands in: kernels run; images are not there, and every function
// that is asked for them says so.
#include "opencl_test.h"

static const char *Source = R"(
#ifdef __IMAGE_SUPPORT__
#error images
#endif
kernel void add(global int *a, local int *row) {
  int t = get_local_id(0);
  row[t] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] += row[63 - t] + sub_group_shuffle_xor(t, 1);
}
)";

int main() {
  Machine m;
  cl_program program = m.build(Source);
  std::vector<int> values(256);
  for (int i = 0; i < 256; ++i)
    values[i] = 10 * i;
  cl_mem a = m.buffer(values);
  cl_kernel add = m.kernel(program, "add");
  OK(clSetKernelArg(add, 0, sizeof(a), &a));
  OK(clSetKernelArg(add, 1, 64 * sizeof(int), nullptr));
  m.run(add, {256}, {64});
  const std::vector<int> got = m.read<int>(a);
  for (int i = 0; i < 256; ++i)
    CHECK(got[i] == 10 * i + 10 * (i / 64 * 64 + 63 - i % 64) + (i % 64 ^ 1));

  cl_bool has = CL_TRUE;
  OK(clGetDeviceInfo(m.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(has), &has, nullptr));
  size_t width = 1;
  OK(clGetDeviceInfo(m.device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(width), &width, nullptr));
  char extensions[4096];
  OK(clGetDeviceInfo(m.device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, nullptr));
  CHECK(!has && !width && std::string(extensions).find("image") == std::string::npos);
  cl_uint formats = 1;
  OK(clGetSupportedImageFormats(m.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &formats));
  CHECK(formats == 0);
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = 4;
  CHECK_CODE((clCreateImage(m.context, CL_MEM_READ_WRITE, &format, &description, nullptr, &m.code), m.code), CL_INVALID_OPERATION);
  CHECK_CODE((clCreateSampler(m.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &m.code), m.code), CL_INVALID_OPERATION);
  const char *reads = "kernel void k(read_only image2d_t a) {}";
  cl_program images = clCreateProgramWithSource(m.context, 1, &reads, nullptr, &m.code);
  CHECK_CODE(clBuildProgram(images, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  CHECK(m.log(images).find("image2d_t") != std::string::npos);
}
