// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/json.h"

#include <cstdio>

namespace heddle::json {

std::string quote(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    char code[8];
    if (c == '"' || c == '\\')
      quoted += std::string("\\") + c;
    else if (byte < 0x20)
      snprintf(code, sizeof(code), "\\u%04x", byte), quoted += code;
    else
      quoted += c;
  }
  return quoted + '"';
}

} // namespace heddle::json
