// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/compile/image_input.h"

#include <unistd.h>
#include <utility>

namespace heddle::tool {

ImageInput::~ImageInput() {
  if (pipe_ >= 0)
    close(pipe_);
}

Result<std::string> ImageInput::path() {
  if (access("/proc/self/fd", X_OK) == 0)
    return std::string(StandardInput);
  Result<std::string> folder = folder_.path();
  return folder ? Result(*folder + "/image") : folder;
}

std::optional<Failure> ImageInput::run(int input) {
  Result<Process> process = Process::start(command_, {.input = input, .captureErrors = true});
  if (!process)
    return Failure{process.error()};
  compiler_ = std::move(*process);
  return {};
}

std::optional<Failure> ImageInput::start(const Command &command) {
  command_ = command;
  Result<std::string> name = path();
  if (!name)
    return Failure{name.error()};
  if (*name != StandardInput)
    return {};
  Result<Pipe> pipe = Pipe::create();
  if (!pipe)
    return Failure{pipe.error()};
  pipe_ = pipe->write;
  std::optional<Failure> failure = run(pipe->read);
  close(pipe->read);
  return failure;
}

std::optional<Failure> ImageInput::write(const std::string &image) {
  if (pipe_ >= 0) {
    writeAndClose(std::exchange(pipe_, -1), image);
    return {};
  }
  Result<std::string> name = path();
  if (!name)
    return Failure{name.error()};
  if (auto failure = writeFile(*name, image))
    return failure;
  return run(-1);
}

void inlineImage(std::string &text, const std::string &path, const std::string &image) {
  const std::string directive = ".incbin " + literalOf(path);
  size_t at = text.find(directive);
  if (at == text.npos)
    return;
  std::string bytes;
  for (unsigned char byte : image)
    bytes += (bytes.empty() ? ".byte " : ",") + std::to_string(byte);
  text.replace(at, directive.size(), bytes);
}

std::string literalOf(std::string_view text) {
  std::string literal = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      literal += '\\';
    if (c == '\n')
      literal += "\\n";
    else
      literal += c;
  }
  return literal + '"';
}

} // namespace heddle::tool
