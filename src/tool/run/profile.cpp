// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle profile`: a program takes down what it does, and writes the report at its end, as
// HEDDLE_PROFILE and HEDDLE_PROFILE_OPTIONS tell it (src/profile).
#include "tool/run/profile.h"

#include "base/command_options.h"
#include "base/messages/output.h"
#include "base/profile_options.h"
#include "model/gpu.h"
#include "tool/absent/absent_parts.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/run/program.h"
#include "tool/tools/files.h"
#include "tool/tools/toolchain.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::tool {

namespace {

using Words = std::vector<std::string>;

struct Request {
  ProfileOptions options;
  Words words;   ///< of the options
  Words program; ///< and its arguments
  std::string name;
};

/// Which names the tool has, and what it calls itself.
struct ToolFacts {
  ProfileTool tool;
  const char *command;
  const char *title; ///< for --version
};
constexpr ToolFacts Tools[] = {
    {ProfileTool::Heddle, "heddle profile", "Profiler"},
    {ProfileTool::Nvprof, "nvprof", "NVIDIA (R) Cuda command line profiler"},
    {ProfileTool::Ncu, "ncu", "NVIDIA (R) Nsight Compute Command Line Profiler"},
    {ProfileTool::Predict, "heddle predict", "Predictor"},
    {ProfileTool::Nsys, "nsys profile", "NVIDIA Nsight Systems"}};

std::string usageOf(const ToolFacts &facts) {
  std::string command = facts.command;
  return "Usage: " + command + " [options] [--] program [arguments]\n\n" +
         "Runs a program that heddle cc or heddle fc has made, and tells " +
         (facts.tool == ProfileTool::Predict ? "what its kernels would take on GPUs"
                                             : "what it did and how long it took") +
         ".\n\n" + describeProfileOptions(facts.tool);
}

/// Written by a program that CUDA was asked for in.
constexpr const char *SeenVariable = "HEDDLE_PROFILE_SEEN";

/// profile/recorder.cpp
bool hasReported(const std::string &seen) {
  auto text = readWhole(seen);
  return text && *text == "reported";
}

void setEnvironment(const Request &request, const std::string &seen) {
  setenv("HEDDLE_PROFILE", nameOf(request.options.tool).c_str(), 1);
  setenv("HEDDLE_PROFILE_OPTIONS", joinLines(request.words).c_str(), 1);
  setenv("HEDDLE_PROFILE_PARENT", std::to_string(getpid()).c_str(), 1);
  setenv(SeenVariable, seen.c_str(), 1);
  setenv("NVTX_INJECTION64_PATH", (ownFolders().libs + "/libheddle_driver.so").c_str(), 0);
  findOwnLibraries();
}

/// Where none is named: the boards of HEDDLE_DEVICE.
void addBoardsOfMachine(Request &request) {
  const char *device = getenv("HEDDLE_DEVICE");
  if (request.options.tool != ProfileTool::Predict || !request.options.gpus.empty() || !device)
    return;
  std::string names = device;
  std::ranges::replace_if(names, [](char c) { return c == ',' || c == '/'; }, '\n');
  for (const std::string &key : splitLines(names.c_str()))
    if (model::findGpu(key) &&
        std::ranges::find(request.options.gpus, key) == request.options.gpus.end()) {
      request.options.gpus.push_back(key);
      request.words.insert(request.words.end(), {"--gpu", key});
    }
}

/// What cannot be had.
std::string problemOf(const ProfileOptions &options) {
  if (options.tool == ProfileTool::Predict && options.gpus.empty())
    return "heddle predict needs a GPU: --gpu k20,h100, or HEDDLE_DEVICE";
  if (!options.gpus.empty() && !model::gpuFileError().empty())
    return model::gpuFileError();
  for (const std::string &key : options.gpus)
    if (!model::findGpu(key))
      return "there is no GPU '" + key + "'; heddle devices lists those that are known";
  return "";
}

int run(const Request &request) {
  TemporaryDirectory temporary;
  Result<std::string> folder = temporary.path();
  if (!folder)
    return fatal(folder.error());
  std::string seen = *folder + "/seen";
  setEnvironment(request, seen);
  pid_t process = 0;
  int status = runProgram(request.program, request.name, process);
  if (status < 0)
    return fatal("cannot run " + request.program[0] + ": " + std::strerror(errno));
  if (access(seen.c_str(), F_OK) != 0 && !request.options.isQuiet)
    Output(expandLogName(request.options.logFile, process))
        .write("======== Warning: No CUDA application was profiled, exiting\n");
  if (WIFSIGNALED(status))
    fprintf(stderr, "heddle: %s was ended by a signal (%s)%s\n", request.program[0].c_str(),
            strsignal(WTERMSIG(status)), hasReported(seen) ? "" : ", and has written no report");
  return exitCodeOf(status);
}

std::string driverPath() { return ownFolders().libs + "/libheddle_driver.so"; }

/// Of the driver's library, which knows the counters; null: it cannot be loaded.
template <typename Function> Function *driverFunction(const char *name) {
  void *library = dlopen(driverPath().c_str(), RTLD_NOW);
  return library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
}

/// --query-metrics and --query-events.
int listCounters(const ToolFacts &facts, bool areEvents) {
  auto *names = driverFunction<const char *(const char *, bool)>("heddle_counter_names");
  if (!names)
    return fatal("cannot load " + driverPath());
  return fputs(names(nameOf(facts.tool).c_str(), areEvents), stdout) < 0;
}

/// Names that are no counters: told before the program runs.
std::string problemOfCounters(const ToolFacts &facts, const ProfileOptions &options) {
  if (options.metrics.empty() && options.events.empty())
    return "";
  auto *problem =
      driverFunction<const char *(const char *, const char *, bool)>("heddle_counter_problem");
  if (!problem)
    return "cannot load " + driverPath();
  auto of = [&](const Words &names, bool areEvents) {
    return std::string(problem(nameOf(facts.tool).c_str(), joinLines(names).c_str(), areEvents));
  };
  std::string text = of(options.metrics, false);
  return text.empty() ? of(options.events, true) : text;
}

int profile(const ToolFacts &facts, Words words) {
  Request request;
  request.name = takeProgramName(words);
  auto options = parseProfileOptions(facts.tool, words, request.program);
  if (!options)
    return fatal(options.error());
  request.options = *options;
  request.words = wordsOfOptions(words, request.program);
  addBoardsOfMachine(request);
  if (options->wantsHelp)
    return fputs(usageOf(facts).c_str(), stdout) < 0;
  if (options->wantsVersion)
    return fputs(toolVersion(facts.command, facts.title).c_str(), stdout) < 0;
  if (options->queriesMetrics || options->queriesEvents)
    return listCounters(facts, options->queriesEvents);
  if (options->listsSets) {
    std::string text = "Sets: basic, default, detailed, full\nSections:\n";
    for (std::string_view section : NcuSections)
      text += "    " + std::string(section) + "\n";
    return fputs(text.c_str(), stdout) < 0;
  }
  if (request.program.empty())
    return fatal(std::string(facts.command) + " needs a program: " + facts.command +
                 " [options] program [arguments]");
  if (auto problem = problemOf(request.options); !problem.empty())
    return fatal(problem);
  if (auto problem = problemOfCounters(facts, *options); !problem.empty())
    return fatal(problem);
  if (isSource(request.program[0]))
    return fatal("'" + request.program[0] + "' is no program; compile it first");
  if (request.name.empty())
    request.name = request.program[0];
  return run(request);
}

} // namespace

int runProfile(const Words &words) { return profile(Tools[0], words); }
int runNvprof(const Words &words) { return profile(Tools[1], words); }
int runNcu(const Words &words) { return profile(Tools[2], words); }
int runPredict(const Words &words) { return profile(Tools[3], words); }

int runNsys(Words words) {
  if (words.size() == 1 && (words[0] == "--version" || words[0] == "-v"))
    return fputs(toolVersion("nsys", Tools[4].title).c_str(), stdout) < 0;
  if (words.empty() || words[0] == "--help" || words[0] == "-h")
    return fputs(usageOf(Tools[4]).c_str(), stdout) < 0;
  if (words[0] != "profile")
    return fatal(
        "nsys " + words[0] +
        " is not supported; nsys profile --stats=true gives the sums, and --output a trace");
  words.erase(words.begin());
  return profile(Tools[4], words);
}

bool isProfileCommand(const std::string &name, const Words &words) {
  return name == "nvprof" || name == "ncu" || name == "nsys" ||
         (!words.empty() && (words[0] == "profile" || words[0] == "predict") && name != "nvcc");
}

} // namespace heddle::tool
