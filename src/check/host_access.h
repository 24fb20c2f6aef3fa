// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::check {

/// Host code that touches device memory is looked for.
void startHostAccesses();
/// Whether it is.
bool looksAtHostAccesses();
/// Below another device's driver (driver/gpu/stand_in.cpp) CUDA Fortran and our own libraries have no more right to
/// device memory than others: theirs are told, too.
void tellEveryHostAccess();
/// Checker::touchedHidden, touchedNothing.
void touchedHidden(const void *address, const void *code, bool isWrite);
bool touchedNothing(const void *address, bool isWrite);
/// Work of a library begins on the calling thread, that was asked for at a stack (host_stack.h).
void beginLibraryWork(uint32_t stack);
/// That of the calling thread; 0: it does none.
uint32_t stackOfLibraryWork();
void endLibraryWork();
/// A call of the API ends: tells what was found, and hides memory again.
void lookAtHostAccesses();
/// The same at the end of the program, which hides no more.
void tellHostAccesses();

} // namespace heddle::check
