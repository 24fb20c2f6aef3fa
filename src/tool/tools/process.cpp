// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/tools/process.h"
#include "tool/tools/files.h"
#include "tool/tools/interrupts.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace heddle::tool {

namespace {

void closeIf(int fd) {
  if (fd >= 0)
    close(fd);
}

int makeMemoryFile(bool wanted) { return wanted ? memfd_create("heddle", MFD_CLOEXEC) : -1; }

std::string contents(int fd) {
  Result<std::string> text = fd < 0 ? std::string() : readDescriptor(fd);
  return text ? *text : "";
}

/// posix_spawn's two argument objects, made and destroyed together.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  explicit SpawnSettings(bool hasGroup) {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    ChildSignals signals(hasGroup);
    posix_spawnattr_setsigdefault(&attributes, &signals.defaults);
    posix_spawnattr_setsigmask(&attributes, &signals.mask);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                (hasGroup ? POSIX_SPAWN_SETPGROUP : 0)));
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  void redirect(int from, int to) {
    if (from >= 0)
      posix_spawn_file_actions_adddup2(&actions, from, to);
  }
};

} // namespace

Process::Process(Process &&other) noexcept { *this = std::move(other); }

Process &Process::operator=(Process &&other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  std::swap(output_, other.output_);
  std::swap(errors_, other.errors_);
  return *this;
}

Process::~Process() {
  if (pid_ > 0)
    wait();
  closeIf(output_);
  closeIf(errors_);
}

Result<Process> Process::start(const Command &command, const Streams &streams) {
  Process process;
  process.output_ = makeMemoryFile(streams.captureOutput);
  process.errors_ = makeMemoryFile(streams.captureErrors);
  const bool hasGroup = !streams.usesTerminal;
  SpawnSettings settings(hasGroup);
  settings.redirect(streams.input, STDIN_FILENO);
  settings.redirect(process.output_, STDOUT_FILENO);
  settings.redirect(process.errors_, STDERR_FILENO);
  std::vector<char *> argv;
  for (const std::string &word : command)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  int error = 0;
  process.pid_ = startChild(hasGroup, [&] {
    pid_t pid = 0;
    error =
        posix_spawnp(&pid, argv[0], &settings.actions, &settings.attributes, argv.data(), environ);
    return error == 0 ? pid : 0;
  });
  if (error != 0)
    return Failure{"cannot run " + command[0] + ": " + std::strerror(error)};
  return process;
}

int Process::wait() {
  if (pid_ <= 0)
    return status_;
  int status = awaitChild(pid_);
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  pid_ = -1;
  return status_;
}

std::string Process::output() const { return contents(output_); }
std::string Process::errors() const { return contents(errors_); }

Result<Pipe> Pipe::create() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Failure{std::string("cannot make a pipe: ") + std::strerror(errno)};
  return Pipe{ends[0], ends[1]};
}

void writeAndClose(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      break;
    if (written > 0)
      bytes.remove_prefix(static_cast<size_t>(written));
  }
  close(fd);
}

std::string quoteCommand(const Command &command, bool quoteFiles) {
  std::string line;
  bool output = false;
  for (const std::string &word : command) {
    bool plain =
        !word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]{}#~`!") == std::string::npos;
    if (quoteFiles && (output || word.ends_with(".o")))
      plain = false;
    output = word == "-o";
    if (!line.empty())
      line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    line += '"';
    for (char c : word) {
      if (c == '"' || c == '\\' || c == '$' || c == '`')
        line += '\\';
      line += c;
    }
    line += '"';
  }
  return line;
}

} // namespace heddle::tool
