// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Metadata on loads and stores of the thread program, and on what becomes of them where lanes access
/// one element after the other.
///
/// A load: from an array that the kernel was given; the next one may be fetched ahead
/// (jit/prefetch_later_blocks.h). A store: to an array that this kernel only writes, and nobody can
/// see it before the kernel ends; if there is more of it than a cache holds, it may go past the
/// caches (stream_stores.h).
///
/// Two numbers: bytes of an element; bytes that a thread accesses by it, or 0 if a loop of unknown
/// length decides.
inline constexpr const char *StreamMetadata = "heddle.stream";

/// Marks such loads and stores. No stores are in a kernel with atomic operations, fences or volatile
/// accesses: other blocks could wait for what it writes.
///
///     store float %v, ptr %p    ->    store float %v, ptr %p, !heddle.stream !{i64 4, i64 4}
void markStreams(const ThreadProgram &);

} // namespace heddle::simt
