// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device image: what `heddle cc` embeds in a host object (in place of NVIDIA's fat binary) and
// what the runtime reads back at start-up.
//
// It holds the device module as LLVM bitcode and, beside it, everything that the runtime must know
// without loading LLVM: kernels and their parameter layout, variables and their place in the
// module's globals block, and the initial bytes of that block. One image per translation unit;
// images of relocatable device code (-rdc=true) are linked into one at first use, and the result is
// cached.
//
// Layout: ImageHeader, then the arrays that it points at, each 16-byte aligned, offsets from the
// start of the image. All structs are plain and little-endian; an image can be used where it lies.
//
// Images come from files, which may be damaged. ImageView::create checks the header, every table and
// all that the tables refer to; what reads a view afterwards need not. The bitcode is large and only
// read where a kernel is compiled, so it is checked there (ImageView::bitcode).
//
// Globals block. All `__device__`, `__constant__` and `__managed__` variables of the module, string
// literals and other constant data of device code lie in one block per module and device, at fixed
// offsets. Compiled code reaches them as Launch::globals + offset, so all kernels of a module share
// them, whichever object they were compiled into. A managed variable has an 8-byte slot in the
// block that holds the address of its storage, and device code goes through the slot.
//
// Device function addresses are not machine addresses: a function whose address is taken has a
// number, its index in the bitcode's `heddle.functions` metadata, and its "address" is FunctionTag
// + 16 * number. So a pointer stored by one kernel (a vtable, a table of functions) can be called
// by another. Kernels that device code launches have numbers of the same list.
#pragma once

#include "base/hash.h"
#include "base/image/register_counts.h"
#include "base/result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle {

inline constexpr uint32_t ImageVersion = 6;
inline constexpr char ImageMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'I', 'M'};
inline constexpr uint64_t FunctionTag =
    0x4845'0000'0000'0000ull; // not canonical on any 64-bit host

enum ImageFlags : uint32_t {
  ImageRelocatable = 1, ///< -rdc=true: may refer to symbols of other images
  ImageDebug = 2,       ///< -G: run at width 1, unoptimised, with line tables
  ImagePtx = 4, ///< in the place of bitcode is the text of a PTX module, and each kernel's row says
                ///< what its directives say; an image of one kernel is made when it is first used
};

/// A part of the image: `count` elements (bytes for blobs) from `offset`.
struct ImageRange {
  uint64_t offset;
  uint64_t count;
};

struct ImageKernel {
  uint32_t name;        ///< offset of the mangled name in `strings`
  uint32_t displayName; ///< demangled, without parameters' names: for reports
  uint32_t firstParam;
  uint32_t paramCount;
  uint32_t paramBytes;   ///< size of the packed parameter block
  uint32_t staticShared; ///< bytes
  uint32_t dynamicSharedAlign;
  uint32_t localBytes;                    ///< per thread
  uint8_t registers[RegisterGenerations]; ///< estimates, see frontend/registers.cpp
  uint32_t maxRegisters; ///< -maxrregcount where there are no bounds, __maxnreg__; 0 if none
  uint32_t maxThreads;   ///< __launch_bounds__, 0 if none
  uint32_t blockDim[3];  ///< .reqntid: the only one; zeros if none
  uint32_t minBlocks;    ///< __launch_bounds__ second value, 0 if none
  uint32_t maxClusterRank;
  uint32_t clusterDim[3];  ///< __cluster_dims__, 0 if none
  uint32_t flags;          ///< ImageKernelFlags
  uint32_t barriers;       ///< of the 16 of a block, those up to the highest that is used
  uint32_t functionNumber; ///< of its address in device code (FunctionTag); ~0 if it is not taken
};

enum ImageKernelFlags : uint32_t {
  ImageKernelGridSync = 1,       ///< holds a grid barrier
  ImageKernelNeedsCluster = 2,   ///< .explicitcluster: a launch has to name clusters
  ImageKernelCountsClusters = 4, ///< .blocksareclusters: a launch's grid is in clusters
};

struct ImageParam {
  uint32_t offset; ///< in the packed parameter block
  uint32_t size;
  uint32_t align;
  uint32_t isPointer; ///< not 0: it is a pointer (checked at launch); see ParamOnlyAccessed
};

/// ImageParam::isPointer if the pointer serves for accesses only. Another address may take its
/// place.
inline constexpr uint32_t ParamOnlyAccessed = 2;

/// Host memory that a kernel may not use is given to it at an address where nothing is, so that it
/// faults where it touches it: the upper half of the address space, which belongs to the operating
/// system. A program's own addresses have 47 bits on x86-64, and 48 on AArch64.
#if defined(__aarch64__)
inline constexpr uint64_t HostMemoryTag = 0xffff'0000'0000'0000ull;
#else
inline constexpr uint64_t HostMemoryTag = 0xffff'8000'0000'0000ull;
#endif

enum class VariableSpace : uint32_t { Global = 0, Constant = 1, Managed = 2, Internal = 3 };

struct ImageVariable {
  uint32_t name; ///< offset of the mangled name in `strings`
  VariableSpace space;
  uint64_t size;       ///< bytes of the variable itself (for Managed: of its storage)
  uint64_t offset;     ///< in the globals block (for Managed: of the 8-byte slot)
  uint64_t initOffset; ///< for Managed: where its initial bytes lie in the globals block
  uint32_t align;
  uint32_t isExtern; ///< 1: declared here, defined in another image
};

/// `*(uint64_t *)(globals + at) = (uint64_t)globals + addend`, done once when the block is made.
struct ImageRelocation {
  uint64_t at;
  uint64_t addend;
};

struct ImageHeader {
  char magic[8];
  uint32_t version;
  uint32_t flags; ///< ImageFlags
  uint64_t totalBytes;
  uint64_t headerSum; ///< XXH3 of the header, with this field as 0
  uint64_t tablesSum; ///< XXH3 of what lies between header and bitcode
  uint64_t hash[2]; ///< imageHash: of everything that decides the compiled code (bitcode, options)
  uint32_t sm;      ///< -arch, e.g. 90
  uint32_t compileOptions; ///< CompileOptions bits
  uint64_t globalsBytes;   ///< size of the globals block
  uint64_t globalsAlign;
  ImageRange kernels, params, variables, relocations, strings;
  ImageRange globalsInit; ///< first bytes of the globals block; the rest is zero
  ImageRange bitcode;     ///< the last part
};

/// -ftz, -prec-div, -prec-sqrt, -fmad, -use_fast_math as the JIT needs them.
enum CompileOptions : uint32_t {
  OptionFlushDenormals = 1,
  OptionApproxDivide = 2,
  OptionApproxSqrt = 4,
  OptionNoContract = 8,
  OptionFastMath = 16,
};

/// ImageHeader::hash, of the bitcode and the options in the header.
Hash128 imageHash(const ImageHeader &, std::span<const uint8_t> bitcode);

/// Makes an image of its bytes: a header whose ranges, flags and options are set, and the parts. Sets
/// magic number, version, size and checksums.
void sealImage(std::span<uint8_t> image);

/// A checked view of an image in memory. Keeps the pointer, copies nothing.
class ImageView {
public:
  /// Fails when `data` is no image, is of another version, is cut short or damaged. `data` is
  /// aligned as ImageHeader is.
  static Result<ImageView> create(std::span<const uint8_t> data);
  /// The same for an image whose length is only known from its own header.
  static Result<ImageView> create(const void *data);

  const ImageHeader &header() const { return *header_; }
  std::span<const ImageKernel> kernels() const;
  std::span<const ImageParam> params(const ImageKernel &) const;
  std::span<const ImageVariable> variables() const;
  std::span<const ImageRelocation> relocations() const;
  std::span<const uint8_t> globalsInit() const;
  /// Fails when the bitcode is not what ImageHeader::hash says.
  Result<std::span<const uint8_t>> bitcode() const;
  std::string_view string(uint32_t offset) const;
  /// Null if there is none of that mangled name.
  const ImageKernel *findKernel(std::string_view name) const;
  const ImageVariable *findVariable(std::string_view name) const;
  std::span<const uint8_t> bytes() const;

private:
  const ImageHeader *header_ = nullptr;
};

} // namespace heddle
