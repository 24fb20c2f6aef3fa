// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose a signal is. Faults of kernels and of the device's protected pages are ours, whoever sets
// a handler later: crash reporters do so after the first call of CUDA.
#pragma once

#include <csignal>

/// What `sigaction` does for the program (signal_names.cpp). Of the signals that the device takes it
/// sets and gives what the program has; the system keeps the device's handler.
extern "C" __attribute__((visibility("default"))) int
heddle_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

namespace heddle::device::cpu {

using SignalHandler = void (*)(int, siginfo_t *, void *);

/// The handler for SIGSEGV, SIGBUS, SIGFPE and SIGILL from now on.
void takeFaultSignals(SignalHandler);
/// engine/worker.h
void keepFaultSignals();
/// The program has a handler of its own for a signal that is not ours.
bool programHandles(int signal);
/// Does with a signal that is not ours what the program wants done with it: calls its handler under
/// the conditions that it has asked for, or has the system act.
void passOn(int signal, siginfo_t *info, void *context);

} // namespace heddle::device::cpu
