// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle check`: a program is checked by its own runtime, which HEDDLE_CHECK and
// HEDDLE_CHECK_OPTIONS tell to, in the program and in those that it starts. They tell findings as
// they come, and note them in a file (check/records.h), so that here the sum can be told also of
// programs that crash.
#include "tool/run/check.h"

#include "base/command_options.h"
#include "base/messages/output.h"
#include "check/conclusion.h"
#include "check/records.h"
#include "check/reports.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/run/program.h"
#include "tool/tools/files.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::tool {

namespace {

using Words = std::vector<std::string>;

constexpr const char *Usage =
    "Usage: heddle check [options] [--] program [arguments]\n\n"
    "Runs a program that heddle cc or heddle fc has made, and reports its errors.\n"
    "heddle run --check[=tools] file.cu compiles before.\n\n";

struct Request {
  CheckOptions options;
  Words words;   ///< of the options
  Words program; ///< and its arguments
  std::string name;
};

/// What the program's runtime reads.
void setEnvironment(const Request &request, const std::string &records) {
  setenv("HEDDLE_CHECK", namesOfChecks(request.options.checks).c_str(), 1);
  setenv("HEDDLE_CHECK_OPTIONS", joinLines(request.words).c_str(), 1);
  if (request.options.seed) // of several workers the order is never the same
    setenv("HEDDLE_WORKERS", "1", 0);
  setenv("HEDDLE_CHECK_RECORDS", records.c_str(), 1);
  setenv("HEDDLE_CHECK_PARENT", std::to_string(getpid()).c_str(), 1);
  findOwnLibraries();
}

void tell(const CheckOptions &options, const std::vector<check::Finding> &findings, pid_t process) {
  if (options.asXml || findings.empty())
    return;
  Output output(expandLogName(options.logFile, process));
  for (const check::Finding &finding : findings)
    output.write(textOf(finding, check::wantsColor(options)));
}

int endOf(const Request &request, const std::string &records, int status, pid_t process) {
  check::Records all;
  if (auto bytes = readWhole(records))
    all = check::parseRecords(*bytes);
  tell(request.options, all.untold, process);
  int code = exitCodeOf(status);
  if (code != 0 && request.options.checksExitCode && !request.options.asXml) {
    std::string how = WIFSIGNALED(status)
                          ? std::string("was ended by a signal: ") + strsignal(WTERMSIG(status))
                          : "returned an error: " + std::to_string(code);
    Output(expandLogName(request.options.logFile, process))
        .write("========= Target application " + how + "\n");
  }
  check::conclude(request.options, all.findings, process);
  return code == 0 && check::countErrors(all.findings) ? request.options.errorExitCode : code;
}

int run(const Request &request) {
  TemporaryDirectory temporary;
  Result<std::string> folder = temporary.path();
  if (!folder)
    return fatal(folder.error());
  std::string records = *folder + "/records";
  if (auto failure = writeFile(records, ""))
    return fatal(failure->message);
  setEnvironment(request, records);
  pid_t process = 0;
  int status = runProgram(request.program, request.name, process);
  if (status < 0)
    return fatal("cannot run " + request.program[0] + ": " + std::strerror(errno));
  return endOf(request, records, status, process);
}

/// --read.
int show(const CheckOptions &options) {
  auto bytes = readWhole(options.readFile);
  if (!bytes)
    return fatal(options.readFile + " " + bytes.error());
  std::vector<check::Finding> findings = check::parseRecords(*bytes).findings;
  tell(options, findings, getpid());
  check::conclude(options, findings, getpid());
  return findings.empty() ? 0 : options.errorExitCode;
}

int check(Words words, const std::string &title) {
  Request request;
  request.name = takeProgramName(words);
  auto options = parseCheckOptions(words, request.program);
  if (!options)
    return fatal(options.error());
  request.options = *options;
  request.words = wordsOfOptions(words, request.program);
  if (options->wantsHelp)
    return fputs((Usage + describeCheckOptions()).c_str(), stdout) < 0;
  if (options->wantsVersion)
    return fputs(toolVersion("heddle check", "Compute Sanitizer").c_str(), stdout) < 0;
  if (!options->readFile.empty())
    return show(*options);
  if (request.program.empty())
    return fatal("heddle check needs a program: heddle check [options] program [arguments]");
  if (isSource(request.program[0]))
    return fatal("'" + request.program[0] + "' is no program; heddle run --check compiles it");
  if (request.name.empty())
    request.name = request.program[0];
  beginFile(expandLogName(request.options.logFile, getpid()));
  if (!title.empty()) {
    if (options->logFile.empty()) {
      request.options.logFile = "-";
      request.words.insert(request.words.end(), {"--log-file", "-"});
    }
    if (!options->asXml)
      Output(expandLogName(request.options.logFile, getpid())).write("========= " + title + "\n");
  }
  return run(request);
}

} // namespace

int runCheck(const Words &words) { return check(words, ""); }

int runComputeSanitizer(const std::string &name, const Words &words) {
  return check(words, name == "cuda-memcheck" ? "CUDA-MEMCHECK" : "COMPUTE-SANITIZER");
}

Words checkCommand(const Words &options, const std::string &program, const std::string &name,
                   const Words &arguments) {
  Words words = {"check", NameOption, name};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", program});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

bool isCheckCommand(const std::string &name, const Words &words) {
  return name == "compute-sanitizer" || name == "cuda-memcheck" ||
         (!words.empty() && words[0] == "check" && name != "nvcc");
}

} // namespace heddle::tool
