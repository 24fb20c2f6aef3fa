// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of code that was compiled before.
//
// Tests compile each kernel with many settings, of which most change nothing in it. With
// HEDDLE_SAME_CODE=FOLDER what the back end made is kept there by the code it was made of, and
// taken from there. Not for users: their kernels are in the cache (base/cache/object_cache.h), by a key
// that asks for no compilation at all.
#pragma once

#include "base/hash.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::jit {

/// Of the code and the machine it is for; nothing without HEDDLE_SAME_CODE.
std::optional<Hash128> keyOfCode(const llvm::Module &module, const llvm::TargetMachine &machine);

/// The shared object that was made of the same code.
std::optional<std::vector<uint8_t>> findSameCode(const std::optional<Hash128> &key);

void keepCode(const std::optional<Hash128> &key, const std::vector<uint8_t> &object);

} // namespace heddle::jit
