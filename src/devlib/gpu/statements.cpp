// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output statements of CUDA Fortran's kernels on a GPU (src/device/statements.h): only the host makes text
// of them, and a GPU's printf has no such conversion. Their items go into a ring, from which the host takes
// them when it waits (driver/gpu/gpu_statements.cpp). A statement in it has a word in front of its items:
// their bytes, with the last bit set when they are there; the host leaves zeros behind it. Where there is no
// room, the statement is lost and counted.
#include "devlib/gpu/window.h"

#include "base/abi/gpu_statements.h"

using namespace heddle;
using namespace heddle::devlib;

/// A variable of the program, which jit/load/gpu_code.cpp adds.
extern __attribute__((address_space(1))) GpuStatements heddle_statements;

namespace {

/// The beginning of lib/fortran/device/statement.h's.
struct Statement {
  const u64 *items;
  u64 bytes;
};

using Word = volatile __attribute__((address_space(1))) u64;

/// Where `words` have room; false if they have none.
bool reserve(u64 words, u64 &at) {
  auto *used = (u64 *)&heddle_statements.used;
  at = __atomic_load_n(used, __ATOMIC_RELAXED);
  do {
    const u64 taken = *(Word *)&heddle_statements.taken;
    if (at + words - taken > GpuStatementWords)
      return false;
  } while (!__atomic_compare_exchange_n(used, &at, at + words, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return true;
}

} // namespace

/// In the place of vprintf("%\1", arguments).
extern "C" __attribute__((nothrow)) int __heddle_gpu_statement(const void *arguments) {
  const auto *statement = *static_cast<const Statement *const *>(arguments);
  const u64 words = (statement->bytes + 7) / 8;
  u64 at;
  if (!reserve(words + 1, at)) {
    __atomic_fetch_add((u64 *)&heddle_statements.lost, 1, __ATOMIC_RELAXED);
    return 0;
  }
  auto *ring = (Word *)heddle_statements.words;
  for (u64 i = 0; i < words; ++i)
    ring[(at + 1 + i) % GpuStatementWords] = statement->items[i];
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  ring[at % GpuStatementWords] = statement->bytes | GpuStatementIsThere;
  return 0;
}
