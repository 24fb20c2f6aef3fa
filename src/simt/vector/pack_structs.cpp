// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. Lanes that read a float4 each give four vectors, which shuffles pick from one wide load.
// In a matrix product of blocks in registers all four columns go the same way, so the shuffles gain
// nothing: what is done alike with all members can be done with the structures as they lie in
// memory. Structures that lie in segments (four lanes in a row of a tile) are loaded by segments; a
// tile that is stored transposed is stored by columns.
//
// A group is a list of F vectors of W lanes, one for each member of a structure; its packed form is
// one vector of W * F elements, in which the members of a lane lie side by side. What a wide load
// is taken apart into is a group whose packed form is there already. From there we go forward: if
// each of a group's vectors is used by the same operation, these operations are a group too,
// provided that their other operands are groups, or one vector for all members, or constants.
// Groups may depend on each other in loops (a sum and the phi that carries it), so a group is first
// assumed, with all that it needs, and given up again if something is missing.
//
// A group pays if nobody else in its loop wants its vectors one by one; those that do not are given
// up at the end. Behind the loop they are taken apart again, unless a wide store puts them
// together: then its vector is the packed one.
//
// Legality (pack-structs):
//  1. All members go through the same operation, lane by lane, with the same other operand or with
//     members of another group. [whole groups]
#include "simt/vector/pack_structs.h"

#include "simt/analysis/analyses.h"
#include "simt/analysis/function_facts.h"
#include "simt/compilation.h"
#include "simt/vector/struct_group.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/ADCE.h"

#include <map>
#include <optional>

using namespace llvm;

namespace heddle::simt {

namespace {

class Packer {
public:
  explicit Packer(Function &function) : function_(function), facts_(function) {}

  bool run() {
    findLoads();
    if (work_.empty())
      return false;
    findStores();
    while (!work_.empty()) {
      Group group = work_.front();
      work_.erase(work_.begin());
      follow(group);
    }
    prune();
    if (groups_.empty())
      return false;
    emit();
    return true;
  }

private:
  // Groups that are there.
  void findLoads();
  void addLoad(Value &wide, ArrayRef<Value *> picks);
  void findStores();

  // Groups that follow from others.
  void follow(const Group &);
  bool assume(const Group &);
  void prune();
  bool isLoadedPacked(const Group &group) const {
    return isa<BitCastInst>(group[0]) && loaded_.count(operands(group, 0));
  }
  bool isWanted(const Group &) const;

  // Their packed forms.
  void emit();
  Instruction *last(const Group &) const;
  Instruction &placeOf(const Group &) const;
  Value *packed(const Group &, IRBuilder<> &);
  Value *make(const Group &);
  Value *repeat(Value *, unsigned members, IRBuilder<> &);
  void release(const Group &, Value *packed);
  Value *made(const Group &group) const {
    auto known = made_.find(group);
    return known == made_.end() ? nullptr : known->second;
  }

  Function &function_;
  LoopFacts facts_;
  std::map<Group, Value *> loaded_; ///< with the wide vectors that they come from
  std::map<Group, Value *> made_;
  std::vector<Group> groups_;               ///< to be packed, operands mostly first
  SmallPtrSet<const Value *, 32> members_;  ///< of them
  SmallPtrSet<const Value *, 32> absorbed_; ///< shuffles of wide stores, which take packed forms
  std::vector<std::pair<Value *, Group>> stored_;
  std::vector<Group> work_;
};

void Packer::findLoads() {
  for (Instruction &wide : instructions(function_))
    if (Group group = takenApart(wide); !group.empty())
      addLoad(wide, group);
}

void Packer::addLoad(Value &wide, ArrayRef<Value *> picks) {
  Group group(picks.begin(), picks.end());
  loaded_[group] = &wide;
  work_.push_back(group);
}

void Packer::findStores() {
  for (Instruction &instruction : instructions(function_)) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    bool isStep = !shuffle ||
                  all_of(shuffle->users(), [](User *user) { return isa<ShuffleVectorInst>(user); });
    if (isStep)
      continue;
    if (std::optional<Group> group = interleaves(shuffle)) {
      stored_.push_back({shuffle, *group});
      absorbed_.insert(shuffle);
    }
  }
  for (bool changed = true; changed;) { // shuffles on the way there
    changed = false;
    for (Instruction &instruction : instructions(function_))
      if (isa<ShuffleVectorInst>(instruction) && !instruction.use_empty() &&
          all_of(instruction.users(), [&](User *user) { return absorbed_.contains(user); }))
        changed |= absorbed_.insert(&instruction).second;
  }
}

/// Tries the operations that use the group.
void Packer::follow(const Group &group) {
  for (Use &use : group[0]->uses()) {
    auto *first = dyn_cast<Instruction>(use.getUser());
    if (!first || !(isElementwise(*first) || isa<PHINode>(first)) || members_.contains(first))
      continue;
    Group candidate = partners(group, *first, use.getOperandNo());
    if (candidate.empty())
      continue;
    size_t before = groups_.size();
    if (assume(candidate)) {
      work_.insert(work_.end(), groups_.begin() + before, groups_.end());
      continue;
    }
    for (const Group &added : ArrayRef(groups_).drop_front(before))
      members_.remove_if([&](const Value *value) { return is_contained(added, value); });
    groups_.resize(before);
  }
}

/// Gives up groups whose vectors somebody wants one by one, and those that need these.
void Packer::prune() {
  auto isKept = [&](const Group &group) {
    return std::find(groups_.begin(), groups_.end(), group) != groups_.end();
  };
  auto stands = [&](const Group &group) {
    if (!isWanted(group))
      return false;
    auto *first = cast<Instruction>(group[0]);
    auto isThere = [&](const Group &operand) {
      return isSame(operand) || isConstant(operand) || loaded_.count(operand) || isKept(operand);
    };
    if (auto *phi = dyn_cast<PHINode>(first))
      return all_of(phi->blocks(),
                    [&](BasicBlock *block) { return isThere(incoming(group, block)); });
    return all_of(seq(operandCount(*first)),
                  [&](unsigned i) { return isThere(operands(group, i)); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = groups_.size(); i-- > 0;)
      if (!stands(groups_[i])) {
        for (Value *member : groups_[i])
          members_.erase(member);
        groups_.erase(groups_.begin() + i);
        changed = true;
      }
  }
}

/// Adds the group and what it needs; false if something cannot be packed.
bool Packer::assume(const Group &group) {
  bool isThere = isSame(group) || isConstant(group) || loaded_.count(group);
  if (isThere || std::find(groups_.begin(), groups_.end(), group) != groups_.end())
    return true;
  if (any_of(group, [&](Value *value) { return members_.contains(value); }))
    return false; // of another group
  auto *first = dyn_cast<Instruction>(group[0]);
  if (!areAlike(group) || !(isElementwise(*first) || isa<PHINode>(first)))
    return false;
  groups_.push_back(group);
  members_.insert(group.begin(), group.end());
  if (auto *phi = dyn_cast<PHINode>(first))
    return all_of(phi->blocks(), [&](BasicBlock *block) { return assume(incoming(group, block)); });
  return all_of(seq(operandCount(*first)), [&](unsigned i) { return assume(operands(group, i)); });
}

/// Nobody in the group's loop takes its vectors one by one. (What is only seen as another type
/// costs nothing to take apart.)
bool Packer::isWanted(const Group &group) const {
  if (isLoadedPacked(group))
    return true;
  const Instruction *end = last(group);
  unsigned depth = facts_.loops.getLoopDepth(end->getParent());
  for (Value *member : group)
    for (const User *user : member->users()) {
      if (members_.contains(user) || absorbed_.contains(user))
        continue;
      auto *instruction = cast<Instruction>(user);
      bool isLater = instruction->getParent() != end->getParent() || isa<PHINode>(instruction) ||
                     end->comesBefore(instruction);
      if (!isLater || depth == 0 || facts_.loops.getLoopDepth(instruction->getParent()) >= depth)
        return false;
    }
  return true;
}

Instruction *Packer::last(const Group &group) const {
  Instruction *end = cast<Instruction>(group[0]);
  for (Value *member : drop_begin(group))
    if (auto *instruction = cast<Instruction>(member); end->comesBefore(instruction))
      end = instruction;
  return end;
}

/// Behind which the packed form stands: before all users of the group's vectors that it serves.
Instruction &Packer::placeOf(const Group &group) const {
  return isLoadedPacked(group) ? *cast<Instruction>(loaded_.at(operands(group, 0))) : *last(group);
}

/// Each element as often as a structure has members.
Value *Packer::repeat(Value *value, unsigned members, IRBuilder<> &builder) {
  unsigned lanes = lanesOf(value);
  if (Value *one = getSplatValue(value))
    return builder.CreateVectorSplat(lanes * members, one);
  return builder.CreateShuffleVector(value, createReplicatedMask(members, lanes));
}

/// The packed form of an operand, which is there before the builder's place.
Value *Packer::packed(const Group &group, IRBuilder<> &builder) {
  if (Value *known = made(group))
    return known;
  if (auto known = loaded_.find(group); known != loaded_.end())
    return known->second;
  if (isSame(group))
    return repeat(group[0], group.size(), builder);
  if (!isConstant(group))
    return nullptr;
  SmallVector<Constant *, 64> elements;
  for (unsigned lane = 0; lane < lanesOf(group[0]); ++lane)
    for (Value *member : group)
      elements.push_back(cast<Constant>(member)->getAggregateElement(lane));
  return ConstantVector::get(elements);
}

/// Null as long as an operand is not there.
Value *Packer::make(const Group &group) {
  auto *first = cast<Instruction>(group[0]);
  IRBuilder<> builder(first->getContext());
  builder.SetInsertPoint(*placeOf(group).getInsertionPointAfterDef());
  builder.SetCurrentDebugLocation(first->getDebugLoc());
  auto *type =
      FixedVectorType::get(first->getType()->getScalarType(), lanesOf(first) * group.size());
  if (isa<PHINode>(first))
    return PHINode::Create(type, cast<PHINode>(first)->getNumIncomingValues(), "",
                           first->getParent()->begin());
  SmallVector<Value *, 3> values;
  for (unsigned i = 0; i < operandCount(*first); ++i) {
    Value *value = packed(operands(group, i), builder);
    if (!value)
      return nullptr;
    values.push_back(value);
  }
  Instruction *result = nullptr;
  if (auto *call = dyn_cast<IntrinsicInst>(first)) {
    result = builder.CreateIntrinsic(call->getIntrinsicID(), {type}, values);
  } else if (isa<BitCastInst>(first)) {
    return builder.CreateBitCast(values[0], type);
  } else {
    result = first->clone();
    result->mutateType(type);
    for (auto [i, value] : enumerate(values))
      result->setOperand(i, value);
    builder.Insert(result);
  }
  result->copyIRFlags(first);
  for (Value *member : group)
    result->andIRFlags(member);
  return result;
}

/// Who still wants the members gets them from the packed form.
void Packer::release(const Group &group, Value *packed) {
  auto *place = cast<Instruction>(packed);
  for (auto [j, member] : enumerate(group)) {
    bool isLeft = any_of(member->users(), [&](User *user) {
      return !members_.contains(user) && !absorbed_.contains(user);
    });
    if (!isLeft)
      continue;
    IRBuilder<> builder(place->getParent(), isa<PHINode>(place)
                                                ? place->getParent()->getFirstInsertionPt()
                                                : std::next(place->getIterator()));
    Value *pick =
        builder.CreateShuffleVector(packed, createStrideMask(j, group.size(), lanesOf(member)));
    member->replaceUsesWithIf(pick, [&](Use &use) {
      return !members_.contains(use.getUser()) && !absorbed_.contains(use.getUser());
    });
  }
}

void Packer::emit() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Group &group : groups_)
      if (!made_.count(group))
        if (Value *value = make(group)) {
          made_[group] = value;
          changed = true;
        }
  }
  // In the order of the groups: that of their addresses would differ from run to run.
  for (const Group &group : groups_)
    if (auto *phi = dyn_cast_or_null<PHINode>(made(group)); phi && isa<PHINode>(group[0]))
      for (BasicBlock *block : cast<PHINode>(group[0])->blocks()) {
        IRBuilder<> builder(block->getTerminator());
        phi->addIncoming(packed(incoming(group, block), builder), block);
      }
  for (auto &[wide, group] : stored_)
    if (Value *known = made(group))
      wide->replaceAllUsesWith(known);
    else if (auto loaded = loaded_.find(group); loaded != loaded_.end())
      wide->replaceAllUsesWith(loaded->second);
    else
      absorbed_.erase(wide); // and those before it are wanted after all
  for (const Group &group : groups_)
    if (Value *value = made(group))
      release(group, value);
}

} // namespace

PreservedAnalyses PackStructs::run(Compilation &kernel, FunctionAnalysisManager &analyses) {
  if (!kernel.warp.hasStructs)
    return PreservedAnalyses::all();
  for (Function &function : kernel.module)
    if (!function.isDeclaration() && Packer(function).run()) {
      forget(function, analyses);
      ADCEPass().run(function, analyses); // sums of single members go round in circles
    }
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
