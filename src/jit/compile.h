// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"
#include "base/mode.h"

#include "llvm/Support/Error.h"

#include <array>
#include <string>
#include <vector>

namespace heddle::jit {

struct CompileRequest {
  ImageView image;
  std::string kernel; ///< mangled name
  std::array<unsigned, 3> blockDim;
  unsigned width;
  const char *cpu;                   ///< null: this machine
  bool threadwise = false;           ///< see HeddleCompileRequest
  const uint32_t *objects = nullptr; ///< likewise
  bool hasLongObjects = false;       ///< likewise
  Mode mode = Mode::Plain;
  uint32_t checks = 0;
};

/// One kernel, one block shape: image to shared object.
llvm::Expected<std::vector<uint8_t>> compileKernel(const CompileRequest &request);

} // namespace heddle::jit
