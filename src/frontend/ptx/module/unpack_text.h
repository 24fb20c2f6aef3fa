// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle::frontend::ptx {

/// A text of `size` bytes of an LZ4 block ("LZ4 Block Format Description"). Bytes behind its end are
/// ignored.
llvm::Expected<std::string> unpackLz4(llvm::ArrayRef<uint8_t> packed, uint64_t size);
/// The same of a frame of zstd.
llvm::Expected<std::string> unpackZstd(llvm::ArrayRef<uint8_t> packed, uint64_t size);

} // namespace heddle::frontend::ptx
