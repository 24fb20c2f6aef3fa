// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel without __launch_bounds__ gets as many registers as its code is fast with, and ours may be more
// than nvcc's: then the driver refuses larger blocks (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES). At the first
// such launch the kernel is compiled again, alone, with `.maxntid` of these blocks, and loaded as a module
// of its own. Its variables are those of the first code: pointers, which are set here to where they lie
// (jit/load/gpu_pointers.cpp). Blocks of more threads than a program's own bounds stay refused.
#include "driver/gpu/gpu_again.h"

#include "driver/gpu/gpu_code.h"
#include "driver/gpu/gpu_kernels.h"
#include "driver/gpu/gpu_libraries.h"

#include "base/abi/gpu_notes.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

namespace heddle::driver {

namespace {

constexpr uint64_t MostThreads = 1024; // of a block

struct Made {
  CUfunction function = nullptr; ///< null: it cannot be
  CUmodule module = nullptr;
  unsigned settings = 0; ///< of the original, at the time of the last copy
};

/// The context, the kernel, and the most threads of its blocks.
using MadeKey = std::tuple<CUcontext, CUfunction, unsigned>;

struct Again {
  std::mutex mutex;
  std::map<CUfunction, KernelOrigin> origins;
  std::map<const void *, std::vector<uint8_t>> images;
  std::map<MadeKey, Made> made;
};
Again &again() {
  static Again &all = *new Again;
  return all;
}
std::atomic<bool> isAnyMade = false;
std::atomic<unsigned> settings = 0; ///< how often a program has set something on a function

/// The thread's captures of streams allow what code needs that is loaded.
class RelaxedCapture {
public:
  RelaxedCapture() { (void)machine().cuThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { (void)machine().cuThreadExchangeStreamCaptureMode(&mode_); }

private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

Result<OriginalCode> codeOfKernel(const KernelOrigin &origin) {
  const void *handle = origin.library ? static_cast<const void *>(origin.library) : origin.module;
  {
    std::lock_guard guard(again().mutex);
    if (auto image = again().images.find(handle); image != again().images.end())
      return OriginalCode{image->second, false, origin.library};
  }
  return origin.library ? codeOfLibrary(origin.library) : Failure{"not of ours"};
}

/// Where the first code has a variable.
CUresult findVariable(const OriginalCode &code, const KernelOrigin &origin, const char *name,
                      CUdeviceptr *place) {
  size_t bytes = 0;
  return code.library ? machine().cuLibraryGetGlobal(place, &bytes, code.library, name)
                      : machine().cuModuleGetGlobal_v2(place, &bytes, origin.module, name);
}

/// Sets a pointer of `module` as its note says.
CUresult setPointer(CUmodule module, const OriginalCode &code, const KernelOrigin &origin,
                    std::string_view note) {
  const bool isAddress = note.starts_with(GpuAddressNote);
  const std::string_view start = isAddress ? GpuAddressNote : GpuValueNote;
  const std::string name(note.substr(start.size()));
  CUdeviceptr there = 0, here = 0;
  size_t bytes = 0;
  CUresult error = findVariable(code, origin, name.c_str(), &there);
  if (error == CUDA_SUCCESS && !isAddress)
    error = machine().cuMemcpyDtoH_v2(&there, there, sizeof there);
  if (error == CUDA_SUCCESS)
    error = machine().cuModuleGetGlobal_v2(&here, &bytes, module, name.c_str());
  return error ? error : machine().cuMemcpyHtoD_v2(here, &there, sizeof there);
}

/// All pointers: the notes are the first lines.
CUresult setPointers(CUmodule module, const OriginalCode &code, const KernelOrigin &origin,
                     std::string_view text) {
  while (text.starts_with(GpuAddressNote) || text.starts_with(GpuValueNote)) {
    const size_t end = text.find('\n');
    if (CUresult error = setPointer(module, code, origin, text.substr(0, end)))
      return error;
    text.remove_prefix(end + 1);
  }
  return CUDA_SUCCESS;
}

Made make(const KernelOrigin &origin, unsigned threads) {
  const RelaxedCapture relaxed;
  auto code = codeOfKernel(origin);
  auto image = code ? ImageView::create(code->image) : Failure{code.error()};
  const ImageKernel *row = image ? image->findKernel(origin.name) : nullptr;
  if (!row || row->maxThreads)
    return {};
  auto text = gpuCode(*image, gpuCapability(), {code->usesHostVariables, origin.name, threads});
  if (!text) {
    (void)refused(text.error(), CUDA_ERROR_INVALID_IMAGE);
    return {};
  }
  const auto *start = reinterpret_cast<const char *>(text->data());
  Made made;
  if (machine().cuModuleLoadDataEx(&made.module, start, 0, nullptr, nullptr) != CUDA_SUCCESS)
    return {};
  if (setPointers(made.module, *code, origin, start) == CUDA_SUCCESS &&
      machine().cuModuleGetFunction(&made.function, made.module, origin.name.c_str()) ==
          CUDA_SUCCESS)
    return made;
  (void)machine().cuModuleUnload(made.module);
  return {};
}

/// What a program has set on the function.
void copySettings(CUfunction from, CUfunction to) {
  if (functionOf(from) != CUDA_SUCCESS)
    return;
  for (CUfunction_attribute attribute : {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                         CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                         CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE}) {
    int was = 0, is = 0;
    if (machine().cuFuncGetAttribute(&was, attribute, from) == CUDA_SUCCESS &&
        machine().cuFuncGetAttribute(&is, attribute, to) == CUDA_SUCCESS && was != is)
      (void)machine().cuFuncSetAttribute(to, attribute, was);
  }
}

unsigned boundFor(uint64_t threads) {
  constexpr unsigned Step = 256; // one code serves blocks of several sizes
  return static_cast<unsigned>((threads + Step - 1) / Step * Step);
}

/// One that was made before, with what was set on `function` since; null: none was.
CUfunction known(CUfunction function, uint64_t threads) {
  CUcontext context = nullptr;
  if (!isAnyMade.load(std::memory_order_relaxed) || threads > MostThreads ||
      machine().cuCtxGetCurrent(&context) != CUDA_SUCCESS)
    return nullptr;
  std::lock_guard guard(again().mutex);
  auto place = again().made.find({context, function, boundFor(threads)});
  if (place == again().made.end() || !place->second.function)
    return nullptr;
  Made &made = place->second;
  if (const unsigned now = settings; made.settings != now) {
    copySettings(function, made.function);
    made.settings = now;
  }
  return made.function;
}

/// Calls `start(function)`, with the kernel's other code where these blocks need it.
template <typename F> CUresult startFitting(CUfunction function, uint64_t threads, F &&start) {
  if (CUfunction made = known(function, threads))
    return start(made);
  CUresult error = start(function);
  if (error != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    return error;
  CUfunction made = againFor(function, threads);
  return made ? start(made) : error;
}

/// Launches, whose functions take the kernel first, or behind a configuration.
template <auto Member, typename... Rest>
CUresult launch(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                unsigned blockX, unsigned blockY, unsigned blockZ, Rest... rest) {
  return startFitting(function, uint64_t(blockX) * blockY * blockZ, [&](CUfunction one) {
    return (machine().*Member)(one, gridX, gridY, gridZ, blockX, blockY, blockZ, rest...);
  });
}

template <auto Member>
CUresult launchEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra) {
  const uint64_t threads =
      config ? uint64_t(config->blockDimX) * config->blockDimY * config->blockDimZ : 0;
  return startFitting(function, threads, [&](CUfunction one) {
    return (machine().*Member)(config, one, params, extra);
  });
}

/// Unloads what was made in a context, which need not be the current one.
void unload(CUcontext context, const Made &made) {
  if (!made.module || machine().cuCtxPushCurrent_v2(context) != CUDA_SUCCESS)
    return;
  (void)machine().cuModuleUnload(made.module);
  (void)machine().cuCtxPopCurrent_v2(&context);
}

} // namespace

void noteOrigin(CUfunction function, KernelOrigin origin) {
  std::lock_guard guard(again().mutex);
  again().origins[function] = std::move(origin);
}

void noteImage(const void *handle, std::vector<uint8_t> image) {
  std::lock_guard guard(again().mutex);
  again().images[handle] = std::move(image);
}

void forgetImage(const void *handle) {
  std::lock_guard guard(again().mutex);
  again().images.erase(handle);
  auto isOf = [&](const KernelOrigin &origin) {
    return origin.module == handle || origin.library == handle;
  };
  std::erase_if(again().made, [&](const auto &entry) {
    const auto &[context, function, threads] = entry.first;
    auto origin = again().origins.find(function);
    const bool isGone = origin != again().origins.end() && isOf(origin->second);
    if (isGone)
      unload(context, entry.second);
    return isGone;
  });
  std::erase_if(again().origins, [&](const auto &entry) { return isOf(entry.second); });
}

CUfunction againFor(CUfunction function, uint64_t threads) {
  CUcontext context = nullptr;
  if (threads > MostThreads || machine().cuCtxGetCurrent(&context) != CUDA_SUCCESS)
    return nullptr;
  const MadeKey key(context, function, boundFor(threads));
  KernelOrigin origin;
  {
    std::lock_guard guard(again().mutex);
    if (auto place = again().made.find(key); place != again().made.end())
      return place->second.function;
    auto place = again().origins.find(function);
    if (place == again().origins.end())
      return nullptr;
    origin = place->second;
  }
  const unsigned now = settings;
  Made made = make(origin, boundFor(threads));
  if (made.function)
    copySettings(function, made.function);
  made.settings = now;
  std::lock_guard guard(again().mutex);
  again().made[key] = made;
  isAnyMade = true;
  return made.function;
}

CUfunction fitFor(CUfunction function, uint64_t threads) {
  CUfunction asked = function;
  int most = 0;
  if (threads > MostThreads || functionOf(asked) != CUDA_SUCCESS ||
      machine().cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, asked) !=
          CUDA_SUCCESS ||
      threads <= static_cast<uint64_t>(most))
    return function;
  CUfunction made = againFor(function, threads);
  return made ? made : function;
}

CUfunction originalOf(CUfunction function) {
  std::lock_guard guard(again().mutex);
  for (const auto &[key, made] : again().made)
    if (made.function == function)
      return std::get<CUfunction>(key);
  return function;
}

void noteSetting() { ++settings; }

void forgetAgain() {
  std::lock_guard guard(again().mutex);
  again().made.clear();
}

void interceptLaunches(Table &table) {
  table.cuLaunchKernel = launch<&Table::cuLaunchKernel>;
  table.cuLaunchKernel_ptsz = launch<&Table::cuLaunchKernel_ptsz>;
  table.cuLaunchCooperativeKernel = launch<&Table::cuLaunchCooperativeKernel>;
  table.cuLaunchCooperativeKernel_ptsz = launch<&Table::cuLaunchCooperativeKernel_ptsz>;
  table.cuLaunchKernelEx = launchEx<&Table::cuLaunchKernelEx>;
  table.cuLaunchKernelEx_ptsz = launchEx<&Table::cuLaunchKernelEx_ptsz>;
}

} // namespace heddle::driver
