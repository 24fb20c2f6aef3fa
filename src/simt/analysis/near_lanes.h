// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that creep through memory. `in[x / scale]` goes to the next element with each second or
// third lane, `in[int(x * ratio)]` by one or two, `in[x / 2 * 3 + x % 3]` there and back, `in[max(x
// - 1, 0)]` stands still at the border. No shape says so, but the lanes of a register lie within a
// register or two of memory, mostly: a load and a permutation in place of a gather, if a test at
// run time agrees (jit/near-gathers).
//
// So this is a guess, and nothing but time hangs on it: what is not known of a factor or a divisor
// is taken to be what it is in a picture that is made larger or smaller.
#pragma once

#include "simt/analysis/shapes.h"

#include <optional>

namespace heddle::simt {

/// How a value goes from lane to lane: by `step` in the mean, and at most `spread` off that.
struct Pace {
  double step = 0, spread = 0;
};

class NearLanes {
public:
  explicit NearLanes(const Shapes &shapes) : shapes_(shapes) {}

  /// In bytes, of an address whose lanes probably lie close together; elements have `size` bytes.
  std::optional<Pace> of(const llvm::Value &address, int64_t size);

private:
  std::optional<Pace> pace(const llvm::Value &);
  std::optional<Pace> find(const llvm::Instruction &);
  std::optional<Pace> ofAddress(const llvm::GetElementPtrInst &);
  std::optional<Pace> ofProduct(const llvm::Instruction &);
  std::optional<Pace> ofQuotient(const llvm::Instruction &);
  std::optional<Pace> sum(const llvm::Value &, const llvm::Value &, int sign);
  std::optional<Pace> eitherOf(const llvm::Value &, const llvm::Value &);
  std::optional<Pace> ofCall(const llvm::CallInst &);

  const Shapes &shapes_;
  llvm::DenseMap<const llvm::Value *, std::optional<Pace>> known_;
};

} // namespace heddle::simt
