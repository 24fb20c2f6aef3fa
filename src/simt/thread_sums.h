// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/shapes.h"
#include "simt/thread_tables.h"

#include <map>

namespace heddle::simt {

/// A value as a sum of products of values that all threads of a block have in common, each product
/// with a number for each thread: (8 * blockIdx.y + threadIdx.y) * n + 4 is
///
///     {blockIdx.y, n}: 8 8 8 ...   {n}: 0 0 ... 1 1 ...   {}: 4 4 4 ...
struct ThreadSum {
  using Product = llvm::SmallVector<llvm::Value *, 2>; ///< sorted
  std::map<Product, ThreadTable> products;

  /// Its numbers, if nothing but these matters.
  const ThreadTable *numbers() const;
};

/// What `sum` is in thread `one` less what `other` is in thread `two`, if that is a number.
std::optional<int64_t> distance(const ThreadSum &sum, unsigned one, const ThreadSum &other,
                                unsigned two);

/// Values of a thread as such sums. They hold without overflow: sums that may wrap around are not
/// taken apart (analysis/overflow.h). Addresses are counted modulo 2^64.
class ThreadSums {
public:
  ThreadSums(ThreadTables &tables, const Shapes &ofBlock, const llvm::DataLayout &layout)
      : tables_(tables), shapes_(ofBlock), layout_(layout) {}

  /// Nothing if it is no such sum.
  std::optional<ThreadSum> of(llvm::Value &);
  /// a + factor * b
  ThreadSum add(ThreadSum a, const ThreadSum &b, int64_t factor) const;
  ThreadSum plus(ThreadSum a, int64_t number) const {
    return add(std::move(a), constant(number), 1);
  }

private:
  std::optional<ThreadSum> parts(llvm::Instruction &);
  std::optional<ThreadSum> ofAddress(llvm::GetElementPtrInst &);
  std::optional<ThreadSum> multiply(const ThreadSum &, const ThreadSum &) const;
  ThreadSum constant(int64_t) const;

  ThreadTables &tables_;
  const Shapes &shapes_;
  const llvm::DataLayout &layout_;
  llvm::DenseMap<llvm::Value *, std::optional<ThreadSum>> known_;
};

} // namespace heddle::simt
