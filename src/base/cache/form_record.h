// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cache keeps of a kernel's forms (driver/forms/forms.h): a text of a line for each size
// class.
//
//   heddle forms 1
//   kernel reduce(float*, int)
//   block 256 1 1
//   time used 310000000 spent 0 compilation 52000000
//   size 4711 width 64 tried 28 advantage 1.31
//   end
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The forms that a kernel may have: at most so many lanes.
inline constexpr std::array<uint32_t, 6> FormWidths = {1, 8, 16, 32, 64, 256};

struct FormRecord {
  struct Size {
    uint64_t key;     ///< of the size class
    uint32_t width;   ///< of the best form; 0: the one that the compiler has chosen
    uint32_t tried;   ///< bits: which of FormWidths were measured, or cannot be had
    double advantage; ///< how many times as fast as the compiler's choice
  };
  std::string kernel; ///< demangled
  std::array<uint32_t, 3> blockDim = {1, 1, 1};
  uint64_t used = 0, spent = 0; ///< ns: by the kernel, and on compilations of other forms
  uint64_t compilation = 0;     ///< ns, of the compiler's form; 0: not known
  std::vector<Size> sizes;

  std::string text() const;
  /// Nothing if the file is no record.
  static std::optional<FormRecord> read(const std::string &path);
};

} // namespace heddle
