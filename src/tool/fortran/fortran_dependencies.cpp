// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flang writes no make rules. What a source reads is found in two steps: its prescanner tells the
// included files, and module files are those that statements `use` name, in sources as in module
// files. A statement under a condition that does not hold, or in a comment's continuation, may name
// a file too many, which costs a compilation at worst.
#include "tool/fortran/fortran_dependencies.h"

#include "tool/tools/files.h"

#include <algorithm>
#include <cctype>

namespace heddle::tool {

namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

void skipBlanks(std::string_view &text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t'))
    text.remove_prefix(1);
}

/// Takes a name off the text; empty if there is none.
std::string takeName(std::string_view &text) {
  skipBlanks(text);
  std::string name;
  while (!text.empty() && isNameCharacter(text[0])) {
    name += lower(text[0]);
    text.remove_prefix(1);
  }
  return name;
}

/// The module of "use m", "use :: m", "use, non_intrinsic :: m"; empty for other statements.
std::string usedModule(std::string_view statement) {
  if (takeName(statement) != "use")
    return "";
  skipBlanks(statement);
  if (statement.starts_with(",") || statement.starts_with("::"))
    statement.remove_prefix(std::min(statement.size(), statement.find("::") + 2));
  return takeName(statement);
}

/// The module that "module m" begins; a procedure where the line is "module procedure p" and its
/// like.
std::string definedModule(std::string_view statement) {
  return takeName(statement) == "module" ? takeName(statement) : "";
}

/// What `find` makes of each statement, where it is something.
template <typename Find> std::vector<std::string> collect(std::string_view text, Find find) {
  std::vector<std::string> names;
  while (!text.empty()) {
    size_t end = text.find_first_of(";\n");
    if (std::string name = find(text.substr(0, end)); !name.empty())
      names.push_back(name);
    text = end == text.npos ? "" : text.substr(end + 1);
  }
  return names;
}

bool contains(const std::vector<std::string> &list, const std::string &text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// The first of the folders' files of that module; empty if it comes with the compiler.
std::string moduleFile(const std::string &module, const std::vector<std::string> &folders) {
  for (const std::string &folder : folders)
    if (std::string path = folder + "/" + module + ".mod"; isFile(path))
      return path;
  return "";
}

} // namespace

std::vector<std::string> usedModules(std::string_view text) { return collect(text, usedModule); }

std::vector<std::string> filesOfProvenance(std::string_view dump) {
  constexpr std::string_view Mark = "SourceFile '";
  std::vector<std::string> files;
  for (size_t at = dump.find(Mark); at != dump.npos; at = dump.find(Mark, at + 1)) {
    size_t begin = at + Mark.size(), end = dump.find("'\n", begin);
    if (end != dump.npos && (at == 0 || dump[at - 1] == '\n'))
      files.emplace_back(dump.substr(begin, end - begin));
  }
  return files;
}

std::vector<std::string> addModuleFiles(std::vector<std::string> files,
                                        const std::vector<std::string> &folders) {
  size_t sources = files.size();
  std::vector<std::string> own; // the sources' own modules, whose files the compilation writes
  for (size_t i = 0; i < files.size(); ++i) { // grows
    Result<std::string> text = readFile(files[i]);
    if (!text)
      continue;
    if (i < sources)
      for (std::string &module : collect(*text, definedModule))
        own.push_back(std::move(module));
    for (const std::string &module : usedModules(*text))
      if (std::string path = contains(own, module) ? "" : moduleFile(module, folders);
          !path.empty() && !contains(files, path))
        files.push_back(path);
  }
  return files;
}

} // namespace heddle::tool
