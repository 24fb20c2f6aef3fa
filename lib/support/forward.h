// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public functions of a library. On a GPU (HEDDLE_DEVICE=gpu, docs/gpu.md) a call goes to the
// machine's own library of that name, elsewhere to ours. No argument is looked at: handles, streams
// and pointers are those of the library that works. So a function is a jump through a place in
// memory, as in a procedure linkage table:
//
//   cublasSgemm_v2:             jmp *heddle_place_cublasSgemm_v2
//   heddle_place_cublasSgemm_v2:    heddle_first_cublasSgemm_v2, until the first call has chosen
//   heddle_first_cublasSgemm_v2:    asks chooseTarget(entry), with all argument registers kept
//
// The places are made from the library's table (forward_table.cpp).
#pragma once

#include <atomic>

namespace heddle::library {

using Code = void (*)(); ///< a function of any type

/// Where a call of a function goes.
using Place = std::atomic<Code>;

/// A library of ours and how the machine's is found.
struct ForwardedLibrary {
  const char *files;        ///< names of the machine's, the best first, with commas between them
  int (*refuse)();          ///< returns the library's status for "not supported"
  std::atomic<int> said{0}; ///< what has been told: bits of Told
};

/// A function of it.
struct ForwardedFunction {
  const char *name;
  Code own; ///< ours
  Place *place;
  ForwardedLibrary *library;
};

} // namespace heddle::library

#if defined(__x86_64__)
#define HEDDLE_FORWARD_GO(place) "  endbr64\n  jmp *" place "(%rip)\n"
#define HEDDLE_FORWARD_FIRST(entry)                                                                \
  "  endbr64\n  lea " entry "(%rip), %r11\n  jmp heddle_forward_first\n"
#elif defined(__aarch64__)
#define HEDDLE_FORWARD_GO(place)                                                                   \
  "  adrp x16, " place "\n  ldr x16, [x16, :lo12:" place "]\n  br x16\n"
#define HEDDLE_FORWARD_FIRST(entry)                                                                \
  "  adrp x16, " entry "\n  add x16, x16, :lo12:" entry "\n  b heddle_forward_first\n"
#else
#error "no jump for this processor"
#endif

#define HEDDLE_FORWARD_SYMBOL(kind, name, visibility, code)                                        \
  asm(".text\n" visibility " " kind #name "\n.type " kind #name                                      \
      ", @function\n" kind #name ":\n" code ".size " kind #name ", .-" kind #name "\n");

#define HEDDLE_FORWARD(name)                                                                       \
  extern "C" __attribute__((visibility("hidden"))) void heddle_own_##name();                       \
  extern "C" __attribute__((visibility("hidden"))) void heddle_first_##name();                     \
  extern "C" {                                                                                     \
  [[gnu::visibility("hidden"), gnu::used]] constinit heddle::library::Place heddle_place_##name{             \
      &heddle_first_##name};                                                                       \
  [[gnu::visibility("hidden"), gnu::used]] constinit heddle::library::ForwardedFunction            \
      heddle_entry_##name{#name, &heddle_own_##name, &heddle_place_##name, &theLibrary};           \
  }                                                                                                \
  HEDDLE_FORWARD_SYMBOL("", name, ".globl", HEDDLE_FORWARD_GO("heddle_place_" #name))          \
  HEDDLE_FORWARD_SYMBOL("heddle_first_", name, ".globl heddle_first_" #name "\n.hidden",                                          \
                        HEDDLE_FORWARD_FIRST("heddle_entry_" #name))
