// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/ASTConsumer.h"

#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
}

namespace heddle::cuda {

/// Text behind a source that uses each expression, so that templates are instantiated.
std::string usesOf(const std::vector<std::string> &expressions);

/// Reads the mangled names out of what `usesOf` became, one for each expression, to `names`. An
/// expression that is neither a kernel nor a variable of the device is an error.
std::unique_ptr<clang::ASTConsumer> nameExpressions(clang::CompilerInstance &,
                                                    const std::vector<std::string> &expressions,
                                                    std::vector<std::string> &names);

} // namespace heddle::cuda
