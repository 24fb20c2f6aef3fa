// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// The modules that a source or a module file names in its statements `use`, in lower case. A
/// module file is text of the same form.
std::vector<std::string> usedModules(std::string_view text);

/// The files that `flang-22 -fc1 -fdebug-dump-provenance` names: the source, and what it includes.
std::vector<std::string> filesOfProvenance(std::string_view dump);

/// What the compilation of a source reads: `files` and the module files that they name, each
/// searched in the folders, with those that they name in turn. A module in none of them comes with
/// the compiler; the sources' own are left out.
std::vector<std::string> addModuleFiles(std::vector<std::string> files,
                                        const std::vector<std::string> &folders);

} // namespace heddle::tool
