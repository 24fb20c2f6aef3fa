// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle replay`. The program's own driver saves the launch (driver/record/recorder.cpp); what runs
// it again is a small program (replay_launch.cpp), on the CPU under `heddle check`.
#include "tool/run/replay.h"

#include "base/command_options.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/run/check.h"
#include "tool/run/program.h"
#include "tool/tools/files.h"
#include "tool/tools/toolchain.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace heddle::tool {

namespace {

using Words = std::vector<std::string>;

constexpr const char *Usage =
    "Usage: heddle replay [options] [--] program [arguments]\n"
    "       heddle replay [options] file\n\n"
    "Runs a program, on whatever device HEDDLE_DEVICE names, and saves one of its launches\n"
    "with all memory that it can reach; then, or from the file, runs that launch again on\n"
    "the CPU under heddle check.\n\n";

struct Request {
  std::string save = "fault", file = "heddle.launch", device = "cpu", tool;
  bool onlySaves = false, isPlain = false, wantsHelp = false;
};

using Option = CommandOption<Request>;
constexpr Option Options[] = {
    {"--save", "<launch>", takeText<Request, &Request::save>,
     "7: the program's seventh launch; name or name:3: a kernel's first or third; fault: the one "
     "that ends with an error (default), for which all launches are waited for and their memory is "
     "copied"},
    {"--output", "<file>", takeText<Request, &Request::file>,
     "where the launch is saved (default: heddle.launch)"},
    {"--save-only", "", takeFlag<Request, &Request::onlySaves>, "do not run it again"},
    {"--device", "<device>", takeText<Request, &Request::device>,
     "run it again there, a value of HEDDLE_DEVICE (default: cpu)"},
    {"--tool", "<checks>", takeText<Request, &Request::tool>, "as of heddle check"},
    {"--plain", "", takeFlag<Request, &Request::isPlain>, "run it again without checks"},
    {"--help", "", takeFlag<Request, &Request::wantsHelp>, "this text"},
};
constexpr ShortName ShortNames[] = {{"-o", "--output"}, {"-h", "--help"}};
constexpr CommandOptions<Request> Table(Options, ShortNames);

bool isSavedLaunch(const std::string &file) {
  auto bytes = readFile(file);
  return bytes && bytes->starts_with("HEDDLELA");
}

int runAgain(const Request &request, const std::string &file) {
  const std::string program = ownFolders().root + "/bin/heddle-replay";
  setenv("HEDDLE_DEVICE", request.device.c_str(), 1);
  findOwnLibraries();
  if (!request.isPlain) {
    Words words = {"--error-exitcode", "1"};
    if (!request.tool.empty())
      words.insert(words.end(), {"--tool", request.tool});
    words.insert(words.end(), {"--", program, file});
    return runCheck(words);
  }
  pid_t process = 0;
  const int status = runProgram({program, file}, program, process);
  return status < 0 ? fatal("cannot run " + program) : exitCodeOf(status);
}

int saveAndRun(const Request &request, const Words &program, const std::string &name) {
  removeRegularFile(request.file);
  setenv("HEDDLE_SAVE_LAUNCH", request.save.c_str(), 1);
  setenv("HEDDLE_SAVE_TO", absolutePath(request.file).c_str(), 1);
  setenv("HEDDLE_GUARD", "error", 0); // an overrun is what is looked for
  findOwnLibraries();
  pid_t process = 0;
  const int status = runProgram(program, name, process);
  unsetenv("HEDDLE_SAVE_LAUNCH");
  if (status < 0)
    return fatal("cannot run " + program[0] + ": " + std::strerror(errno));
  if (!isSavedLaunch(request.file)) {
    if (request.save != "fault")
      return fatal("the program had no launch " + request.save);
    std::fprintf(stderr, "heddle replay: no launch ended with an error\n");
    return exitCodeOf(status);
  }
  return request.onlySaves ? exitCodeOf(status) : runAgain(request, request.file);
}

} // namespace

int runReplay(const Words &arguments) {
  Words words = arguments, program;
  std::string name = takeProgramName(words);
  Request request;
  if (Complaint complaint = Table.parse(request, words, program); !complaint.empty())
    return fatal(complaint);
  if (request.wantsHelp)
    return fputs((Usage + Table.describe()).c_str(), stdout) < 0;
  if (program.empty())
    return fatal("heddle replay needs a program or a saved launch");
  if (program.size() == 1 && isSavedLaunch(program[0]))
    return runAgain(request, program[0]);
  return saveAndRun(request, program, name.empty() ? program[0] : name);
}

} // namespace heddle::tool
