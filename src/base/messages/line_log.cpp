// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/line_log.h"

#include <fcntl.h>
#include <unistd.h>

namespace heddle {

void appendLine(const char *file, std::string line) {
  line += '\n';
  int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return;
  // One write at the end of the file stays in one piece.
  [[maybe_unused]] ssize_t written = write(descriptor, line.data(), line.size());
  close(descriptor);
}

} // namespace heddle
