// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/options.h"
#include "tool/tools/files.h"

#include <cctype>
#include <cstdlib>

namespace heddle::tool {

namespace {

constexpr int MaxNesting = 16; // of response files; deeper is a file that includes itself

bool isOptionsFile(std::string_view word, std::string &path) {
  for (std::string_view name : {"--options-file", "-options-file", "--optf", "-optf"}) {
    if (word == name) {
      path.clear();
      return true;
    }
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=') {
      path = word.substr(name.size() + 1);
      return true;
    }
  }
  return false;
}

class Expander {
public:
  Result<std::vector<std::string>> expand(const std::vector<std::string> &words) {
    add(words, 0);
    if (!error_.empty())
      return Failure{error_};
    return std::move(words_);
  }

private:
  void add(const std::vector<std::string> &words, int depth) {
    for (size_t i = 0; i < words.size() && error_.empty(); ++i) {
      std::string paths;
      if (!isOptionsFile(words[i], paths)) {
        words_.push_back(words[i]);
        continue;
      }
      if (paths.empty() && i + 1 < words.size())
        paths = words[++i];
      if (paths.empty())
        error_ = "argument expected after '" + words[i] + "'";
      for (const std::string &path : splitCommas(paths))
        addFile(path, depth + 1);
    }
  }

  void addFile(const std::string &path, int depth) {
    if (depth > MaxNesting) {
      error_ = "options file '" + path + "' includes itself";
      return;
    }
    Result<std::string> text = readFile(path);
    if (!text) {
      error_ = "Could not open options file '" + path + "'";
      return;
    }
    add(splitWords(*text), depth);
  }

  std::vector<std::string> words_;
  std::string error_;
};

void appendVariable(std::vector<std::string> &words, const char *name) {
  if (const char *text = std::getenv(name))
    for (std::string &word : splitWords(text))
      words.push_back(std::move(word));
}

} // namespace

Result<std::vector<std::string>> expandArguments(const std::vector<std::string> &arguments) {
  std::vector<std::string> words;
  if (const char *version = std::getenv("HEDDLE_CUDA_VERSION"); version && *version)
    words.push_back(std::string("--cuda-version=") + version);
  appendVariable(words, "NVCC_PREPEND_FLAGS");
  words.insert(words.end(), arguments.begin(), arguments.end());
  appendVariable(words, "NVCC_APPEND_FLAGS");
  return Expander().expand(words);
}

Result<std::vector<std::string>> expandFiles(const std::vector<std::string> &arguments) {
  return Expander().expand(arguments);
}

std::vector<std::string> splitWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool escapes = c == '\\' && i + 1 < text.size() &&
                   (!quote || (quote == '"' && std::string_view("\"\\$`").find(text[i + 1]) !=
                                                   std::string_view::npos));
    if (escapes) {
      word += text[++i];
      inWord = true;
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      inWord = true;
    } else if (!quote && std::string_view(" \t\r\n").find(c) != std::string_view::npos) {
      if (inWord)
        words.push_back(std::move(word));
      word.clear();
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord)
    words.push_back(std::move(word));
  return words;
}

std::vector<std::string> splitCommas(std::string_view text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',')
      parts.back() += text[++i];
    else if (text[i] == '"' && (quoted || parts.back().empty()))
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  return parts;
}

// nvcc splits at commas and takes a level of backslashes away; what is left it puts on the command
// line of a shell, which splits at blanks and takes quotes and the next level away.
std::vector<std::string> splitToolOptions(std::string_view text) {
  std::vector<std::string> parts(1);
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      parts.back() += text[++i];
      continue;
    }
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    if (c == ',' && !quote)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  std::vector<std::string> words;
  for (const std::string &part : parts)
    for (std::string &word : splitWords(part))
      words.push_back(std::move(word));
  std::erase(words, "");
  return words;
}

std::vector<std::string> splitMacros(std::string_view text) {
  std::vector<std::string> macros(1);
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool escapes = c == '\\' && i + 1 < text.size();
    if (escapes && (text[i + 1] == '"' || text[i + 1] == ',')) {
      macros.back() += text[++i];
      continue;
    }
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    if (!quote)
      depth += (c == '(') - (c == ')');
    bool nameFollows =
        i + 1 < text.size() &&
        (std::isalpha(static_cast<unsigned char>(text[i + 1])) || text[i + 1] == '_');
    if (c == ',' && !quote && depth <= 0 && nameFollows)
      macros.emplace_back();
    else
      macros.back() += c;
  }
  return macros;
}

} // namespace heddle::tool
