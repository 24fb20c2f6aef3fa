// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which addresses does host code access between two calls of the API?
//
// Pages are made inaccessible, and the handler of faults tells of each access. Then the page is made
// accessible for this one instruction: the processor's trap flag ends it in SIGTRAP, whose handler
// makes the page inaccessible again. Where nothing more is of interest, a piece of memory stays
// accessible; and all of it after a number of accesses.
//
// System calls would fail (EFAULT) that are handed such memory. So the system is asked to send
// SIGSYS in place of the thread's next system call (Linux, syscall user dispatch), whose handler
// makes everything accessible and has the call begin again. Only returns from our own signal
// handlers pass. What other threads hand to the system cannot be helped so: with such threads nothing
// is watched (isOnlyThread).
//
// Rejected: write-protection by userfaultfd, which sees no reads, and needs a privilege to see those
// of system calls; wrappers for functions of the C library, which calls itself without them.
#include "device/cpu/memory/watched.h"

#include "base/own_threads.h"
#include "device/checks.h"
#include "device/cpu/memory/chunk.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>

// Of glibc: its sigaction, under a name that nobody stands in front of.
extern "C" int __sigaction(int, const struct sigaction *, struct sigaction *);

namespace heddle::device::cpu {

namespace {

constexpr size_t PieceBytes = 64 << 10, MostSteps = 1 << 16, MostStepPages = 4;

struct Range {
  uintptr_t low, high;
};
struct Watch {
  std::atomic<bool> isOn = false;
  std::vector<Range> ranges; ///< by address; changed only while it is off
  size_t steps = 0;          ///< accesses that were told of
  uintptr_t stepPages[MostStepPages];
  size_t stepCount = 0; ///< pages that are accessible for one instruction
};
/// Never destroyed: threads run on.
Watch &state() {
  static Watch &state = *new Watch;
  return state;
}

enum Selector : char { Allow = 0, Block = 1 }; // SYSCALL_DISPATCH_FILTER_*
/// Block: the thread watches itself.
thread_local volatile char selector [[gnu::tls_model("initial-exec")]] = Allow;

const Range *rangeAt(uintptr_t address) {
  const auto &ranges = state().ranges;
  auto at = std::ranges::upper_bound(ranges, address, {}, &Range::high);
  return at != ranges.end() && at->low <= address ? &*at : nullptr;
}

void protect(uintptr_t low, uintptr_t high, int protection) {
  mprotect(reinterpret_cast<void *>(low), high - low, protection);
}

void showAll() {
  Watch &watch = state();
  for (const Range &range : watch.ranges)
    protect(range.low, range.high, PROT_READ | PROT_WRITE);
  watch.stepCount = 0;
  watch.isOn.store(false, std::memory_order_release);
}

#if defined(__x86_64__) && defined(PR_SET_SYSCALL_USER_DISPATCH)

constexpr greg_t TrapFlag = 0x100;
constexpr size_t SyscallBytes = 2; ///< of the instruction

/// The thread's system calls are told of as `selector` says, but for those by the code that a signal
/// handler returns to.
bool dispatch(const void *returnsTo) {
  constexpr unsigned long RestorerBytes = 32;
  return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
               reinterpret_cast<unsigned long>(returnsTo), RestorerBytes, &selector) == 0;
}

void onSystemCall(int, siginfo_t *, void *context) {
  selector = Allow;
  if (state().isOn.load(std::memory_order_acquire))
    showAll();
  static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP] -= SyscallBytes;
}

thread_local const void *restorer = nullptr;

void onTrap(int, siginfo_t *, void *context) {
  selector = Allow;
  if (!restorer) { // raised to find it
    restorer = __builtin_return_address(0);
    return;
  }
  Watch &watch = state();
  static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL] &= ~TrapFlag;
  if (!watch.isOn.load(std::memory_order_acquire))
    return;
  for (size_t i = 0; i < watch.stepCount; ++i)
    protect(watch.stepPages[i], watch.stepPages[i] + pageSize(), PROT_NONE);
  watch.stepCount = 0;
  selector = Block;
}

bool isAction(int signal, void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction now;
  return __sigaction(signal, nullptr, &now) == 0 &&
         (handler ? (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler
                  : !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL);
}

bool take(int signal, void (*handler)(int, siginfo_t *, void *)) {
  if (isAction(signal, handler))
    return true;
  if (!isAction(signal, nullptr)) // the program's own, or a debugger's library
    return false;
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  return __sigaction(signal, &action, nullptr) == 0;
}

bool isBlocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

/// The calling thread's faults and system calls can be told of.
bool isReady() {
  if (!take(SIGTRAP, onTrap) || !take(SIGSYS, onSystemCall) || isBlocked(SIGTRAP) ||
      isBlocked(SIGSYS) || isBlocked(SIGSEGV))
    return false;
  thread_local bool isDispatched = false;
  if (isDispatched)
    return true;
  raise(SIGTRAP);
  return isDispatched = restorer && dispatch(restorer);
}

/// The access may go on, and is the only one that may.
void step(ucontext_t *context, uintptr_t page) {
  Watch &watch = state();
  if (watch.stepCount == MostStepPages)
    return showAll();
  watch.stepPages[watch.stepCount++] = page;
  protect(page, page + pageSize(), PROT_READ | PROT_WRITE);
  context->uc_mcontext.gregs[REG_EFL] |= TrapFlag;
}

#else

bool isReady() { return false; }
void step(ucontext_t *, uintptr_t) { showAll(); }

#endif

/// The first word of a file of /proc/self/task.
std::string_view readFile(const char *thread, const char *name, char (&text)[256]) {
  std::snprintf(text, sizeof(text), "/proc/self/task/%s/%s", thread, name);
  int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  ssize_t count = read(file, text, sizeof(text) - 1);
  close(file);
  std::string_view all(text, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return all.substr(0, all.find('\n'));
}

/// It waits for another thread, for as long as that takes: "202 0x... 0x80 0x0 0x0 ...".
bool waitsForThread(std::string_view call) {
  std::string number = std::to_string(SYS_futex) + " ";
  if (!call.starts_with(number))
    return false;
  for (int word = 0; word < 4; ++word) {
    size_t space = call.find(' ');
    if (space == call.npos)
      return false;
    call.remove_prefix(space + 1);
  }
  return call.starts_with("0x0 ");
}

} // namespace

/// So that it is known whose they are. Not for ever: a fork of the process has none of them.
static void awaitOwnThreads() {
  constexpr int MostYields = 1 << 16;
  for (int i = 0; ownThreadsToCome.load(std::memory_order_acquire) > 0 && i < MostYields; ++i)
    sched_yield();
}

bool isOnlyThread() {
  awaitOwnThreads();
  // Of a folder, links are the folders in it. As many threads as when all were ours are the same ones.
  static nlink_t ours = 0;
  struct stat folder;
  if (stat("/proc/self/task", &folder) != 0)
    return false;
  if (ours && folder.st_nlink == ours)
    return true;
  DIR *threads = opendir("/proc/self/task");
  if (!threads)
    return false;
  bool isOnly = true, areOurs = true;
  const std::string own = std::to_string(gettid());
  char text[256];
  while (dirent *entry = isOnly ? readdir(threads) : nullptr) {
    if (entry->d_name[0] == '.' || own == entry->d_name)
      continue;
    if (readFile(entry->d_name, "comm", text) == OwnThreadName)
      continue;
    areOurs = false;
    isOnly = waitsForThread(readFile(entry->d_name, "syscall", text));
  }
  closedir(threads);
  ours = areOurs ? folder.st_nlink : 0;
  return isOnly;
}

bool watch(const std::vector<Bounds> &pages) {
  Watch &watch = state();
  if (watch.isOn || !isReady())
    return false;
  watch.ranges.clear();
  for (const Bounds &bounds : pages) {
    auto low = reinterpret_cast<uintptr_t>(bounds.low);
    watch.ranges.push_back({low, low + bounds.bytes});
  }
  std::ranges::sort(watch.ranges, {}, &Range::low);
  watch.steps = watch.stepCount = 0;
  watch.isOn.store(true, std::memory_order_release);
  for (const Range &range : watch.ranges)
    protect(range.low, range.high, PROT_NONE);
  selector = Block;
  return true;
}

void unwatch() {
  if (!state().isOn.load(std::memory_order_acquire))
    return;
  selector = Allow;
  showAll();
}

bool isOfWatched(const siginfo_t *info, void *context, bool isWrite, const void *code) {
  Watch &watch = state();
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const Range *range = rangeAt(address);
  if (!range)
    return false;
  bool isOwn = selector == Block;
  selector = Allow;
  if (!watch.isOn.load(std::memory_order_acquire)) { // it ended meanwhile
    static thread_local uintptr_t last = 0;
    return std::exchange(last, address) != address;
  }
  HostTouch next = !isOwn || ++watch.steps > MostSteps
                       ? HostTouch::EndsAll
                       : checker()->touchedByHost(info->si_addr, code, isWrite);
  if (next == HostTouch::EndsAll) {
    showAll();
    return true;
  }
  uintptr_t page = address & ~(pageSize() - 1);
  if (next == HostTouch::GoesOn) {
    step(static_cast<ucontext_t *>(context), page);
  } else {
    size_t bytes = next == HostTouch::EndsPiece ? PieceBytes : pageSize();
    uintptr_t low = address & ~(bytes - 1);
    protect(std::max(low, range->low), std::min(low + bytes, range->high), PROT_READ | PROT_WRITE);
  }
  if (watch.isOn.load(std::memory_order_relaxed))
    selector = Block;
  return true;
}

} // namespace heddle::device::cpu
