// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of tools that run a program (`heddle check`, `heddle profile`), as a table. They end at the
// first word that is no option, or behind "--". The program's runtime gets the same words, a line
// each, in a variable of the environment.
#pragma once

#include "base/result.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What a value is refused with; empty: it was taken. After ": " it stands as it is.
using Complaint = std::string;

/// `O` is the structure that the options fill.
template <class O> struct CommandOption {
  using Take = Complaint (*)(O &, const std::string &value);
  std::string_view name;
  /// For the help; of "yes|no" the value may be missing, and is yes then. Empty: it has none.
  std::string_view values;
  Take take;
  std::string_view help; ///< empty: it is accepted, and there is nothing to say
};
struct ShortName {
  std::string_view name, longName;
};

/// Ways to take a value.
template <class T> Complaint takeNumber(T &number, const std::string &value) {
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size() ? "" : "is no number";
}
template <class O, auto Field> Complaint takeNumberOf(O &o, const std::string &value) {
  return takeNumber(o.*Field, value);
}
template <class O, auto Field> Complaint takeText(O &o, const std::string &value) {
  o.*Field = value;
  return "";
}
template <class O, auto Field> Complaint takeFlag(O &o, const std::string &value) {
  o.*Field = value == "yes" || value == "on";
  return "";
}
/// What is so here in any case: any of the values that the table shows is right.
template <class O> Complaint takeAlways(O &, const std::string &) { return ""; }

template <class O> class CommandOptions {
public:
  using Option = CommandOption<O>;
  constexpr CommandOptions(std::span<const Option> options, std::span<const ShortName> shortNames)
      : options_(options), shortNames_(shortNames) {}

  /// Fills `result`. `rest` gets the words behind the options: the program and its arguments.
  Complaint parse(O &result, const std::vector<std::string> &words,
                  std::vector<std::string> &rest) const {
    size_t i = 0;
    for (; i < words.size() && words[i].starts_with("-") && words[i] != "--"; ++i)
      if (Complaint complaint = take(result, words, i); !complaint.empty())
        return complaint;
    i += i < words.size() && words[i] == "--";
    rest.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
    return "";
  }

  /// Two lines for each option, for the help.
  std::string describe() const {
    std::string text;
    for (const Option &option : options_) {
      if (option.help.empty())
        continue;
      std::string line = "  " + std::string(option.name);
      if (!option.values.empty())
        line += " " + std::string(option.values);
      text += line + "\n        " + std::string(option.help) + "\n";
    }
    return text;
  }

private:
  const Option *find(std::string_view name) const {
    for (const ShortName &known : shortNames_)
      if (name == known.name)
        name = known.longName;
    for (const Option &option : options_)
      if (name == option.name)
        return &option;
    return nullptr;
  }

  static bool isYesOrNo(std::string_view word) { return word == "yes" || word == "no"; }
  /// One of "a|b"; of "number" any.
  static bool isOneOf(std::string_view values, std::string_view value) {
    if (values == "number" || values.empty())
      return true;
    for (size_t at = 0; at <= values.size();) {
      size_t end = std::min(values.find('|', at), values.size());
      if (values.substr(at, end - at) == value)
        return true;
      at = end + 1;
    }
    return false;
  }

  /// Takes an option at words[i], and its value, which may be the next word.
  Complaint take(O &result, const std::vector<std::string> &words, size_t &i) const {
    std::string name = words[i], value = "yes";
    size_t equals = name.find('=');
    bool hasValue = equals != name.npos;
    if (hasValue) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    const Option *option = find(name);
    if (!option)
      return "there is no option '" + name + "'";
    std::string_view values = option->values;
    bool isFlag = values == "yes|no" || values.empty();
    bool isNext = i + 1 < words.size() && (!isFlag || isYesOrNo(words[i + 1]));
    if (!hasValue && !values.empty() && isNext)
      value = words[++i];
    else if (!hasValue && !isFlag)
      return "'" + name + "' wants a value: " + std::string(values);
    bool isSwitch = isFlag || values == "on|off";
    if ((isSwitch && !isOneOf(values.empty() ? "yes|no" : values, value)) ||
        (option->take == takeAlways<O> && !isOneOf(values, value)))
      return "'" + name + "' cannot be '" + value + "': " + std::string(values);
    if (Complaint complaint = option->take(result, value); !complaint.empty())
      return "'" + value + "' of '" + name + "'" + (complaint[0] == ':' ? "" : " ") + complaint;
    return "";
  }

  std::span<const Option> options_;
  std::span<const ShortName> shortNames_;
};

/// Words, a line each: for a variable of the environment.
std::string joinLines(const std::vector<std::string> &words);
std::vector<std::string> splitLines(const char *text);

} // namespace heddle
