// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code for several architectures: what a source becomes under several -gencode. It stands
// where a single image would (base/image/module_image.h), and holds one image for each __CUDA_ARCH__ that
// made a difference, with the names under which they were asked for. An image may have several
// names.
//
// Layout: BundleHeader, BundleEntry[count], images; offsets from the start of the bundle, 16-byte
// aligned.
#pragma once

#include "base/image/module_image.h"

#include <string>
#include <vector>

namespace heddle {

inline constexpr char BundleMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'B', 'U'};
inline constexpr uint32_t BundleVersion = 2;

struct BundleHeader {
  char magic[8];
  uint32_t version;
  uint32_t count;
  uint64_t totalBytes;
  uint64_t headerSum; ///< XXH3 of header and entries, with this field as 0
  uint64_t reserved;
};

/// One name of an image: `code=sm_86` or `code=compute_80` with `arch=compute_80`.
struct BundleEntry {
  uint32_t arch;   ///< 80: __CUDA_ARCH__ was 800
  uint32_t code;   ///< 86 of sm_86, 80 of compute_80
  uint32_t isReal; ///< 1: sm_, machine code in CUDA; 0: compute_, PTX
  uint32_t reserved;
  uint64_t offset, bytes;
};

/// An image to be put into a bundle.
struct BundleItem {
  uint32_t arch, code;
  bool isReal;
  std::string_view image;
};

/// Equal images are stored once.
std::string makeBundle(std::span<const BundleItem>);

/// Code for one device.
struct ChosenImage {
  ImageView image;
  uint32_t ptxVersion;    ///< 80: of arch=compute_80
  uint32_t binaryVersion; ///< of the machine code that CUDA would run
  bool fits = true;       ///< false if CUDA would run nothing
};

/// What a device of this compute capability (35 for 3.5) runs, by CUDA's rules (CUDA guide,
/// "Application Compatibility"): machine code of its own major version, the highest that is not
/// above its minor version; else the highest PTX that is not above it. Where CUDA would find
/// nothing, the nearest older code, else the oldest. `data` may be a plain image, which serves
/// every device.
Result<ChosenImage> chooseImage(const void *data, uint32_t capability);
/// The same of bytes that nobody has looked at, of which there are so many.
Result<ChosenImage> chooseImage(const void *data, size_t available, uint32_t capability);

/// The bytes of a bundle or an image at `data`, of which `available` bytes can be read; 0 if it is
/// neither, or is longer.
size_t deviceCodeBytes(const void *data, size_t available);

} // namespace heddle
