// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A convolution over a row loads a register for each product, and every second of these
// loads, 32 bytes at any element, crosses from one cache line to the next and takes the place of
// two. The multipliers wait for loads. (Of registers as long as a line: slide_loads.cpp.)
//
// Method. A loop of known length is unrolled. What is loaded at some distance is a register of the
// sums' lanes there, and the next register of the sums a register's length before: with eight
// floats a register, product k of register j wants the place 8 j + k. So the products go by what
// k leaves when divided by eight, and within that by places; each place is loaded once and is in as
// many products as there are registers of sums, or factors with this rest:
//
//     for k: s0 += w[k] * row[k]; s1 += w[k] * row[k + 8]; ...   ->
//
//     a = w[0], b = w[8], ...                             (and again from 1, 9, ... to 7, 15, ...)
//     x = row[0];   s0 += a * x
//     x = row[8];   s0 += b * x;  s1 += a * x
//     x = row[16];  s0 += c * x;  s1 += b * x;  s2 += a * x; ...
//
// LLVM's scheduler would load all factors first: these functions stay in their order.
//
// Not with AVX-512, whose shifts over a register's whole length are better (slide_loads.cpp).
//
// Legality (reuse-row-loads):
//  1. The order of the sums is free (reassoc). [order]
//  2. The rows' loads are plain, and nothing is written between a load and the last product. What a
//     place is loaded for was loaded before. [writes between]
//  3. All rows of a sum count from one base, at known distances. [one row]
//  4. A sum before the last one is for the next product only. [other uses]
#include "jit/loops/reuse_row_loads.h"

#include "jit/emit/back_end.h"
#include "simt/canonical/loop_unroller.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <set>

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t LongestRegister = 512; ///< bits, from which slide_loads.cpp knows better
constexpr uint64_t Longest = 1024;        ///< products of registers, of all turns
constexpr double LeastUses = 2;           ///< of a loaded register

/// A product that is added to a sum: of a load that is used for nothing else and a number.
struct Product {
  IntrinsicInst *sum;
  LoadInst *row;
  Value *factor;
};

std::optional<Product> productIn(Instruction &instruction) {
  auto *sum = dyn_cast<IntrinsicInst>(&instruction);
  if (!sum || sum->getIntrinsicID() != Intrinsic::fma || !sum->hasAllowReassoc() ||
      !isa<FixedVectorType>(sum->getType()))
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    auto *row = dyn_cast<LoadInst>(sum->getArgOperand(i));
    Value *factor = getSplatValue(sum->getArgOperand(1 - i));
    if (row && factor && row->isSimple() && row->hasOneUse() &&
        row->getParent() == instruction.getParent())
      return Product{sum, row, factor};
  }
  return std::nullopt;
}

/// Bytes by which the load moves in each turn, or zero.
int64_t stepOf(const LoadInst &load, const Loop &loop, ScalarEvolution &evolution) {
  const auto *walk =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Value *>(load.getPointerOperand())));
  const auto *step = walk && walk->getLoop() == &loop
                         ? dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution))
                         : nullptr;
  return step ? step->getAPInt().abs().getZExtValue() : 0;
}

/// A loop of known length without branches that does not write, and adds so many products to sums
/// that their rows overlap. (Whether they can be shared is seen when it is unrolled.)
bool addsProducts(const Loop &loop, ScalarEvolution &evolution, unsigned registerBits) {
  uint64_t turns = evolution.getSmallConstantTripCount(&loop), products = 0, registers = 0;
  if (turns < 2 || !loop.isInnermost() || !loop.getExitingBlock())
    return false;
  int64_t step = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (instruction.mayWriteToMemory() || instruction.mayThrow())
        return false;
      auto product = productIn(instruction);
      int64_t bytes = product ? stepOf(*product->row, loop, evolution) : 0;
      if (bytes == 0)
        continue;
      ++products;
      step = bytes;
      registers = product->sum->getType()->getPrimitiveSizeInBits().getFixedValue() / registerBits;
    }
  if (products == 0 || registers < 2 || turns * products * registers > Longest)
    return false;
  std::set<int64_t> places;
  for (uint64_t i = 0; i < turns * products; ++i)
    for (uint64_t j = 0; j < registers; ++j)
      places.insert(int64_t(i) * step / int64_t(products) + int64_t(j * registerBits / 8));
  return double(turns * products * registers) >= LeastUses * double(places.size());
}

/// Products that are added to one sum, one after the other, of one row.
class Chain {
public:
  Chain(SmallVector<Product, 16> products, unsigned registerBits)
      : products_(std::move(products)), last_(products_.back().sum),
        type_(cast<FixedVectorType>(last_->getType())),
        piece_(FixedVectorType::get(type_->getElementType(),
                                    registerBits / type_->getScalarSizeInBits())),
        bytes_(registerBits / 8) {}

  bool isWorthIt() {
    unsigned lanes = piece_->getNumElements();
    if (type_->getNumElements() % lanes != 0 || type_->getNumElements() < 2 * lanes || !isOneRow())
      return false;
    size_t loads = 0, uses = 0;
    for (const auto &[rest, places] : placesOf())
      for (const auto &[place, terms] : places)
        ++loads, uses += terms.size();
    return double(uses) >= LeastUses * double(loads);
  }

  void rewrite() {
    IRBuilder<> builder(last_);
    builder.setFastMathFlags(last_->getFastMathFlags());
    unsigned lanes = piece_->getNumElements();
    SmallVector<Value *, 16> sums;
    Value *start = products_.front().sum->getArgOperand(2);
    for (unsigned i = 0; i < registers(); ++i)
      sums.push_back(builder.CreateShuffleVector(start, createSequentialMask(i * lanes, lanes, 0)));
    for (const auto &[rest, places] : placesOf())
      addAll(builder, places, sums);
    last_->replaceAllUsesWith(concatenateVectors(builder, sums));
    RecursivelyDeleteTriviallyDeadInstructions(last_);
  }

private:
  /// What a register of the row is multiplied with, and the sum that this is added to.
  struct Term {
    unsigned product, sum;
  };
  using Places = std::map<int64_t, SmallVector<Term, 8>>;

  unsigned registers() const { return type_->getNumElements() / piece_->getNumElements(); }

  bool isOneRow() {
    const DataLayout &layout = last_->getDataLayout();
    for (const Product &product : products_) {
      APInt distance(64, 0);
      Value *base = product.row->getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, distance, /*AllowNonInbounds=*/true);
      if (base_ && base != base_)
        return false;
      base_ = base;
      distances_.push_back(distance.getSExtValue());
    }
    return true;
  }

  /// The places of registers, by what their distances leave when divided by a register's length.
  std::map<int64_t, Places> placesOf() const {
    std::map<int64_t, Places> all;
    for (unsigned i = 0; i < products_.size(); ++i)
      for (unsigned j = 0; j < registers(); ++j) {
        int64_t place = distances_[i] + int64_t(j) * bytes_;
        all[((place % bytes_) + bytes_) % bytes_][place].push_back({i, j});
      }
    return all;
  }

  void addAll(IRBuilder<> &builder, const Places &places, MutableArrayRef<Value *> sums) {
    DenseMap<unsigned, Value *> factors;
    for (const auto &[place, terms] : places) {
      const LoadInst &row = *products_.front().row;
      Value *address = builder.CreateConstGEP1_64(builder.getInt8Ty(), base_, place);
      Value *loaded = builder.CreateAlignedLoad(
          piece_, address, std::min(row.getAlign(), Align(type_->getScalarSizeInBits() / 8)));
      cast<LoadInst>(loaded)->setDebugLoc(row.getDebugLoc());
      for (const Term &term : terms) {
        Value *&factor = factors[term.product];
        if (!factor)
          factor = spread(builder, products_[term.product].factor);
        sums[term.sum] =
            builder.CreateIntrinsic(Intrinsic::fma, piece_, {loaded, factor, sums[term.sum]});
      }
    }
  }

  /// Loaded here, if it is loaded for the loop.
  Value *spread(IRBuilder<> &builder, Value *factor) {
    if (auto *load = dyn_cast<LoadInst>(factor);
        load && load->isSimple() && load->getParent() == last_->getParent())
      factor = builder.Insert(load->clone());
    return builder.CreateVectorSplat(piece_->getNumElements(), factor);
  }

  SmallVector<Product, 16> products_;
  SmallVector<int64_t, 16> distances_;
  IntrinsicInst *last_;
  FixedVectorType *type_, *piece_;
  int64_t bytes_;
  Value *base_ = nullptr;
};

using Chains = SmallVector<SmallVector<Product, 16>, 2>;

/// The chains of a block that was a loop, of products whose operands were loaded since it wrote.
Chains chainsIn(BasicBlock &block) {
  Chains chains;
  MapVector<Value *, SmallVector<Product, 16>> byEnd;
  const Instruction *written = nullptr;
  auto isOld = [&](const Value *value) {
    const auto *load = dyn_cast<LoadInst>(value);
    return load && load->getParent() == &block && written && load->comesBefore(written);
  };
  auto finish = [&] {
    for (auto &[end, chain] : byEnd)
      chains.push_back(std::move(chain));
    byEnd.clear();
  };
  for (Instruction &instruction : block) {
    if (instruction.mayWriteToMemory()) {
      finish();
      written = &instruction;
      continue;
    }
    auto product = productIn(instruction);
    if (!product || isOld(product->row) || isOld(product->factor))
      continue;
    Value *before = product->sum->getArgOperand(2);
    SmallVector<Product, 16> chain;
    if (auto known = byEnd.find(before); known != byEnd.end() && before->hasOneUse()) {
      chain = std::move(known->second);
      byEnd.erase(known);
    }
    chain.push_back(*product);
    byEnd[product->sum] = std::move(chain);
  }
  finish();
  return chains;
}

} // namespace

PreservedAnalyses ReuseRowLoads::run(Function &function, FunctionAnalysisManager &analyses) {
  simt::LoopUnroller unroller(function, analyses);
  ScalarEvolution &evolution = unroller.evolution();
  unsigned bits = unroller.costs()
                      .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
                      .getFixedValue();
  if (bits >= LongestRegister)
    return PreservedAnalyses::all();
  SmallVector<Loop *, 4> chosen;
  for (Loop *loop : unroller.loops().getLoopsInPreorder())
    if (addsProducts(*loop, evolution, bits))
      chosen.push_back(loop);
  if (chosen.empty())
    return PreservedAnalyses::all();
  for (Loop *loop : chosen)
    unroller.unroll(*loop, evolution.getSmallConstantTripCount(loop));
  for (BasicBlock &block : make_early_inc_range(function))
    MergeBlockIntoPredecessor(&block);
  for (BasicBlock &block : function)
    for (SmallVector<Product, 16> &products : chainsIn(block))
      if (Chain chain(std::move(products), bits); chain.isWorthIt()) {
        chain.rewrite();
        function.addFnAttr(InOrder);
      }
  return PreservedAnalyses::none();
}

} // namespace heddle::jit
