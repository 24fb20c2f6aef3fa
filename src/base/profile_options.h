// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of `heddle profile`, and of nvprof and ncu, whose names it also has. The same words, a
// line each, stand in HEDDLE_PROFILE_OPTIONS, and the tool's name in HEDDLE_PROFILE, where programs
// read them.
#pragma once

#include "base/check_options.h"

#include <string_view>

namespace heddle {

/// Of ncu, in its order: those that have counters.
inline constexpr std::string_view NcuSections[] = {"SpeedOfLight",
                                                   "ComputeWorkloadAnalysis",
                                                   "MemoryWorkloadAnalysis",
                                                   "MemoryWorkloadAnalysis_Chart",
                                                   "MemoryWorkloadAnalysis_Tables",
                                                   "SchedulerStats",
                                                   "WarpStateStats",
                                                   "InstructionStats",
                                                   "LaunchStats",
                                                   "Occupancy",
                                                   "SourceCounters"};

/// Whose words and whose report.
enum class ProfileTool : uint8_t { Heddle, Nvprof, Ncu, Predict, Nsys };

struct ProfileOptions {
  ProfileTool tool = ProfileTool::Heddle;
  bool gpuTrace = false, apiTrace = false, gpuSummary = false, apiSummary = false;
  bool asCsv = false, isQuiet = false;
  bool tracesRuntime = true, tracesDriver = true; ///< calls of the API
  bool fromStart = true;    ///< not only between cudaProfilerStart and cudaProfilerStop
  bool withChildren = true; ///< programs that it starts are profiled, too
  enum class Unit : uint8_t {
    Auto,
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds
  } unit = Unit::Auto;
  std::string logFile;                      ///< empty: stderr, and of ncu stdout
  std::string traceFile;                    ///< of Chrome's and Perfetto's form
  std::string htmlFile;                     ///< a page for people
  std::string pictureFolder;                ///< its drawings as files
  std::vector<std::string> metrics, events; ///< names; of ncu only metrics
  std::vector<std::string> sections;        ///< of ncu
  std::vector<std::string> gpus;            ///< keys of those that times are modelled for
  std::string baseline;                     ///< of predict: csv of another variant
  std::vector<std::string> summaries;       ///< of nsys, by its names; empty: the usual ones
  bool showsRaw = false;                    ///< ncu --page raw
  bool keepsCaches = false; ///< ncu --cache-control none: launches find what those before have left
  bool queriesMetrics = false, queriesEvents = false, listsSets = false;

  std::vector<KernelFilter> kernels; ///< of which counts are told; empty: all
  std::string invocations; ///< regular expression of a kernel's launches, from 1 on; empty: all
  uint64_t launchSkip = 0, launchCount = UINT64_MAX;
  bool wantsHelp = false, wantsVersion = false;

  /// A report with pictures is asked for.
  bool wantsPictures() const { return !htmlFile.empty() || !pictureFolder.empty(); }
  /// Nothing in particular was asked for.
  bool isSummaryOnly() const {
    return !gpuTrace && !apiTrace && !gpuSummary && !apiSummary && metrics.empty() &&
           events.empty() && summaries.empty();
  }
};

/// The options of a command line. `rest` gets the words behind them: the program and its arguments.
Result<ProfileOptions> parseProfileOptions(ProfileTool, const std::vector<std::string> &words,
                                           std::vector<std::string> &rest);
/// Two lines for each option, for the help.
std::string describeProfileOptions(ProfileTool);

/// heddle, nvprof, ncu, predict.
std::string nameOf(ProfileTool);
Result<ProfileTool> parseProfileTool(const std::string &name);

} // namespace heddle
