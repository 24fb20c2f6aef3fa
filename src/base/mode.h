// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compilation of a kernel is for. The driver chooses one mode for each; it is part of the
// request (jit/jit.h) and of the key of the cache, and a pass says in which modes it runs
// (simt/passes.def).
#pragma once

#include <cstdint>

namespace heddle {

enum class Mode : uint32_t {
  Plain,   ///< fast
  Debug,   ///< for a debugger (-G): variables keep their places, and each thread its order
  Checked, ///< tells of its accesses (base/abi/check_abi.h)
  Counted, ///< counts what a GPU's compiler would have made of it (base/abi/count_abi.h)
};
inline constexpr uint32_t ModeCount = 4;

/// A set of modes.
struct Modes {
  uint32_t bits;
  constexpr bool has(Mode mode) const { return bits >> static_cast<uint32_t>(mode) & 1; }
};

inline constexpr Modes AllModes = {(1u << ModeCount) - 1};
/// Those in which code may be arranged anew: accesses and variables need not stay what they are in
/// the source.
inline constexpr Modes OptimisedModes = {1u << static_cast<uint32_t>(Mode::Plain)};
/// Those in which values may be computed anew, while the accesses stay what they are.
inline constexpr Modes FastModes = {1u << static_cast<uint32_t>(Mode::Plain) |
                                    1u << static_cast<uint32_t>(Mode::Checked) |
                                    1u << static_cast<uint32_t>(Mode::Counted)};
inline constexpr Modes CheckedModes = {1u << static_cast<uint32_t>(Mode::Checked)};

} // namespace heddle
