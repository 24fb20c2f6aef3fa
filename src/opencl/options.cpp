// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of clBuildProgram, clCompileProgram and clLinkProgram (OpenCL 3.0, "Compiler Options").
#include "opencl/program.h"

#include "base/image/module_image.h"

#include <algorithm>
#include <array>

namespace heddle::cl {

namespace {

/// Words at white space, which quotes hold together.
std::vector<std::string> wordsOf(const char *text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool isOpen = false;
  for (; text && *text; ++text) {
    if (quote ? *text == quote : *text == '"' || *text == '\'') {
      quote = quote ? 0 : *text;
      isOpen = true;
    } else if (*text == '\\' && quote == '"' && text[1]) {
      word += *++text;
    } else if (!quote && std::isspace(static_cast<unsigned char>(*text))) {
      if (isOpen)
        words.push_back(std::move(word));
      word.clear();
      isOpen = false;
    } else {
      word += *text;
      isOpen = true;
    }
  }
  if (isOpen)
    words.push_back(std::move(word));
  return words;
}

constexpr std::array PlainOptions = {"-cl-single-precision-constant",
                                     "-cl-mad-enable",
                                     "-cl-no-signed-zeros",
                                     "-cl-unsafe-math-optimizations",
                                     "-cl-finite-math-only",
                                     "-cl-fast-relaxed-math",
                                     "-cl-uniform-work-group-size",
                                     "-w",
                                     "-Werror"};
/// What changes nothing: argument information is always there, subgroups need no promise of progress,
/// divisions and roots are rounded as they should be.
constexpr std::array IgnoredOptions = {
    "-cl-kernel-arg-info", "-cl-strict-aliasing", "-cl-no-subgroup-ifp",
    "-cl-fp32-correctly-rounded-divide-sqrt", "-enable-link-options"};
constexpr std::array LinkOptions = {
    "-cl-denorms-are-zero", "-cl-no-signed-zeros",   "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp",
    "-cl-opt-disable",      "-create-library",       "-enable-link-options"};
constexpr std::array Standards = {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};

template <typename List> bool holds(const List &list, const std::string &word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// -D name, -Dname, -I folder, -Ifolder.
bool takeJoined(const std::vector<std::string> &words, size_t &at, Options &result) {
  const std::string &word = words[at];
  if (word.size() < 2 || word[0] != '-' || (word[1] != 'D' && word[1] != 'I' && word[1] != 'U'))
    return false;
  std::string value = word.substr(2);
  if (value.empty()) {
    if (at + 1 == words.size())
      return false;
    value = words[++at];
  }
  result.flags.push_back(word.substr(0, 2) + value);
  return true;
}

} // namespace

Options parseOptions(const char *text, bool isForLinking) {
  Options result;
  result.standard = "CL1.2";
  bool isDebug = false, isPlain = false;
  const std::vector<std::string> words = wordsOf(text);
  for (size_t i = 0; i != words.size(); ++i) {
    const std::string &word = words[i];
    if (isForLinking && !holds(LinkOptions, word)) {
      result.problem = word;
    } else if (word == "-cl-denorms-are-zero") {
      result.compileOptions |= OptionFlushDenormals;
    } else if (word == "-create-library" && isForLinking) {
      result.createsLibrary = true;
    } else if (word == "-cl-opt-disable") {
      isPlain = true;
    } else if (word == "-g") {
      isDebug = true;
    } else if (word.rfind("-cl-std=", 0) == 0) {
      result.standard = word.substr(8);
      if (!holds(Standards, result.standard))
        result.problem = word;
    } else if (holds(PlainOptions, word)) {
      if (!isForLinking)
        result.flags.push_back(word);
    } else if (!holds(IgnoredOptions, word) && !takeJoined(words, i, result)) {
      result.problem = word;
    }
  }
  result.isDebug = isDebug && isPlain;
  result.flags.push_back("-cl-std=" + result.standard);
  return result;
}

} // namespace heddle::cl
