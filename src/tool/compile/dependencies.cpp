// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/compile/dependencies.h"

#include <algorithm>
#include <unordered_set>

namespace heddle::tool {

namespace {

/// As make reads it, and gcc and clang write it: backslashes in front of a blank are doubled.
std::string escape(std::string_view path) {
  std::string text;
  size_t backslashes = 0;
  for (char c : path) {
    if (c == ' ' || c == '\t')
      text.append(backslashes + 1, '\\');
    else if (c == '#')
      text += '\\';
    else if (c == '$')
      text += '$';
    backslashes = c == '\\' ? backslashes + 1 : 0;
    text += c;
  }
  return text;
}

/// The place after the colon that ends the target.
size_t endOfTarget(std::string_view rule) {
  for (size_t i = 0; i + 1 < rule.size(); ++i)
    if (rule[i] == ':' &&
        (rule[i + 1] == ' ' || rule[i + 1] == '\n' || rule.substr(i + 1).starts_with("\\\n")))
      return i + 1;
  return rule.size();
}

} // namespace

std::vector<std::string> parseDependencies(std::string_view rule) {
  std::vector<std::string> files;
  std::string file;
  auto finish = [&] {
    if (!file.empty())
      files.push_back(std::move(file));
    file.clear();
  };
  for (size_t i = endOfTarget(rule); i < rule.size(); ++i) {
    size_t end = std::min(rule.find_first_not_of('\\', i), rule.size());
    size_t backslashes = end - i;
    char c = end < rule.size() ? rule[end] : 0;
    i = end;
    if (backslashes % 2 == 1 && (c == ' ' || c == '\t')) {
      file.append(backslashes / 2, '\\') += c;
      continue;
    }
    bool isTaken = backslashes > 0 && (c == '#' || c == '\n');
    file.append(backslashes - isTaken, '\\');
    if (isTaken && c == '\n') {
      finish(); // the rule goes on in the next line
    } else if (c == '\n') {
      break; // what follows are phony rules
    } else if (c == ' ' || c == '\t') {
      finish();
    } else if (c != 0) {
      i += c == '$' && rule.substr(end + 1).starts_with('$');
      file += c;
    }
  }
  finish();
  return files;
}

void mergeDependencies(std::vector<std::string> &list, const std::vector<std::string> &more) {
  std::unordered_set<std::string> known(list.begin(), list.end());
  for (const std::string &file : more)
    if (known.insert(file).second)
      list.push_back(file);
}

std::string formatDependencies(const std::string &target, const std::vector<std::string> &files,
                               bool phony) {
  std::string text = escape(target) + " :";
  for (const std::string &file : files)
    text += (&file == &files.front() ? " " : " \\\n    ") + escape(file);
  text += '\n';
  for (size_t i = 1; phony && i < files.size(); ++i)
    text += "\n" + escape(files[i]) + ":\n";
  return text;
}

} // namespace heddle::tool
