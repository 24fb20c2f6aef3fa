// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/tool_words.h"

namespace heddle::tool {

std::span<const ToolOption> ptxasOptions() {
  static constexpr ToolOption Table[] = {
#define PTXAS_OPTION(longName, shortName, takesValue) {longName, shortName, takesValue},
#include "tool/options/ptxas_options.def"
  };
  return Table;
}

const ToolOption *findToolOption(std::span<const ToolOption> table, std::string_view word,
                                 std::string &value, bool &hasValue) {
  if (!word.starts_with('-') || word.size() < 2)
    return nullptr;
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  // -O3, -m64
  const bool isJoined = word.size() > 1 && (word[0] == 'O' || word[0] == 'm') &&
                        word.find_first_not_of("0123456789", 1) == word.npos;
  size_t equals = word.find('=');
  hasValue = isJoined || equals != word.npos;
  value = isJoined ? word.substr(1) : hasValue ? word.substr(equals + 1) : "";
  std::string_view name = word.substr(0, isJoined ? 1 : equals);
  for (const ToolOption &option : table)
    if (name == option.longName || name == option.shortName)
      return &option;
  return nullptr;
}

Result<ToolWords> parseToolWords(std::span<const ToolOption> table,
                                 const std::vector<std::string> &words) {
  ToolWords parsed;
  for (size_t i = 0; i != words.size(); ++i) {
    if (!words[i].starts_with('-')) {
      parsed.inputs.push_back(words[i]);
      continue;
    }
    std::string value;
    bool hasValue = false;
    const ToolOption *option = findToolOption(table, words[i], value, hasValue);
    if (!option)
      return Failure{"Unknown option '" + words[i].substr(1) + "'"}; // ptxas's -foo of --foo
    if (option->takesValue && !hasValue) {
      if (i + 1 == words.size())
        return Failure{"Argument expected after '" + words[i] + "'"};
      value = words[++i];
    }
    parsed.options.emplace_back(option->longName, value);
  }
  return parsed;
}

} // namespace heddle::tool
