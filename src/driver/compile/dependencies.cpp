// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/compile/dependencies.h"

#include <unordered_set>

namespace heddle::driver {

namespace {

std::string escape(std::string_view path) {
  std::string text;
  for (char c : path) {
    if (c == ' ' || c == '#')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

/// The place after the colon that ends the target.
size_t endOfTarget(std::string_view rule) {
  for (size_t i = 0; i + 1 < rule.size(); ++i)
    if (rule[i] == ':' && (rule[i + 1] == ' ' || rule[i + 1] == '\n' || rule[i + 1] == '\\'))
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
    char c = rule[i];
    char next = i + 1 < rule.size() ? rule[i + 1] : 0;
    if (c == '\\' && (next == '\n' || next == ' ' || next == '#')) {
      ++i;
      if (next != '\n')
        file += next;
    } else if (c == '$' && next == '$') {
      file += rule[++i];
    } else if (c == '\n') {
      break; // the rule's end: what follows are phony rules
    } else if (c == ' ' || c == '\t') {
      finish();
    } else {
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

} // namespace heddle::driver
