// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's functions of bytes that clang's builtins call (frontend/library_calls). For device code only.

using u64 = unsigned long long;
using Byte = unsigned char;

extern "C" int __heddle_memcmp(const void *a, const void *b, u64 bytes) {
  for (u64 i = 0; i < bytes; ++i) {
    int difference = static_cast<const Byte *>(a)[i] - static_cast<const Byte *>(b)[i];
    if (difference != 0)
      return difference;
  }
  return 0;
}

extern "C" const void *__heddle_memchr(const void *from, int value, u64 bytes) {
  for (u64 i = 0; i < bytes; ++i)
    if (static_cast<const Byte *>(from)[i] == static_cast<Byte>(value))
      return static_cast<const Byte *>(from) + i;
  return nullptr;
}

extern "C" u64 __heddle_strlen(const char *text) {
  u64 length = 0;
  while (text[length] != 0)
    ++length;
  return length;
}
