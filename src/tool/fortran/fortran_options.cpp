// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/fortran/fortran_options.h"

#include "tool/fortran/gpu_words.h"
#include "tool/options/options.h"

#include <algorithm>
#include <cctype>

namespace heddle::tool {

namespace {

enum class Takes { None, Separate, Joined, List };
enum class Use { Used, Accepted, Refused };

struct Info {
  FOpt id;
  std::string_view spelling;
  Takes takes;
  Use use;
  std::string_view help;
};

constexpr Info Table[] = {
#define FORTRAN_OPTION(id, spelling, argument, effect, help)                                       \
  {FOpt::id, spelling, Takes::argument, Use::effect, help},
#include "tool/fortran/fortran_options.def"
};

/// Words of -Ktrap by the bits of their exceptions in MXCSR.
struct Trap {
  std::string_view word;
  unsigned bits;
};
constexpr Trap Traps[] = {{"inv", 1},      {"denorm", 2}, {"divz", 4},  {"ovf", 8}, {"unf", 16},
                          {"inexact", 32}, {"fp", 13},    {"align", 0}, {"none", 0}};

const Trap *findTrap(std::string_view word) {
  const Trap *found = std::find_if(std::begin(Traps), std::end(Traps),
                                   [&](const Trap &trap) { return trap.word == word; });
  return found == std::end(Traps) ? nullptr : found;
}

/// The option that begins a word: the longest spelling that fits.
const Info *find(std::string_view word) {
  const Info *best = nullptr;
  for (const Info &info : Table) {
    bool fits = word == info.spelling ||
                (info.takes == Takes::Joined && word.starts_with(info.spelling)) ||
                (info.takes == Takes::List && word.starts_with(info.spelling) &&
                 word[info.spelling.size()] == '=');
    if (fits && (!best || best->spelling.size() < info.spelling.size()))
      best = &info;
  }
  return best;
}

class Parser {
public:
  explicit Parser(const std::vector<std::string> &words) : words_(words) {}

  Result<FortranOptions> run() {
    for (; at_ < words_.size() && error_.empty(); ++at_)
      parse(words_[at_]);
    if (!error_.empty())
      return Failure{error_};
    return std::move(options_);
  }

private:
  void parse(const std::string &word) {
    if (word.empty() || word[0] != '-')
      return options_.inputs.push_back(word);
    const Info *info = find(word);
    if (!info)
      return fail("Unknown switch: " + word);
    if (info->use == Use::Refused)
      return fail(std::string(info->spelling) + " (" + std::string(info->help) +
                  ") is not in this version of Heddle");
    std::string value = word.substr(info->spelling.size());
    if (info->takes == Takes::List)
      return addList(*info, value.empty() ? value : value.substr(1));
    bool wantsNext = info->takes == Takes::Separate ||
                     (info->takes == Takes::Joined && value.empty() && info->id != FOpt::Optimise);
    if (wantsNext && ++at_ == words_.size())
      return fail(word + ": an argument is missing");
    if (wantsNext)
      value = words_[at_];
    if (info->id == FOpt::Release && !std::isdigit(static_cast<unsigned char>(value[0])))
      return fail("Unknown switch: " + word);
    if (info->id == FOpt::Library)
      options_.inputs.push_back("-l" + value);
    options_.add(info->id, value);
  }

  void addList(const Info &info, const std::string &list) {
    options_.add(info.id, ""); // it was given
    for (const std::string &word : splitCommas(list)) {
      bool isCuda = info.id == FOpt::Cuda || info.id == FOpt::Gpu || info.id == FOpt::MCuda;
      if (word.empty())
        continue;
      if ((isCuda && !isGpuWord(word)) || (info.id == FOpt::Traps && !findTrap(word)))
        return fail(std::string(info.spelling) + "=" + word + " is not known");
      options_.add(info.id, word);
    }
  }

  void fail(std::string message) { error_ = std::move(message); }

  const std::vector<std::string> &words_;
  size_t at_ = 0;
  FortranOptions options_;
  std::string error_;
};

} // namespace

std::string FortranOptions::last(FOpt id, std::string_view otherwise) const {
  return has(id) ? values(id).back() : std::string(otherwise);
}

Result<FortranOptions> parseFortranOptions(const std::vector<std::string> &words) {
  return Parser(words).run();
}

unsigned trappedExceptions(const FortranOptions &options) {
  unsigned bits = 0;
  for (const std::string &word : options.values(FOpt::Traps))
    if (const Trap *trap = findTrap(word))
      bits = word == "none" ? 0 : bits | trap->bits;
  return bits;
}

std::string fortranHelp() {
  std::string text = "heddle fc [options] files: compiles and links CUDA Fortran\n\n";
  for (const Info &info : Table) {
    if (info.help.empty())
      continue;
    std::string left = "  " + std::string(info.spelling);
    left.resize(std::max<size_t>(left.size() + 1, 20), ' ');
    text += left + std::string(info.help) +
            (info.use == Use::Refused ? " (not in this version)" : "") + "\n";
  }
  return text;
}

} // namespace heddle::tool
