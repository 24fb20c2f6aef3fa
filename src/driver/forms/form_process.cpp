// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a process is started of which the program knows nothing. A child would send it SIGCHLD, and a
// program that waits for any child would find one that it has not started. So a child of ours,
// which sends no signal and is not seen by wait(), starts the compiler and ends at once; the
// compiler then belongs to the system's first process. Both run in the program's memory until the
// compiler's file is executed, as a child of posix_spawn does: copying the page tables of a program
// with much memory takes milliseconds. Meanwhile this thread stands still, and no signal is
// handled.
#include "driver/forms/form_process.h"

#include "base/cache/cache_files.h"
#include "base/cache/form_request.h"
#include "driver/modules/jit_library.h"
#include "jit/jit.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
// ThreadSanitizer keeps books on files and signals in the memory that the children share, but their
// files and handlers are their own: so they call the kernel by `syscall`, which it leaves alone.
/// clone by the name that it leaves alone: its own takes the child's memory for a copy.
extern "C" int __clone(int (*)(void *), void *stack, int flags, void *argument, ...) noexcept;

namespace heddle::driver {

namespace {

constexpr int Niceness = 10; ///< it takes what the program leaves
constexpr size_t StackBytes = 64 << 10;

/// What becomes readable when the program ends.
int stopEvent() {
  static const int event = eventfd(0, EFD_CLOEXEC);
  return event;
}

struct Start {
  const char *program;
  char *const *arguments;
  int input, output;
  uint8_t *stack; ///< of the second process, its end
  bool isStarted = false;
};

/// The compiler's process, until it is one.
int runProgram(void *argument) {
  const Start &start = *static_cast<const Start *>(argument);
  const std::array<uint64_t, 4> plain = {}; // the kernel's sigaction: SIG_DFL, no flags, no mask
  const uint64_t none = 0;                  // and its set of signals
  for (int signal = 1; signal < NSIG; ++signal) // the program's handlers lie in its memory
    syscall(SYS_rt_sigaction, signal, plain.data(), nullptr, sizeof none);
  setpriority(PRIO_PROCESS, 0, Niceness);
  long errors = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY, 0);
  // Out of the way first: a program may have closed its standard streams.
  long input = syscall(SYS_fcntl, start.input, F_DUPFD, 3);
  long output = syscall(SYS_fcntl, start.output, F_DUPFD, 3);
  syscall(SYS_dup3, errors, 2, 0);
  syscall(SYS_dup3, input, 0, 0);
  syscall(SYS_dup3, output, 1, 0);
  syscall(SYS_close_range, 3u, ~0u, 0u);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none);
  execve(start.program, start.arguments, environ);
  _exit(127);
}

int runMiddle(void *argument) {
  auto &start = *static_cast<Start *>(argument);
  start.isStarted = __clone(runProgram, start.stack, CLONE_VM | CLONE_VFORK, argument) > 0;
  _exit(0);
}

bool startProgram(Start start) {
  void *memory =
      mmap(nullptr, 2 * StackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  auto *stacks = static_cast<uint8_t *>(memory);
  start.stack = stacks + 2 * StackBytes;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int middle = __clone(runMiddle, stacks + StackBytes, CLONE_VM | CLONE_VFORK, &start);
  if (middle > 0)
    while (waitpid(middle, nullptr, __WALL) < 0 && errno == EINTR)
      ;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  munmap(memory, 2 * StackBytes);
  return start.isStarted;
}

bool writeAll(int file, const void *from, size_t bytes) {
  const auto *at = static_cast<const uint8_t *>(from);
  while (bytes) {
    ssize_t written = write(file, at, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    at += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

/// A file in memory with the request, to be read from its beginning; -1: there is no memory.
int fileOf(const HeddleCompileRequest &request, size_t objects) {
  std::string cpu = request.cpu ? request.cpu : "";
  FormRequest head = {FormRequestVersion,
                      request.width,
                      {request.blockDim[0], request.blockDim[1], request.blockDim[2]},
                      request.hasLongObjects,
                      static_cast<uint32_t>(strlen(request.kernel)),
                      static_cast<uint32_t>(cpu.size()),
                      request.objects ? static_cast<uint32_t>(objects) : FormRequest::NoObjects,
                      static_cast<uint32_t>(request.mode),
                      request.imageSize};
  Descriptor file(memfd_create("heddle-form", MFD_CLOEXEC));
  bool isWhole =
      file && writeAll(file, &head, sizeof(head)) &&
      writeAll(file, request.kernel, head.nameBytes) && writeAll(file, cpu.data(), cpu.size()) &&
      (!request.objects || writeAll(file, request.objects, objects * sizeof(uint32_t))) &&
      writeAll(file, request.image, request.imageSize) && lseek(file, 0, SEEK_SET) == 0;
  return isWhole ? file.release() : -1;
}

/// All that comes until the end; nothing if the program ends first.
Result<std::vector<uint8_t>> readReply(int file, std::chrono::nanoseconds &processorTime) {
  std::vector<uint8_t> reply;
  std::array<uint8_t, 1 << 16> part;
  for (;;) {
    pollfd events[] = {{file, POLLIN, 0}, {stopEvent(), POLLIN, 0}};
    if (poll(events, 2, -1) < 0 && errno != EINTR)
      return Failure{"poll failed"};
    if (events[1].revents)
      return Failure{"the program ends"};
    if (!events[0].revents)
      continue;
    ssize_t got = read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    reply.insert(reply.end(), part.begin(), part.begin() + got);
  }
  FormReplyTail tail = {0, 0};
  size_t bytes = reply.size() - std::min(reply.size(), sizeof(tail));
  if (bytes)
    std::memcpy(&tail, reply.data() + bytes, sizeof(tail));
  if (tail.end != FormReplyTail::End)
    return Failure{"heddle-form has failed"};
  reply.resize(bytes);
  processorTime = std::chrono::nanoseconds(tail.processorTime);
  return reply;
}

} // namespace

Result<std::vector<uint8_t>> compileElsewhere(const HeddleCompileRequest &request, size_t objects,
                                              std::chrono::nanoseconds &processorTime) {
  std::string program = formProgram(), library = compilerPath();
  if (program.empty() || library.empty())
    return Failure{"there is no heddle-form"};
  Descriptor input(fileOf(request, objects));
  int pipe[2];
  if (!input || pipe2(pipe, O_CLOEXEC) != 0)
    return Failure{"no descriptors are left"};
  Descriptor from(pipe[0]);
  {
    Descriptor to(pipe[1]);
    char *arguments[] = {program.data(), library.data(), nullptr};
    if (!startProgram({program.c_str(), arguments, input, to, nullptr}))
      return Failure{"no process can be started"};
  }
  return readReply(from,
                   processorTime); // if this program ends, nobody reads what the other one writes
}

void stopCompilingElsewhere() {
  uint64_t one = 1;
  (void)!write(stopEvent(), &one, sizeof(one));
}

bool isCompilingStopped() {
  pollfd event = {stopEvent(), POLLIN, 0};
  return poll(&event, 1, 0) > 0;
}

} // namespace heddle::driver
