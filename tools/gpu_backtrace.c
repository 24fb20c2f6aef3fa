/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Preloaded by tools/gpu_tests.py where there is no debugger: a program that ends by a signal says where, and a thread that gets
   SIGUSR2 says where it is. */
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void tell(int number) {
  static const char title[] = "== backtrace\n";
  void *places[64];
  (void)!write(2, title, sizeof title - 1);
  backtrace_symbols_fd(places, backtrace(places, 64), 2);
  if (number != SIGUSR2)
    raise(number); /* the handler is there once */
}

__attribute__((constructor)) static void begin(void) {
  static const int ends[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
  static char stack[1 << 16];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  void *place;
  struct sigaction action;
  backtrace(&place, 1); /* loads what it needs before a handler runs */
  sigaltstack(&other, 0);
  memset(&action, 0, sizeof action);
  action.sa_handler = tell;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, 0);
  action.sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK;
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
    sigaction(ends[i], &action, 0);
}
