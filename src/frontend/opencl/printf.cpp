// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL's printf is CUDA's, which takes a format and a block of promoted arguments, and vectors:
//
//   printf("%.2v4hlf %d\n", v, n)   ->   vprintf("%.2f,%.2f,%.2f,%.2f %d\n", {v.0, v.1, v.2, v.3, n})
//
// OpenCL C, "printf": a format is a string literal; "hl" is the length of elements of 32 bits.
#include "frontend/opencl/link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::opencl {

using namespace llvm;

namespace {

/// One conversion of a format.
struct Conversion {
  std::string begin, end; ///< "%.2" and "f"
  unsigned elements = 1;
};

/// Takes what stands behind '%' from `text`.
Conversion takeConversion(StringRef &text) {
  Conversion result;
  StringRef start = text;
  text = text.drop_while([](char c) { return StringRef("-+ #0123456789.*").contains(c); });
  result.begin = "%" + start.drop_back(text.size()).str();
  if (text.consume_front("v"))
    text.consumeInteger(10, result.elements);
  StringRef length = text.take_while([](char c) { return StringRef("hlLjzt").contains(c); });
  text = text.drop_front(length.size());
  result.end = (length == "hl" ? "" : length.str()) + text.take_front().str();
  text = text.drop_front(std::min<size_t>(1, text.size()));
  return result;
}

class Lowering {
public:
  explicit Lowering(CallInst &call) : call_(call), builder_(&call) {}

  Result<bool> run() {
    StringRef format;
    if (!getConstantStringInfo(call_.getArgOperand(0), format))
      return Failure{"the format of a printf is not a string literal"};
    std::string flat = flatten(format);
    while (next_ < call_.arg_size()) // that no conversion takes
      take(1);
    Value *text = builder_.CreateAddrSpaceCast(
        builder_.CreateGlobalString(flat, "", /*AddressSpace=*/4), builder_.getPtrTy());
    Module &module = *call_.getModule();
    FunctionCallee vprintf = module.getOrInsertFunction(
        "vprintf", FunctionType::get(builder_.getInt32Ty(),
                                     {builder_.getPtrTy(), builder_.getPtrTy()}, false));
    call_.replaceAllUsesWith(builder_.CreateCall(vprintf, {text, pack()}));
    call_.eraseFromParent();
    return true;
  }

private:
  std::string flatten(StringRef format) {
    std::string flat;
    while (!format.empty()) {
      const size_t at = format.find('%');
      flat += format.take_front(at);
      format = at == StringRef::npos ? "" : format.drop_front(at + 1);
      if (at == StringRef::npos)
        break;
      if (format.consume_front("%")) {
        flat += "%%";
        continue;
      }
      Conversion conversion = takeConversion(format);
      for (char c : conversion.begin)
        if (c == '*')
          take(1);
      take(conversion.elements);
      for (unsigned i = 0; i != conversion.elements; ++i)
        flat += (i ? "," : "") + conversion.begin + conversion.end;
    }
    return flat;
  }

  /// The next argument, in so many elements; a vector of three is passed as one of four.
  void take(unsigned elements) {
    if (next_ >= call_.arg_size())
      return;
    Value *value = call_.getArgOperand(next_++);
    auto *vector = dyn_cast<FixedVectorType>(value->getType());
    if (!vector)
      return values_.push_back(promote(value));
    for (unsigned i = 0; i != std::min(elements, vector->getNumElements()); ++i)
      values_.push_back(promote(builder_.CreateExtractElement(value, i)));
  }

  Value *promote(Value *value) {
    Type *type = value->getType();
    if (type->isFloatingPointTy() && !type->isDoubleTy())
      return builder_.CreateFPExt(value, builder_.getDoubleTy());
    if (type->isIntegerTy() && type->getIntegerBitWidth() < 32)
      return builder_.CreateSExt(value, builder_.getInt32Ty());
    if (type->isPointerTy() && type->getPointerAddressSpace())
      return builder_.CreateAddrSpaceCast(value, builder_.getPtrTy());
    return value;
  }

  Value *pack() {
    if (values_.empty())
      return ConstantPointerNull::get(builder_.getPtrTy());
    SmallVector<Type *> types;
    for (Value *value : values_)
      types.push_back(value->getType());
    auto *layout = StructType::get(builder_.getContext(), types);
    IRBuilder<> entry(&call_.getFunction()->getEntryBlock().front());
    AllocaInst *block = entry.CreateAlloca(layout);
    for (unsigned i = 0; i != values_.size(); ++i)
      builder_.CreateStore(values_[i], builder_.CreateStructGEP(layout, block, i));
    return block;
  }

  CallInst &call_;
  IRBuilder<> builder_;
  SmallVector<Value *> values_;
  unsigned next_ = 1;
};

} // namespace

Result<bool> lowerPrintf(Module &module) {
  Function *printf = module.getFunction("printf");
  if (!printf || !printf->isDeclaration())
    return true;
  for (User *user : make_early_inc_range(printf->users()))
    if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == printf)
      if (Result<bool> lowered = Lowering(*call).run(); !lowered)
        return lowered;
  if (printf->use_empty())
    printf->eraseFromParent();
  return true;
}

} // namespace heddle::opencl
