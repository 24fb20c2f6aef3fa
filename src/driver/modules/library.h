// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/modules/module.h"

#include "base/image/host_table.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::driver {

/// Device code by its handle: a library, or a module of the driver API.
struct Library {
  FatBinary *binary = nullptr;
  /// By name, those that were asked for; guarded by the table's mutex.
  std::map<std::string_view, Kernel *> kernels;
  std::vector<std::shared_ptr<struct TextureReference>> textureReferences; ///< likewise
  std::vector<std::shared_ptr<struct SurfaceReference>> surfaceReferences; ///< likewise
  std::vector<void *> managed; ///< storage of its variables
};

/// What the options of a compiler of PTX say.
struct JitChoices {
  unsigned target = 0;       ///< a compute capability, 75; 0: the current device's
  unsigned maxRegisters = 0; ///< 0: no limit
  bool isDebug = false;      ///< unoptimised
  unsigned maxThreads = 0;   ///< of a block, for kernels without a bound
  unsigned minBlocks = 0;    ///< on a multiprocessor, likewise
  bool overrides = false;    ///< the bounds of kernels
  bool isVerbose = false;    ///< what kernels use is told
};

/// How device code is to be loaded, and why it was not.
struct Loading {
  const char *api = "device code"; ///< that reports name
  bool isPreserved = false;        ///< the program keeps the bytes
  const HostTable *host = nullptr; ///< of compiled host code that has registered it
  const Context *owner = nullptr;  ///< of a module: the context that it belongs to
  bool isPtx = false;      ///< that the code was: the driver gives managed variables their values
  std::string reason = {}; ///< of a failure
  std::string info = {};   ///< what the kernels of PTX use, if that is asked for
  JitChoices choices = {};
};

CUresult loadLibrary(Library *&, const void *code, Loading &);
CUresult loadLibraryFile(Library *&, const char *name, Loading &);
/// Says why, once more in `reason`; gives `error`.
CUresult refuse(Loading &, std::string reason, CUresult error);
/// Whether it is device code that may be read; else says what it is. Of PTX it makes an image, a
/// relocatable one if it is to be linked; of an image it leaves `made` empty.
CUresult checkFormat(const void *code, bool isRelocatable, Loading &, std::vector<uint8_t> &made);

/// The live one of a handle, or null.
Library *findLibrary(const void *handle);
/// Its kernel of that name in the code for the current device. Errors: CUDA_ERROR_NOT_FOUND, or why
/// the code cannot be used.
CUresult findKernel(Library &, const char *name, Kernel *&);
/// All of them, in the order of the image; those for which there is room.
CUresult findKernels(Library &, std::span<Kernel *> found);
CUresult countKernels(Library &, unsigned &count);
/// Waits for the work in all contexts, or in its own, and ends it.
CUresult unloadLibrary(Library &);
/// Ends the modules of a context whose work is over.
void unloadModules(const Context &);
/// With the end of its binary.
void forgetLibrary(Library &);

/// The names of variables that begin with some text, in the code for the current device.
std::vector<std::string> globalsThatBegin(Library &, std::string_view start);

enum class Globals { Plain, Managed, All };
/// A variable on the current device, if it is among those. One place may be null.
CUresult findGlobal(Library &, const char *name, Globals, void **p, size_t *bytes);

} // namespace heddle::driver
