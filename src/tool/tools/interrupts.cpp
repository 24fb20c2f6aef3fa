// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a signal ends a build: at once, with all processes that it started, and with nothing left that
// is half done.
//
// The signals are blocked in all threads and awaited by one of their own. So what is to be done is
// ordinary code, whatever the other threads are in: they may wait for a compiler, read a pipe, or be
// deep in libheddle_jit.so. The thread takes the lock under which children start and end and files
// are noted, and keeps it: from then on nothing new begins, and no message about a compiler that was
// killed comes out.
//
// A tool has children of its own, a compiler driver its linker, and those do not end with it. So each
// tool leads a process group, which is signalled as a whole. When a tool ends before its children,
// they become ours (PR_SET_CHILD_SUBREAPER), so that all of them can be waited for: what they clean
// up themselves is clean when we end. heddle-link, which is this program, does the same with its
// children, that have groups of their own.
//
// A group of its own is not the terminal's foreground group: Ctrl-C comes to us alone, and is passed
// on. A program that `-run` starts stays in our group, for it may talk to the terminal.
#include "tool/tools/interrupts.h"
#include "tool/tools/files.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace heddle::tool {

namespace {

constexpr int Signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

struct Child {
  pid_t pid;
  bool hasGroup;
};

/// Tells whether a file is another one, or has other contents.
struct Stamp {
  bool exists = false;
  ino_t file = 0;
  off_t size = 0;
  timespec time = {};

  explicit Stamp(const std::string &path) {
    struct stat info;
    exists = stat(path.c_str(), &info) == 0;
    if (exists)
      file = info.st_ino, size = info.st_size, time = info.st_mtim;
  }
  bool operator==(const Stamp &other) const {
    return exists == other.exists && file == other.file && size == other.size &&
           time.tv_sec == other.time.tv_sec && time.tv_nsec == other.time.tv_nsec;
  }
};

struct Noted {
  std::string path;
  Stamp before;
};

struct State {
  std::mutex mutex; ///< for the rest
  std::vector<Child> children;
  std::map<size_t, Noted> unfinished;
  size_t lastNumber = 0;
  // Written before there are threads.
  sigset_t watched = {}, maskBefore = {};
  struct sigaction pipeBefore = {}, childBefore = {};
  bool handles = false;
};

/// Never destroyed: a signal may come while the process ends.
State &state() {
  static State *state = new State;
  return *state;
}

/// Of a child, and of a group's all. False if some are left when the time is over.
bool awaitEnd(const Child &child, int milliseconds) {
  siginfo_t info;
  for (int waited = 0;; ++waited) {
    info.si_pid = 0;
    if (waitid(child.hasGroup ? P_PGID : P_PID, static_cast<id_t>(child.pid), &info,
               WEXITED | WNOHANG) != 0 &&
        errno != EINTR)
      return true;
    if (info.si_pid != 0)
      continue; // more may have ended
    if (waited >= milliseconds)
      return false;
    constexpr timespec Look = {0, 1'000'000};
    nanosleep(&Look, nullptr);
  }
}

/// A tool gets two seconds to clean up. A program in our own group, which the terminal has told of
/// the signal if it was its own, ends when it likes.
void stopChildren(const std::vector<Child> &children, int signal, bool isTerminals) {
  constexpr int Patience = 2'000, Forever = INT32_MAX; // ms
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const Child &child : children)
    if (child.hasGroup)
      kill(-child.pid, SIGTERM);
    else if (!isTerminals)
      kill(child.pid, signal);
  for (const Child &child : children)
    if (!awaitEnd(child, child.hasGroup ? Patience : Forever)) {
      kill(-child.pid, SIGKILL);
      awaitEnd(child, Patience);
    }
}

void removeUnfinished(const std::map<size_t, Noted> &unfinished) {
  for (const auto &[number, noted] : unfinished) {
    std::error_code error;
    if (isDirectory(noted.path))
      std::filesystem::remove_all(noted.path, error);
    else if (!(Stamp(noted.path) == noted.before))
      removeRegularFile(noted.path);
  }
}

[[noreturn]] void endBy(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  _exit(128 + signal);
}

void *watch(void *) {
  State &s = state();
  siginfo_t info;
  int signal;
  do
    signal = sigwaitinfo(&s.watched, &info);
  while (signal < 0);
  s.mutex.lock(); // for good
  stopChildren(s.children, signal, info.si_code == SI_KERNEL);
  removeUnfinished(s.unfinished);
  endBy(signal);
}

} // namespace

void handleInterrupts() {
  State &s = state();
  struct sigaction ignore = {}, byDefault = {};
  ignore.sa_handler = SIG_IGN;
  byDefault.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &ignore, &s.pipeBefore);
  // Where it is ignored nobody learns how a child ended.
  sigaction(SIGCHLD, &byDefault, &s.childBefore);
  sigemptyset(&s.watched);
  for (int signal : Signals) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&s.watched, signal);
  }
  // The thread takes none but those that it waits for: a SIGCHLD that it may take is lost, and who waits for
  // it (run/program.cpp) waits for good.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &s.maskBefore);
  s.handles = true;
  pthread_t thread;
  const bool isWatched = pthread_create(&thread, nullptr, watch, nullptr) == 0;
  if (isWatched)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &s.maskBefore, nullptr);
  if (isWatched) // else the signals do what they always do
    pthread_sigmask(SIG_BLOCK, &s.watched, nullptr);
}

void restoreSignals() {
  State &s = state();
  if (!s.handles)
    return;
  sigaction(SIGPIPE, &s.pipeBefore, nullptr);
  sigaction(SIGCHLD, &s.childBefore, nullptr);
  pthread_sigmask(SIG_SETMASK, &s.maskBefore, nullptr);
}

Unfinished::Unfinished(const std::string &path) {
  std::lock_guard lock(state().mutex);
  note(path);
}

Unfinished::Unfinished(const std::function<std::string()> &make) {
  std::lock_guard lock(state().mutex);
  note(make());
}

void Unfinished::note(const std::string &path) {
  if (path.empty())
    return;
  State &s = state();
  number_ = ++s.lastNumber;
  s.unfinished.emplace(number_, Noted{path, Stamp(path)});
}

Unfinished::~Unfinished() {
  if (!number_)
    return;
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.unfinished.erase(number_);
}

ChildSignals::ChildSignals(bool hasGroup) {
  const State &s = state();
  sigemptyset(&defaults);
  if (s.handles)
    mask = s.maskBefore;
  else
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  if (s.handles && s.pipeBefore.sa_handler != SIG_IGN)
    sigaddset(&defaults, SIGPIPE);
  if (hasGroup)
    for (int signal : {SIGTTIN, SIGTTOU})
      sigaddset(&mask, signal);
}

pid_t startChild(bool hasGroup, const std::function<pid_t()> &spawn) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  pid_t pid = spawn();
  if (pid > 0)
    s.children.push_back({pid, hasGroup});
  return pid;
}

int awaitChild(pid_t pid) {
  State &s = state();
  siginfo_t info;
  // It stays until it is known to be no child any more: its number must not be another's then.
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
    ;
  std::lock_guard lock(s.mutex);
  int status = 1 << 8; // of a child that another has waited for: it is not known to have succeeded
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  std::erase_if(s.children, [&](const Child &child) { return child.pid == pid; });
  return status;
}

} // namespace heddle::tool
