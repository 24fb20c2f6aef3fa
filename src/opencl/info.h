// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers of clGet*Info: a value, an array or a text into the caller's room.
#pragma once

#include "opencl/object.h"

#include <cstring>
#include <string>
#include <vector>

namespace heddle::cl {

/// The room of a caller: param_value_size, param_value, param_value_size_ret.
struct Room {
  size_t size;
  void *value;
  size_t *sizeReturned;

  cl_int giveBytes(const void *bytes, size_t count) const {
    if (value && size < count)
      return CL_INVALID_VALUE;
    if (value && count)
      std::memcpy(value, bytes, count);
    if (sizeReturned)
      *sizeReturned = count;
    return CL_SUCCESS;
  }
  template <typename T> cl_int give(const T &one) const { return giveBytes(&one, sizeof(T)); }
  template <typename T> cl_int give(const std::vector<T> &many) const {
    return giveBytes(many.data(), many.size() * sizeof(T));
  }
  cl_int give(const std::string &text) const { return giveBytes(text.c_str(), text.size() + 1); }
  cl_int give(const char *text) const { return giveBytes(text, std::strlen(text) + 1); }
  cl_int give(bool truth) const { return give<cl_bool>(truth ? CL_TRUE : CL_FALSE); }
};

/// Sets errcode_ret, which may be null, and gives null.
inline std::nullptr_t fail(cl_int *code, cl_int error) {
  if (code)
    *code = error;
  return nullptr;
}
template <typename T> T *succeed(cl_int *code, T *object) {
  if (code)
    *code = CL_SUCCESS;
  return object;
}

} // namespace heddle::cl
