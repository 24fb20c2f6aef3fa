// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of libheddle_jit.so, the only library of Heddle that loads LLVM. The runtime and
// the driver load it with dlopen when a kernel is not in the cache or a file must be compiled.
#pragma once

#include "base/mode.h"

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {

/// Bytes or a message. Freed with heddleJitFree. `error` is null on success.
struct HeddleJitResult {
  uint8_t *data;
  size_t size;
  char *error; ///< one or more diagnostics, each "file:line:col: error: text" where a location is
               ///< known
  bool isLibraryMissing; ///< it failed because the system lacks a library, which is named
};

struct HeddleCompileRequest {
  const uint8_t
      *image; ///< a device image (base/image/module_image.h), already linked if relocatable
  size_t imageSize;
  const char *kernel; ///< mangled name
  uint32_t blockDim[3];
  uint32_t width;  ///< at most this many lanes: 1, 8, 16, 32 ... 1024; 0: the compiler chooses
  const char *cpu; ///< null: this machine; otherwise an LLVM CPU name (x86-64-v3, ...)
  bool threadwise; ///< at width 1: with start and resume also if the kernel never waits
  /// For each of the image's parameters and, last, for the module's variables: pointers with
  /// different numbers point into different allocations; 0: nothing is known. Null: of none.
  const uint32_t *objects = nullptr;
  /// Some allocation, block of variables or device's heap has more than ShortObject bytes, or some
  /// launch more than MostIndices threads along x.
  bool hasLongObjects = false;
  heddle::Mode mode = heddle::Mode::Plain; ///< not Plain for an image of -G
  uint32_t checks = 0;                     ///< heddle::Checks, of Mode::Checked
};

/// Compiles one kernel for one block shape to a shared object (an ELF file's bytes). Gets another
/// name when the request changes: programs have the runtime linked in, and may be older.
HeddleJitResult heddleJitCompileWith(const HeddleCompileRequest *);

/// Makes a device image from LLVM bitcode as clang wrote it (nvptx64). maxRegisters: of
/// -maxrregcount, 0 if there is none.
HeddleJitResult heddleJitPack(const uint8_t *bitcode, size_t size, uint32_t imageFlags, uint32_t sm,
                              uint32_t compileOptions, uint32_t maxRegisters);

/// Links relocatable images into one. Fails naming each undefined or doubly defined symbol.
HeddleJitResult heddleJitLink(const uint8_t *const *images, const size_t *sizes, size_t count);

/// Why PTX was refused.
enum HeddlePtxRefusal { HeddlePtxAccepted, HeddlePtxInvalid, HeddlePtxVersion };

enum HeddlePtxPacking { HeddlePtxPlain, HeddlePtxLz4, HeddlePtxZstd };

struct HeddlePtxText {
  const char *bytes;
  size_t size;
  HeddlePtxPacking packing; ///< of the bytes
  size_t unpackedSize;      ///< if they are packed
  uint32_t maxRegisters;    ///< of kernels that say nothing of it; 0: no limit
  bool isDebug;             ///< as -G: unoptimised
  uint32_t maxThreads;      ///< of a block, for kernels that say nothing of it; 0: nothing
  uint32_t minBlocks;       ///< on a multiprocessor, likewise
  bool overrides;           ///< numbers above hold for all kernels
};

/// Makes a device image of the text of a PTX module; a relocatable one is to be linked. `error` has
/// the lines that ptxas would write, and `*refusal` says why.
HeddleJitResult heddleJitReadPtx(const HeddlePtxText *text, bool isRelocatable,
                                 HeddlePtxRefusal *refusal);

/// The text itself, unpacked, up to a zero byte.
HeddleJitResult heddleJitUnpackPtx(const HeddlePtxText *text);

/// Makes the image of one kernel of a large text: `index` is the image that heddleJitReadPtx made of it.
HeddleJitResult heddleJitReadPtxKernel(const uint8_t *index, size_t size, const char *kernel,
                                       HeddlePtxRefusal *refusal);

/// PTX of an image for `target` (sm_90a), by LLVM's NVPTX back end; with `.loc` lines if `hasLines`.
HeddleJitResult heddleJitEmitPtx(const uint8_t *image, size_t size, const char *target,
                                 bool hasLines);

struct HeddleGpuRequest {
  const uint8_t *image; ///< linked if relocatable
  size_t imageSize;
  const char *target; ///< sm_90a
  uint32_t ptx = 0;   ///< the version of PTX, times 10, that the GPU's driver takes; 0: the usual
  /// Managed variables are 64-bit pointers to the host's, which who loads the code sets.
  bool usesHostVariables = false;
  /// This kernel alone, for blocks of up to `threads`. All variables are pointers, and lines at the head
  /// of the text say what they are set to (base/abi/gpu_notes.h). Null: all kernels.
  const char *kernel = nullptr;
  uint32_t threads = 0;
};

/// PTX for a GPU that runs it, with the device library that is made for GPUs, and loops and calls as that
/// is fast.
HeddleJitResult heddleJitEmitGpu(const HeddleGpuRequest *);

/// Calls `action(context)`, which uses LLVM. A fatal error of LLVM's ends it, and not the process: then
/// `error` has its words.
HeddleJitResult heddleJitSurvive(void (*action)(void *), void *context);

/// Source position of a program counter inside a shared object that heddleJitCompileWith made:
/// "function\0file\0" in data, the line number in `*line`. For fault reports.
HeddleJitResult heddleJitSymbolize(const char *objectPath, uint64_t offset, uint32_t *line);

/// The functions, the innermost first, at an offset (from the load address) of an executable or
/// library of the host: for each "function\0file\0line\0column\0", where what is not known is empty
/// or 0.
HeddleJitResult heddleJitSymbolizeHost(const char *path, uint64_t offset);

/// A string that changes whenever compiled code may change: part of every cache key. Static
/// storage.
const char *heddleJitVersion();

void heddleJitFree(HeddleJitResult *);
}
#pragma GCC visibility pop
