// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/missing_library.h"

namespace heddle {

namespace {

struct SystemLibrary {
  std::string_view file, package;
};

constexpr SystemLibrary SystemLibraries[] = {
#define HEDDLE_SYSTEM_LIBRARY(file, package) {file, package},
#include "base/messages/system_libraries.def"
};

/// How glibc words it, behind the library's name.
constexpr std::string_view NotThere = ": cannot open shared object file";

} // namespace

std::string_view packageOf(std::string_view library) {
  for (const SystemLibrary &known : SystemLibraries)
    if (known.file == library)
      return known.package;
  return {};
}

bool saysMissing(std::string_view text) { return text.find(NotThere) != text.npos; }

std::string_view libraryIn(std::string_view text) {
  std::string_view path = text.substr(0, text.find(": "));
  return path.substr(path.rfind('/') + 1);
}

std::string_view missingSleefFunction(std::string_view text) {
  constexpr std::string_view Undefined = "undefined symbol: ";
  size_t at = text.find(std::string(Undefined) + "Sleef_");
  if (at == text.npos)
    return {};
  std::string_view name = text.substr(at + Undefined.size());
  return name.substr(0, name.find_first_not_of("abcdefghijklmnopqrstuvwxyzS0123456789_"));
}

std::string explainLoadError(std::string_view text) {
  if (std::string_view function = missingSleefFunction(text); !function.empty())
    return "libsleef.so.3 has no " + std::string(function) + ": install a newer package " +
           std::string(packageOf("libsleef.so.3"));
  std::string_view package = packageOf(libraryIn(text));
  std::string line(text.substr(0, text.find(NotThere)));
  line += saysMissing(text) ? " is missing" : "";
  if (!package.empty())
    line += ": install the package " + std::string(package);
  return line;
}

} // namespace heddle
