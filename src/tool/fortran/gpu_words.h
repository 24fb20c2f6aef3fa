// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/fortran/fortran_options.h"

namespace heddle::tool {

/// What -cuda=, -gpu= and -Mcuda= ask for.
struct GpuWords {
  std::vector<std::string> nvcc; ///< nvcc's options that say the same
  /// Files that stay beside the object: keepptx, keepbin, keepgpu.
  bool keepsPtx = false, keepsImage = false, keepsBitcode = false;
  bool isManaged = false;    ///< what the program allocates on the heap is managed memory
  bool isUnified = false;    ///< kernels may use all of the host's memory
  bool zeroesMemory = false; ///< what is allocated on the device is zero
};

/// Whether the word means something; a value may follow behind a colon.
bool isGpuWord(std::string_view);

/// What the words do, one a line.
std::string gpuWordsHelp();

/// What all words of a command line mean together. -g asks for debug information in device code.
GpuWords readGpuWords(const FortranOptions &);

} // namespace heddle::tool
