// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: %t
//
// What may be a texture or surface, and the error codes for what may not; they are an H200's (CUDA 13.0). What objects say
// of themselves.
#include "support.h"

static const cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
static const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
static const cudaChannelFormatDesc words = cudaCreateChannelDesc<unsigned>();

static cudaArray_t makeArray(const cudaChannelFormatDesc &format) {
  cudaArray_t array;
  CUDA_OK(cudaMallocArray(&array, &format, 16, 16));
  return array;
}

/// What cudaCreateTextureObject is given.
struct Request {
  cudaResourceDesc resource = {};
  cudaTextureDesc texture = {};
  cudaResourceViewDesc view = {};
  bool hasView = false;
};

template <class Change>
static void expectCreate(const std::string &what, Request request, cudaError_t want,
                         Change change) {
  change(request);
  cudaTextureObject_t object = 0;
  expectError(what,
              cudaCreateTextureObject(&object, &request.resource, &request.texture,
                                      request.hasView ? &request.view : nullptr),
              want);
  cudaGetLastError();
  if (object)
    CUDA_OK(cudaDestroyTextureObject(object));
}
#define CREATE(request, want, change)                                                              \
  expectCreate(#request ": " #change, request, want, [&](Request &r) {                             \
    (void)r;                                                                                       \
    change;                                                                                        \
  })

static Request linear, array, pitched, mipmap;
static float *memory, *rows;
static size_t pitch;

static void makeRequests() {
  CUDA_OK(cudaMalloc(&memory, 1 << 20));
  CUDA_OK(cudaMallocPitch(&rows, &pitch, 100 * 4, 100));
  linear.resource.resType = cudaResourceTypeLinear;
  linear.resource.res.linear.devPtr = memory;
  linear.resource.res.linear.desc = real;
  linear.resource.res.linear.sizeInBytes = 4000;
  array.resource.resType = cudaResourceTypeArray;
  array.resource.res.array.array = makeArray(real);
  pitched.resource.resType = cudaResourceTypePitch2D;
  pitched.resource.res.pitch2D.devPtr = rows;
  pitched.resource.res.pitch2D.desc = real;
  pitched.resource.res.pitch2D.width = pitched.resource.res.pitch2D.height = 100;
  pitched.resource.res.pitch2D.pitchInBytes = pitch;
  mipmap.resource.resType = cudaResourceTypeMipmappedArray;
  CUDA_OK(cudaMallocMipmappedArray(&mipmap.resource.res.mipmap.mipmap, &real,
                                   make_cudaExtent(16, 16, 0), 3));
  mipmap.texture.normalizedCoords = 1;
}

static void resources() {
  std::vector<float> host(1000);
  CREATE(linear, cudaSuccess, );
  CREATE(array, cudaSuccess, );
  CREATE(pitched, cudaSuccess, );
  CREATE(mipmap, cudaSuccess, );
  CREATE(linear, cudaErrorInvalidValue, r.resource.res.linear.devPtr = nullptr);
  CREATE(linear, cudaErrorInvalidValue, r.resource.res.linear.devPtr = memory + 1);
  CREATE(linear, cudaErrorInvalidValue, r.resource.res.linear.devPtr = memory + 4);
  CREATE(linear, cudaErrorInvalidValue, r.resource.res.linear.devPtr = host.data());
  CREATE(linear, cudaErrorInvalidValue, r.resource.res.linear.sizeInBytes = size_t(1) << 40);
  CREATE(linear, cudaSuccess, r.resource.res.linear.sizeInBytes = 0);
  CREATE(linear, cudaErrorInvalidChannelDescriptor,
         r.resource.res.linear.desc.f = cudaChannelFormatKindNone);
  CREATE(linear, cudaErrorInvalidChannelDescriptor,
         r.resource.res.linear.desc.y = r.resource.res.linear.desc.z = 32);
  CREATE(linear, cudaErrorInvalidChannelDescriptor, r.resource.res.linear.desc.x = 64);
  CREATE(linear, cudaErrorInvalidChannelDescriptor, r.resource.res.linear.desc.x = 8);
  CREATE(linear, cudaSuccess, r.texture.filterMode = cudaFilterModeLinear);
  CREATE(array, cudaErrorInvalidResourceHandle, r.resource.res.array.array = nullptr);
  CREATE(mipmap, cudaErrorInvalidResourceHandle, r.resource.res.mipmap.mipmap = nullptr);
  CREATE(array, cudaErrorInvalidValue, r.resource.resType = cudaResourceType(7));
  CREATE(pitched, cudaErrorInvalidValue, r.resource.res.pitch2D.devPtr = nullptr);
  CREATE(pitched, cudaErrorInvalidValue, r.resource.res.pitch2D.devPtr = rows + 8);
  CREATE(pitched, cudaErrorInvalidValue, r.resource.res.pitch2D.pitchInBytes = 404);
  CREATE(pitched, cudaErrorInvalidValue, r.resource.res.pitch2D.height = 70000);
  CREATE(pitched, cudaErrorInvalidValue, r.resource.res.pitch2D.width = 140000);
}

static void settings() {
  cudaArray_t ofBytes = makeArray(bytes), ofWords = makeArray(words);
  CREATE(array, cudaErrorInvalidValue, r.texture.addressMode[0] = cudaTextureAddressMode(4));
  CREATE(array, cudaErrorInvalidValue, r.texture.filterMode = cudaTextureFilterMode(2));
  CREATE(array, cudaErrorInvalidNormSetting, r.texture.readMode = cudaReadModeNormalizedFloat);
  CREATE(linear, cudaErrorInvalidNormSetting, r.texture.readMode = cudaReadModeNormalizedFloat);
  CREATE(array, cudaErrorInvalidFilterSetting, r.resource.res.array.array = ofBytes;
         r.texture.filterMode = cudaFilterModeLinear);
  CREATE(array, cudaErrorInvalidFilterSetting, r.resource.res.array.array = ofWords;
         r.texture.filterMode = cudaFilterModeLinear);
  CREATE(array, cudaErrorInvalidNormSetting, r.resource.res.array.array = ofWords;
         r.texture.readMode = cudaReadModeNormalizedFloat);
  CREATE(array, cudaErrorInvalidFilterSetting, r.resource.res.array.array = ofWords;
         r.texture.readMode = cudaReadModeNormalizedFloat;
         r.texture.filterMode = cudaFilterModeLinear);
  CREATE(pitched, cudaErrorInvalidFilterSetting, r.resource.res.pitch2D.desc = words;
         r.texture.filterMode = cudaFilterModeLinear);
  CREATE(array, cudaSuccess, r.resource.res.array.array = ofBytes; r.texture.sRGB = 1;
         r.texture.readMode = cudaReadModeNormalizedFloat);
  CREATE(array, cudaSuccess, r.texture.maxAnisotropy = 16);
}

static void views() {
#define VIEW(request, want, change)                                                                \
  CREATE(request, want, r.hasView = true; r.view.format = cudaResViewFormatFloat1;                 \
         r.view.width = r.view.height = 16; change)
  VIEW(array, cudaSuccess, );
  VIEW(array, cudaSuccess, r.view.format = cudaResViewFormatUnsignedInt1);
  VIEW(array, cudaSuccess, r.view.format = cudaResViewFormatHalf2);
  VIEW(array, cudaSuccess, r.view.format = cudaResViewFormatUnsignedChar4);
  VIEW(array, cudaErrorInvalidValue, r.view.format = cudaResViewFormatFloat2);
  VIEW(array, cudaErrorInvalidValue, r.view.format = cudaResViewFormatNone);
  VIEW(array, cudaErrorInvalidValue, r.view.format = cudaResourceViewFormat(99));
  VIEW(array, cudaErrorInvalidValue, r.view.width = 8);
  VIEW(array, cudaErrorInvalidValue, r.view.depth = 1);
  VIEW(array, cudaErrorInvalidValue, r.view.lastMipmapLevel = 2);
  VIEW(array, cudaErrorInvalidValue, r.view.lastLayer = 1);
  VIEW(mipmap, cudaSuccess, r.view.lastMipmapLevel = 2);
  VIEW(mipmap, cudaSuccess, r.view.firstMipmapLevel = 1; r.view.lastMipmapLevel = 2);
  VIEW(mipmap, cudaErrorInvalidValue, r.view.firstMipmapLevel = 2; r.view.lastMipmapLevel = 1);
  VIEW(linear, cudaSuccess, );
}

static void compressed() {
  cudaArray_t none;
  const cudaChannelFormatDesc bc1 = {8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1};
  const cudaChannelFormatDesc bc7 = {8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed7};
  expectError("BC1", cudaMallocArray(&none, &bc1, 16, 16), cudaErrorNotSupported);
  expectError("BC7", cudaMallocArray(&none, &bc7, 16, 16), cudaErrorNotSupported);
  CREATE(array, cudaErrorNotSupported, r.hasView = true;
         r.view.format = cudaResViewFormatUnsignedBlockCompressed1);
  const cudaChannelFormatDesc nv12 = {8, 8, 8, 0, cudaChannelFormatKindNV12};
  expectError("NV12", cudaMallocArray(&none, &nv12, 16, 16), cudaErrorInvalidValue);
  cudaGetLastError();
}

/// The normalized formats are read as floats always.
static void normalizedFormats() {
  const cudaChannelFormatDesc unsigned4 = {8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized8X4};
  const cudaChannelFormatDesc odd = {8, 0, 0, 0, cudaChannelFormatKindUnsignedNormalized8X4};
  cudaArray_t normalized = makeArray(unsigned4), none;
  cudaChannelFormatDesc back;
  CUDA_OK(cudaGetChannelDesc(&back, normalized));
  expect("kind", 0, int(back.f), int(unsigned4.f));
  expectError("one channel of four", cudaMallocArray(&none, &odd, 16, 16),
              cudaErrorInvalidChannelDescriptor);
  CREATE(array, cudaErrorInvalidNormSetting, r.resource.res.array.array = normalized);
  CREATE(array, cudaSuccess, r.resource.res.array.array = normalized;
         r.texture.readMode = cudaReadModeNormalizedFloat;
         r.texture.filterMode = cudaFilterModeLinear);
}

static void textures() {
  cudaTextureObject_t object;
  cudaResourceDesc resource;
  cudaTextureDesc texture;
  cudaResourceViewDesc view;
  expectError("null object",
              cudaCreateTextureObject(nullptr, &array.resource, &array.texture, nullptr),
              cudaErrorInvalidValue);
  expectError("null resource", cudaCreateTextureObject(&object, nullptr, &array.texture, nullptr),
              cudaErrorInvalidValue);
  expectError("null texture", cudaCreateTextureObject(&object, &array.resource, nullptr, nullptr),
              cudaErrorInvalidResourceHandle);
  Request odd = array;
  odd.texture.filterMode = cudaFilterModeLinear;
  odd.texture.maxAnisotropy = 4;
  odd.texture.mipmapLevelBias = 0.5f;
  odd.texture.addressMode[2] = cudaAddressModeMirror;
  odd.texture.normalizedCoords = 7;
  CUDA_OK(cudaCreateTextureObject(&object, &odd.resource, &odd.texture, nullptr));
  CUDA_OK(cudaGetTextureObjectResourceDesc(&resource, object));
  CUDA_OK(cudaGetTextureObjectTextureDesc(&texture, object));
  CUDA_OK(cudaGetTextureObjectResourceViewDesc(&view, object));
  expectTrue("array", resource.resType == cudaResourceTypeArray &&
                          resource.res.array.array == array.resource.res.array.array);
  expect("filter", 0, int(texture.filterMode), int(cudaFilterModeLinear));
  expect("address", 0, int(texture.addressMode[2]), int(cudaAddressModeMirror));
  expect("anisotropy", 0, texture.maxAnisotropy, 4u);
  expect("bias", 0, texture.mipmapLevelBias, 0.5f);
  expect("normalized", 0, texture.normalizedCoords, 1);
  expect("view", 0, int(view.format), int(cudaResViewFormatNone));
  expectError("get null", cudaGetTextureObjectResourceDesc(nullptr, object), cudaErrorInvalidValue);
  expectError("get of 0", cudaGetTextureObjectResourceDesc(&resource, 0), cudaErrorInvalidValue);
  expectError("get of 77", cudaGetTextureObjectTextureDesc(&texture, 77), cudaErrorInvalidValue);
  CUDA_OK(cudaDestroyTextureObject(object));
  CUDA_OK(cudaDestroyTextureObject(object));
  CUDA_OK(cudaDestroyTextureObject(0));
  expectError("get destroyed", cudaGetTextureObjectResourceViewDesc(&view, object),
              cudaErrorInvalidValue);
  cudaGetLastError();
}

static void surfaces() {
  cudaSurfaceObject_t object;
  cudaResourceDesc resource;
  CUDA_OK(cudaCreateSurfaceObject(&object, &array.resource));
  CUDA_OK(cudaGetSurfaceObjectResourceDesc(&resource, object));
  expectTrue("array", resource.res.array.array == array.resource.res.array.array);
  expectError("a surface is no texture", cudaGetTextureObjectResourceDesc(&resource, object),
              cudaErrorInvalidValue);
  CUDA_OK(cudaDestroySurfaceObject(object));
  CUDA_OK(cudaDestroySurfaceObject(object));
  expectError("get destroyed", cudaGetSurfaceObjectResourceDesc(&resource, object),
              cudaErrorInvalidValue);
  for (const Request *request : {&linear, &pitched, &mipmap})
    expectError("resource", cudaCreateSurfaceObject(&object, &request->resource),
                cudaErrorInvalidValue);
  expectError("null object", cudaCreateSurfaceObject(nullptr, &array.resource),
              cudaErrorInvalidValue);
  expectError("null resource", cudaCreateSurfaceObject(&object, nullptr), cudaErrorInvalidValue);
  resource = array.resource;
  resource.res.array.array = nullptr;
  expectError("null array", cudaCreateSurfaceObject(&object, &resource),
              cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

int main() {
  makeRequests();
  resources();
  settings();
  views();
  compressed();
  normalizedFormats();
  textures();
  surfaces();
  return finish();
}
