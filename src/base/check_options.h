// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of `heddle check`, which are those of compute-sanitizer and cuda-memcheck where these
// have such. The same words, a line each, stand in HEDDLE_CHECK_OPTIONS, where checked programs read
// them.
#pragma once

#include "base/abi/check_abi.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Which kernels: one way to choose, of which any may hold.
struct KernelFilter {
  enum class How : uint8_t {
    Part,    ///< kns=text: the name contains it
    Name,    ///< kne=text: the name, mangled or without its parameters, is it
    Pattern, ///< regex=text: an extended regular expression finds something in the name
  };
  How how = How::Part;
  std::string text;
};

/// Which failing calls of the API are errors.
enum class ApiErrors : uint8_t { None, Explicit, All };

struct CheckOptions {
  uint32_t checks = 0; ///< Checks; 0: nothing is
  uint64_t printLimit = 100;
  std::string logFile; ///< empty: stderr; "-": stdout
  std::string saveFile, jsonFile, sarifFile, readFile, suppressionsFile, newSuppressionsFile;
  bool asXml = false;
  bool showsInfos = false; ///< what is no error
  enum class Color : uint8_t { Auto, Always, Never } color = Color::Auto;

  std::vector<KernelFilter> kernels, otherKernels; ///< what is checked; what is not
  uint64_t launchSkip = 0, launchCount = UINT64_MAX;
  uint64_t seed = 0; ///< of the order of blocks and warps; 0: as they come

  bool findsLeaks = false;
  ApiErrors apiErrors = ApiErrors::Explicit;
  bool checksApiMemory = true;
  bool findsCancellation = false;
  bool findsUnused = false;
  bool hostStacks = true, deviceStacks = true;
  bool lockstep = false;       ///< racecheck takes the lanes of a warp to run in step
  bool volatileIsData = false; ///< racecheck: two volatile accesses race, too

  /// Of `heddle check`, where there are errors and the program succeeded; 0: the program's own.
  int errorExitCode = 0;
  bool checksExitCode = true; ///< says that the program has failed
  bool withChildren = true;   ///< programs that it starts are checked, too
  bool wantsHelp = false, wantsVersion = false;
};

/// The options of a command line. `rest` gets the words behind them: the program and its arguments.
Result<CheckOptions> parseCheckOptions(const std::vector<std::string> &words,
                                       std::vector<std::string> &rest);
/// "memcheck,synccheck", "all".
Result<uint32_t> parseChecks(const std::string &list);
/// The same backwards.
std::string namesOfChecks(uint32_t);
/// A line for each option, for the help.
std::string describeCheckOptions();

/// Whether one of the filters finds the kernel, or there is none; `mangled` and `shown` are its names.
bool isAmong(const std::vector<KernelFilter> &, const std::string &mangled,
             const std::string &shown);
/// Whether the kernel of that name is checked; `mangled` and `shown` are its names.
bool isChosen(const CheckOptions &, const std::string &mangled, const std::string &shown);

} // namespace heddle
