// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heddle command. Called by the name of nvcc, it is `heddle cc`; as heddle-link, it is the
// linker of host code (host_link.h); by the names of the toolkit's other tools it is those.
#include "base/messages/line_log.h"
#include "tool/absent/absent_parts.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/fortran/fc.h"
#include "tool/link/host_link.h"
#include "tool/run/bin2c.h"
#include "tool/run/check.h"
#include "tool/run/device_linkers.h"
#include "tool/run/dump.h"
#include "tool/run/profile.h"
#include "tool/run/ptxas.h"
#include "tool/run/replay.h"
#include "tool/run/run.h"
#include "tool/tools/files.h"
#include "tool/tools/interrupts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/resource.h>

using namespace heddle::tool;

namespace {

using Words = std::vector<std::string>;

struct Subcommand {
  const char *name;
  int (*run)(const Words &);
  const char *help;
};

int runHelp(const Words &);

/// HEDDLE_TIME_JIT=/a/file gets our time beside that of kernels' compilations (jit/steps.h).
void logTime() {
  const char *file = std::getenv("HEDDLE_TIME_JIT");
  if (!file || *file != '/')
    return;
  double seconds = 0;
  for (auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage;
    getrusage(who, &usage);
    for (timeval time : {usage.ru_utime, usage.ru_stime})
      seconds += double(time.tv_sec) + double(time.tv_usec) / 1e6;
  }
  heddle::appendLine(file, "heddle: compile, cpu " + std::to_string(seconds * 1e3) + " ms");
}

int compileCuda(const Words &words) {
  int code = runCc(words);
  logTime();
  return code;
}

int compileFortran(const Words &words) {
  int code = runFc(words);
  logTime();
  return code;
}

int runVersion(const Words &) {
  puts("heddle " HEDDLE_VERSION);
  return 0;
}

constexpr Subcommand Subcommands[] = {
    {"run", runRun, "run file.cu [--] [args]     compile and run; also a .cuf, a .o or a program"},
    {"cc", compileCuda,
     "cc ...                      nvcc, with nvcc's options; see heddle cc --help"},
    {"fc", compileFortran,
     "fc ...                      nvfortran, for CUDA Fortran; see heddle fc --help"},
    {"check", runCheck,
     "check [options] ./prog      find errors of memory and more; see heddle check --help"},
    {"profile", runProfile,
     "profile [options] ./prog    time what runs on the device; see heddle profile --help"},
    {"predict", runPredict,
     "predict --gpu k20 ./prog    what kernels would take on a GPU; see heddle predict --help"},
    {"replay", runReplay,
     "replay ./prog               run the launch that failed again, under heddle check; see "
     "--help"},
    {"diff", runDiff,
     "diff --devices cpu,gpu ./prog  compare the results of kernels on two devices; see --help"},
    {"devices", runDevices,
     "devices [--kernels]         list the CUDA devices, or the best forms of kernels that ran"},
    {"dump", runDump,
     "dump [options] file         what device code a file holds; see heddle dump --help"},
    {"doctor", runDoctor, "doctor                      say what is there and what is missing"},
    {"help", runHelp, "help                        this text"},
    {"version", runVersion, "version                     the version"},
};

int runHelp(const Words &) {
  puts("Heddle compiles and runs CUDA C++ and CUDA Fortran on the CPU.\n\nUsage:");
  for (const Subcommand &command : Subcommands)
    printf("  heddle %s\n", command.help);
  return 0;
}

int dispatch(Words words) {
  if (words.empty()) {
    runHelp({});
    return ExitUsage;
  }
  std::string name = words.front();
  words.erase(words.begin());
  if (name == "--help" || name == "-h")
    name = "help";
  if (name == "--version" || name == "-V")
    name = "version";
  for (const Subcommand &command : Subcommands) {
    if (name != command.name)
      continue;
    return command.run(words);
  }
  return fatal("there is no command '" + name + "'; see heddle help");
}

/// A tool of CUDA's that is not there (absent_parts.def). Build scripts ask some of them for the
/// version, to know that of the toolkit.
int answerForTool(const AbsentTool &tool, const Words &words) {
  for (const std::string &word : words)
    if (word == "--version" || word == "-V")
      return fputs(toolVersion(std::string(tool.name), tool.title).c_str(), stdout) < 0;
  return fatal(std::string(tool.why));
}

/// What the program does that is called by this name.
int runAs(const std::string &name, Words words) {
  setProgramName(name);
  if (name == "nvcc")
    return compileCuda(words);
  if (name == "nvfortran" || name == "pgfortran" || name == "pgf90" || name == "pgf95")
    return compileFortran(words);
  if (name.starts_with("mpi"))
    return runMpiCompiler(name, words);
  if (name == "cuda-gdb")
    return runDebugger(words);
  if (name == HostLinkName)
    return runHostLink(words);
  if (name == "compute-sanitizer" || name == "cuda-memcheck")
    return runComputeSanitizer(name, words);
  if (name == "nvprof")
    return runNvprof(words);
  if (name == "ncu" || name == "nv-nsight-cu-cli")
    return runNcu(words);
  if (name == "nsys")
    return runNsys(std::move(words));
  if (name == "bin2c")
    return runBin2c(words);
  if (name == "cuobjdump")
    return runCuobjdump(words);
  if (name == "nvlink")
    return runNvlink(words);
  if (name == "fatbinary")
    return runFatbinary(words);
  if (name == "ptxas")
    return runPtxas(words);
  if (const AbsentTool *tool = findAbsentTool(name))
    return answerForTool(*tool, words);
  setProgramName("heddle");
  return dispatch(std::move(words));
}

} // namespace

int main(int argc, char **argv) {
  std::string name = argc > 0 ? fileName(argv[0]) : "";
  Words words(argv + std::min(argc, 1), argv + argc);
  if (!isCheckCommand(name, words) && !isProfileCommand(name, words))
    handleInterrupts();
  return runAs(name, std::move(words));
}
