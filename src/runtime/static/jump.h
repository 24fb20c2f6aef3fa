// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A function that jumps through an entry of the table (forward.cpp). No argument register may change,
// so it has no body that a compiler could begin with stores; the target's register is the one that
// the ABI gives to linkage.
#if defined(__x86_64__)
#define HEDDLE_JUMP(name) "  endbr64\n  jmp *heddle_static_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define HEDDLE_JUMP(name)                                                                          \
  "  adrp x16, heddle_static_" #name "\n  ldr x16, [x16, :lo12:heddle_static_" #name "]\n  br "    \
  "x16\n"
#else
#error "libcudart_static.a: no jump for this processor"
#endif

#define HEDDLE_FUNCTION(name)                                                                      \
  ".pushsection .text." #name ",\"ax\",@progbits\n  .globl " #name "\n  .hidden " #name            \
  "\n  .type " #name ", @function\n" #name ":\n" HEDDLE_JUMP(name) "  .size " #name ", .-" #name   \
                                                                   "\n  .popsection\n"
