// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/shapes.h"
#include "simt/analysis/thread_tables.h"

#include <map>

namespace heddle::simt {

/// A value as a sum of products of other values, each product with a number for each thread:
/// (8 * blockIdx.y + threadIdx.y) * n + 4 is
///
///     {blockIdx.y, n}: 8 8 8 ...   {n}: 0 0 ... 1 1 ...   {}: 4 4 4 ...
///
/// A factor whose shape is regular stands for what it is in the first lane of the thread's program,
/// any other one for what it is in the thread itself. It is read as a signed number.
struct ThreadSum {
  /// A value, and which of those that are factors it was the first time: products are in that order
  /// and not in that of addresses, which is another one in each process.
  struct Factor {
    unsigned number;
    llvm::Value *value;
    operator llvm::Value *() const { return value; }
    llvm::Value *operator->() const { return value; }
    auto operator<=>(const Factor &) const = default;
  };
  using Product = llvm::SmallVector<Factor, 2>; ///< sorted
  std::map<Product, ThreadTable> products;

  /// Its numbers, if nothing but these matters.
  const ThreadTable *numbers() const;
};

/// Values of a thread as such sums.
class ThreadSums {
public:
  /// `shapes`: over the lanes of the programs that threads are compared in, mostly the whole block.
  ThreadSums(ThreadTables &tables, const Shapes &shapes, const llvm::DataLayout &layout)
      : tables_(tables), shapes_(shapes), layout_(layout) {}

  /// The number that an integer, read as signed, is where it is not poison: no operation that is
  /// looked through wraps around (analysis/overflow.h). Of a pointer, as `modular`. Nothing if
  /// there are too many products.
  std::optional<ThreadSum> of(llvm::Value &value) { return find(value, Arithmetic::Whole); }

  /// A value of n bits, a pointer has 64, modulo 2^n.
  std::optional<ThreadSum> modular(llvm::Value &value) { return find(value, Arithmetic::Modular); }

  /// What `sum` is in thread `one` less what `other` is in thread `two` at the same time, if that
  /// is a number.
  std::optional<int64_t> distance(const ThreadSum &sum, unsigned one, const ThreadSum &other,
                                  unsigned two) const;

  /// a + factor * b
  ThreadSum add(ThreadSum a, const ThreadSum &b, int64_t factor) const;
  ThreadSum plus(ThreadSum a, int64_t number) const {
    return add(std::move(a), constant(number), 1);
  }

  /// The two threads are in one program, so what is common to its lanes is to them.
  bool areTogether(unsigned one, unsigned two) const {
    return one / shapes_.width() == two / shapes_.width();
  }
  const Shapes &shapes() const { return shapes_; }

private:
  enum class Arithmetic { Whole, Modular };
  std::optional<ThreadSum> find(llvm::Value &, Arithmetic);
  std::optional<ThreadSum> parts(llvm::Instruction &, Arithmetic);
  std::optional<ThreadSum> ofAddress(llvm::GetElementPtrInst &);
  std::optional<ThreadSum> ofBinary(llvm::BinaryOperator &, Arithmetic);
  std::optional<ThreadSum> itself(llvm::Value &, Arithmetic);
  std::optional<ThreadSum> multiply(const ThreadSum &, const ThreadSum &) const;
  ThreadSum::Factor factor(llvm::Value &);
  ThreadSum constant(int64_t) const;

  ThreadTables &tables_;
  const Shapes &shapes_;
  const llvm::DataLayout &layout_;
  std::map<std::pair<llvm::Value *, Arithmetic>, std::optional<ThreadSum>> known_;
  llvm::DenseMap<llvm::Value *, unsigned> factors_; ///< their numbers
};

/// How much more a value is in one thread than in another one at the same time, for pairs of
/// threads of a block. Modulo 2^n where it has n bits.
class ThreadDifferences {
public:
  ThreadDifferences(ThreadSums &sums, llvm::ArrayRef<unsigned> from, llvm::ArrayRef<unsigned> to)
      : sums_(sums), from_(from), to_(to) {}

  /// A number for each pair; nothing if they are not known.
  std::optional<ThreadTable> of(llvm::Value &);

private:
  std::optional<ThreadTable> ofShape(const llvm::Value &) const;
  std::optional<ThreadTable> ofSum(llvm::Value &);
  std::optional<ThreadTable> ofResult(llvm::Instruction &);

  ThreadSums &sums_;
  llvm::ArrayRef<unsigned> from_, to_;
  llvm::DenseMap<llvm::Value *, std::optional<ThreadTable>> known_;
};

} // namespace heddle::simt
