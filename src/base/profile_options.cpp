// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for each of the tools. Options of nvprof and ncu that say how to count on a GPU (which
// clocks it has, how often a kernel runs again, what is flushed) change nothing here, where all is
// counted in one run.
#include "base/profile_options.h"

#include "base/command_options.h"

#include <algorithm>

#include <regex.h>

namespace heddle {

namespace {

using Option = CommandOption<ProfileOptions>;

template <auto Field> constexpr Option::Take number = takeNumberOf<ProfileOptions, Field>;
template <auto Field> constexpr Option::Take text = takeText<ProfileOptions, Field>;
template <auto Field> constexpr Option::Take flag = takeFlag<ProfileOptions, Field>;
constexpr Option::Take always = takeAlways<ProfileOptions>;
/// Whatever the value is.
Complaint any(ProfileOptions &, const std::string &) { return ""; }

/// At commas that do not stand in parentheses.
void addList(std::vector<std::string> &list, const std::string &value) {
  for (size_t at = 0; at <= value.size();) {
    size_t end = std::min(value.find(',', at), value.size());
    if (end > at)
      list.push_back(value.substr(at, end - at));
    at = end + 1;
  }
}
template <auto Field> Complaint names(ProfileOptions &o, const std::string &value) {
  addList(o.*Field, value);
  return "";
}

Complaint addFilter(ProfileOptions &o, KernelFilter::How how, const std::string &text) {
  regex_t pattern;
  if (how == KernelFilter::How::Pattern) {
    if (regcomp(&pattern, text.c_str(), REG_EXTENDED | REG_NOSUB))
      return "is no regular expression";
    regfree(&pattern);
  }
  o.kernels.push_back({how, text});
  return "";
}
/// nvprof's: a name, ":part", or context:stream:name:invocation of which the name counts.
Complaint takeKernel(ProfileOptions &o, const std::string &value) {
  std::string name = value;
  if (size_t first = value.find(':'); first != value.npos) {
    size_t second = value.find(':', first + 1);
    size_t begin = second == value.npos ? first + 1 : second + 1;
    name = value.substr(begin, value.find(':', begin) - begin);
  }
  return name.empty() ? "" : addFilter(o, KernelFilter::How::Part, name);
}
/// ncu's: a name, or regex:expression.
Complaint takeKernelName(ProfileOptions &o, const std::string &value) {
  constexpr std::string_view Regex = "regex:";
  bool isPattern = value.starts_with(Regex);
  return addFilter(o, isPattern ? KernelFilter::How::Pattern : KernelFilter::How::Name,
                   isPattern ? value.substr(Regex.size()) : value);
}

/// ncu's context:stream:name:invocation, each a word or regex:expression, or nothing.
Complaint takeKernelId(ProfileOptions &o, const std::string &value) {
  constexpr std::string_view Regex = "regex:";
  std::vector<std::string> parts = {""};
  for (size_t i = 0; i < value.size(); ++i)
    if (value[i] != ':')
      parts.back() += value[i];
    else if (parts.back() == Regex.substr(0, Regex.size() - 1))
      parts.back() += ':';
    else
      parts.emplace_back();
  if (parts.size() != 4)
    return "is not context:stream:name:invocation";
  if (!parts[0].empty() || !parts[1].empty())
    return "names a context or a stream, by which kernels cannot be chosen";
  std::string &times = parts[3];
  if (times.starts_with(Regex))
    times.erase(0, Regex.size());
  regex_t pattern;
  if (regcomp(&pattern, times.c_str(), REG_EXTENDED | REG_NOSUB))
    return "is no regular expression";
  regfree(&pattern);
  o.invocations = times;
  return parts[2].empty() ? "" : takeKernelName(o, parts[2]);
}

Complaint takeUnit(ProfileOptions &o, const std::string &value) {
  using Unit = ProfileOptions::Unit;
  struct {
    std::string_view name;
    Unit unit;
  } known[] = {{"auto", Unit::Auto},       {"col", Unit::Auto},        {"s", Unit::Seconds},
               {"ms", Unit::Milliseconds}, {"us", Unit::Microseconds}, {"ns", Unit::Nanoseconds}};
  for (auto &[name, unit] : known)
    if (value == name) {
      o.unit = unit;
      return "";
    }
  return "is none of auto, s, ms, us and ns";
}

Complaint takeApis(ProfileOptions &o, const std::string &value) {
  o.tracesRuntime = value == "all" || value == "runtime";
  o.tracesDriver = value == "all" || value == "driver";
  return o.tracesRuntime || o.tracesDriver || value == "none"
             ? ""
             : "is none of none, runtime, driver and all";
}

Complaint takeTrace(ProfileOptions &o, const std::string &value) {
  std::vector<std::string> words;
  addList(words, value);
  for (const std::string &word : words) {
    if (word != "gpu" && word != "api")
      return "is neither gpu nor api";
    (word == "gpu" ? o.gpuTrace : o.apiTrace) = true;
  }
  return "";
}

/// The summaries of nsys stats that there are.
constexpr std::string_view SummaryNames[] = {"nvtx_sum", "cuda_api_sum", "cuda_gpu_kern_sum",
                                             "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum"};
Complaint takeTimeline(ProfileOptions &o, const std::string &) {
  o.summaries.assign(std::begin(SummaryNames), std::end(SummaryNames));
  return "";
}
Complaint takeSummaries(ProfileOptions &o, const std::string &value) {
  std::vector<std::string> asked;
  addList(asked, value);
  for (const std::string &name : asked)
    if (std::find(std::begin(SummaryNames), std::end(SummaryNames), name) == std::end(SummaryNames))
      return "names '" + name +
             "', which is none of nvtx_sum, cuda_api_sum, cuda_gpu_kern_sum, cuda_gpu_mem_time_sum "
             "and cuda_gpu_mem_size_sum";
  o.summaries.insert(o.summaries.end(), asked.begin(), asked.end());
  return "";
}
Complaint takeStats(ProfileOptions &o, const std::string &value) {
  if (value == "true")
    return takeTimeline(o, "");
  return value == "false" ? "" : "is neither true nor false";
}
/// nsys's name of a report; ours is a trace.
Complaint takeOutput(ProfileOptions &o, const std::string &value) {
  o.traceFile = value + ".json";
  return "";
}

Complaint takePage(ProfileOptions &o, const std::string &value) {
  o.showsRaw = value == "raw";
  return value == "raw" || value == "details" ? "" : "is neither raw nor details";
}

template <bool ProfileOptions::*Field> Complaint set(ProfileOptions &o, const std::string &) {
  o.*Field = true;
  return "";
}

constexpr Option NvprofOptions[] = {
    {"--print-summary", "", set<&ProfileOptions::gpuSummary>,
     "sums of all work on the device, a line for each kernel and kind of copy"},
    {"--print-gpu-summary", "", set<&ProfileOptions::gpuSummary>, "the same"},
    {"--print-api-summary", "", set<&ProfileOptions::apiSummary>, "sums of the calls of the API"},
    {"--print-gpu-trace", "", set<&ProfileOptions::gpuTrace>,
     "a line for each kernel, copy and fill"},
    {"--print-api-trace", "", set<&ProfileOptions::apiTrace>, "a line for each call of the API"},
    {"--trace", "gpu,api", takeTrace, "the same in one option"},
    {"--metrics", "name,...", names<&ProfileOptions::metrics>, "what is counted; all: everything"},
    {"--events", "name,...", names<&ProfileOptions::events>, "hardware events likewise"},
    {"--query-metrics", "", set<&ProfileOptions::queriesMetrics>, "lists the metrics"},
    {"--query-events", "", set<&ProfileOptions::queriesEvents>, "lists the events"},
    {"--kernels", "name", takeKernel, "counts only these kernels: by a part of the name"},
    {"--profile-api-trace", "none|runtime|driver|all", takeApis, "which calls of the API are told"},
    {"--profile-from-start", "on|off", flag<&ProfileOptions::fromStart>,
     "off: only between cudaProfilerStart and cudaProfilerStop"},
    {"--profile-child-processes", "", set<&ProfileOptions::withChildren>,
     "also profiles the programs that the program starts"},
    {"--csv", "", set<&ProfileOptions::asCsv>, "comma-separated values"},
    {"--normalized-time-unit", "auto|s|ms|us|ns", takeUnit, "the unit of all times"},
    {"--log-file", "file", text<&ProfileOptions::logFile>,
     "the report goes there and not to stderr; %p is the process, %q{NAME} a variable of the "
     "environment"},
    {"--quiet", "", set<&ProfileOptions::isQuiet>, "says nothing but the report"},
    {"--trace-file", "file", text<&ProfileOptions::traceFile>,
     "writes a timeline for chrome://tracing and Perfetto"},
    {"--html", "file", text<&ProfileOptions::htmlFile>,
     "writes a page: source with costs, roofline, occupancy, accesses, timeline"},
    {"--svg", "folder", text<&ProfileOptions::pictureFolder>,
     "writes the page's drawings as files"},
    {"--gpu", "name,...", names<&ProfileOptions::gpus>,
     "GPUs whose times the page shows; otherwise those that the devices stand for"},
    {"--timeline", "", takeTimeline, "sums of calls, kernels, copies and ranges, as nsys has them"},
    {"--concurrent-kernels", "on|off", always, ""},
    {"--demangling", "on|off", always, ""},
    {"--unified-memory-profiling", "word", any, ""},
    {"--cpu-profiling", "on|off", always, ""},
    {"--openacc-profiling", "on|off", always, ""},
    {"--openmp-profiling", "on|off", always, ""},
    {"--system-profiling", "on|off", always, ""},
    {"--aggregate-mode", "on|off", always, ""},
    {"--replay-mode", "word", any, ""},
    {"--devices", "list", any, ""},
    {"--track-memory-allocations", "on|off", always, ""},
    {"--dependency-analysis", "", always, ""},
    {"--timeout", "number", always, ""},
    {"--force-overwrite", "", always, ""},
    {"--help", "", set<&ProfileOptions::wantsHelp>, "this text"},
    {"--version", "", set<&ProfileOptions::wantsVersion>, "the version"},
};
constexpr ShortName NvprofShortNames[] = {
    {"-s", "--print-summary"},   {"-m", "--metrics"},
    {"-e", "--events"},          {"-u", "--normalized-time-unit"},
    {"-f", "--force-overwrite"}, {"-h", "--help"},
    {"-V", "--version"}};

constexpr Option NcuOptions[] = {
    {"--metrics", "name,...", names<&ProfileOptions::metrics>, "what is counted"},
    {"--section", "name",
     [](ProfileOptions &o, const std::string &value) {
       o.sections.push_back(value);
       return Complaint(std::ranges::find(NcuSections, value) != std::end(NcuSections)
                            ? ""
                            : "is no section with counters; --list-sections has those");
     },
     "metrics that belong together"},
    {"--set", "name",
     [](ProfileOptions &o, const std::string &value) {
       o.sections.push_back("set:" + value);
       return Complaint(value == "full" || value == "basic" || value == "default" ||
                                value == "detailed" || value == "roofline"
                            ? ""
                            : "is none of basic, default, detailed, full and roofline");
     },
     "sections that belong together"},
    {"--kernel-name", "name|regex:expression", takeKernelName, "counts these kernels only"},
    {"--kernel-id", "context:stream:name:invocation", takeKernelId,
     "counts these launches of these kernels: ::regex:.*:1|2 the first two of each"},
    {"--launch-skip", "number", number<&ProfileOptions::launchSkip>,
     "leaves out the first launches of these kernels"},
    {"--launch-count", "number", number<&ProfileOptions::launchCount>, "counts that many launches"},
    {"--csv", "", set<&ProfileOptions::asCsv>, "a row for each launch and metric"},
    {"--page", "raw|details", takePage, "raw: the metrics by their own names"},
    {"--log-file", "file", text<&ProfileOptions::logFile>,
     "the report goes there and not to stdout"},
    {"--target-processes", "all|application-only",
     [](ProfileOptions &o, const std::string &value) {
       o.withChildren = value == "all";
       return Complaint(o.withChildren || value == "application-only"
                            ? ""
                            : "is neither all nor application-only");
     },
     "also the programs that the program starts, or not"},
    {"--profile-from-start", "on|off", flag<&ProfileOptions::fromStart>,
     "off: only between cudaProfilerStart and cudaProfilerStop"},
    {"--query-metrics", "", set<&ProfileOptions::queriesMetrics>, "lists the metrics"},
    {"--list-sets", "", set<&ProfileOptions::listsSets>, "lists the sets and sections"},
    {"--list-sections", "", set<&ProfileOptions::listsSets>, "the same"},
    {"--quiet", "", set<&ProfileOptions::isQuiet>, "says nothing but the report"},
    {"--cache-control", "all|none",
     [](ProfileOptions &o, const std::string &value) {
       o.keepsCaches = value == "none";
       return Complaint(o.keepsCaches || value == "all" ? "" : "is neither all nor none");
     },
     "all, as without it: launches find empty caches; none: what those before have left"},
    {"--clock-control", "word", any, ""},
    {"--replay-mode", "word", any, ""},
    {"--graph-profiling", "word", any, ""},
    {"--kernel-name-base", "word", any, ""},
    {"--print-units", "word", any, ""},
    {"--print-fp", "", always, ""},
    {"--print-summary", "word", any, ""},
    {"--print-details", "word", any, ""},
    {"--devices", "list", any, ""},
    {"--nvtx", "", always, ""},
    {"--force-overwrite", "", always, ""},
    {"--help", "", set<&ProfileOptions::wantsHelp>, "this text"},
    {"--version", "", set<&ProfileOptions::wantsVersion>, "the version"},
};
constexpr ShortName NcuShortNames[] = {{"-k", "--kernel-name"},  {"-s", "--launch-skip"},
                                       {"-c", "--launch-count"}, {"-f", "--force-overwrite"},
                                       {"-h", "--help"},         {"-v", "--version"}};

constexpr Option PredictOptions[] = {
    {"--gpu", "name,...", names<&ProfileOptions::gpus>,
     "the GPUs, by the names of HEDDLE_DEVICE (heddle devices --all)"},
    {"--kernel-name", "name|regex:expression", takeKernelName, "tells of these kernels only"},
    {"--csv", "", set<&ProfileOptions::asCsv>, "a row for each launch and GPU"},
    {"--html", "file", text<&ProfileOptions::htmlFile>,
     "writes a page: source with costs, roofline, occupancy, accesses, timeline"},
    {"--svg", "folder", text<&ProfileOptions::pictureFolder>,
     "writes the page's drawings as files"},
    {"--baseline", "file", text<&ProfileOptions::baseline>,
     "sets the times beside those of another variant: what --csv --log-file has written"},
    {"--log-file", "file", text<&ProfileOptions::logFile>,
     "the report goes there and not to stderr; -: to stdout"},
    {"--quiet", "", set<&ProfileOptions::isQuiet>, "says nothing but the report"},
    {"--help", "", set<&ProfileOptions::wantsHelp>, "this text"},
    {"--version", "", set<&ProfileOptions::wantsVersion>, "the version"},
};
constexpr ShortName PredictShortNames[] = {
    {"-k", "--kernel-name"}, {"-h", "--help"}, {"-V", "--version"}};

/// Of nsys profile. What it samples beside CUDA is not there.
constexpr Option NsysOptions[] = {
    {"--stats", "true|false", takeStats,
     "sums of calls, kernels, copies and ranges, as nsys stats"},
    {"--report", "name,...", takeSummaries,
     "of these only: nvtx_sum, cuda_api_sum, cuda_gpu_kern_sum, cuda_gpu_mem_time_sum, "
     "cuda_gpu_mem_size_sum"},
    {"--output", "file", takeOutput,
     "writes file.json, a timeline for Perfetto and chrome://tracing (report1 without it)"},
    {"--format", "column|csv",
     [](ProfileOptions &o, const std::string &value) {
       o.asCsv = value == "csv";
       return Complaint(o.asCsv || value == "column" ? "" : "is neither column nor csv");
     },
     "the form of the sums"},
    {"--capture-range", "none|cudaProfilerApi",
     [](ProfileOptions &o, const std::string &value) {
       o.fromStart = value == "none";
       return Complaint(
           o.fromStart || value == "cudaProfilerApi" ? "" : "is neither none nor cudaProfilerApi");
     },
     "only between cudaProfilerStart and cudaProfilerStop"},
    {"--html", "file", text<&ProfileOptions::htmlFile>, "writes a page with the timeline"},
    {"--svg", "folder", text<&ProfileOptions::pictureFolder>, "writes its drawings as files"},
    {"--trace", "list", any, ""},
    {"--sample", "word", any, ""},
    {"--cpuctxsw", "word", any, ""},
    {"--backtrace", "word", any, ""},
    {"--cuda-memory-usage", "true|false", any, ""},
    {"--cuda-graph-trace", "word", any, ""},
    {"--capture-range-end", "word", any, ""},
    {"--force-overwrite", "true|false", any, ""},
    {"--show-output", "true|false", any, ""},
    {"--export", "word", any, ""},
    {"--wait", "word", any, ""},
    {"--quiet", "", set<&ProfileOptions::isQuiet>, "says nothing but the sums"},
    {"--help", "", set<&ProfileOptions::wantsHelp>, "this text"},
    {"--version", "", set<&ProfileOptions::wantsVersion>, "the version"},
};
constexpr ShortName NsysShortNames[] = {{"-o", "--output"},          {"-t", "--trace"},
                                        {"-s", "--sample"},          {"-b", "--backtrace"},
                                        {"-f", "--force-overwrite"}, {"-c", "--capture-range"},
                                        {"-w", "--show-output"},     {"-h", "--help"},
                                        {"-v", "--version"}};

constexpr CommandOptions<ProfileOptions> NvprofTable(NvprofOptions, NvprofShortNames);
constexpr CommandOptions<ProfileOptions> NcuTable(NcuOptions, NcuShortNames);
constexpr CommandOptions<ProfileOptions> PredictTable(PredictOptions, PredictShortNames);
constexpr CommandOptions<ProfileOptions> NsysTable(NsysOptions, NsysShortNames);

const CommandOptions<ProfileOptions> &tableOf(ProfileTool tool) {
  return tool == ProfileTool::Ncu       ? NcuTable
         : tool == ProfileTool::Predict ? PredictTable
         : tool == ProfileTool::Nsys    ? NsysTable
                                        : NvprofTable;
}

} // namespace

Result<ProfileOptions> parseProfileOptions(ProfileTool tool, const std::vector<std::string> &words,
                                           std::vector<std::string> &rest) {
  ProfileOptions options;
  options.tool = tool;
  options.withChildren = tool != ProfileTool::Nvprof;
  if (Complaint complaint = tableOf(tool).parse(options, words, rest); !complaint.empty())
    return Failure{complaint};
  return options;
}

std::string describeProfileOptions(ProfileTool tool) { return tableOf(tool).describe(); }

std::string nameOf(ProfileTool tool) {
  static constexpr const char *Names[] = {"heddle", "nvprof", "ncu", "predict", "nsys"};
  return Names[static_cast<size_t>(tool)];
}

Result<ProfileTool> parseProfileTool(const std::string &name) {
  for (ProfileTool tool : {ProfileTool::Heddle, ProfileTool::Nvprof, ProfileTool::Ncu,
                           ProfileTool::Predict, ProfileTool::Nsys})
    if (name == nameOf(tool))
      return tool;
  return Failure{"there is no profiler '" + name + "'"};
}

} // namespace heddle
