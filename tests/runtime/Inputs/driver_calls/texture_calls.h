// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "world.h"

inline void textureReferences() {
  makeWorld();
  makeDestroyedOnes();
  CUtexref texture = nullptr;
  CUarray array = nullptr, found = nullptr;
  CUmipmappedArray levels = nullptr, foundLevels = nullptr;
  auto flat = cube(32, 32, 0);
  CU(cuArray3DCreate_v2)(&array, &flat);
  CU(cuMipmappedArrayCreate)(&levels, &flat, 3);
  CUDA_ARRAY_DESCRIPTOR shape = {32, 32, CU_AD_FORMAT_FLOAT, 1};
  size_t offset = 0;
  CUdeviceptr p = 0;
  VARY(cuTexRefCreate, &texture);
  CALL("nothing bound", cuTexRefGetArray, &found, texture);
  CALL("nothing bound", cuTexRefGetAddress_v2, &p, texture);
  VARY(cuTexRefSetFormat, texture, CU_AD_FORMAT_FLOAT, 1);
  for (int components : {2, 3, 4, 5})
    CALL("components=" + std::to_string(components), cuTexRefSetFormat, texture, CU_AD_FORMAT_HALF,
         components);
  CU(cuTexRefSetFormat)(texture, CU_AD_FORMAT_FLOAT, 1);
  VARY(cuTexRefSetArray, texture, array, CU_TRSA_OVERRIDE_FORMAT);
  CALL("flags=0", cuTexRefSetArray, texture, array, 0);
  VARY(cuTexRefGetArray, &found, texture);
  VARY(cuTexRefSetMipmappedArray, texture, levels, CU_TRSA_OVERRIDE_FORMAT);
  VARY(cuTexRefGetMipmappedArray, &foundLevels, texture);
  VARY(cuTexRefSetAddress_v2, &offset, texture, w.memory, 1024);
  CALL("odd, and no place", cuTexRefSetAddress_v2, nullptr, texture, w.memory + 4, 1024);
  CALL("odd", cuTexRefSetAddress_v2, &offset, texture, w.memory + 4, 1024);
  value("offset", offset);
  VARY(cuTexRefSetAddress2D_v2, texture, &shape, w.memory, 128);
  VARY(cuTexRefSetAddress2D_v3, texture, &shape, w.memory, 128);
  CALL("odd", cuTexRefSetAddress2D_v3, texture, &shape, w.memory + 4, 128);
  for (size_t pitch : {size_t(64), size_t(132), size_t(160)})
    CALL("pitch=" + std::to_string(pitch), cuTexRefSetAddress2D_v3, texture, &shape, w.memory,
         pitch);
  VARY(cuTexRefGetAddress_v2, &p, texture);
  VARY(cuTexRefSetAddressMode, texture, 0, CU_TR_ADDRESS_MODE_CLAMP);
  VARY(cuTexRefSetFilterMode, texture, CU_TR_FILTER_MODE_LINEAR);
  VARY(cuTexRefSetMipmapFilterMode, texture, CU_TR_FILTER_MODE_LINEAR);
  VARY(cuTexRefSetMipmapLevelBias, texture, 1.0f);
  VARY(cuTexRefSetMipmapLevelClamp, texture, 0.0f, 2.0f);
  CALL("upside down", cuTexRefSetMipmapLevelClamp, texture, 2.0f, 0.0f);
  VARY(cuTexRefSetMaxAnisotropy, texture, 4);
  float color[4] = {1, 2, 3, 4}, least = 0, most = 0;
  VARY(cuTexRefSetBorderColor, texture, color);
  VARY(cuTexRefSetFlags, texture, CU_TRSF_NORMALIZED_COORDINATES);
  CUaddress_mode mode;
  CUfilter_mode filter;
  CUarray_format format;
  int n = 0;
  unsigned flags = 0;
  VARY(cuTexRefGetAddressMode, &mode, texture, 0);
  VARY(cuTexRefGetFilterMode, &filter, texture);
  VARY(cuTexRefGetFormat, &format, &n, texture);
  VARY(cuTexRefGetMipmapFilterMode, &filter, texture);
  VARY(cuTexRefGetMipmapLevelBias, &least, texture);
  VARY(cuTexRefGetMipmapLevelClamp, &least, &most, texture);
  VARY(cuTexRefGetMaxAnisotropy, &n, texture);
  value("anisotropy", n);
  VARY(cuTexRefGetBorderColor, color, texture);
  VARY(cuTexRefGetFlags, &flags, texture);
  value("flags", flags);
  VARY(cuTexRefDestroy, texture);
  VARY(cuSurfRefSetArray, nullptr, array, 0);
  VARY(cuSurfRefGetArray, &found, nullptr);
  endUnit();
}

inline void textureObjects() {
  makeWorld();
  makeDestroyedOnes();
  CUtexObject texture = 0;
  CUsurfObject surface = 0;
  CUarray array = nullptr, stored = nullptr, cubemap = nullptr;
  CUmipmappedArray levels = nullptr;
  auto flat = cube(32, 32, 0), storable = cube(32, 32, 0, CUDA_ARRAY3D_SURFACE_LDST),
       sides = cube(8, 8, 6, CUDA_ARRAY3D_CUBEMAP);
  CU(cuArray3DCreate_v2)(&array, &flat);
  CU(cuArray3DCreate_v2)(&stored, &storable);
  CU(cuArray3DCreate_v2)(&cubemap, &sides);
  CU(cuMipmappedArrayCreate)(&levels, &flat, 3);
  auto resource = zeros<CUDA_RESOURCE_DESC>();
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  auto texturing = zeros<CUDA_TEXTURE_DESC>();
  auto view = zeros<CUDA_RESOURCE_VIEW_DESC>();
  view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32, view.width = view.height = 32;
  VARY(cuTexObjectCreate, &texture, &resource, &texturing, nullptr);
  VARY(cuTexObjectCreate, &texture, &resource, &texturing, &view);
  auto ofResource = [&](auto &s) {
    return CU(cuTexObjectCreate)(&texture, &s, &texturing, nullptr);
  };
  fields("cuTexObjectCreate", resource, ofResource,
         {SET(resType, 1), SET(resType, 4), SET(resType, -1), SET(flags, 1),
          SET(res.array.hArray, nullptr)});
  auto mipmapped = resource;
  mipmapped.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
  mipmapped.res.mipmap.hMipmappedArray = levels;
  fields("cuTexObjectCreate mipmapped", mipmapped, ofResource,
         {SET(flags, 0), SET(res.mipmap.hMipmappedArray, nullptr)});
  auto linear = zeros<CUDA_RESOURCE_DESC>();
  linear.resType = CU_RESOURCE_TYPE_LINEAR;
  linear.res.linear = {w.memory, CU_AD_FORMAT_FLOAT, 1, 4096};
  fields("cuTexObjectCreate linear", linear, ofResource,
         {SET(flags, 0), SET(res.linear.devPtr, 0), SET(res.linear.devPtr, w.memory + 4),
          SET(res.linear.sizeInBytes, 0), SET(res.linear.sizeInBytes, 3),
          SET(res.linear.sizeInBytes, 100000), SET(res.linear.sizeInBytes, -1),
          SET(res.linear.numChannels, 0), SET(res.linear.numChannels, 3),
          SET(res.linear.numChannels, 5), SET(res.linear.format, 0), SET(res.linear.format, 99)});
  auto pitched = zeros<CUDA_RESOURCE_DESC>();
  pitched.resType = CU_RESOURCE_TYPE_PITCH2D;
  pitched.res.pitch2D = {w.memory, CU_AD_FORMAT_FLOAT, 1, 32, 32, 128};
  fields("cuTexObjectCreate pitched", pitched, ofResource,
         {SET(flags, 0), SET(res.pitch2D.devPtr, 0), SET(res.pitch2D.devPtr, w.memory + 4),
          SET(res.pitch2D.width, 0), SET(res.pitch2D.width, 33), SET(res.pitch2D.width, 200000),
          SET(res.pitch2D.height, 0), SET(res.pitch2D.height, 70000),
          SET(res.pitch2D.pitchInBytes, 0), SET(res.pitch2D.pitchInBytes, 132),
          SET(res.pitch2D.pitchInBytes, 64), SET(res.pitch2D.numChannels, 3)});
  auto ofTexturing = [&](auto &s) {
    return CU(cuTexObjectCreate)(&texture, &resource, &s, nullptr);
  };
  fields("cuTexObjectCreate", texturing, ofTexturing,
         {SET(addressMode[0], 1),
          SET(addressMode[0], 2),
          SET(addressMode[0], 3),
          SET(addressMode[0], 4),
          SET(addressMode[0], -1),
          SET(filterMode, 1),
          SET(filterMode, 2),
          SET(flags, 1),
          SET(flags, 2),
          SET(flags, 4),
          SET(flags, 8),
          SET(flags, 0x10),
          SET(flags, 0x20),
          SET(flags, 0x40),
          SET(flags, 0x80),
          SET(maxAnisotropy, 1),
          SET(maxAnisotropy, 16),
          SET(maxAnisotropy, 17),
          SET(mipmapFilterMode, 1),
          SET(mipmapFilterMode, 2),
          SET(mipmapLevelBias, 100),
          SET(minMipmapLevelClamp, 9),
          SET(maxMipmapLevelClamp, -1),
          SET(reserved[0], 1)});
  fields("cuTexObjectCreate linear", texturing,
         [&](auto &s) { return CU(cuTexObjectCreate)(&texture, &linear, &s, nullptr); },
         {SET(flags, 2), SET(filterMode, 1), SET(addressMode[0], 1), SET(flags, 1)});
  fields("cuTexObjectCreate", view,
         [&](auto &s) { return CU(cuTexObjectCreate)(&texture, &resource, &texturing, &s); },
         {SET(format, 0), SET(format, 1), SET(format, 2), SET(format, 8), SET(format, 9),
          SET(format, 99), SET(width, 0), SET(width, 16), SET(width, 64), SET(height, 0),
          SET(depth, 1), SET(firstMipmapLevel, 1), SET(lastMipmapLevel, 1), SET(firstLayer, 1),
          SET(lastLayer, 1), SET(reserved[0], 1)});
  CALL("linear", cuTexObjectCreate, &texture, &linear, &texturing, &view);
  resource.res.array.hArray = cubemap;
  CALL("cubemap", cuTexObjectCreate, &texture, &resource, &texturing, nullptr);
  resource.res.array.hArray = array;
  CU(cuTexObjectCreate)(&texture, &resource, &texturing, &view);
  VARY(cuTexObjectGetResourceDesc, &resource, texture);
  VARY(cuTexObjectGetTextureDesc, &texturing, texture);
  VARY(cuTexObjectGetResourceViewDesc, &view, texture);
  VARY(cuTexObjectDestroy, texture);
  CALL("again", cuTexObjectDestroy, texture);
  CU(cuTexObjectCreate)(&texture, &resource, &texturing, nullptr);
  CALL("without one", cuTexObjectGetResourceViewDesc, &view, texture);
  CALL("not for surfaces", cuSurfObjectCreate, &surface, &resource);
  resource.res.array.hArray = stored;
  VARY(cuSurfObjectCreate, &surface, &resource);
  fields("cuSurfObjectCreate", resource,
         [&](auto &s) { return CU(cuSurfObjectCreate)(&surface, &s); },
         {SET(resType, 1), SET(resType, 2), SET(resType, 3), SET(resType, 9), SET(flags, 1),
          SET(res.array.hArray, nullptr)});
  CU(cuSurfObjectCreate)(&surface, &resource);
  VARY(cuSurfObjectGetResourceDesc, &resource, surface);
  CALL("a texture", cuSurfObjectDestroy, texture);
  CALL("a surface", cuTexObjectDestroy, surface);
  VARY(cuSurfObjectDestroy, surface);
  endUnit();
}

inline void tensorMaps() {
  makeWorld();
  alignas(64) static CUtensorMap map;
  void *p = reinterpret_cast<void *>(w.memory);
  cuuint64_t sizes[5] = {64, 16, 4, 2, 2}, strides[5] = {256, 4096, 16384, 32768, 65536};
  cuuint32_t box[5] = {16, 8, 2, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
  int lower[5] = {}, upper[5] = {};
  const auto type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const auto none = CU_TENSOR_MAP_INTERLEAVE_NONE;
  const auto plain = CU_TENSOR_MAP_SWIZZLE_NONE;
  const auto l2 = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  const auto fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  VARY(cuTensorMapEncodeTiled, &map, type, 3, p, sizes, strides, box, steps, none, plain, l2, fill);
  for (int t = 0; t < 17; ++t)
    CALL("type=" + std::to_string(t), cuTensorMapEncodeTiled, &map,
         static_cast<CUtensorMapDataType>(t), 3, p, sizes, strides, box, steps, none, plain, l2,
         fill);
  for (unsigned rank : {1u, 2u, 4u, 5u, 6u})
    CALL("rank=" + std::to_string(rank), cuTensorMapEncodeTiled, &map, type, rank, p, sizes,
         strides, box, steps, none, plain, l2, fill);
  for (int swizzle = 0; swizzle < 8; ++swizzle)
    CALL("swizzle=" + std::to_string(swizzle), cuTensorMapEncodeTiled, &map, type, 3, p, sizes,
         strides, box, steps, none, static_cast<CUtensorMapSwizzle>(swizzle), l2, fill);
  for (int offset : {4, 8, 16})
    CALL("address+" + std::to_string(offset), cuTensorMapEncodeTiled, &map, type, 3,
         static_cast<char *>(p) + offset, sizes, strides, box, steps, none, plain, l2, fill);
  auto with = [&](const char *name, auto *place, auto v) {
    auto before = *place;
    *place = static_cast<decltype(before)>(v);
    CALL(name, cuTensorMapEncodeTiled, &map, type, 3, p, sizes, strides, box, steps, none, plain,
         l2, fill);
    *place = before;
  };
  with("sizes[0]=0", sizes, 0);
  with("sizes[0]=1<<32", sizes, 1ull << 32);
  with("sizes[0]=(1<<32)+1", sizes, (1ull << 32) + 1);
  with("strides[0]=0", strides, 0);
  with("strides[0]=8", strides, 8);
  with("strides[0]=264", strides, 264);
  with("strides[0]=128", strides, 128);
  with("strides[0]=1<<40", strides, 1ull << 40);
  with("strides[1]=128", strides + 1, 128);
  with("box[0]=0", box, 0);
  with("box[0]=3", box, 3);
  with("box[0]=256", box, 256);
  with("box[0]=260", box, 260);
  with("box[1]=0", box + 1, 0);
  with("box[1]=257", box + 1, 257);
  with("steps[0]=0", steps, 0);
  with("steps[0]=8", steps, 8);
  with("steps[0]=9", steps, 9);
  with("steps[1]=9", steps + 1, 9);
  VARY(cuTensorMapEncodeIm2col, &map, type, 3, p, sizes, strides, lower, upper, 16, 8, steps, none,
       plain, l2, fill);
  for (int bound : {-129, -128, 127, 128}) {
    lower[0] = bound;
    CALL("lower=" + std::to_string(bound), cuTensorMapEncodeIm2col, &map, type, 3, p, sizes,
         strides, lower, upper, 16, 8, steps, none, plain, l2, fill);
  }
  lower[0] = 0;
  for (unsigned n : {0u, 256u, 257u, 1024u, 1025u}) {
    CALL("channels=" + std::to_string(n), cuTensorMapEncodeIm2col, &map, type, 3, p, sizes, strides,
         lower, upper, n, 8, steps, none, plain, l2, fill);
    CALL("pixels=" + std::to_string(n), cuTensorMapEncodeIm2col, &map, type, 3, p, sizes, strides,
         lower, upper, 16, n, steps, none, plain, l2, fill);
  }
  VARY(cuTensorMapEncodeIm2colWide, &map, type, 3, p, sizes, strides, 0, 0, 16, 8, steps, none,
       CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_128B, l2, fill);
  CU(cuTensorMapEncodeTiled)(&map, type, 3, p, sizes, strides, box, steps, none, plain, l2, fill);
  VARY(cuTensorMapReplaceAddress, &map, p);
  CALL("odd", cuTensorMapReplaceAddress, &map, static_cast<char *>(p) + 8);
}

inline void rest() {
  makeWorld();
  CUgraphicsResource resource = nullptr;
  CUarray array = nullptr;
  CUmipmappedArray levels = nullptr;
  CUdeviceptr p = 0;
  size_t bytes = 8;
  VARY(cuGraphicsUnregisterResource, resource);
  VARY(cuGraphicsSubResourceGetMappedArray, &array, resource, 0, 0);
  VARY(cuGraphicsResourceGetMappedMipmappedArray, &levels, resource);
  VARY(cuGraphicsResourceGetMappedPointer_v2, &p, &bytes, resource);
  VARY(cuGraphicsResourceSetMapFlags, resource, 0);
  VARY(cuGraphicsResourceSetMapFlags_v2, resource, 0);
  VARY(cuGraphicsMapResources, 0, &resource, w.stream);
  VARY(cuGraphicsUnmapResources, 0, &resource, w.stream);
  bool on = false;
  VARY(cuCoredumpGetAttribute, CU_COREDUMP_ENABLE_ON_EXCEPTION, padded(on), padded(bytes));
  VARY(cuCoredumpGetAttributeGlobal, CU_COREDUMP_ENABLE_ON_EXCEPTION, padded(on), padded(bytes));
  VARY(cuCoredumpSetAttribute, CU_COREDUMP_ENABLE_ON_EXCEPTION, padded(on), padded(size_t(1)));
  VARY(cuCoredumpSetAttributeGlobal, CU_COREDUMP_ENABLE_ON_EXCEPTION, padded(on),
       padded(size_t(1)));
  auto whole = zeros<CUdevResource>(), left = zeros<CUdevResource>();
  CUdevResource parts[8];
  unsigned count = 1;
  CUdevResourceDesc description = nullptr;
  CUgreenCtx green = nullptr;
  CUcontext context = nullptr;
  unsigned long long id = 0;
  CUstream stream = nullptr;
  VARY(cuDeviceGetDevResource, 0, &whole, CU_DEV_RESOURCE_TYPE_SM);
  value("multiprocessors", whole.sm.smCount);
  VARY(cuCtxGetDevResource, w.context, &whole, CU_DEV_RESOURCE_TYPE_SM);
  VARY(cuDevSmResourceSplitByCount, parts, &count, &whole, &left, 0, 16);
  value("groups", count);
  VARY(cuDevResourceGenerateDesc, &description, parts, 1);
  VARY(cuGreenCtxCreate, &green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM);
  VARY(cuCtxFromGreenCtx, &context, green);
  VARY(cuGreenCtxGetDevResource, green, &whole, CU_DEV_RESOURCE_TYPE_SM);
  VARY(cuGreenCtxRecordEvent, green, w.event);
  VARY(cuGreenCtxWaitEvent, green, w.event);
  VARY(cuStreamGetGreenCtx, w.stream, &green);
  VARY(cuGreenCtxStreamCreate, &stream, green, CU_STREAM_NON_BLOCKING, 0);
  VARY(cuGreenCtxGetId, green, &id);
  VARY(cuGreenCtxDestroy, green);
  CUlogIterator iterator = 0;
  CUlogsCallbackHandle log = nullptr;
  auto hear = [](void *, CUlogLevel, char *, size_t) {};
  VARY(cuLogsRegisterCallback, static_cast<CUlogsCallback>(hear), nullptr, &log);
  VARY(cuLogsUnregisterCallback, log);
  VARY(cuLogsCurrent, &iterator, 0);
  char text[4096];
  bytes = sizeof text;
  VARY(cuLogsDumpToFile, nullptr, "/dev/null", 0);
  VARY(cuLogsDumpToMemory, nullptr, text, &bytes, 0);
  VARY(cuProfilerStart);
  VARY(cuProfilerStop);
  endUnit();
}
