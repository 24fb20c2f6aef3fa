// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The names that the linker's option --wrap=SYMBOL gives a function of clang's: callers in other
// object files of clang's come to HEDDLE_WRAP(SYMBOL), and HEDDLE_REAL(SYMBOL) is clang's own. A
// member function is a function whose first parameter is the object (Itanium C++ ABI). The symbols
// stand in CMakeLists.txt, too.
#define HEDDLE_WRAP(symbol) __asm__("__wrap_" symbol)
#define HEDDLE_REAL(symbol) __asm__("__real_" symbol)
