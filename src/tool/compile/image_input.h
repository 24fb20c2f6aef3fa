// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "tool/tools/files.h"
#include "tool/tools/process.h"

#include <string>

namespace heddle::tool {

/// How the host half's compiler gets the device image: by a pipe that is its standard input, so that
/// it starts before there is an image. That takes a name, which only /proc gives. Where there is
/// none, the image is a file, and the compiler starts when that is written.
class ImageInput {
public:
  explicit ImageInput(TemporaryDirectory &folder) : folder_(folder) {}
  ~ImageInput();
  ImageInput(const ImageInput &) = delete;
  ImageInput &operator=(const ImageInput &) = delete;

  /// The name for a compiler that is only shown.
  static constexpr const char *StandardInput = "/dev/stdin";
  Result<std::string> path();

  /// Makes a compiler of that command, and runs it if it can wait for the image.
  std::optional<Failure> start(const Command &);
  /// Gives it the image.
  std::optional<Failure> write(const std::string &image);
  /// Once the image is written.
  Process &compiler() { return compiler_; }

private:
  std::optional<Failure> run(int input);

  TemporaryDirectory &folder_;
  Command command_;
  Process compiler_;
  int pipe_ = -1;
};

/// Puts the image's bytes where assembly text asks for that file.
void inlineImage(std::string &text, const std::string &path, const std::string &image);

/// The string literal of C++, also of the assembler, for a text.
std::string literalOf(std::string_view text);

} // namespace heddle::tool
