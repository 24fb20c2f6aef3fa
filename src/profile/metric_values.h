// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What metrics of all tools are made of.
#pragma once

#include "profile/counted_launch.h"

#include <algorithm>
#include <optional>

namespace heddle::profile {

using model::Operation;
using model::Space;
using model::ValueKind;
using Value = std::optional<double>;

inline Value ratio(double part, double whole, double factor = 1) {
  return whole > 0 ? Value(part / whole * factor) : std::nullopt;
}

/// Rounds behind the first of sums in shared memory that are loops: of warps, or of threads.
inline double furtherRounds(const CountedLaunch &l, bool byThreads = false) {
  double rounds = 0;
  for (const model::CodeOperation &op : l.counts.code->operations)
    if (op.access != model::None && model::isRoundOfCas(op, l.gpu)) {
      const AccessSums &s = l.counts.accesses[op.access];
      const double depth = s.requests ? double(s.deepest) / double(s.requests) : 0;
      rounds += byThreads ? double(s.lanes - s.addresses) * std::max(1.0, depth / 2)
                          : double(s.deepest - s.requests);
    }
  return rounds * l.scale();
}
inline double warpInstructions(const CountedLaunch &l) {
  return l.instructions([](const model::MachineInstruction &) { return true; }) +
         model::RoundInstructions * furtherRounds(l);
}
inline double threadInstructions(const CountedLaunch &l) {
  return l.instructions([](const model::MachineInstruction &) { return true; }, true) +
         model::RoundInstructions * furtherRounds(l, true);
}

/// Where an access goes. A generic one may go to any; what went to shared memory is known.
template <Operation Op, Space Where> bool isAccess(const model::CodeAccess &access) {
  bool isGlobal = Where == Space::Global || Where == Space::Shared;
  return access.operation == Op &&
         (access.space == Where || (isGlobal && access.space == Space::Generic));
}
template <Operation Op, Space Where> double requests(const CountedLaunch &l) {
  return l.accesses(isAccess<Op, Where>, [](const auto &access, const AccessSums &s) {
    if (access.space != Space::Generic)
      return s.requests;
    return Where == Space::Shared ? s.sharedRequests : s.requests - s.sharedRequests;
  });
}
template <Operation Op, Space Where, uint64_t MemorySums::*Field>
double memory(const CountedLaunch &l) {
  return l.accesses(isAccess<Op, Where>,
                    [&](const auto &, const AccessSums &s) { return l.memory(s).*Field; });
}
template <Operation Op, uint64_t SharedSums::*Field> double shared(const CountedLaunch &l) {
  return l.accesses(isAccess<Op, Space::Shared>,
                    [&](const auto &, const AccessSums &s) { return l.shared(s).*Field; });
}
/// Bytes that threads ask for.
template <Operation Op, Space Where> double requested(const CountedLaunch &l) {
  return l.accesses(isAccess<Op, Where>, [](const auto &access, const AccessSums &s) {
    bool isPart = access.space == Space::Generic && s.requests; // lanes in proportion
    uint64_t mine = Where == Space::Shared ? s.sharedRequests : s.requests - s.sharedRequests;
    return isPart ? s.lanes * access.bytes * mine / s.requests : s.lanes * access.bytes;
  });
}

/// Samples of textures by warps, and the sectors that their first texels lie in.
inline double samples(const CountedLaunch &l) {
  return requests<Operation::Texture, Space::Texture>(l);
}
inline double texels(const CountedLaunch &l) {
  return memory<Operation::Texture, Space::Texture, &MemorySums::sectors>(l);
}

/// Executions by threads of arithmetic in floating point.
template <Operation Op, unsigned Bits> double floatThreads(const CountedLaunch &l) {
  return l.operations(
      [](const model::CodeOperation &o) {
        return o.operation == Op && o.kind == ValueKind::Float && o.bits == Bits;
      },
      true);
}
template <unsigned Bits> double flops(const CountedLaunch &l) {
  return floatThreads<Operation::Add, Bits>(l) + floatThreads<Operation::Multiply, Bits>(l) +
         2 * floatThreads<Operation::MultiplyAdd, Bits>(l);
}
template <model::Pipe P> double onPipe(const CountedLaunch &l) {
  return l.instructions([](const model::MachineInstruction &i) { return i.pipe == P; });
}

} // namespace heddle::profile
