// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/check_options.h"

#include "base/command_options.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <regex.h>

namespace heddle {

namespace {

struct Tool {
  std::string_view name;
  uint32_t checks;
};

constexpr Tool Tools[] = {
    {"memcheck", CheckMemory}, {"racecheck", CheckRaces},  {"initcheck", CheckInit},
    {"synccheck", CheckSync},  {"floatcheck", CheckFloat},
};

using Option = CommandOption<CheckOptions>;

template <auto Field> constexpr Option::Take number = takeNumberOf<CheckOptions, Field>;
template <auto Field> constexpr Option::Take text = takeText<CheckOptions, Field>;
template <auto Field> constexpr Option::Take flag = takeFlag<CheckOptions, Field>;
constexpr Option::Take always = takeAlways<CheckOptions>;

/// `how` of "how=text"; or "regex:text", as ncu has it.
Complaint takeFilter(std::vector<KernelFilter> &filters, const std::string &value) {
  size_t equals = value.starts_with("regex:") ? value.find(':') : value.find('=');
  std::string how = equals == value.npos ? "kne" : value.substr(0, equals);
  KernelFilter filter;
  filter.text = equals == value.npos ? value : value.substr(equals + 1);
  if (how == "kns" || how == "kernel_substring")
    filter.how = KernelFilter::How::Part;
  else if (how == "kne" || how == "kernel_name")
    filter.how = KernelFilter::How::Name;
  else if (how == "regex")
    filter.how = KernelFilter::How::Pattern;
  else
    return "does not begin with kns=, kne= or regex=";
  regex_t pattern;
  if (filter.how == KernelFilter::How::Pattern) {
    if (regcomp(&pattern, filter.text.c_str(), REG_EXTENDED | REG_NOSUB))
      return "is no regular expression";
    regfree(&pattern);
  }
  filters.push_back(std::move(filter));
  return "";
}

/// Of lists: "kernel_name=a,kernel_substring=b" (cuda-memcheck's --filter).
Complaint takeFilters(std::vector<KernelFilter> &filters, const std::string &list) {
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    if (Complaint complaint = takeFilter(filters, list.substr(at, end - at)); !complaint.empty())
      return complaint;
    at = end + 1;
  }
  return "";
}

constexpr Option Options[] = {
    {"--tool", "memcheck,racecheck,initcheck,synccheck,floatcheck|all",
     [](CheckOptions &o, const std::string &value) -> Complaint {
       auto checks = parseChecks(value);
       if (checks)
         o.checks = *checks;
       return checks ? "" : ": " + checks.error();
     },
     "what is looked for; memcheck if nothing is said"},
    {"--kernel-regex", "kns=text|kne=name|regex=expression",
     [](CheckOptions &o, const std::string &value) { return takeFilter(o.kernels, value); },
     "checks these kernels only: by a part of the name, the name, or a regular expression"},
    {"--kernel-regex-exclude", "kns=text|kne=name|regex=expression",
     [](CheckOptions &o, const std::string &value) { return takeFilter(o.otherKernels, value); },
     "does not check these"},
    {"--kernel-name", "name",
     [](CheckOptions &o, const std::string &value) { return takeFilter(o.kernels, value); },
     "the same as --kernel-regex kne=name"},
    {"--kernel-name-exclude", "name",
     [](CheckOptions &o, const std::string &value) { return takeFilter(o.otherKernels, value); },
     "the same as --kernel-regex-exclude kne=name"},
    {"--filter", "kernel_name=name,kernel_substring=text",
     [](CheckOptions &o, const std::string &value) { return takeFilters(o.kernels, value); },
     "the same in cuda-memcheck's words"},
    {"--launch-skip", "number", number<&CheckOptions::launchSkip>,
     "leaves out the first launches of these kernels"},
    {"--launch-count", "number", number<&CheckOptions::launchCount>, "checks that many launches"},
    {"--seed", "number", number<&CheckOptions::seed>,
     "blocks, and warps behind barriers, run in another order, one at a time, which the number "
     "repeats"},
    {"--leak-check", "full|no",
     [](CheckOptions &o, const std::string &value) {
       o.findsLeaks = value == "full";
       return Complaint(o.findsLeaks || value == "no" ? "" : "is neither full nor no");
     },
     "reports memory that is not freed at the end"},
    {"--report-api-errors", "explicit|all|no",
     [](CheckOptions &o, const std::string &value) {
       if (value == "explicit")
         o.apiErrors = ApiErrors::Explicit;
       else if (value == "all")
         o.apiErrors = ApiErrors::All;
       else if (value == "no")
         o.apiErrors = ApiErrors::None;
       else
         return Complaint("is none of explicit, all and no");
       return Complaint();
     },
     "reports calls of the API that fail: those of the program, or also those of libraries"},
    {"--check-api-memory-access", "yes|no", flag<&CheckOptions::checksApiMemory>,
     "looks at the memory that copies and fills of the API use"},
    {"--float-cancellation", "yes|no", flag<&CheckOptions::findsCancellation>,
     "floatcheck reports differences of nearly equal numbers, which lose digits"},
    {"--track-unused-memory", "yes|no", flag<&CheckOptions::findsUnused>,
     "initcheck reports allocations of device memory of which bytes are never written"},
    {"--print-limit", "number", number<&CheckOptions::printLimit>,
     "shows at most that many errors; all are counted"},
    {"--print-level", "info|warn|error|fatal",
     [](CheckOptions &o, const std::string &value) {
       o.showsInfos = value == "info";
       return Complaint(o.showsInfos || value == "warn" || value == "error" || value == "fatal"
                            ? ""
                            : "is none of info, warn, error and fatal");
     },
     "info: shows also what is no error, as races of writes of one value"},
    {"--error-exitcode", "number", number<&CheckOptions::errorExitCode>,
     "the exit code where there are errors and the program itself ends with 0"},
    {"--check-exit-code", "yes|no", flag<&CheckOptions::checksExitCode>,
     "says so where the program fails"},
    {"--log-file", "file", text<&CheckOptions::logFile>,
     "reports go there and not to stderr; %p is the process, %q{NAME} a variable of the "
     "environment"},
    {"--save", "file", text<&CheckOptions::saveFile>, "keeps the reports for --read"},
    {"--read", "file", text<&CheckOptions::readFile>, "shows what --save has kept"},
    {"--xml", "yes|no", flag<&CheckOptions::asXml>, "reports are XML"},
    {"--json", "file", text<&CheckOptions::jsonFile>, "writes them as JSON, too"},
    {"--sarif", "file", text<&CheckOptions::sarifFile>,
     "writes them as SARIF 2.1.0, which code hosts show beside the line"},
    {"--suppressions", "file", text<&CheckOptions::suppressionsFile>,
     "what is not to be reported: lines \"kind pattern\""},
    {"--generate-suppressions", "file", text<&CheckOptions::newSuppressionsFile>,
     "writes such lines for all that is found"},
    {"--color", "auto|always|never",
     [](CheckOptions &o, const std::string &value) {
       if (value == "auto")
         o.color = CheckOptions::Color::Auto;
       else if (value == "always" || value == "never")
         o.color = value == "always" ? CheckOptions::Color::Always : CheckOptions::Color::Never;
       else
         return Complaint("is none of auto, always and never");
       return Complaint();
     },
     "colours; auto: on a terminal"},
    {"--show-backtrace", "yes|host|device|no",
     [](CheckOptions &o, const std::string &value) {
       if (value != "yes" && value != "host" && value != "device" && value != "no")
         return Complaint("is none of yes, host, device and no");
       o.hostStacks = value == "yes" || value == "host";
       o.deviceStacks = value == "yes" || value == "device";
       return Complaint();
     },
     "which call stacks are shown"},
    {"--target-processes", "all|application-only",
     [](CheckOptions &o, const std::string &value) {
       o.withChildren = value == "all";
       return Complaint(o.withChildren || value == "application-only"
                            ? ""
                            : "is neither all nor application-only");
     },
     "also checks the programs that the program starts, or not"},
    {"--lockstep", "yes|no", flag<&CheckOptions::lockstep>,
     "racecheck takes the lanes of a warp to run in step, as older code does"},
    {"--volatile-data", "yes|no", flag<&CheckOptions::volatileIsData>,
     "racecheck takes volatile variables that no loop polls for data, whose accesses race"},
    {"--base-port", "number", always, ""},
    {"--check-device-heap", "yes", always, ""},
    {"--demangle", "full", always, ""},
    {"--destroy-on-device-error", "kernel", always, ""},
    {"--flush-to-disk", "yes", always, ""},
    {"--force-blocking-launches", "yes|no", always, ""},
    {"--force-synchronization-limit", "number", always, ""},
    {"--kill", "yes|no", always, ""},
    {"--launch-timeout", "number", always, ""},
    {"--max-connections", "number", always, ""},
    {"--num-callers-device", "number", always, ""},
    {"--num-callers-host", "number", always, ""},
    {"--num-cuda-barriers", "number", always, ""},
    {"--padding", "number", always, ""},
    {"--racecheck-indirect-barriers", "yes", always, ""},
    {"--racecheck-memcpy-async", "yes", always, ""},
    {"--racecheck-report", "all", always, ""},
    {"--require-cuda-init", "yes|no", always, ""},
    {"--help", "", flag<&CheckOptions::wantsHelp>, "this text"},
    {"--version", "", flag<&CheckOptions::wantsVersion>, "the version"},
};

constexpr ShortName ShortNames[] = {{"-h", "--help"},         {"-V", "--version"},
                                    {"-k", "--kernel-regex"}, {"-s", "--launch-skip"},
                                    {"-c", "--launch-count"}, {"-t", "--tool"}};

constexpr CommandOptions<CheckOptions> Table(Options, ShortNames);

/// A name without the parameters of the function and of its template, and what is returned.
std::string bareName(const std::string &shown) {
  std::string name;
  int depth = 0;
  for (char c : shown) {
    if (c == '(' && depth == 0 && !name.empty())
      break;
    depth += c == '<';
    if (depth == 0)
      name += c;
    depth -= c == '>';
  }
  size_t blank = name.rfind(' ');
  return blank == name.npos ? name : name.substr(blank + 1);
}

bool matches(const KernelFilter &filter, const std::string &mangled, const std::string &shown) {
  switch (filter.how) {
  case KernelFilter::How::Part:
    return mangled.find(filter.text) != mangled.npos || shown.find(filter.text) != shown.npos;
  case KernelFilter::How::Name:
    return filter.text == mangled || filter.text == shown || filter.text == bareName(shown);
  case KernelFilter::How::Pattern:
    break;
  }
  regex_t pattern;
  if (regcomp(&pattern, filter.text.c_str(), REG_EXTENDED | REG_NOSUB))
    return false;
  bool found = regexec(&pattern, mangled.c_str(), 0, nullptr, 0) == 0 ||
               regexec(&pattern, shown.c_str(), 0, nullptr, 0) == 0;
  regfree(&pattern);
  return found;
}

} // namespace

Result<uint32_t> parseChecks(const std::string &list) {
  uint32_t checks = 0;
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    std::string name = list.substr(at, end - at);
    uint32_t found = 0;
    for (const Tool &tool : Tools)
      if (name == tool.name || name == "all")
        found |= tool.checks;
    if (!found)
      return Failure{"there is no check '" + name + "'"};
    checks |= found;
    at = end + 1;
  }
  return checks;
}

std::string namesOfChecks(uint32_t checks) {
  std::string names;
  for (const Tool &tool : Tools)
    if (checks & tool.checks)
      names += (names.empty() ? "" : ",") + std::string(tool.name);
  return names;
}

Result<CheckOptions> parseCheckOptions(const std::vector<std::string> &words,
                                       std::vector<std::string> &rest) {
  CheckOptions options;
  options.checks = CheckMemory;
  if (Complaint complaint = Table.parse(options, words, rest); !complaint.empty())
    return Failure{complaint};
  return options;
}

std::string describeCheckOptions() { return Table.describe(); }

bool isAmong(const std::vector<KernelFilter> &filters, const std::string &mangled,
             const std::string &shown) {
  return filters.empty() || std::ranges::any_of(filters, [&](const KernelFilter &filter) {
           return matches(filter, mangled, shown);
         });
}

bool isChosen(const CheckOptions &options, const std::string &mangled, const std::string &shown) {
  return isAmong(options.kernels, mangled, shown) &&
         (options.otherKernels.empty() || !isAmong(options.otherKernels, mangled, shown));
}

} // namespace heddle
