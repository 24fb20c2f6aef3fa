// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that sets handlers for the signals that the device needs, before or after its first
// call of CUDA, keeps them for its own faults, and the device keeps its kernels' faults.
//
// UNSUPPORTED: sanitizer
// RUN: %heddle cc %s -o %t && %t
// RUN: %heddle cc -cudart shared %s -o %t.shared && %t.shared
// RUN: %heddle cc -DSYSTEM_CALL %s -o %t.call && %t.call sigaction
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void faults(int *p) { *p = 1; }
__global__ void works(int *p) { *p += 7; }

static sigjmp_buf back;
static volatile sig_atomic_t handled, nested, blocked;
static struct sigaction earlier;

static void fail(const char *what) {
  printf("FAIL %s\n", what);
  exit(1);
}

static bool isBlocked(int signal) {
  sigset_t set;
  pthread_sigmask(SIG_SETMASK, nullptr, &set);
  return sigismember(&set, signal);
}

static void plain(int signal) {
  handled = handled + 1;
  blocked = isBlocked(signal) + 2 * isBlocked(SIGUSR1);
  siglongjmp(back, 1);
}

static void detailed(int signal, siginfo_t *info, void *) {
  if (info->si_addr != (void *)16)
    fail("address");
  plain(signal);
}

static void chained(int signal, siginfo_t *info, void *context) {
  nested = nested + 1;
  if (earlier.sa_flags & SA_SIGINFO)
    earlier.sa_sigaction(signal, info, context);
  else
    earlier.sa_handler(signal);
}

static int set(int signal, const struct sigaction *action, struct sigaction *old = nullptr) {
#ifdef SYSTEM_CALL // past everybody, as Go's runtime does
  struct {
    void *handler;
    unsigned long flags;
    void *restorer;
    unsigned long mask;
  } raw = {(void *)action->sa_handler, (unsigned long)action->sa_flags | 0x04000000, nullptr, 0};
  struct sigaction libc;
  sigaction(SIGUSR2, action, nullptr); // for the C library's restorer
  syscall(SYS_rt_sigaction, SIGUSR2, nullptr, &raw, 8);
  return syscall(SYS_rt_sigaction, signal, &raw, nullptr, 8);
#else
  return sigaction(signal, action, old);
#endif
}

static void setWith(void (*handler)(int, siginfo_t *, void *), int flags, int masked = 0) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (masked)
    sigaddset(&action.sa_mask, masked);
  set(SIGSEGV, &action, &earlier);
}

static void setPlain(int flags, int masked = 0) {
  struct sigaction action = {};
  action.sa_handler = plain;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (masked)
    sigaddset(&action.sa_mask, masked);
  set(SIGSEGV, &action, &earlier);
}

/// What the system itself is asked for past everybody is seen by a worker that has slept.
static void waitUntilOthersSleep() {
  for (bool sleep = false; !sleep; usleep(1000)) {
    sleep = true;
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string word, state;
      std::ifstream(task.path() / "stat") >> word >> word >> state;
      sleep &= state == "S" || task.path().filename() == std::to_string(getpid());
    }
  }
}

/// A fault of the program's own is the program's.
static void faultHere(int want) {
  handled = 0;
  if (sigsetjmp(back, 1) == 0)
    *(volatile int *)16 = 1;
  if (handled != want)
    fail("the program's fault");
}

/// A kernel's is the device's.
static void faultThere() {
  handled = 0;
  faults<<<1, 1>>>(nullptr);
  if (cudaDeviceSynchronize() != cudaErrorIllegalAddress || handled)
    fail("a kernel's fault");
  if (cudaDeviceReset() != cudaSuccess)
    fail("reset");
  int *p, value = 0;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  works<<<1, 1>>>(p);
  if (cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost) != cudaSuccess || value != 7)
    fail("afterwards");
  cudaFree(p);
}

/// Each way in a process of its own; the last ones must end it.
static int runAll(char *program) {
  const char *ways[] = {"sigaction", "signal", "sysv_signal", "sigset",    "siginfo",     "onstack",
                        "resethand", "nodefer", "mask",       "chain",     "late_read",   "ignore_sent",
                        "default",   "ignore",  "default_sent"};
  int wrong = 0;
  for (const char *way : ways) {
    const pid_t child = fork();
    if (child == 0) {
      execl(program, program, way, nullptr);
      _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    const bool isEnded = WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
    const bool mustEnd = strstr(way, "default") || strcmp(way, "ignore") == 0;
    if (mustEnd ? !isEnded : status != 0)
      printf("FAIL %s: status %x\n", way, status), wrong++;
  }
  return wrong;
}

int main(int count, char **arguments) {
  if (count == 1)
    return runAll(arguments[0]);
  const char *way = arguments[1];
  auto is = [&](const char *name) { return strcmp(way, name) == 0; };
  setvbuf(stdout, nullptr, _IONBF, 0);
  if (is("late_read"))
    signal(SIGSEGV, plain);
  cudaFree(nullptr);
  waitUntilOthersSleep();
  struct sigaction now;
  if (is("late_read")) {
    sigaction(SIGSEGV, nullptr, &now);
    if (now.sa_handler != plain || now.sa_flags & SA_SIGINFO)
      fail("what was set before");
  } else if (is("sigaction")) {
    setPlain(0);
  } else if (is("signal")) {
    if (signal(SIGSEGV, plain) != SIG_DFL || signal(SIGSEGV, plain) != plain)
      fail("what was there");
    signal(SIGFPE, plain), signal(SIGBUS, plain), signal(SIGILL, plain);
  } else if (is("sysv_signal")) {
    sysv_signal(SIGSEGV, plain);
  } else if (is("sigset")) {
    if (sigset(SIGSEGV, plain) != SIG_DFL)
      fail("what was there");
  } else if (is("siginfo")) {
    setWith(detailed, SA_SIGINFO);
  } else if (is("onstack")) {
    static char memory[64 << 10];
    stack_t stack = {};
    stack.ss_sp = memory, stack.ss_size = sizeof memory;
    sigaltstack(&stack, nullptr);
    setWith(detailed, SA_SIGINFO | SA_ONSTACK);
  } else if (is("resethand")) {
    setPlain(SA_RESETHAND);
  } else if (is("nodefer")) {
    setPlain(SA_NODEFER);
  } else if (is("mask")) {
    setPlain(0, SIGUSR1);
  } else if (is("chain")) {
    setPlain(0);
    setWith(chained, SA_SIGINFO);
  } else if (is("ignore_sent")) {
    signal(SIGSEGV, SIG_IGN);
    raise(SIGSEGV);
    faultThere();
    return 0;
  } else if (is("ignore")) {
    signal(SIGSEGV, SIG_IGN);
  } else if (is("default_sent")) {
    signal(SIGSEGV, plain);
    signal(SIGSEGV, SIG_DFL);
    faultThere();
    kill(getpid(), SIGSEGV);
  }
  faultThere();
  faultHere(1); // ends the program where no handler is set
#ifndef SYSTEM_CALL
  sigaction(SIGSEGV, nullptr, &now);
  if (is("resethand") || is("sysv_signal")) {
    if (now.sa_handler != SIG_DFL)
      fail("SA_RESETHAND");
    signal(SIGSEGV, plain);
  } else if (is("chain") ? now.sa_sigaction != chained || !nested
                         : !is("siginfo") && !is("onstack") && now.sa_handler != plain) {
    fail("what the program set");
  }
#endif
  const int want = is("nodefer") || is("sysv_signal") ? 0 : is("mask") ? 3 : 1;
  if (!is("chain") && blocked != want)
    fail("mask");
  faultThere();
  faultHere(1);
}
