// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From when on accesses have a form of their own, as the widener makes them and costs count them.
#pragma once

#include "simt/simt.h"

#include <cstdint>

namespace heddle::simt {

/// Lanes of a segment (shape.h), at least, whose elements are one access: floats of 128 bits.
inline constexpr unsigned FewestInSegment = 4;
/// Bytes of structures that lie side by side in a segment, at least: two such registers.
inline constexpr int64_t ShortestStructures = 32;
/// Of machines with such registers masked stores have bytes of their own.
inline bool storesBytes(const VectorRegisters &registers) { return registers.bits >= 512; }

} // namespace heddle::simt
