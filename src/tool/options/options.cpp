// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's rules for spelling an option, applied to the table in options.def.
//
// A word that begins with a dash is, in this order:
//   1. an option by its full spelling (-dc, --device-c), its value in the next word where it takes
//      one;
//   2. the same followed by "=value";
//   3. a Joined option with the value at once (-Ipath, -lm, -O3), by its one-letter spelling;
//   4. unknown: passed on where the user asked for that, otherwise an error that names it.
// nvcc's long spellings take two dashes and its short ones one; build scripts mix them, and no
// spelling means two things, so both are taken with either.
#include "tool/options/options.h"

#include <algorithm>

namespace heddle::tool {

namespace {

constexpr OptionInfo Table[] = {
#define OPTION(id, longName, shortName, argument, effect, help)                                    \
  {Opt::id, longName, shortName, Argument::argument, Effect::effect, help},
#include "tool/options/options.def"
};

/// Where an option was found in a word, and the value that the same word holds.
struct Match {
  const OptionInfo *info = nullptr;
  bool hasValue = false;
  std::string value;
};

std::string_view withoutDashes(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word;
}

const OptionInfo *findExact(std::string_view name) {
  for (const OptionInfo &info : Table)
    if (name == info.shortName || name == info.longName)
      return &info;
  return nullptr;
}

const OptionInfo *findJoined(std::string_view name) {
  for (const OptionInfo &info : Table)
    if (info.argument == Argument::Joined && name.starts_with(info.shortName))
      return &info;
  return nullptr;
}

Match findOption(std::string_view word) {
  std::string_view name = withoutDashes(word);
  if (const OptionInfo *info = findExact(name))
    return {info, false, ""};
  if (size_t equals = name.find('='); equals != name.npos)
    if (const OptionInfo *info = findExact(name.substr(0, equals)))
      return {info, true, std::string(name.substr(equals + 1))};
  if (word.starts_with("--"))
    return {};
  if (const OptionInfo *info = findJoined(name))
    return {info, true, std::string(name.substr(info->shortName.size()))};
  return {};
}

bool isBool(std::string_view text) { return text == "true" || text == "false"; }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

class Parser {
public:
  explicit Parser(const std::vector<std::string> &words) : words_(words) {}

  Result<Options> parse() {
    for (next_ = 0; next_ < words_.size() && error_.empty();)
      takeWord(words_[next_++]);
    if (error_.empty())
      settleUnknown();
    if (!error_.empty())
      return Failure{error_};
    return std::move(options_);
  }

private:
  void takeWord(const std::string &word) {
    if (word.size() < 2 || word[0] != '-')
      return options_.inputs.push_back({word});
    Match match = findOption(word);
    if (!match.info)
      return unknown_.push_back(word);
    takeOption(word, match);
  }

  void takeOption(const std::string &word, Match &match) {
    const OptionInfo &info = *match.info;
    if (info.effect == Effect::Refused)
      return fail("Option " + quoted(word) + " is not supported: " + std::string(info.help));
    if (info.argument == Argument::None && match.hasValue)
      return fail("no argument expected after " + quoted(word.substr(0, word.find('='))));
    if (info.argument == Argument::None || info.argument == Argument::Maybe)
      return options_.add(info.id, match.value);
    if (!match.hasValue) {
      if (next_ == words_.size())
        return fail("argument expected after " + quoted(word));
      match.value = words_[next_++];
    }
    addValue(info, word, match.value);
  }

  void addValue(const OptionInfo &info, const std::string &word, const std::string &value) {
    if (info.argument == Argument::Bool && !isBool(value))
      return fail(quoted(value) + ": expected true or false");
    if (info.id == Opt::Library)
      return addLibraries(value);
    if (info.id == Opt::Define) {
      for (std::string &macro : splitMacros(value))
        options_.add(info.id, std::move(macro));
      return;
    }
    if (info.argument != Argument::List && !splitsAtCommas(info.id))
      return options_.add(info.id, value);
    for (std::string &part : goesToATool(info.id) ? splitToolOptions(value) : splitCommas(value))
      options_.add(info.id, std::move(part));
  }

  void addLibraries(const std::string &value) {
    for (const std::string &name : splitCommas(value)) {
      options_.add(Opt::Library, name);
      options_.inputs.push_back({"-l" + name, true});
    }
  }

  static bool splitsAtCommas(Opt id) {
    return id == Opt::IncludePath || id == Opt::LibraryPath || id == Opt::Undefine;
  }

  static bool goesToATool(Opt id) {
    return id == Opt::HostOptions || id == Opt::LinkerOptions || id == Opt::ArchiveOptions ||
           id == Opt::PtxasOptions || id == Opt::NvlinkOptions;
  }

  void settleUnknown() {
    bool forward = options_.has(Opt::ForwardToCompiler) || options_.has(Opt::ForwardToLinker) ||
                   options_.has(Opt::ForwardUnknown);
    if (!unknown_.empty() && !forward)
      return fail("Unknown option " + quoted(unknown_.front()));
    options_.forwarded = std::move(unknown_);
  }

  void fail(std::string message) { error_ = std::move(message); }

  const std::vector<std::string> &words_;
  size_t next_ = 0;
  Options options_;
  std::vector<std::string> unknown_;
  std::string error_;
};

} // namespace

std::span<const OptionInfo> optionTable() { return Table; }

std::string Options::last(Opt id, std::string_view otherwise) const {
  return has(id) ? values(id).back() : std::string(otherwise);
}

bool Options::isTrue(Opt id, bool otherwise) const {
  return has(id) ? values(id).back() == "true" : otherwise;
}

size_t findFirstInput(const std::vector<std::string> &words) {
  size_t i = 0;
  while (i < words.size() && words[i].size() > 1 && words[i][0] == '-') {
    Match match = findOption(words[i]);
    bool alone = !match.info || match.hasValue || match.info->argument == Argument::None ||
                 match.info->argument == Argument::Maybe;
    i += alone ? 1 : 2;
  }
  return std::min(i, words.size());
}

Result<Options> parseOptions(const std::vector<std::string> &arguments) {
  return Parser(arguments).parse();
}

} // namespace heddle::tool
