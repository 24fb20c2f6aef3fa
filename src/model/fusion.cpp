// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What assemblers make no instruction of. Kernel parameters and block sizes are operands in constant
// memory from 2.0 on (in shared memory before); from 9.0 on they are loaded. Addresses of variables are part of
// accesses, and from 7.0 to 8.9 an access of shared memory has a scale (LDS [R0.X4]). Copies are coalesced. An addition takes a product (IMAD,
// IMAD.WIDE from 7.0 on), a shifted operand (ISCADD, LEA) or, from 5.0 on, a third summand (IADD3) that
// nothing else needs; from 5.0 on a logic operation takes a third operand likewise (LOP3).
#include "model/lowering.h"

#include <algorithm>

namespace heddle::model {
namespace {

class Fuser {
public:
  Fuser(const KernelCode &kernel, const Gpu &gpu)
      : kernel_(kernel), capability_(gpu.major * 10 + gpu.minor) {
    const size_t count = kernel.operations.size(), registers = kernel.registerBits.size();
    result_.isGone.resize(count);
    result_.maker.resize(count, None);
    result_.isFree.resize(registers);
    result_.copyOf.resize(registers);
    for (uint32_t r = 0; r < registers; ++r)
      result_.copyOf[r] = r;
    uses_.resize(registers), addressUses_.resize(registers);
    writes_.resize(registers);
    writer_.resize(registers, None);
    blockOf_.resize(count);
  }

  Fusion run() {
    count();
    for (uint32_t i = 0; i < kernel_.operations.size(); ++i)
      dropFree(i);
    for (uint32_t i = 0; i < kernel_.operations.size(); ++i)
      foldBase(i);
    scaleIndices();
    for (uint32_t r = 0; r < result_.copyOf.size(); ++r)
      result_.copyOf[r] = root(r);
    fuseAddresses();
    for (uint32_t i = 0; i < kernel_.operations.size(); ++i)
      fuseInto(i);
    return std::move(result_);
  }

private:
  void count() {
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      for (uint32_t i = 0; i < kernel_.blocks[b].count; ++i)
        blockOf_[kernel_.blocks[b].first + i] = b;
    for (uint32_t i = 0; i < kernel_.operations.size(); ++i) {
      for (uint32_t source : kernel_.operations[i].sources)
        if (source != None)
          ++uses_[source];
      if (kernel_.operations[i].access != None && kernel_.operations[i].sources[0] != None)
        ++addressUses_[kernel_.operations[i].sources[0]];
      for (uint32_t result : kernel_.operations[i].results)
        if (result != None)
          ++writes_[result], writer_[result] = i;
    }
  }

  uint32_t root(uint32_t reg) const {
    while (result_.copyOf[reg] != reg)
      reg = result_.copyOf[reg];
    return reg;
  }

  bool isSingle(uint32_t reg) const { return reg != None && writes_[reg] == 1; }

  void dropFree(uint32_t i) {
    const CodeOperation &op = kernel_.operations[i];
    const uint32_t result = op.results[0];
    switch (op.operation) {
    case Operation::Parameter:
      if (capability_ >= 90)
        break;
      result_.isGone[i] = 1;
      for (uint32_t r : op.results)
        if (isSingle(r))
          result_.isFree[r] = 1;
      break;
    case Operation::
        SpecialRegister: // sizes of blocks and grids are constants: those have an immediate
      if (op.flags & HasImmediate && capability_ < 90) {
        result_.isGone[i] = 1;
        if (isSingle(result))
          result_.isFree[result] = 1;
      }
      break;
    case Operation::Move:
      if (op.sources[0] == None ||
          kernel_.registerBits[op.sources[0]] != kernel_.registerBits[result])
        break;
      // A variable that begins as a parameter is a register of its own.
      if (result_.isFree[root(op.sources[0])] && writes_[result] > 1)
        break;
      result_.isGone[i] = 1;
      if (root(result) != root(op.sources[0]))
        result_.copyOf[root(result)] = root(op.sources[0]);
      break;
    case Operation::Convert: {
      const bool areIntegers = op.kind == ValueKind::Integer && op.fromKind == ValueKind::Integer;
      const bool isNarrower = areIntegers && op.bits <= op.fromBits;
      const bool isZeroExtended = areIntegers && op.bits == 64 && !(op.flags & IsSigned);
      result_.isGone[i] = isNarrower || isZeroExtended || isLoaded(op);
      break;
    }
    default:
      break;
    }
  }

  /// The address of a variable in constant memory, or before 9.0 in shared memory, is a number, which is
  /// part of the access.
  bool isNumber(uint32_t reg) const {
    if (!isSingle(reg))
      return false;
    const CodeOperation &op = kernel_.operations[writer_[reg]];
    return op.operation == Operation::Move && op.flags & IsAddress && op.bits == 32 &&
           op.sources[0] == None && !(op.flags & HasImmediate) &&
           (!(op.flags & IsSharedBase) || capability_ < 90);
  }

  /// What is read from constant memory at an address that is a number is an operand.
  bool isConstantOperand(const CodeOperation &op) const {
    if (op.operation != Operation::Load || op.space != Space::Constant)
      return false;
    const uint32_t at = op.sources[0]; // a register without bits stands for a variable
    const bool isPlace = at == None || kernel_.registerBits[at] == 0 || isNumber(at);
    return isPlace && !(op.flags & IsPredicated) &&
           std::ranges::all_of(op.results, [&](uint32_t r) { return r == None || isSingle(r); });
  }

  void foldBase(uint32_t i) {
    const CodeOperation &op = kernel_.operations[i];
    const uint32_t result = op.results[0];
    if (isConstantOperand(op)) {
      result_.isGone[i] = 1;
      for (uint32_t r : op.results)
        if (r != None)
          result_.isFree[r] = 1;
      return;
    }
    if (result != None && isNumber(result)) {
      result_.isGone[i] = result_.isFree[result] = 1;
      return;
    }
    if (op.operation != Operation::Add || !(op.flags & IsAddress) || op.bits != 32 ||
        !isSingle(result) || uses_[result] != addressUses_[result])
      return;
    for (auto [base, index] :
         {std::pair(op.sources[0], op.sources[1]), std::pair(op.sources[1], op.sources[0])})
      if (isNumber(base) && index != None && root(index) != root(result)) {
        result_.isGone[i] = 1;
        result_.copyOf[root(result)] = root(index);
        return;
      }
  }

  /// An element's size that only accesses of shared memory multiply by is a part of these.
  void scaleIndices() {
    if (capability_ < 70 || capability_ >= 90)
      return;
    std::vector<uint32_t> scaled(kernel_.registerBits.size()); // uses that may be scaled
    auto isScaled = [&](uint32_t reg) { return isSingle(reg) && scaled[reg] == uses_[reg]; };
    for (uint32_t i = static_cast<uint32_t>(kernel_.operations.size()); i-- > 0;) {
      const CodeOperation &op = kernel_.operations[i];
      if (op.access != None) {
        const uint32_t bytes = kernel_.accesses[op.access].bytes;
        if (op.space == Space::Shared && op.sources[0] != None &&
            (bytes == 4 || bytes == 8 || bytes == 16))
          ++scaled[op.sources[0]];
        continue;
      }
      const uint32_t result = op.results[0];
      if (result == None || !isScaled(result))
        continue;
      if (result_.isGone[i] && op.operation == Operation::Add) { // the variable's address
        for (uint32_t source : {op.sources[0], op.sources[1]})
          if (source != None && root(source) == root(result))
            ++scaled[source];
      } else if (uses_[result] && op.flags & HasImmediate && !result_.isGone[i] &&
                 (op.operation == Operation::Shift || op.operation == Operation::Multiply)) {
        const uint32_t index = op.sources[0] == None ? op.sources[1] : op.sources[0];
        if (index == None || root(index) == root(result))
          continue;
        result_.isGone[i] = 1;
        result_.copyOf[root(result)] = root(index);
      }
    }
  }

  /// A conversion of bytes or halves that the load does itself.
  bool isLoaded(const CodeOperation &op) const {
    if (op.kind != ValueKind::Integer || op.fromKind != ValueKind::Integer || op.fromBits > 16 ||
        op.bits > 32 || !isSingle(op.sources[0]))
      return false;
    return kernel_.operations[writer_[op.sources[0]]].operation == Operation::Load;
  }

  /// The operation that computes a source, if nothing else needs it and it is in the same block.
  uint32_t onlyMakerOf(uint32_t source, uint32_t user) const {
    if (!isSingle(source) || uses_[source] != 1)
      return None;
    const uint32_t maker = writer_[source];
    if (maker >= user || blockOf_[maker] != blockOf_[user] || result_.isGone[maker])
      return None;
    return maker;
  }

  void fuseInto(uint32_t i) {
    const CodeOperation &op = kernel_.operations[i];
    const bool isAdd = op.operation == Operation::Add && op.kind == ValueKind::Integer;
    const bool isLogic = op.operation == Operation::Logic;
    // A logic operation sets a predicate by its result.
    const bool isTest = op.operation == Operation::Compare && op.kind == ValueKind::Integer &&
                        op.flags & HasImmediate && op.bits == 32 && capability_ >= 70;
    // From 9.0 on the less or more of three, or of a sum (VIMNMX3, VIADDMNMX).
    const bool isMinMax = op.operation == Operation::MinMax && op.kind == ValueKind::Integer &&
                          op.bits == 32 && capability_ >= 90;
    if (result_.isGone[i] || result_.maker[i] != None ||
        (!isAdd && !isLogic && !isTest && !isMinMax))
      return;
    for (uint32_t source : {op.sources[0], op.sources[1]}) {
      const uint32_t maker = onlyMakerOf(source, i);
      if (maker == None || result_.maker[maker] != None)
        continue;
      const CodeOperation &made = kernel_.operations[maker];
      if (isMinMax ? takesBound(made) : isAdd ? takesSummand(op, made) : takesOperand(op, made)) {
        result_.isGone[maker] = 1;
        result_.maker[i] = maker;
        return;
      }
    }
  }

  /// An index times an element's size: from 7.0 on each address that needs it multiplies and adds again,
  /// if nothing else needs the product.
  void fuseAddresses() {
    if (capability_ < 70)
      return;
    std::vector<uint32_t> adds(kernel_.registerBits.size());
    auto product = [&](const CodeOperation &op) {
      for (uint32_t source : {op.sources[0], op.sources[1]})
        if (isSingle(source)) {
          const CodeOperation &made = kernel_.operations[writer_[source]];
          if (made.operation == Operation::Multiply && made.flags & IsWide)
            return source;
        }
      return None;
    };
    auto isAddress = [](const CodeOperation &op) {
      return op.operation == Operation::Add && op.kind == ValueKind::Integer && op.bits == 64;
    };
    for (const CodeOperation &op : kernel_.operations)
      if (const uint32_t source = isAddress(op) ? product(op) : None; source != None)
        ++adds[source];
    for (uint32_t i = 0; i < kernel_.operations.size(); ++i) {
      const CodeOperation &op = kernel_.operations[i];
      const uint32_t source = isAddress(op) ? product(op) : None;
      if (source == None || adds[source] != uses_[source] || adds[source] < 2)
        continue;
      result_.maker[i] = writer_[source];
      result_.isGone[writer_[source]] = 1;
    }
  }

  bool takesSummand(const CodeOperation &op, const CodeOperation &made) const {
    if (made.kind != ValueKind::Integer)
      return false;
    const bool isProduct = made.operation == Operation::Multiply;
    // The upper half of a sum extends the sign itself (LEA.HI.X.SX32).
    if (op.bits == 64 && made.operation == Operation::Convert)
      return made.bits == 64 && made.fromBits == 32 && capability_ >= 70;
    if (op.bits == 64)
      return isProduct && made.flags & IsWide;
    const bool isShift = made.operation == Operation::Shift && made.flags & HasImmediate;
    const bool isSum = made.operation == Operation::Add && capability_ >= 50;
    return made.bits == op.bits && (isProduct || (isShift && capability_ >= 20) || isSum);
  }

  static bool takesBound(const CodeOperation &made) {
    return (made.operation == Operation::Add || made.operation == Operation::MinMax) &&
           made.kind == ValueKind::Integer && made.bits == 32;
  }

  bool takesOperand(const CodeOperation &op, const CodeOperation &made) const {
    if (op.kind == ValueKind::Predicate) // a comparison also combines its result with a predicate
      return made.operation == Operation::Compare || made.operation == Operation::Logic;
    return made.operation == Operation::Logic && made.kind != ValueKind::Predicate &&
           made.bits == op.bits && capability_ >= 50;
  }

  const KernelCode &kernel_;
  const int capability_;
  Fusion result_;
  std::vector<uint32_t> uses_, addressUses_, writes_, writer_, blockOf_;
};

} // namespace

Fusion fuse(const KernelCode &kernel, const Gpu &gpu) { return Fuser(kernel, gpu).run(); }

} // namespace heddle::model
