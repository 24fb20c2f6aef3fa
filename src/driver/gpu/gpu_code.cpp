// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/gpu/gpu_code.h"

#include "driver/modules/jit_library.h"
#include "driver/modules/link_images.h"

#include "base/cache/object_cache.h"
#include "base/cache/version.h"

namespace heddle::driver {

namespace {

/// The architecture with all that only it has (PTX ISA, ".target"): code is made for one GPU.
std::string targetOf(unsigned capability) {
  return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
}

} // namespace

Result<std::vector<uint8_t>> gpuCode(const ImageView &image, unsigned capability,
                                     bool usesHostVariables) {
  const std::string target = targetOf(capability);
  const auto &hash = image.header().hash;
  const Hash128 key =
      hashOf({"gpu", compilerVersion(), target, usesHostVariables ? "h" : "",
              std::string_view(reinterpret_cast<const char *>(hash), sizeof hash)});
  if (auto path = objectCache().lookup(key))
    if (auto known = readFile(*path))
      return known;
  auto text = jitEmitGpu(image.bytes(), target.c_str(), usesHostVariables);
  if (!text)
    return text;
  text->push_back(0);
  objectCache().keep(key, *text); // a cache that cannot be written only costs time
  return text;
}

unsigned gpuCapability(const Table &machine) {
  CUdevice device = 0;
  int major = 0, minor = 0;
  if (machine.cuCtxGetDevice(&device) != CUDA_SUCCESS && machine.cuDeviceGet(&device, 0))
    return 0;
  machine.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  machine.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return static_cast<unsigned>(major * 10 + minor);
}

} // namespace heddle::driver
