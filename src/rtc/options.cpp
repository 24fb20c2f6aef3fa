// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rtc/options.h"

#include "base/messages/diagnostic_numbers.h"

#include <algorithm>
#include <optional>

namespace heddle::rtc {

namespace {

enum class Kind { Flag, Bool, Value, Number, Joined, Later };

struct OptionInfo {
  Opt id;
  std::string_view longName, shortName;
  Kind kind;
  unsigned since;
};

constexpr OptionInfo Table[] = {
#define OPTION(id, longName, shortName, kind, since)                                               \
  {Opt::id, longName, shortName, Kind::kind, since},
#include "rtc/options.def"
};

/// A word as an option of the table, perhaps with a value.
struct Match {
  const OptionInfo *info;
  std::optional<std::string> value;
};

std::optional<Match> match(unsigned release, std::string_view word) {
  for (const OptionInfo &info : Table) {
    if (info.since > release)
      continue;
    for (std::string_view name : {info.longName, info.shortName}) {
      if (!word.starts_with(name))
        continue;
      std::string_view rest = word.substr(name.size());
      if (rest.empty())
        return Match{&info, std::nullopt};
      if (info.kind == Kind::Joined && name == info.shortName) {
        rest.remove_prefix(rest[0] == '=');
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        return Match{&info, std::string(rest)};
      }
      if (rest[0] == '=' && info.kind != Kind::Flag)
        return Match{&info, std::string(rest.substr(1))};
    }
  }
  return std::nullopt;
}

bool isNumber(std::string_view text) {
  return !text.empty() && text.size() < 9 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// What is wrong with a value, or empty.
std::string problemOf(const OptionInfo &info, const std::string &value) {
  std::string names =
      std::string(info.longName) + " (" + std::string(info.shortName) + ") expects ";
  if (info.kind == Kind::Bool && value != "true" && value != "false")
    return names + "true or false";
  if (info.kind == Kind::Number && !isNumber(value))
    return names + "an integer value";
  if (info.id == Opt::JumpTable && std::stoul(value) > 101)
    return "Argument for --jump-table-density must be between [0-101]";
  constexpr std::string_view Speeds[] = {"0", "min", "mid", "max"};
  if ((info.id == Opt::DebugOptimize && value != "on") ||
      (info.id == Opt::FastCompile &&
       std::find(std::begin(Speeds), std::end(Speeds), value) == std::end(Speeds)))
    return "invalid argument for option " + std::string(info.longName) + " (" +
           std::string(info.shortName) + "): " + value;
  if (info.id == Opt::Standard) {
    // Our headers are C++11, so c++03 is none of them.
    constexpr std::string_view Known[] = {"c++11", "c++14", "c++17", "c++20"};
    if (std::find(std::begin(Known), std::end(Known), value) == std::end(Known))
      return "invalid value for --std(-std)";
  }
  return "";
}

std::optional<Severity> severityOf(Opt id) {
  switch (id) {
  case Opt::DiagError:
    return Severity::Error;
  case Opt::DiagSuppress:
    return Severity::Suppressed;
  case Opt::DiagWarn:
    return Severity::Warning;
  default:
    return std::nullopt;
  }
}

Failure invalidArchitecture() { return {"invalid value for --gpu-architecture (-arch)"}; }

/// sm_90a, compute_75, lto_80.
Result<Target> readTarget(unsigned release, std::string_view name) {
  Target target;
  if (name.starts_with("sm_"))
    target.isReal = true;
  size_t start = name.find('_');
  if (start == name.npos || !(target.isReal || name.starts_with("compute_")))
    return invalidArchitecture();
  name.remove_prefix(start + 1);
  if (name.ends_with('a') || name.ends_with('f')) {
    target.suffix = name.substr(name.size() - 1);
    name.remove_suffix(1);
  }
  if (!isNumber(name))
    return invalidArchitecture();
  target.number = static_cast<unsigned>(std::stoul(std::string(name)));
  std::vector<unsigned> known = architecturesOf(release);
  const unsigned first = target.suffix == "a" ? 90 : target.suffix == "f" ? 100 : 0;
  if (std::find(known.begin(), known.end(), target.number) == known.end() || target.number < first)
    return invalidArchitecture();
  return target;
}

} // namespace

std::vector<unsigned> architecturesOf(unsigned release) {
  if (release >= 13000)
    return {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  if (release >= 12000)
    return {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120};
  return {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
}

Result<Options> Options::parse(unsigned release, const std::vector<std::string> &words) {
  Options options;
  for (size_t i = 0; i != words.size(); ++i) {
    std::optional<Match> found = match(release, words[i]);
    const bool mayTakeNext =
        found && found->info->kind != Kind::Flag && found->info->kind != Kind::Value;
    if (mayTakeNext && !found->value && i + 1 != words.size())
      found->value = words[++i];
    if (!found || (!found->value && found->info->kind == Kind::Value))
      return Failure{"unrecognized option " + words[i] + " found"};
    std::string value = found->value.value_or("");
    if (std::string problem = problemOf(*found->info, value); !problem.empty())
      return Failure{problem};
    if (std::optional<Severity> severity = severityOf(found->info->id);
        severity && !addDiagnosticFlags(options.diagnosticFlags_, *severity, value))
      return Failure{std::string(found->info->longName) + " (" +
                     std::string(found->info->shortName) + ") expects numbers of diagnostics"};
    options.values_[static_cast<size_t>(found->info->id)].push_back(value);
  }
  if (options.has(Opt::WholeProgram) &&
      (options.has(Opt::DeviceC) || options.isTrue(Opt::Relocatable, false)))
    return Failure{"--extensible-whole-program (-ewp) is not compatible with "
                   "--relocatable-device-code=true (-rdc=true)"};
  const std::string standing = release >= 13000 ? "compute_75" : "compute_52";
  Result<Target> target = readTarget(
      release, options.has(Opt::Architecture) ? options.last(Opt::Architecture) : standing);
  if (!target)
    return Failure{target.error()};
  options.target_ = *target;
  return options;
}

bool Options::isRelocatable() const {
  return has(Opt::DeviceC) || isTrue(Opt::Relocatable, false) || isForLinking();
}

cuda::PrecompileRequest Options::precompile(size_t limit) const {
  return {.isAutomatic = has(Opt::Pch),
          .creates = last(Opt::CreatePch),
          .uses = last(Opt::UsePch),
          .folder = last(Opt::PchFolder),
          .tells = isTrue(Opt::PchMessages, true),
          .tellsReasons = isTrue(Opt::PchVerbose, false),
          .instantiates = isTrue(Opt::PchTemplates, true),
          .limit = limit};
}

DeviceOptions Options::code() const {
  const bool fast = has(Opt::FastMath);
  return {.isDebug = has(Opt::Debug),
          .isFastMath = fast,
          .flushes = isTrue(Opt::Flush, fast),
          .dividesExactly = isTrue(Opt::PreciseDivide, !fast),
          .takesRootsExactly = isTrue(Opt::PreciseSqrt, !fast),
          .contracts = isTrue(Opt::Fmad, true),
          .isLoaded = true};
}

} // namespace heddle::rtc
