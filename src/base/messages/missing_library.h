// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// The Debian package that brings a shared library of the system, by its file's name; empty if it is
/// none that we need.
std::string_view packageOf(std::string_view library);

/// What dlerror() or lld said of a library that could not be loaded or linked, as one line that names
/// the package to install: "libsleef.so.3 is missing: install the package libsleef3".
std::string explainLoadError(std::string_view text);

/// The library that such a text is about: the one that was to be loaded, or one that it needs.
std::string_view libraryIn(std::string_view text);

/// The function of SLEEF that such a text misses, where an older SLEEF is installed; or empty.
std::string_view missingSleefFunction(std::string_view text);

/// Whether dlerror() said that this library is not there.
bool saysMissing(std::string_view text);

} // namespace heddle
