// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

enum class Opt {
#define OPTION(id, ...) id,
#include "tool/options/options.def"
  Count
};

enum class Argument { None, Value, Joined, List, Bool, Maybe };
enum class Effect { Used, Passed, Accepted, Refused };

/// One line of options.def.
struct OptionInfo {
  Opt id;
  std::string_view longName, shortName;
  Argument argument;
  Effect effect;
  std::string_view help;
};

std::span<const OptionInfo> optionTable();

/// What stands on the command line between the options, in its order: files, and -l options, whose
/// place among the objects matters to the linker.
struct Input {
  std::string text;
  bool isLibrary = false;
};

/// "-" is the standard input.
inline bool isStandardInput(const Input &input) { return !input.isLibrary && input.text == "-"; }

/// A parsed command line.
class Options {
public:
  bool has(Opt id) const { return !values(id).empty(); }
  /// The last value given, or `otherwise`.
  std::string last(Opt id, std::string_view otherwise = "") const;
  const std::vector<std::string> &values(Opt id) const { return values_[static_cast<size_t>(id)]; }
  /// The last value of a Bool option.
  bool isTrue(Opt id, bool otherwise) const;
  void add(Opt id, std::string value) {
    values_[static_cast<size_t>(id)].push_back(std::move(value));
  }

  std::vector<Input> inputs;
  std::vector<std::string> forwarded; ///< unknown options, when -forward-unknown-to-... is given

private:
  std::array<std::vector<std::string>, static_cast<size_t>(Opt::Count)> values_;
};

/// Parses nvcc's command line (without argv[0]). Fails in nvcc's words on an unknown option, a
/// missing or a bad argument. Response files must have been expanded.
Result<Options> parseOptions(const std::vector<std::string> &arguments);

/// The place of the first word that is neither an option nor an option's value; the size if there
/// is none.
size_t findFirstInput(const std::vector<std::string> &words);

/// Puts the contents of --options-file (-optf) and of the variables NVCC_PREPEND_FLAGS and
/// NVCC_APPEND_FLAGS in their places.
Result<std::vector<std::string>> expandArguments(const std::vector<std::string> &arguments);

/// Puts the contents of --options-file (-optf) alone in their places.
Result<std::vector<std::string>> expandFiles(const std::vector<std::string> &arguments);

/// Splits text into words as a shell does: blanks, quotes and backslashes.
std::vector<std::string> splitWords(std::string_view text);

/// Splits at commas outside of quotes and of a backslash.
std::vector<std::string> splitCommas(std::string_view text);

/// The same for the options of another tool (-Xcompiler "-Wall -O2,-g"): blanks separate too, and
/// quotes and backslashes are a shell's, since nvcc puts the text on a shell's command line.
std::vector<std::string> splitToolOptions(std::string_view text);

/// The macros of -D: "A=1,B" are two. A comma separates before a name, outside of parentheses and
/// quotes. A quote may have a backslash, as build scripts write it for the shell that nvcc starts.
std::vector<std::string> splitMacros(std::string_view text);

} // namespace heddle::tool
