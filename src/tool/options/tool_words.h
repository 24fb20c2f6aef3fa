// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines of the toolkit's smaller tools: options behind one dash or two, a value in the next word or
// behind '='.
#pragma once

#include "base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::tool {

struct ToolOption {
  std::string_view longName, shortName; ///< without dashes
  bool takesValue;
};

/// The options, by their long names, with their values, and what stands between them.
struct ToolWords {
  std::vector<std::pair<std::string_view, std::string>> options;
  std::vector<std::string> inputs;
};

/// The option that `word` (`--gpu-name=sm_90`, `-O3`) is, or null, and what follows in the word.
const ToolOption *findToolOption(std::span<const ToolOption> table, std::string_view word,
                                 std::string &value, bool &hasValue);

/// Fails in the tools' words.
Result<ToolWords> parseToolWords(std::span<const ToolOption> table,
                                 const std::vector<std::string> &words);

/// ptxas's options, which -Xptxas passes.
std::span<const ToolOption> ptxasOptions();

} // namespace heddle::tool
