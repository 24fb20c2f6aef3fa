// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace heddle::simt {

/// The numbers of the models that choose a form (costs.def).
struct Costs {
#define HEDDLE_FACT(NAME, VALUE, DOC) double NAME = VALUE;
#define HEDDLE_COST(NAME, VALUE, DOC) double NAME = VALUE;
#include "simt/costs.def"
#undef HEDDLE_FACT
#undef HEDDLE_COST
};

/// With those that `list` (NAME=VALUE,...) sets; an error that names what is no cost or no number.
llvm::Expected<Costs> parseCosts(llvm::StringRef list);

} // namespace heddle::simt
