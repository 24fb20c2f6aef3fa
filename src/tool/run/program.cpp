// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/program.h"

#include "tool/fortran/fortran_unit.h"
#include "tool/tools/files.h"
#include "tool/tools/toolchain.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

namespace heddle::tool {

static constexpr int PassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};

std::string takeProgramName(std::vector<std::string> &words) {
  if (words.size() < 2 || words[0] != NameOption)
    return "";
  std::string name = words[1];
  words.erase(words.begin(), words.begin() + 2);
  return name;
}

std::vector<std::string> wordsOfOptions(const std::vector<std::string> &words,
                                        const std::vector<std::string> &program) {
  std::vector<std::string> options(words.begin(),
                                   words.end() - static_cast<std::ptrdiff_t>(program.size()));
  if (!options.empty() && options.back() == "--")
    options.pop_back();
  return options;
}

int runProgram(const std::vector<std::string> &program, const std::string &name, pid_t &process) {
  std::signal(SIGCHLD, SIG_DFL);
  sigset_t awaited, before;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  for (int signal : PassedOn)
    sigaddset(&awaited, signal);
  sigprocmask(SIG_BLOCK, &awaited, &before);

  std::vector<char *> argv = {const_cast<char *>(name.c_str())};
  for (size_t i = 1; i < program.size(); ++i)
    argv.push_back(const_cast<char *>(program[i].c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &before);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  errno = posix_spawnp(&process, program[0].c_str(), nullptr, &attributes, argv.data(), environ);
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

int exitCodeOf(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void findOwnLibraries() {
  std::string libraries = ownFolders().libs;
  const char *old = std::getenv("LD_LIBRARY_PATH");
  if (old && *old)
    libraries += std::string(":") + old;
  setenv("LD_LIBRARY_PATH", libraries.c_str(), 1);
}

bool isSource(const std::string &path) {
  for (const char *known : {".cu", ".cpp", ".cc", ".cxx", ".c", ".ptx"})
    if (extension(path) == known)
      return true;
  return isFortranSource(path);
}

} // namespace heddle::tool
