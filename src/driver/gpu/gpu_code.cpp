// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/gpu/gpu_code.h"

#include "driver/modules/jit_library.h"
#include "driver/modules/link_images.h"

#include "base/cache/object_cache.h"
#include "base/cache/version.h"
#include "base/image/image_bundle.h"
#include "base/machine/mapped.h"
#include "base/messages/messages.h"
#include "jit/jit.h"

#include <cstring>

#include <elf.h>

namespace heddle::driver {

namespace {

/// The architecture with all that only it has (PTX ISA, ".target"): code is made for one GPU.
std::string targetOf(unsigned capability) {
  return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
}

} // namespace

bool isThere(const void *p, size_t bytes) {
  return isMapped(reinterpret_cast<uintptr_t>(p), bytes);
}

/// CUDA versions and the PTX that came with them ("PTX ISA", Release Notes); our code has no later one than
/// the first. Older drivers have no libraries (cuLibraryLoadData).
struct PtxVersion {
  int cuda;
  unsigned ptx;
};
constexpr PtxVersion PtxVersions[] = {{12080, 87}, {12070, 86}, {12050, 85}, {12040, 84},
                                      {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80}};

unsigned ptxVersionFor(int cudaVersion) {
  for (const PtxVersion &version : PtxVersions)
    if (version.cuda <= cudaVersion)
      return version.ptx;
  return 0;
}

Result<std::vector<uint8_t>> gpuCode(const ImageView &image, unsigned capability,
                                     const GpuCodeKind &kind) {
  const std::string target = targetOf(capability);
  int cuda = 0;
  (void)machine().cuDriverGetVersion(&cuda);
  unsigned ptx = ptxVersionFor(cuda);
  if (!ptx)
    return Failure{"the GPU's driver is for CUDA " + std::to_string(cuda / 1000) + "." +
                   std::to_string(cuda % 1000 / 10) + ", and 12.0 is the first that will do"};
  if (ptx == PtxVersions[0].ptx)
    ptx = 0; // the usual, or what a later GPU needs
  const auto &hash = image.header().hash;
  const std::string shape = kind.kernel + " " + std::to_string(kind.threads);
  const Hash128 key = hashOf({"gpu", compilerVersion(), target, std::to_string(ptx),
                              kind.usesHostVariables ? "h" : "", shape,
                              std::string_view(reinterpret_cast<const char *>(hash), sizeof hash)});
  if (auto path = objectCache().lookup(key))
    if (auto known = readFile(*path))
      return known;
  HeddleGpuRequest request = {image.bytes().data(), image.bytes().size(), target.c_str(), ptx,
                              kind.usesHostVariables};
  if (!kind.kernel.empty()) {
    request.kernel = kind.kernel.c_str();
    request.threads = kind.threads;
  }
  auto text = jitEmitGpu(request);
  if (!text)
    return text;
  text->push_back(0);
  objectCache().keep(key, *text); // a cache that cannot be written only costs time
  return text;
}

unsigned gpuCapability() {
  CUdevice device = 0;
  int major = 0, minor = 0;
  if (machine().cuCtxGetDevice(&device) != CUDA_SUCCESS && machine().cuDeviceGet(&device, 0))
    return 0;
  machine().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  machine().cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return static_cast<unsigned>(major * 10 + minor);
}

CUresult refused(const std::string &why, CUresult error) {
  tellf("heddle: device code for the GPU: %s\n", why.c_str());
  return error;
}

size_t bytesOfOurs(const void *code) {
  return code && isThere(code, sizeof(ImageHeader)) ? deviceCodeBytes(code, SIZE_MAX) : 0;
}

CUresult problemOf(const void *code) {
  constexpr uint32_t Fatbin = 0xba55ed50; // magic, version, header's bytes, bytes behind that
  constexpr uint16_t CudaMachine = 190;   // ELF's EM_CUDA
  struct {
    uint32_t magic;
    uint16_t version, headerBytes;
    uint64_t bytes;
  } start;
  if (!code || !isThere(code, sizeof start.magic))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(&start.magic, code, sizeof start.magic);
  const bool isElf = std::memcmp(code, ELFMAG, SELFMAG) == 0;
  if (!isElf && start.magic != Fatbin)
    return CUDA_SUCCESS;
  if (!isThere(code, isElf ? sizeof(Elf64_Ehdr) : sizeof start))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (isElf)
    return static_cast<const Elf64_Ehdr *>(code)->e_machine == CudaMachine
               ? CUDA_SUCCESS
               : CUDA_ERROR_NO_BINARY_FOR_GPU;
  std::memcpy(&start, code, sizeof start);
  const bool isWhole = start.headerBytes >= sizeof start && start.bytes &&
                       isThere(code, start.headerBytes + start.bytes);
  return isWhole ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

Result<std::vector<uint8_t>> codeOf(const void *code, bool usesHostVariables) {
  const unsigned capability = gpuCapability();
  auto chosen = chooseImage(code, capability);
  if (!chosen)
    return Failure{chosen.error()};
  return gpuCode(chosen->image, capability, {usesHostVariables});
}

std::vector<uint8_t> chosenBytes(const void *code) {
  auto chosen = chooseImage(code, gpuCapability());
  if (!chosen)
    return {};
  auto bytes = chosen->image.bytes();
  return {bytes.begin(), bytes.end()};
}

std::vector<uint8_t> ourFile(const char *name) {
  auto bytes = name ? readFile(name) : Result<std::vector<uint8_t>>(Failure{""});
  if (!bytes)
    return {};
  bytes->resize(bytes->size() + sizeof(ImageHeader));
  return deviceCodeBytes(bytes->data(), bytes->size()) ? std::move(*bytes) : std::vector<uint8_t>();
}

} // namespace heddle::driver
