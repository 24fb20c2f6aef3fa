// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

namespace heddle::frontend {

/// The file of a place: as it was named to the compiler, or absolute. Clang splits the path of a file
/// that lies beside the folder it works in, which nobody could find from another one.
std::string fileOf(const llvm::DILocation &);

/// "file:line:col" of an instruction in the user's source; "function 'name'" if it has none.
std::string location(const llvm::Instruction &);

/// The instruction's place in the user's source: outside of our and clang's headers, where it can
/// be told. Null without debug information.
const llvm::DILocation *userLocation(const llvm::Instruction &);

/// "<location>: error: <message>".
llvm::Error errorAt(const llvm::Instruction &, const llvm::Twine &message);

} // namespace heddle::frontend
