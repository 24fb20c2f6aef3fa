// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/prefetch/fetches.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::jit {

using namespace llvm;

RangeAccess RangeAccess::from(Instruction &instruction) {
  auto bytes = [&](const Value *value) -> int64_t {
    return instruction.getDataLayout().getTypeStoreSize(value->getType()).getFixedValue();
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple())
    return {load, load->getPointerOperand(), bytes(load)};
  if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple())
    return {store, store->getPointerOperand(), bytes(store->getValueOperand()), /*isStore=*/true};
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == Intrinsic::masked_load)
    return {call, call->getArgOperand(0), bytes(call), /*isStore=*/false, /*isMasked=*/true};
  if (call && call->getIntrinsicID() == Intrinsic::masked_store)
    return {call, call->getArgOperand(1), bytes(call->getArgOperand(0)), true, true};
  return {};
}

std::pair<const Value *, int64_t> RangeAccess::place() const {
  APInt offset(64, 0);
  const Value *base = address->stripAndAccumulateConstantOffsets(instruction->getDataLayout(),
                                                                 offset, /*AllowNonInbounds=*/true);
  return {base, offset.getSExtValue()};
}

Fetch *Fetches::add(const RangeAccess &access) {
  auto [base, offset] = access.place();
  const BasicBlock *block = access.instruction->getParent();
  Fetch fetch = {access, {}};
  if (access.bytes < Line && range_ == FetchRange::WholeLines) {
    Place line = {block, base, divideFloorSigned(offset, Line)};
    if ((filled_[line] += access.bytes) >= Line && seen_.insert(line).second)
      fetch.parts.push_back({std::get<2>(line) * Line - offset, access.instruction});
  }
  int64_t first = divideFloorSigned(offset + Line / 2, Line);
  int64_t lines =
      range_ == FetchRange::WholeLines ? access.bytes / Line : divideCeil(access.bytes, Line);
  for (int64_t line = 0; line < lines; ++line)
    if (seen_.insert({block, base, first + line}).second)
      fetch.parts.push_back({line * Line, access.instruction});
  if (fetch.parts.empty())
    return nullptr;
  if (range_ == FetchRange::ToLastByte)
    fetch.parts.push_back({access.bytes - 1, access.instruction});
  return &all_.emplace_back(std::move(fetch));
}

void Fetches::setAhead(Fetch &fetch, int64_t bytes) {
  fetch.ahead = evolution_.getConstant(APInt(64, bytes, /*isSigned=*/true));
}

void Fetches::setAhead(Fetch &fetch, const SCEV &stride, unsigned rounds) {
  const SCEV *ahead =
      evolution_.getMulExpr(&stride, evolution_.getConstant(stride.getType(), rounds));
  bool isSame =
      !SCEVExprContains(ahead, [](const SCEV *part) { return isa<SCEVAddRecExpr>(part); });
  if (isSame && expander_.isSafeToExpandAt(ahead, fetch.access.instruction))
    fetch.ahead = ahead;
}

bool Fetches::emit(std::set<Fetched> &fetched) {
  bool isChanged = false;
  for (const Fetch &fetch : all_) {
    if (!fetch.ahead)
      continue;
    auto [base, offset] = fetch.access.place();
    Value *far = nullptr; // where the address is then
    for (auto [behind, place] : fetch.parts) {
      if (!fetched.insert({place->getParent(), base, offset + behind, fetch.ahead}).second)
        continue;
      IRBuilder<> builder(place);
      if (!far)
        far = builder.CreateGEP(
            builder.getInt8Ty(), fetch.access.address,
            expander_.expandCodeFor(fetch.ahead, fetch.ahead->getType(), place->getIterator()));
      emit(builder, builder.CreateConstGEP1_64(builder.getInt8Ty(), far, behind));
      isChanged = true;
    }
  }
  return isChanged;
}

void Fetches::emit(IRBuilder<> &builder, Value *address) {
  enum { ForReading = 0, ForWriting = 1, InSecondCache = 2, InAllCaches = 3, Data = 1 };
  builder.CreateIntrinsic(
      Intrinsic::prefetch, {address->getType()},
      {address, builder.getInt32(for_ == FetchFor::Writing ? ForWriting : ForReading),
       builder.getInt32(into_ == FetchInto::First ? InAllCaches : InSecondCache),
       builder.getInt32(Data)});
}

} // namespace heddle::jit
