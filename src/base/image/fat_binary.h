// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heddle {

/// A text of PTX as a program gives it: by itself, or as an entry of a fatbinary.
struct PtxText {
  std::string_view bytes;    ///< of an entry: its payload
  unsigned capability = 0;   ///< of an entry: for sm_75, 75
  uint64_t flags = 0;        ///< of an entry
  uint64_t unpackedSize = 0; ///< of an entry whose payload is compressed

  bool isLz4() const { return flags & 0x2000; }
  bool isZstd() const { return flags & 0x8000; }
  /// Texts are for all later devices, too; of an 'a' for one only, of an 'f' for its family.
  bool isFor(unsigned device) const {
    return capability <= device && (!(flags & 0x100000) || capability == device) &&
           (!(flags & 0x200000) || capability / 10 == device / 10);
  }
};

/// Text of PTX: a comment, or the directive that must come first. It ends with a zero.
bool isPtx(const void *code);
/// A fatbinary as NVIDIA's tools write it. `code` can be read as far as its first word.
bool isFatBinary(const void *code);
/// The entries of a fatbinary that hold PTX; none where its sizes are wrong or the process has no
/// memory there.
std::vector<PtxText> ptxOf(const void *fatBinary);
/// The PTX of each fatbinary that lies in a file.
std::vector<std::vector<PtxText>> fatBinariesIn(std::string_view file);

/// What compiled host code has of a fatbinary: of version 2 it names relocatable ones, too, as nvcc
/// -rdc=true writes them. `code` can be read as far as its first word.
bool isWrapper(const void *code);
/// The fatbinaries of a wrapper: its own, or those that are to be linked with each other; none where
/// the process has no memory there.
std::vector<const void *> fatBinariesOf(const void *wrapper, bool &areLinked);
/// That of the highest capability that the device has; null: none is for the device.
const PtxText *chooseText(std::span<const PtxText>, unsigned capability);

} // namespace heddle
