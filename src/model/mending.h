// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What mending a source line would gain.
#pragma once

#include "model/timing.h"

namespace heddle::model {

/// What a line can do badly.
enum class Flaw : uint8_t {
  Scattered,  ///< global memory: more sectors than the bytes that the lanes ask for
  Conflicts,  ///< shared memory: more passes than as many words take
  Collisions, ///< atomic operations: lanes that meet at one address
  Constants,  ///< constant memory: lanes that read different words
  Divergence, ///< steps of warps of which some lanes are off
};
inline constexpr unsigned FlawCount = static_cast<unsigned>(Flaw::Divergence) + 1;

/// A line with one flaw. `has` and `ideal` are means: sectors, passes, lanes at one address or words
/// of a request; of Divergence the active lanes of a step, and those that could be.
struct Mending {
  uint32_t line; ///< of the KernelCode
  Flaw flaw;
  double has = 0, ideal = 0;
  double gain = 1; ///< the launch's time over that of the mended one
};

/// Of a launch that took `time`: the lines that cost most or waste most, at most `count`, and what the
/// launch gains if one is mended. Each gain is a run of the model on changed traces: the line's
/// accesses are ideal, or its divergent steps are made of whole warps, and all else is as it was. The
/// greatest gain first. A line without flaws is not among them.
std::vector<Mending> mendLines(const Gpu &, const MachineCode &, const LaunchShape &,
                               const Traces &, const LaunchTime &time, const MemoryState &,
                               const Effort &, size_t count = 4);

} // namespace heddle::model
