// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/cursor.h"

namespace heddle::frontend::ptx {

/// Whether a constant expression begins here: a number, or what may stand before one.
bool beginsConstant(const Cursor &);

/// Reads a constant expression (PTX ISA, "Constant Expressions"). The token is its value: an
/// integer or a float.
llvm::Expected<Token> readConstant(Cursor &);

/// Reads what stands behind a name, `+ 4 * 2 - 1`, which begins with a sign; the sum of it.
llvm::Expected<uint64_t> readOffset(Cursor &);

} // namespace heddle::frontend::ptx
