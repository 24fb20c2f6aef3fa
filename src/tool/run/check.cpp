// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle check`: a program is checked by its own runtime, which HEDDLE_CHECK and
// HEDDLE_CHECK_OPTIONS tell to, in the program and in those that it starts. They tell findings as
// they come, and note them in a file (check/records.h), so that here the sum can be told also of
// programs that crash. The program stays in our group of processes, and so in the terminal's; a
// signal that is sent to us alone is passed on.
#include "tool/run/check.h"

#include "check/conclusion.h"
#include "check/records.h"
#include "check/reports.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/fortran/fortran_unit.h"
#include "tool/tools/files.h"
#include "tool/tools/toolchain.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace heddle::tool {

namespace {

using Words = std::vector<std::string>;

/// In front of the options: what the program is to find as its name.
constexpr const char *NameOption = "--program-name";

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

int exitCodeOf(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

constexpr int PassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};

/// Runs the program. Its status as of waitpid; -1 if it cannot run.
int runChild(const Request &request, pid_t &process) {
  std::signal(SIGCHLD, SIG_DFL);
  sigset_t awaited, before;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  for (int signal : PassedOn)
    sigaddset(&awaited, signal);
  sigprocmask(SIG_BLOCK, &awaited, &before);

  std::vector<char *> argv = {const_cast<char *>(request.name.c_str())};
  for (size_t i = 1; i < request.program.size(); ++i)
    argv.push_back(const_cast<char *>(request.program[i].c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &before);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  errno = posix_spawnp(&process, request.program[0].c_str(), nullptr, &attributes, argv.data(),
                       environ);
  posix_spawnattr_destroy(&attributes);
  if (errno != 0)
    return -1;
  for (int status;;) {
    siginfo_t info;
    int signal = sigwaitinfo(&awaited, &info);
    if (signal != SIGCHLD) {
      if (signal > 0 && info.si_code != SI_KERNEL) // the terminal's go to the whole group
        kill(process, signal);
    } else if (waitpid(process, &status, WNOHANG) == process) {
      return status;
    }
  }
}

/// What the program's runtime reads.
void setEnvironment(const Request &request, const std::string &records) {
  setenv("HEDDLE_CHECK", namesOfChecks(request.options.checks).c_str(), 1);
  setenv("HEDDLE_CHECK_OPTIONS", joinCheckWords(request.words).c_str(), 1);
  setenv("HEDDLE_CHECK_RECORDS", records.c_str(), 1);
  setenv("HEDDLE_CHECK_PARENT", std::to_string(getpid()).c_str(), 1);
  std::string libraries = ownFolders().libs;
  const char *old = std::getenv("LD_LIBRARY_PATH");
  if (old && *old)
    libraries += std::string(":") + old;
  setenv("LD_LIBRARY_PATH", libraries.c_str(), 1);
}

void tell(const CheckOptions &options, const std::vector<check::Finding> &findings, pid_t process) {
  if (options.asXml || findings.empty())
    return;
  check::Output output(check::expandLogName(options.logFile, process));
  for (const check::Finding &finding : findings)
    output.write(textOf(finding, check::wantsColor(options)));
}

int endOf(const Request &request, const std::string &records, int status, pid_t process) {
  check::Records all;
  if (auto bytes = check::readWhole(records))
    all = check::parseRecords(*bytes);
  tell(request.options, all.untold, process);
  int code = exitCodeOf(status);
  if (code != 0 && request.options.checksExitCode && !request.options.asXml) {
    std::string how = WIFSIGNALED(status)
                          ? std::string("was ended by a signal: ") + strsignal(WTERMSIG(status))
                          : "returned an error: " + std::to_string(code);
    check::Output(check::expandLogName(request.options.logFile, process))
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
  int status = runChild(request, process);
  if (status < 0)
    return fatal("cannot run " + request.program[0] + ": " + std::strerror(errno));
  return endOf(request, records, status, process);
}

/// --read.
int show(const CheckOptions &options) {
  auto bytes = check::readWhole(options.readFile);
  if (!bytes)
    return fatal(options.readFile + " " + bytes.error());
  std::vector<check::Finding> findings = check::parseRecords(*bytes).findings;
  tell(options, findings, getpid());
  check::conclude(options, findings, getpid());
  return findings.empty() ? 0 : options.errorExitCode;
}

bool isSource(const std::string &path) {
  for (const char *known : {".cu", ".cpp", ".cc", ".cxx", ".c", ".ptx"})
    if (extension(path) == known)
      return true;
  return isFortranSource(path);
}

int check(Words words, const std::string &title) {
  Request request;
  if (words.size() > 1 && words[0] == NameOption) {
    request.name = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  auto options = parseCheckOptions(words, request.program);
  if (!options)
    return fatal(options.error());
  request.options = *options;
  size_t count = words.size() - request.program.size();
  request.words.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  if (!request.words.empty() && request.words.back() == "--")
    request.words.pop_back();
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
  if (!title.empty()) {
    if (options->logFile.empty()) {
      request.options.logFile = "-";
      request.words.insert(request.words.end(), {"--log-file", "-"});
    }
    if (!options->asXml)
      check::Output(check::expandLogName(request.options.logFile, getpid()))
          .write("========= " + title + "\n");
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
