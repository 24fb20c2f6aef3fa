// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/messages.h"

#include "base/temporary_files.h"

#include <cstdarg>
#include <cstdio>

namespace heddle {

void tell(std::string_view text) {
  FileSizeGuard guard;
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void tellf(const char *format, ...) {
  FileSizeGuard guard;
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
}

} // namespace heddle
