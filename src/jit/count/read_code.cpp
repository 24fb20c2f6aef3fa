// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text's own blocks are mapped to those of the IR, whose executions are counted. The back end
// keeps the lines of what stays in its block, and drops them of what it moves, so the lines of a
// block of the text say which it is. Where it has none (copies on an edge of the control flow) the
// blocks around it do: critical edges were split before.
#include "jit/count/read_code.h"

#include "frontend/error.h"
#include "frontend/pack.h"
#include "frontend/ptx/module/module_text.h"
#include "jit/count/library_calls.h"
#include "jit/count/operation_of.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace heddle::jit {

using frontend::ptx::Operand;
using frontend::ptx::Statement;
using model::CodeOperation;
using model::Operation;
using model::Space;

namespace {

/// Operations of the text without a jump into or out of them.
struct TextBlock {
  std::vector<CodeOperation> operations;
  SmallVector<StringRef, 1> targets; ///< labels that it jumps to
  bool fallsThrough = true;
  DenseMap<uint32_t, unsigned> votes; ///< for blocks of the IR
  std::vector<uint32_t> homes;        ///< of each operation: the IR's block, or None
  uint32_t block = model::None;
};

class FunctionReader {
public:
  FunctionReader(StringRef name, bool isEntry, ArrayRef<CodePlace> places, model::KernelCode &code)
      : name_(name), isEntry_(isEntry), places_(places), code_(code), blocks_(1) {}

  void read(ArrayRef<Statement> statements) {
    for (const Statement &statement : statements) {
      switch (statement.kind) {
      case Statement::Declaration:
        declare(statement);
        break;
      case Statement::Label:
        if (!blocks_.back().operations.empty() || !blocks_.back().targets.empty())
          blocks_.emplace_back();
        labels_[statement.name] = blocks_.size() - 1;
        place_ = nullptr;
        break;
      case Statement::Targets:
        for (const Operand &target : statement.operands)
          branchTargets_[statement.name].push_back(target.name);
        break;
      case Statement::Location: {
        uint64_t line = statement.operands.size() > 1 ? statement.operands[1].bits : 0;
        place_ = line && line <= places_.size() ? &places_[line - 1] : nullptr;
        break;
      }
      case Statement::Instruction:
        readInstruction(statement);
        break;
      default:
        break;
      }
    }
  }

  std::vector<TextBlock> &blocks() { return blocks_; }
  /// Functions of the library that are not known to us.
  const StringSet<> &unknown() const { return unknown_; }

  bool hasClocks() const { return hasClocks_; }

  /// The blocks that may follow one.
  SmallVector<size_t, 4> next(size_t index) const {
    SmallVector<size_t, 4> found;
    for (StringRef target : blocks_[index].targets)
      if (auto at = labels_.find(target); at != labels_.end())
        found.push_back(at->second);
    if (blocks_[index].fallsThrough && index + 1 < blocks_.size())
      found.push_back(index + 1);
    return found;
  }

private:
  void declare(const Statement &statement) {
    for (const frontend::ptx::Variable &variable : statement.variables)
      if (variable.space == "reg")
        prefixes_[variable.name] = uint8_t(variable.type.bits());
  }

  /// model::None if the name is no register.
  uint32_t registerOf(StringRef name) {
    if (!name.starts_with("%"))
      return model::None;
    if (auto known = registers_.find(name); known != registers_.end())
      return known->second;
    auto prefix = prefixes_.find(name);
    if (prefix == prefixes_.end())
      prefix = prefixes_.find(name.rtrim("0123456789"));
    if (prefix == prefixes_.end())
      return model::None;
    return registers_[name] = newRegister(prefix->second);
  }
  uint32_t newRegister(uint8_t bits) {
    code_.registerBits.push_back(bits);
    return uint32_t(code_.registerBits.size() - 1);
  }

  void addRegisters(const Operand &operand, SmallVectorImpl<uint32_t> &found) {
    if (operand.kind == Operand::Name)
      if (uint32_t number = registerOf(operand.name); number != model::None)
        found.push_back(number);
    for (const Operand &element : operand.elements)
      addRegisters(element, found);
    for (const Operand &element : operand.coordinates)
      addRegisters(element, found);
  }

  /// Of an access: the variable that it names instead of a register, and the bytes behind.
  void setAddress(CodeOperation &operation, const Operand &address,
                  SmallVectorImpl<uint32_t> &used) {
    operation.offset = int32_t(address.bits);
    if (address.elements.empty() || address.elements[0].kind != Operand::Name ||
        address.elements[0].name.starts_with("%"))
      return;
    auto [at, isNew] = variables_.try_emplace(address.elements[0].name, 0);
    if (isNew)
      at->second = newRegister(0);
    used.push_back(at->second);
  }

  static bool hasImmediate(const Operand &operand) {
    if (operand.kind == Operand::Address)
      return false;
    return operand.kind == Operand::Integer || operand.kind == Operand::Float ||
           any_of(operand.elements, hasImmediate);
  }

  /// How many of the first operands are results.
  static unsigned resultsOf(const CodeOperation &operation, const Statement &statement) {
    switch (operation.operation) {
    case Operation::Store:
    case Operation::Reduce:
    case Operation::Prefetch:
    case Operation::AsyncCopy:
    case Operation::AsyncWait:
    case Operation::Branch:
    case Operation::Call:
    case Operation::Return:
    case Operation::Exit:
    case Operation::Fence:
    case Operation::WarpBarrier:
      return 0;
    case Operation::Barrier:
      return is_contained(statement.parts, "red") ? 1 : 0;
    case Operation::Surface:
      return statement.parts[0] == "suld" || statement.parts[0] == "suq" ? 1 : 0;
    case Operation::MatrixMemory:
      return statement.parts[0] == "stmatrix" || is_contained(statement.parts, "store") ? 0 : 1;
    case Operation::Mbarrier:
    case Operation::Other:
      return !statement.operands.empty() && statement.operands[0].kind == Operand::Name ? 1 : 0;
    default:
      return 1;
    }
  }

  void setOperands(CodeOperation &operation, const Statement &statement) {
    unsigned results = resultsOf(operation, statement);
    SmallVector<uint32_t, 8> made, used;
    for (auto [i, operand] : enumerate(statement.operands)) {
      addRegisters(operand, i < results ? made : used);
      if (operand.kind == Operand::Address && isAccess(operation))
        setAddress(operation, operand, used);
      if (i >= results && hasImmediate(operand))
        operation.flags |= model::HasImmediate;
    }
    for (auto [i, number] : enumerate(ArrayRef(made).take_front(4)))
      operation.results[i] = number;
    for (auto [i, number] : enumerate(ArrayRef(used).take_front(4)))
      operation.sources[i] = number;
    if (!statement.guard.empty()) {
      operation.flags |= model::IsPredicated;
      operation.sources[3] = registerOf(statement.guard);
    }
  }

  /// mov.u32 %r1, %tid.x
  static bool readsSpecial(const Statement &statement) {
    return statement.parts[0] == "mov" && statement.operands.size() == 2 &&
           statement.operands[1].kind == Operand::Name &&
           statement.operands[1].name.starts_with("%");
  }

  /// The shapes of a launch are constants in memory, as parameters are.
  void setSpecial(CodeOperation &operation, StringRef name) {
    const bool isClock = name.starts_with("%clock") || name.starts_with("%globaltimer");
    hasClocks_ |= isClock;
    operation.operation = isClock ? Operation::Clock : Operation::SpecialRegister;
    if (name.starts_with("%ntid") || name.starts_with("%nctaid"))
      operation.flags |= model::HasImmediate;
    if (name.starts_with("%ctaid"))
      operation.flags |= model::IsUniformBranch;
  }

  /// red.shared.add.u32 [%r1], 1
  static bool isIncrement(const CodeOperation &operation, const Statement &statement) {
    const bool isAtomic =
        operation.operation == Operation::Atomic || operation.operation == Operation::Reduce;
    return isAtomic && is_contained(statement.parts, "add") &&
           operation.kind == model::ValueKind::Integer && operation.bits == 32 &&
           !statement.operands.empty() && statement.operands.back().kind == Operand::Integer &&
           statement.operands.back().bits == 1;
  }

  void readInstruction(const Statement &statement) {
    CodeOperation operation = operationOf(statement);
    setOperands(operation, statement);
    if (isIncrement(operation, statement))
      operation.flags |= model::IsIncrement;
    if (operation.operation == Operation::Move && readsSpecial(statement) &&
        operation.sources[0] == model::None)
      setSpecial(operation, statement.operands[1].name);
    if (operation.operation == Operation::Return && isEntry_)
      operation.operation = Operation::Exit;
    if (operation.space == Space::Parameter && !readParameter(operation, statement))
      return;
    if (operation.operation == Operation::Call)
      return readCall(operation, statement);
    place(operation);
    add(operation);
    if (operation.operation == Operation::Branch)
      endBlock(statement);
    else if (operation.operation == Operation::Exit || operation.operation == Operation::Return)
      blocks_.back().fallsThrough = false, blocks_.emplace_back();
    else if (statement.parts[0] == "trap")
      blocks_.back().fallsThrough = true;
  }

  void place(CodeOperation &operation) const {
    if (!place_)
      return;
    operation.line = place_->line;
    if (isAccess(operation))
      operation.access = place_->access;
  }

  void add(const CodeOperation &operation) {
    TextBlock &block = blocks_.back();
    block.operations.push_back(operation);
    block.homes.push_back(place_ ? place_->block : model::None);
    if (place_ && place_->block != model::None)
      ++block.votes[place_->block];
  }

  void endBlock(const Statement &statement) {
    TextBlock &block = blocks_.back();
    for (const Operand &target : statement.operands) {
      if (auto many = branchTargets_.find(target.name); many != branchTargets_.end())
        append_range(block.targets, many->second);
      else if (target.kind == Operand::Name && !target.name.starts_with("%"))
        block.targets.push_back(target.name);
    }
    block.fallsThrough = !statement.guard.empty();
    blocks_.emplace_back();
  }

  /// Parameters of a call are registers, by the names of the sequence. False: no operation.
  bool readParameter(CodeOperation &operation, const Statement &statement) {
    const Operand &address = statement.operands[operation.operation == Operation::Store ? 0 : 1];
    StringRef name = address.elements.empty() ? "" : address.elements[0].name;
    if (operation.operation == Operation::Store && name.starts_with("param")) {
      for (uint32_t source : operation.sources)
        if (source != model::None)
          arguments_.push_back(source);
      return false;
    }
    if (operation.operation == Operation::Load && name.starts_with("retval")) {
      for (auto [i, operand] : enumerate(operation.results))
        if (operand != model::None && !results_.empty()) {
          CodeOperation &call = blocks_[results_.back().first].operations[results_.back().second];
          for (uint32_t &result : call.results)
            if (result == model::None) {
              result = operand;
              break;
            }
        }
      return false;
    }
    if (operation.operation == Operation::Load)
      operation.operation = Operation::Parameter;
    return true;
  }

  void readCall(CodeOperation &operation, const Statement &statement) {
    for (auto [i, argument] : enumerate(ArrayRef(arguments_).take_front(4)))
      operation.sources[i] = argument;
    arguments_.clear();
    operation.space = Space::Generic;
    const auto *callee =
        find_if(statement.operands, [](const Operand &o) { return o.kind == Operand::Name; });
    StringRef name = callee == statement.operands.end() ? "" : callee->name;
    SmallVector<CodeOperation, 8> inner = operationsOfLibrary(name);
    if (inner.empty() && frontend::isLibraryFunction(name))
      unknown_.insert(name);
    uint32_t before = model::None;
    for (CodeOperation &one : inner) { // each waits for the one before
      if (before == model::None)
        std::copy(std::begin(operation.sources), std::end(operation.sources), one.sources);
      else
        one.sources[0] = before;
      place(one);
      if (&one != &inner.back() && one.operation != Operation::Branch)
        before = one.results[0] = newRegister(one.operation == Operation::Compare ? 1 : one.bits);
      add(one);
    }
    if (inner.empty()) {
      place(operation);
      add(operation);
    }
    results_ = {{blocks_.size() - 1, blocks_.back().operations.size() - 1}};
  }

  StringRef name_;
  bool isEntry_;
  ArrayRef<CodePlace> places_;
  model::KernelCode &code_;
  std::vector<TextBlock> blocks_;
  StringMap<size_t> labels_;
  StringMap<SmallVector<StringRef, 4>> branchTargets_;
  StringMap<uint8_t> prefixes_;
  StringMap<uint32_t> registers_;
  StringMap<uint32_t> variables_; ///< registers without bits, which stand for their addresses
  const CodePlace *place_ = nullptr;
  StringSet<> unknown_;
  bool hasClocks_ = false;
  SmallVector<uint32_t, 4> arguments_;                ///< of the call to come
  SmallVector<std::pair<size_t, size_t>, 1> results_; ///< the call that was last
};

/// Those that the lines tell.
void takeVotes(std::vector<TextBlock> &blocks) {
  for (TextBlock &block : blocks) {
    unsigned most = 0;
    for (auto [number, votes] : block.votes)
      if (votes > most || (votes == most && number < block.block))
        most = votes, block.block = number;
  }
}

/// Those between two that are known: the block that was put on the edge, or the one behind it.
void placeEdges(FunctionReader &reader, const model::KernelCode &code) {
  std::vector<TextBlock> &blocks = reader.blocks();
  std::vector<SmallVector<size_t, 2>> before(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i)
    for (size_t next : reader.next(i))
      before[next].push_back(i);
  std::vector<bool> isTaken(code.blocks.size());
  for (const TextBlock &block : blocks)
    if (block.block != model::None)
      isTaken[block.block] = true;
  // The block that leads to `to` alone, on a way from `source` on which there is no other text.
  auto between = [&](uint32_t source, uint32_t to) {
    for (uint32_t at : code.successors[source])
      for (unsigned steps = 0; steps < 8 && !isTaken[at] && code.successors[at].size() == 1;
           ++steps) {
        if (code.successors[at][0] == to)
          return at;
        at = code.successors[at][0];
      }
    return model::None;
  };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (size_t i = 0; i < blocks.size(); ++i) {
      TextBlock &block = blocks[i];
      if (block.block != model::None || block.operations.empty())
        continue;
      auto next = reader.next(i);
      uint32_t to = next.size() == 1 ? blocks[next[0]].block : model::None;
      for (size_t from : before[i]) {
        uint32_t source = blocks[from].block;
        if (source == model::None || block.block != model::None)
          continue;
        if (to != model::None)
          block.block = between(source, to);
        if (block.block == model::None && before[i].size() == 1 &&
            (to == model::None || code.successors[source].size() == 1))
          block.block = source;
      }
      if (block.block == model::None && before[i].empty())
        block.block = to;
      isChanged |= block.block != model::None;
    }
  }
}

/// An atomic operation of which nobody wants the result is a reduction to the assembler.
void findReductions(model::KernelCode &code) {
  std::vector<bool> isUsed(code.registerBits.size());
  for (const CodeOperation &operation : code.operations)
    for (uint32_t source : operation.sources)
      if (source != model::None)
        isUsed[source] = true;
  for (CodeOperation &operation : code.operations)
    if (operation.operation == Operation::Atomic && operation.results[0] != model::None &&
        !isUsed[operation.results[0]] && !(operation.flags & model::IsExchange)) {
      operation.operation = Operation::Reduce;
      operation.results[0] = model::None;
    }
}

/// Memory whose addresses have 32 bits, whatever PTX says.
bool isShort(Space space) {
  return space == Space::Shared || space == Space::Local || space == Space::Constant;
}

/// Operations of 64 bits whose results only address such memory have 32.
void narrowAddresses(model::KernelCode &code, const std::vector<bool> &isOther) {
  std::vector<bool> isLong(code.registerBits.size());
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const CodeOperation &operation : code.operations)
      for (auto [i, source] : enumerate(operation.sources)) {
        if (source == model::None || isLong[source])
          continue;
        uint32_t result = operation.results[0];
        bool isShortUse = isAccess(operation)
                              ? i == 0 && isShort(operation.space)
                              : result != model::None && !isOther[result] && !isLong[result];
        if (!isShortUse)
          isLong[source] = isChanged = true;
      }
  }
  for (CodeOperation &operation : code.operations) {
    uint32_t result = operation.results[0];
    if (!(operation.flags & model::IsAddress) || operation.bits != 64 || isLong[result] ||
        isOther[result])
      continue;
    // A product of 32 bits is one from 32 bits to 64 of which the upper half is not needed.
    operation.flags &= ~model::IsWide;
    operation.bits = 32;
    code.registerBits[result] = 32;
  }
}

/// The addresses of variables in shared memory: moves of 32 bits without a register. Those of constants
/// are addresses of their own kind, which is known where they are used.
void markSharedBases(model::KernelCode &code) {
  std::vector<bool> isConstant(code.registerBits.size());
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const CodeOperation &operation : code.operations) {
      const bool isUse = isAccess(operation) && operation.space == Space::Constant;
      const uint32_t result = operation.results[0];
      const bool isPart = operation.flags & model::IsAddress && result != model::None;
      if (!isUse && !(isPart && isConstant[result]))
        continue;
      for (uint32_t source : ArrayRef(operation.sources).take_front(isUse ? 1 : 4))
        if (source != model::None && !isConstant[source])
          isConstant[source] = isChanged = true;
    }
  }
  for (CodeOperation &operation : code.operations)
    if (operation.operation == Operation::Move && operation.flags & model::IsAddress &&
        operation.bits == 32 && !(operation.flags & model::HasImmediate) &&
        operation.sources[0] == model::None && !isConstant[operation.results[0]])
      operation.flags |= model::IsSharedBase;
}

/// Integer operations whose results only address memory.
void markAddresses(model::KernelCode &code) {
  std::vector<bool> isOther(code.registerBits.size());
  auto passesOn = [&](const CodeOperation &operation) {
    switch (operation.operation) {
    case Operation::Add:
    case Operation::Multiply:
    case Operation::MultiplyAdd:
    case Operation::Shift:
    case Operation::Move:
    case Operation::Convert:
      return operation.kind == model::ValueKind::Integer && operation.results[0] != model::None &&
             !isOther[operation.results[0]];
    default:
      return false;
    }
  };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const CodeOperation &operation : code.operations)
      for (auto [i, source] : enumerate(operation.sources)) {
        if (source == model::None || isOther[source])
          continue;
        bool isAddress = (isAccess(operation) && i == 0) || passesOn(operation);
        if (!isAddress)
          isOther[source] = isChanged = true;
      }
  }
  for (CodeOperation &operation : code.operations)
    if (passesOn(operation))
      operation.flags |= model::IsAddress;
  narrowAddresses(code, isOther);
  markSharedBases(code);
}

/// Accesses of the IR and of the text are the same ones, or else the kernel says so.
void compareAccesses(model::KernelCode &code) {
  std::vector<unsigned> times(code.accesses.size());
  auto where = [&](uint32_t line) {
    return line == model::None ? std::string("no line")
                               : code.lines[line].file + ":" + utostr(code.lines[line].line);
  };
  for (const CodeOperation &operation : code.operations)
    if (operation.access != model::None)
      ++times[operation.access];
    else if (isAccess(operation))
      code.notes.push_back("an access of memory at " + where(operation.line) + " is not counted");
  for (auto [i, count] : enumerate(times))
    if (count != 1)
      code.notes.push_back("an access of memory at " + where(code.accesses[i].line) + " is " +
                           utostr(count) + " instructions");
}

Error readFunction(const frontend::ptx::ModuleFunction &function, ArrayRef<CodePlace> places,
                   model::KernelCode &code, std::vector<std::vector<CodeOperation>> &byBlock) {
  Expected<std::vector<Statement>> statements = frontend::ptx::parse(function.body);
  if (!statements)
    return statements.takeError();
  FunctionReader reader(function.name, function.isEntry, places, code);
  reader.read(*statements);
  for (const auto &name : reader.unknown())
    code.notes.push_back("calls of " + name.getKey().str() + " count as one instruction each");
  takeVotes(reader.blocks());
  placeEdges(reader, code);
  for (TextBlock &block : reader.blocks()) {
    if (block.operations.empty())
      continue;
    if (block.block == model::None) {
      code.notes.push_back(utostr(block.operations.size()) + " instructions of '" +
                           function.name.str() + "' that the back end has added are not counted");
      continue;
    }
    // A block that was split at clocks may be one again, and what is timed has moved across them.
    for (auto [operation, home] : zip_equal(block.operations, block.homes))
      byBlock[reader.hasClocks() && home != model::None ? home : block.block].push_back(operation);
  }
  return Error::success();
}

} // namespace

Error readCode(StringRef ptx, ArrayRef<CodePlace> places, model::KernelCode &code) {
  frontend::ptx::Problems problems(ptx);
  frontend::ptx::ModuleText text = frontend::ptx::readModuleText(ptx, problems);
  if (problems.any())
    return frontend::fail("internal error: the PTX that is to be counted: " + problems.log());
  std::vector<std::vector<CodeOperation>> byBlock(code.blocks.size());
  for (const frontend::ptx::ModuleFunction &function : text.functions)
    if (function.hasBody)
      if (Error error = readFunction(function, places, code, byBlock))
        return error;
  for (size_t i = 0; i < byBlock.size(); ++i) {
    code.blocks[i] = {uint32_t(code.operations.size()), uint32_t(byBlock[i].size())};
    append_range(code.operations, byBlock[i]);
  }
  findReductions(code);
  for (const CodeOperation &operation : code.operations)
    if (operation.access != model::None) {
      model::CodeAccess &access = code.accesses[operation.access];
      access.operation = operation.operation;
      access.flags = operation.flags;
      if (operation.space != Space::Generic)
        access.space = operation.space;
    }
  compareAccesses(code);
  markAddresses(code);
  return Error::success();
}

} // namespace heddle::jit
