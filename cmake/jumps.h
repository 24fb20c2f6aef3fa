// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of another major version (heddle_major_library): HEDDLE_JUMP(name, symbol, version) is
// a function that jumps to our one library's. No argument register may change, so it is no C++. The
// function there may have the same name, with another version: here it has a name of its own.
#pragma once

#if defined(__x86_64__)
#define HEDDLE_GO(target) "  endbr64\n  jmp *" target "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#define HEDDLE_GO(target)                                                                          \
  "  adrp x16, :got:" target "\n  ldr x16, [x16, :got_lo12:" target "]\n  br x16\n"
#else
#error "no jump for this processor"
#endif

#define HEDDLE_JUMP(name, symbol, version)                                                         \
  asm(".symver heddle_target_" #name ", " #symbol "@" version "\n.text\n.globl " #name             \
      "\n.type " #name ", @function\n" #name                                                       \
      ":\n" HEDDLE_GO("heddle_target_" #name) ".size " #name ", .-" #name "\n");

/// Who looks for the machine's library knows ours by it (driver/gpu/machine_library.cpp): by one of this library itself.
extern "C" __attribute__((visibility("default"), weak)) const char heddle_is_ours = 1;
