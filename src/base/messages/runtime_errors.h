// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle {

/// The runtime API's name of an error code and what it says of it (errors.def); "unrecognized error
/// code" for both if it is none.
struct ErrorText {
  const char *name, *text;
};
ErrorText runtimeErrorText(int code);

} // namespace heddle
