// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are written down as operations, with a generator of what their warps do. For the
// model's tests: no program is compiled or run.
#pragma once

#include "model/timing.h"

#include <initializer_list>
#include <map>
#include <string>

namespace heddle::model::test {

/// Writes operations.
class CodeWriter {
public:
  /// The next basic block; its successors come with `jump`.
  uint32_t block();
  void jump(uint32_t block, std::initializer_list<uint32_t> successors);
  uint32_t reg(unsigned bits = 32);
  uint32_t parameter(unsigned bits = 64);
  /// An operation with a new result.
  uint32_t make(Operation, ValueKind, unsigned bits, std::initializer_list<uint32_t> sources,
                unsigned flags = 0);
  /// The same into a register that is there.
  void into(uint32_t result, Operation, ValueKind, unsigned bits,
            std::initializer_list<uint32_t> sources, unsigned flags = 0);
  uint32_t load(Space, unsigned bytes, uint32_t address, unsigned flags = 0);
  void store(Space, unsigned bytes, uint32_t address, uint32_t value, Operation = Operation::Store);
  void simple(Operation, unsigned flags = 0);
  /// base + index * size, with a wide multiplication.
  uint32_t address(uint32_t base, uint32_t index);
  uint32_t globalIndex();
  /// if (index >= n) return; opens the block behind it. `out` returns.
  void guard(uint32_t index);
  KernelCode take();
  uint32_t lastAccess() const { return static_cast<uint32_t>(code_.accesses.size()) - 1; }
  KernelCode code_;

private:
  CodeOperation blank(Operation) const;
  CodeOperation &push(const CodeOperation &);
};

/// Writes what a warp does.
class TraceWriter {
public:
  explicit TraceWriter(WarpTrace &trace) : trace_(trace) {}
  void block(uint32_t number, uint32_t lanes = ~0u);
  void access(uint32_t number, uint64_t first, int32_t stride, uint32_t lanes = ~0u);
  template <typename F> void gather(uint32_t number, F &&address, uint32_t lanes = ~0u) {
    start(number, lanes, IsGathered);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1)
        trace_.addresses.push_back(address(lane));
  }

private:
  void start(uint32_t number, uint32_t lanes, int32_t stride);
  WarpTrace &trace_;
};

/// A kernel with a launch.
struct TestKernel {
  KernelCode code;
  LaunchShape shape;
  std::function<void(uint64_t block, unsigned warp, TraceWriter)> write;
  double bytes = 0, operations = 0; ///< that its author counts
  Traces traces() const;
};

using Arguments = std::map<std::string, double>;

/// By name: stream, transpose, reduce, chase, matmul, fma.
/// Unknown ones have no blocks.
TestKernel makeTestKernel(const std::string &name, const Arguments &);

} // namespace heddle::model::test
