// RUN: %heddle cc -fatbin -w -DMODULE %s -o %t.fatbin
// RUN: %heddle cc -std=c++17 %s -o %t.exe -lcuda
// RUN: %t.exe %t.fatbin
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references of the driver API: what is bound, settings that come before and after, and errors.
#ifdef MODULE

texture<float, 1, cudaReadModeElementType> line;
texture<unsigned char, 2, cudaReadModeElementType> plane;
texture<float, 2, cudaReadModeNormalizedFloat> parts;
surface<void, 2> target;
__device__ int number;

extern "C" __global__ void readLine(float *out) {
  out[threadIdx.x] = tex1Dfetch(line, threadIdx.x);
}
extern "C" __global__ void readPlane(float *out) {
  out[threadIdx.x] = float(tex2D(plane, threadIdx.x + 0.5f, 0.5f));
}
extern "C" __global__ void readParts(float *out) {
  out[threadIdx.x] = tex2D(parts, (threadIdx.x + 1) / 4.0f, 0.5f);
}
extern "C" __global__ void write() {
  surf2Dwrite((unsigned char)(7 + threadIdx.x), target, threadIdx.x, 0);
}

#else

#include "driver.h"

static CUmodule module;

static std::vector<float> run(const char *kernel, int count) {
  Buffer<float> out(static_cast<size_t>(count));
  void *args[] = {&out.data};
  DRIVER_OK(cuLaunchKernel(functionOf(module, kernel), 1, 1, 1, (unsigned)count, 1, 1, 0, nullptr,
                           args, nullptr));
  return out.get();
}

static CUtexref textureOf(const char *name) {
  CUtexref reference = nullptr;
  DRIVER_OK(cuModuleGetTexRef(&reference, module, name));
  return reference;
}

static void linearMemory() {
  CUtexref line = textureOf("line"), again = textureOf("line");
  expectTrue("the same", line == again);
  std::vector<float> values(100);
  for (int i = 0; i < 100; i++)
    values[i] = float(i);
  Buffer<float> memory(values);
  const CUdeviceptr p = (CUdeviceptr)memory.data;
  size_t offset = 7;
  DRIVER_OK(cuTexRefSetFormat(line, CU_AD_FORMAT_FLOAT, 1));
  DRIVER_OK(cuTexRefSetAddress(&offset, line, p, 400));
  expect("offset", 0, offset, size_t(0));
  expectAll("line", run("readLine", 3), {0, 1, 2});
  DRIVER_OK(cuTexRefSetAddress(&offset, line, p + 40, 80));
  expectAll("behind an offset", run("readLine", 12), [&] {
    std::vector<float> want(12);
    for (int i = 0; i < 12; i++)
      want[i] = float(i + 10 - int(offset / 4));
    return want;
  }());
  expectCode("no place for the offset", cuTexRefSetAddress(nullptr, line, p + 40, 80),
             CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr bound = 0;
  DRIVER_OK(cuTexRefGetAddress(&bound, line));
  expectTrue("what is bound", bound == p + 40 - offset);
  CUarray none;
  CUmipmappedArray mipmap;
  expectCode("no array", cuTexRefGetArray(&none, line), CUDA_ERROR_INVALID_VALUE);
  expectCode("nor a mipmapped one", cuTexRefGetMipmappedArray(&mipmap, line),
             CUDA_ERROR_INVALID_VALUE);
  CUarray_format format;
  int channels = 0;
  DRIVER_OK(cuTexRefGetFormat(&format, &channels, line));
  expectTrue("format", format == CU_AD_FORMAT_FLOAT && channels == 1);
  expectCode("no format", cuTexRefSetFormat(line, CU_AD_FORMAT_FLOAT, 3), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuTexRefSetAddress(nullptr, line, 0, 0));
  expectCode("unbound", cuTexRefGetAddress(&bound, line), CUDA_ERROR_INVALID_VALUE);
}

// Bytes are fractions until the flag says otherwise, also when it comes after the array.
static void pitchedMemory() {
  CUtexref plane = textureOf("plane");
  std::vector<unsigned char> bytes(512);
  for (int i = 0; i < 4; i++)
    bytes[i] = (unsigned char)(10 * i);
  Buffer<unsigned char> memory(bytes);
  CUDA_ARRAY_DESCRIPTOR shape = {4, 1, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  DRIVER_OK(cuTexRefSetFlags(plane, CU_TRSF_READ_AS_INTEGER));
  DRIVER_OK(cuTexRefSetAddress2D(plane, &shape, (CUdeviceptr)memory.data, 512));
  expectAll("plane", run("readPlane", 4), {0, 10, 20, 30});
  DRIVER_OK(cuTexRefSetAddressMode(plane, 0, CU_TR_ADDRESS_MODE_BORDER));
  expectAll("outside", run("readPlane", 5), {0, 10, 20, 30, 0});
  expectCode("pitch", cuTexRefSetAddress2D(plane, &shape, (CUdeviceptr)memory.data, 5),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no shape", cuTexRefSetAddress2D(plane, nullptr, (CUdeviceptr)memory.data, 512),
             CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr bound = 0;
  DRIVER_OK(cuTexRefGetAddress(&bound, plane));
  expectTrue("stays", bound == (CUdeviceptr)memory.data);
}

static void arrays() {
  CUtexref parts = textureOf("parts");
  CUDA_ARRAY3D_DESCRIPTOR shape = {
      4, 1, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUarray array = nullptr, bound = nullptr;
  CUmipmappedArray mipmap = nullptr, found = nullptr;
  DRIVER_OK(cuArray3DCreate(&array, &shape));
  const unsigned char bytes[] = {0, 51, 102, 255};
  DRIVER_OK(cuMemcpyHtoA(array, 0, bytes, 4));
  DRIVER_OK(cuTexRefSetFilterMode(parts, CU_TR_FILTER_MODE_LINEAR));
  DRIVER_OK(cuTexRefSetFlags(parts, CU_TRSF_READ_AS_INTEGER)); // which cannot be filtered
  DRIVER_OK(cuTexRefSetArray(parts, array, CU_TRSA_OVERRIDE_FORMAT));
  DRIVER_OK(cuTexRefSetFlags(parts, CU_TRSF_NORMALIZED_COORDINATES));
  expectAll("between texels", run("readParts", 2), {0.1f, 0.3f});
  DRIVER_OK(cuTexRefGetArray(&bound, parts));
  expectTrue("array", bound == array);
  DRIVER_OK(cuTexRefSetArray(parts, array, 0)); // the format is the array's all the same
  expectCode("no array", cuTexRefSetArray(parts, nullptr, CU_TRSA_OVERRIDE_FORMAT),
             CUDA_ERROR_INVALID_HANDLE);

  CUsurfref target = nullptr;
  DRIVER_OK(cuModuleGetSurfRef(&target, module, "target"));
  expectCode("nothing there", cuSurfRefGetArray(&bound, target), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuSurfRefSetArray(target, array, 0));
  DRIVER_OK(cuSurfRefGetArray(&bound, target));
  expectTrue("surface", bound == array);
  expectCode("no surface", cuSurfRefSetArray(target, nullptr, 0), CUDA_ERROR_INVALID_HANDLE);
  DRIVER_OK(
      cuLaunchKernel(functionOf(module, "write"), 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, nullptr));
  unsigned char written[4] = {};
  DRIVER_OK(cuMemcpyAtoH(written, array, 0, 4));
  expectTrue("written", written[0] == 7 && written[3] == 10);

  DRIVER_OK(cuMipmappedArrayCreate(&mipmap, &shape, 2));
  DRIVER_OK(cuTexRefSetMipmappedArray(parts, mipmap, CU_TRSA_OVERRIDE_FORMAT));
  DRIVER_OK(cuTexRefGetMipmappedArray(&found, parts));
  expectTrue("mipmap", found == mipmap);
}

static void settings() {
  CUtexref r = nullptr;
  DRIVER_OK(cuTexRefCreate(&r));
  DRIVER_OK(cuTexRefSetAddressMode(r, 2, CU_TR_ADDRESS_MODE_MIRROR));
  DRIVER_OK(cuTexRefSetFilterMode(r, CU_TR_FILTER_MODE_LINEAR));
  DRIVER_OK(cuTexRefSetMipmapFilterMode(r, CU_TR_FILTER_MODE_LINEAR));
  DRIVER_OK(cuTexRefSetMipmapLevelBias(r, 0.5f));
  DRIVER_OK(cuTexRefSetMipmapLevelClamp(r, 1, 3));
  DRIVER_OK(cuTexRefSetMaxAnisotropy(r, 4));
  DRIVER_OK(cuTexRefSetFlags(r, CU_TRSF_SRGB));
  float color[4] = {1, 2, 3, 4}, back[4] = {}, bias = 0, least = 0, most = 0;
  DRIVER_OK(cuTexRefSetBorderColor(r, color));
  CUaddress_mode mode;
  CUfilter_mode filter, between;
  int anisotropy = 0;
  unsigned flags = 0;
  DRIVER_OK(cuTexRefGetAddressMode(&mode, r, 2));
  DRIVER_OK(cuTexRefGetFilterMode(&filter, r));
  DRIVER_OK(cuTexRefGetMipmapFilterMode(&between, r));
  DRIVER_OK(cuTexRefGetMipmapLevelBias(&bias, r));
  DRIVER_OK(cuTexRefGetMipmapLevelClamp(&least, &most, r));
  DRIVER_OK(cuTexRefGetMaxAnisotropy(&anisotropy, r));
  DRIVER_OK(cuTexRefGetBorderColor(back, r));
  DRIVER_OK(cuTexRefGetFlags(&flags, r));
  expectTrue("modes", mode == CU_TR_ADDRESS_MODE_MIRROR && filter == CU_TR_FILTER_MODE_LINEAR &&
                          between == CU_TR_FILTER_MODE_LINEAR);
  expectTrue("levels", bias == 0.5f && least == 1 && most == 3);
  expectTrue("others", anisotropy == 4 && back[3] == 4 && flags == CU_TRSF_SRGB);
  expectCode("dimension", cuTexRefSetAddressMode(r, 3, CU_TR_ADDRESS_MODE_WRAP),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("mode", cuTexRefSetAddressMode(r, 0, (CUaddress_mode)9), CUDA_ERROR_INVALID_VALUE);
  expectCode("filter", cuTexRefSetFilterMode(r, (CUfilter_mode)2), CUDA_ERROR_INVALID_VALUE);
  expectCode("flags", cuTexRefSetFlags(r, 4), CUDA_ERROR_INVALID_VALUE);
  expectCode("no place", cuTexRefGetFlags(nullptr, r), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuParamSetTexRef(functionOf(module, "readLine"), CU_PARAM_TR_DEFAULT, r));
  expectCode("unit", cuParamSetTexRef(functionOf(module, "readLine"), 0, r),
             CUDA_ERROR_INVALID_HANDLE);
  DRIVER_OK(cuTexRefDestroy(r));
  expectCode("destroyed", cuTexRefSetFlags(r, 0), CUDA_ERROR_INVALID_HANDLE);
}

static void errors() {
  CUtexref line = textureOf("line"), r = nullptr;
  CUsurfref s = nullptr;
  expectCode("no such", cuModuleGetTexRef(&r, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  expectCode("no such", cuModuleGetSurfRef(&s, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  expectCode("a variable", cuModuleGetTexRef(&r, module, "number"), CUDA_ERROR_NOT_FOUND);
  expectCode("no module", cuModuleGetTexRef(&r, nullptr, "line"), CUDA_ERROR_INVALID_HANDLE);
  expectCode("no place", cuModuleGetTexRef(nullptr, module, "line"), CUDA_ERROR_INVALID_VALUE);
  expectCode("a module's", cuTexRefDestroy(line), CUDA_ERROR_INVALID_HANDLE);
  DRIVER_OK(cuModuleUnload(module));
  expectCode("unloaded", cuTexRefSetFlags(line, 0), CUDA_ERROR_INVALID_HANDLE);
}

int main(int, char **argv) {
  DRIVER_OK(cuInit(0));
  makeContext();
  DRIVER_OK(cuModuleLoad(&module, argv[1]));
  linearMemory();
  pitchedMemory();
  arrays();
  settings();
  errors();
  return finish();
}

#endif
