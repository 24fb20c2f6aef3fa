// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of OpenCL becomes kernels of CUDA. They differ in three ways.
//
// Parameters. A pointer to local memory is an offset in the dynamic shared memory, which the command
// sizes for all of them; a sampler is a number.
//
//   kernel void k(global float *a, local float *b)
//   ->  __global__ void k(float *a, unsigned b) { body(a, (float *)(dynamic + b)); }
//
// Place. CUDA's grid begins at 0, has whole blocks only, and at most 65535 of them along y and z.
// Most commands are such a grid, and their form computes indices as CUDA programs do, with 32 bits:
// simt sees the same code. Other forms have a Range (compiler.h) behind the parameters, for 32 bits and for
// 64. Their commands are several launches, one for each size that groups have; but where groups mean nothing
// to a kernel, its form of 32 bits leaves out the work-items that are none, and one launch will do.
//
// Address spaces. The body is inlined into all; what it asks of its place are calls of
// __heddle_cl_*(dimension) (src/devlib/opencl/work_items.cl), whose meaning the form decides.
#include "frontend/opencl/link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cstddef>

namespace heddle::opencl {

using namespace llvm;

namespace {

constexpr StringLiteral QueryPrefix = "__heddle_cl_";
constexpr StringLiteral DimensionsQuery = "__heddle_cl_work_dim";
constexpr unsigned SharedSpace = 3;

/// What local pointers are offsets in.
GlobalVariable *dynamicShared(Module &module) {
  const char *name = "__heddle_cl_local";
  if (GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  auto *type = ArrayType::get(Type::getInt8Ty(module.getContext()), 0);
  auto *variable = new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, nullptr,
                                      name, nullptr, GlobalValue::NotThreadLocal, SharedSpace);
  variable->setAlignment(Align(128)); // long16
  return variable;
}

/// What work-groups exchange values in (src/devlib/opencl/groups.cl): one for each warp, and one.
GlobalVariable *exchange(Module &module) {
  const char *name = "__heddle_cl_exchange_place";
  if (GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  auto *type = ArrayType::get(Type::getInt64Ty(module.getContext()), 33);
  return new GlobalVariable(module, type, false, GlobalValue::InternalLinkage,
                            UndefValue::get(type), name, nullptr, GlobalValue::NotThreadLocal,
                            SharedSpace);
}

StructType *rangeType(LLVMContext &context) {
  Type *three = ArrayType::get(Type::getInt64Ty(context), 3);
  Type *sizes = ArrayType::get(Type::getInt32Ty(context), 3);
  return StructType::get(context, {three, three, three, three, sizes, Type::getInt32Ty(context)});
}

enum class Form { Plain, Range, Wide };

std::string nameOf(Form form, const std::string &kernel) {
  return (form == Form::Range ? RangeForm : form == Form::Wide ? WideForm : "") + kernel;
}

class FormMaker {
public:
  FormMaker(Function &body, const Kernel &kernel) : body_(body), kernel_(kernel) {}

  void make(Form kind) {
    const bool hasRange = kind != Form::Plain;
    LLVMContext &context = body_.getContext();
    SmallVector<Type *> types;
    for (unsigned i = 0; i != body_.arg_size(); ++i)
      types.push_back(isNumber(i) ? Type::getInt32Ty(context) : body_.getArg(i)->getType());
    if (hasRange)
      types.push_back(PointerType::get(context, 0));
    auto *form = Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                                  GlobalValue::ExternalLinkage, nameOf(kind, kernel_.name),
                                  body_.getParent());
    form->setCallingConv(CallingConv::PTX_Kernel);
    copyAttributes(*form, hasRange);
    form->setSubprogram(nullptr);
    IRBuilder<> builder(BasicBlock::Create(context, "", form));
    SmallVector<Value *> arguments;
    for (unsigned i = 0; i != body_.arg_size(); ++i)
      arguments.push_back(convert(builder, i, *form->getArg(i)));
    CallInst *call = builder.CreateCall(&body_, arguments);
    call->setAttributes(body_.getAttributes().removeFnAttributes(context));
    builder.CreateRetVoid();
  }

private:
  bool isNumber(unsigned number) const {
    const ArgumentKind kind = kernel_.arguments[number].kind;
    return kind == ArgumentKind::Local || kind == ArgumentKind::Sampler;
  }

  Value *convert(IRBuilder<> &builder, unsigned number, llvm::Argument &given) {
    switch (kernel_.arguments[number].kind) {
    case ArgumentKind::Local:
      return builder.CreateInBoundsGEP(
          builder.getInt8Ty(), dynamicShared(*body_.getParent()),
          builder.CreateZExt(&given, builder.getInt64Ty(), "", /*IsNonNeg=*/true));
    case ArgumentKind::Sampler:
      return builder.CreateIntToPtr(builder.CreateZExt(&given, builder.getInt64Ty()),
                                    body_.getArg(number)->getType());
    default:
      return &given;
    }
  }

  void copyAttributes(Function &form, bool hasRange) {
    LLVMContext &context = body_.getContext();
    const AttributeList from = body_.getAttributes();
    AttributeList list =
        AttributeList().addFnAttributes(context, AttrBuilder(context, from.getFnAttrs()));
    for (unsigned i = 0; i != body_.arg_size(); ++i)
      if (!isNumber(i))
        list = list.addParamAttributes(context, i, AttrBuilder(context, from.getParamAttrs(i)));
    if (hasRange)
      list = list.addParamAttribute(context, body_.arg_size(),
                                    Attribute::getWithByValType(context, rangeType(context)))
                 .addParamAttribute(context, body_.arg_size(),
                                    Attribute::getWithAlignment(context, Align(8)));
    form.setAttributes(list);
    form.removeFnAttr(Attribute::NoInline);
    if (const auto &shape = kernel_.requiredShape; shape[0] && !hasRange)
      form.addFnAttr("nvvm.reqntid", std::to_string(shape[0]) + "," + std::to_string(shape[1]) +
                                         "," + std::to_string(shape[2]));
  }

  Function &body_;
  const Kernel &kernel_;
};

/// What a query means in one form.
class Meaning {
public:
  Meaning(IRBuilder<> &builder, Value *range, bool isWide)
      : b_(builder), range_(range), isWide_(isWide) {}

  Value *of(StringRef query, Value *dimension) {
    if (query == "exchange")
      return exchange(*b_.GetInsertBlock()->getModule());
    if (query == "work_dim")
      return range_ ? load(5, 0, b_.getInt32Ty()) : b_.getInt32(3);
    const bool isIndex = query == "global_id" || query == "global_offset" || query == "group_id";
    Value *result =
        b_.getInt64(isIndex ? 0 : 1); // OpenCL C, "Work-Item Functions": of other dimensions
    auto *constant = dyn_cast<ConstantInt>(dimension);
    for (unsigned d = 0; d != 3; ++d) {
      if (constant && constant->getValue() != d)
        continue;
      Value *value = along(query, d);
      result = constant
                   ? value
                   : b_.CreateSelect(b_.CreateICmpEQ(dimension, b_.getInt32(d)), value, result);
    }
    return result;
  }

  /// A work-item lies in the range along a dimension; of 32 bits.
  Value *isInside(unsigned d) { return b_.CreateICmpULT(global(d), number(1, d)); }

private:
  Value *along(StringRef query, unsigned d) {
    if (range_ && !isWide_)
      return wide(narrow(query, d));
    if (query == "global_id")
      return range_ ? b_.CreateNUWAdd(wide(global(d)), load(0, d)) : wide(global(d));
    if (query == "global_offset")
      return range_ ? load(0, d) : b_.getInt64(0);
    if (query == "global_size")
      return range_ ? load(1, d) : wide(b_.CreateMul(groups(d), size(d), "", true, false));
    if (query == "group_id")
      return range_ ? b_.CreateNUWAdd(load(2, d), wide(group(d))) : wide(group(d));
    if (query == "num_groups")
      return range_ ? load(3, d) : wide(groups(d));
    return wide(range_ ? load(4, d, b_.getInt32Ty()) : size(d)); // enqueued_local_size
  }

  /// The same where all numbers have 32 bits.
  Value *narrow(StringRef query, unsigned d) {
    if (query == "global_id")
      return sum(global(d), number(0, d));
    if (query == "global_offset")
      return number(0, d);
    if (query == "global_size")
      return number(1, d);
    if (query == "group_id")
      return sum(number(2, d), group(d));
    if (query == "num_groups")
      return number(3, d);
    return number(4, d); // enqueued_local_size
  }
  Value *sum(Value *a, Value *b) { return b_.CreateAdd(a, b, "", true, true); }

  /// Without the offset.
  Value *global(unsigned d) {
    if (range_ && !isWide_)
      return sum(b_.CreateMul(sum(number(2, d), group(d)), number(4, d), "", true, true), item(d));
    if (!range_)
      return b_.CreateAdd(b_.CreateMul(group(d), size(d), "", true, false), item(d), "", true,
                          false);
    Value *first = b_.CreateMul(b_.CreateAdd(load(2, d), wide(group(d)), "", true, true),
                                wide(load(4, d, b_.getInt32Ty())), "", true, true);
    return b_.CreateAdd(first, wide(item(d)), "", true, true);
  }

  Value *wide(Value *value) {
    return value->getType()->isIntegerTy(64)
               ? value
               : b_.CreateZExt(value, b_.getInt64Ty(), "", /*IsNonNeg=*/true);
  }
  Value *load(unsigned member, unsigned d, Type *type = nullptr) {
    type = type ? type : b_.getInt64Ty();
    Type *layout = rangeType(b_.getContext());
    SmallVector<Value *, 3> path = {b_.getInt32(0), b_.getInt32(member)};
    if (member < 5)
      path.push_back(b_.getInt32(d));
    auto *value = b_.CreateLoad(type, b_.CreateInBoundsGEP(layout, range_, path));
    value->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b_.getContext(), {}));
    return value;
  }
  /// Below 2^31: the lower half of one of 64 bits.
  Value *number(unsigned member, unsigned d) {
    auto *value = cast<LoadInst>(load(member, d, b_.getInt32Ty()));
    MDBuilder metadata(b_.getContext());
    value->setMetadata(LLVMContext::MD_range,
                       metadata.createRange(APInt(32, 0), APInt::getSignedMaxValue(32)));
    return value;
  }
  Value *read(Intrinsic::ID id) { return b_.CreateIntrinsic(id, {}); }
  Value *group(unsigned d) {
    return read(d == 0   ? Intrinsic::nvvm_read_ptx_sreg_ctaid_x
                : d == 1 ? Intrinsic::nvvm_read_ptx_sreg_ctaid_y
                         : Intrinsic::nvvm_read_ptx_sreg_ctaid_z);
  }
  Value *groups(unsigned d) {
    return read(d == 0   ? Intrinsic::nvvm_read_ptx_sreg_nctaid_x
                : d == 1 ? Intrinsic::nvvm_read_ptx_sreg_nctaid_y
                         : Intrinsic::nvvm_read_ptx_sreg_nctaid_z);
  }
  Value *size(unsigned d) {
    return read(d == 0   ? Intrinsic::nvvm_read_ptx_sreg_ntid_x
                : d == 1 ? Intrinsic::nvvm_read_ptx_sreg_ntid_y
                         : Intrinsic::nvvm_read_ptx_sreg_ntid_z);
  }
  Value *item(unsigned d) {
    return read(d == 0   ? Intrinsic::nvvm_read_ptx_sreg_tid_x
                : d == 1 ? Intrinsic::nvvm_read_ptx_sreg_tid_y
                         : Intrinsic::nvvm_read_ptx_sreg_tid_z);
  }

  IRBuilder<> &b_;
  Value *range_; ///< null: the form has none
  bool isWide_;
};

Kernel *kernelOf(std::vector<Kernel> &kernels, StringRef name) {
  name.consume_front(RangeForm) || name.consume_front(WideForm);
  auto at = find_if(kernels, [&](const Kernel &kernel) { return name == kernel.name; });
  return at == kernels.end() ? nullptr : &*at;
}

/// What a function does, and what it calls, is the same in groups of any shape: it neither asks for its
/// place in a group nor meets others, and has no memory with them.
bool isFreeOfGroups(const Function &function, SmallPtrSetImpl<const Function *> &seen) {
  if (!seen.insert(&function).second)
    return true;
  for (const Instruction &instruction : instructions(function)) {
    for (const Use &use : instruction.operands())
      if (const auto *type = dyn_cast<PointerType>(use->getType());
          type && type->getAddressSpace() == SharedSpace)
        return false;
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      continue;
    const Function *callee = call->getCalledFunction();
    if (!callee)
      return false;
    StringRef name = callee->getName();
    if (name.consume_front(QueryPrefix)) {
      if (!name.starts_with("global_") && name != "work_dim")
        return false;
    } else if (callee->isIntrinsic()) { // clang calls all functions of OpenCL convergent
      if (callee->isConvergent() || name.starts_with("llvm.nvvm.read.ptx.sreg"))
        return false;
    } else if (!isFreeOfGroups(*callee, seen)) {
      return false;
    }
  }
  return true;
}

/// Work-items outside the range do nothing.
void guard(Function &form) {
  BasicBlock &entry = form.getEntryBlock();
  BasicBlock *work = entry.splitBasicBlock(entry.getFirstNonPHIOrDbgOrAlloca());
  auto *end = BasicBlock::Create(form.getContext(), "", &form);
  ReturnInst::Create(form.getContext(), end);
  entry.getTerminator()->eraseFromParent();
  IRBuilder<> builder(&entry);
  Meaning meaning(builder, form.getArg(form.arg_size() - 1), false);
  Value *isInside = builder.getTrue();
  for (unsigned d = 0; d != 3; ++d)
    isInside = builder.CreateAnd(isInside, meaning.isInside(d));
  builder.CreateCondBr(isInside, work, end);
}

} // namespace

void findFree(Module &module, std::vector<Kernel> &kernels) {
  for (Kernel &kernel : kernels) {
    Function *form = module.getFunction(nameOf(Form::Range, kernel.name));
    SmallPtrSet<const Function *, 16> seen;
    kernel.isFree = !kernel.requiredShape[0] && isFreeOfGroups(*form, seen);
    if (kernel.isFree)
      guard(*form);
  }
}

void makeForms(Module &module, std::vector<Kernel> &kernels) {
  for (Kernel &kernel : kernels) {
    Function *body = module.getFunction(kernel.name);
    body->setName(kernel.name + ".body");
    body->setCallingConv(CallingConv::C);
    body->setLinkage(GlobalValue::InternalLinkage);
    FormMaker maker(*body, kernel);
    for (Form form : {Form::Plain, Form::Range, Form::Wide})
      maker.make(form);
  }
}

void expandQueries(Module &module, std::vector<Kernel> &kernels) {
  for (Function &query : make_early_inc_range(module)) {
    StringRef name = query.getName();
    if (!query.isDeclaration() || !name.consume_front(QueryPrefix))
      continue;
    for (User *user : make_early_inc_range(query.users())) {
      auto *call = cast<CallInst>(user);
      Function &form = *call->getFunction();
      Kernel *kernel = kernelOf(kernels, form.getName());
      assert(kernel && "what asks for its place is in a kernel: nothing is recursive");
      const bool isWide = form.getName().starts_with(WideForm);
      const bool hasRange = isWide || form.getName().starts_with(RangeForm);
      if (query.getName() == DimensionsQuery)
        kernel->needsRange = true;
      IRBuilder<> builder(call);
      Meaning meaning(builder, hasRange ? form.getArg(form.arg_size() - 1) : nullptr, isWide);
      call->replaceAllUsesWith(
          meaning.of(name, call->arg_size() ? call->getArgOperand(0) : nullptr));
      call->eraseFromParent();
    }
    query.eraseFromParent();
  }
}

} // namespace heddle::opencl
