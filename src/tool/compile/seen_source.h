// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/tools/files.h"
#include "tool/tools/process.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::tool {

/// A CUDA source as clang sees it: with the spellings that nvcc takes and clang does not replaced,
/// under the file's name.
class SeenSource {
public:
  explicit SeenSource(std::string path) : path_(std::move(path)) {}

  /// Reads the source and replaces what is known without clang. A file that cannot be read is left
  /// to clang.
  std::optional<Failure> read();

  /// Replaces what clang has refused by these messages and nvcc takes; true if the source is worth
  /// another compilation. A few times at most.
  bool repair(const std::vector<std::string> &errors);

  /// clang's options for it.
  Command flags() const;

  /// What to show of a compilation that has failed with these messages: of a repaired source those
  /// of the text that the user wrote, unless they were all of what was repaired.
  const std::vector<std::string> &errorsToShow(const std::vector<std::string> &errors) const;

private:
  std::optional<Failure> writeOverlay();

  std::string path_;
  std::string text_;
  std::vector<std::string> firstErrors_;
  unsigned repairs_ = 0;
  TemporaryDirectory temporary_;
  std::string overlay_; ///< clang's file of files to see in place of others; mostly none
};

} // namespace heddle::tool
