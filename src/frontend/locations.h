// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

namespace heddle::frontend {

/// "file:line:col" of an instruction in the user's source; "function 'name'" if it has none.
std::string location(const llvm::Instruction &);

/// The file of a place: as the compiler was given it, or, where clang has cut off what it shares
/// with the folder that it ran in, whole.
std::string fileOf(const llvm::DILocation &);

/// The instruction's place in the user's source: outside of our and clang's headers, where it can
/// be told. Null without debug information.
const llvm::DILocation *userLocation(const llvm::Instruction &);

/// "<location>: error: <message>".
llvm::Error errorAt(const llvm::Instruction &, const llvm::Twine &message);

} // namespace heddle::frontend
