// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/parser.h"
#include "model/kernel.h"

namespace heddle::jit {

/// What an instruction of PTX is by its opcode: family, type, flags, space. Operands, access and line
/// are the caller's.
model::CodeOperation operationOf(const frontend::ptx::Statement &);

/// It accesses memory other than parameters.
bool isAccess(const model::CodeOperation &);

} // namespace heddle::jit
