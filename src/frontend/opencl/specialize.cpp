// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel for the samplers and for the formats of images that a command gives it. What a read does hangs on
// them: which bytes a texel has, how they become floats, whether it is filtered. In the program as it is
// linked, reads and writes are calls of functions that can do all. Here these become part of the kernel,
// once samplers and formats are constants:
//
//   call @read_imagef(ptr %image, ptr inttoptr (sampler), ...)
//   ->  load <4 x float>, ptr (%image's data + y * rowBytes + 16 * x)
//
// Descriptors do not change while a kernel runs, so what else is loaded from them is invariant.
#include "frontend/opencl/link.h"
#include "frontend/opencl/pipeline.h"

#include "base/abi/opencl_image.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstddef>

namespace heddle::opencl {

using namespace llvm;

namespace {

/// The format's words in a descriptor.
constexpr int64_t FormatEnd = offsetof(HeddleClImage, width);
static_assert(FormatEnd == sizeof(FixedArgument::words) && offsetof(HeddleClImage, order) == 0);

class Specializing {
public:
  Specializing(const SpecializeRequest &request, const Module &module)
      : request_(request), layout_(module.getDataLayout()) {}

  /// Of a form of the kernel.
  void bind(Function &form) {
    for (const FixedArgument &fixed : request_.fixed) {
      llvm::Argument *argument = form.getArg(fixed.argument);
      if (fixed.isImage)
        followImage(*argument, 0, fixed);
      else
        argument->replaceAllUsesWith(ConstantInt::get(argument->getType(), fixed.words[0]));
    }
  }
  /// There are calls that get an image; they are marked to be inlined.
  bool hasCalls() const { return hasCalls_; }

private:
  /// `pointer` is the image's descriptor, and `offset` behind its start.
  void followImage(Value &pointer, int64_t offset, const FixedArgument &fixed) {
    for (User *user : make_early_inc_range(pointer.users())) {
      if (auto *load = dyn_cast<LoadInst>(user)) {
        bindLoad(*load, offset, fixed);
      } else if (auto *address = dyn_cast<GEPOperator>(user)) {
        APInt more(layout_.getIndexTypeSizeInBits(address->getType()), 0);
        if (address->accumulateConstantOffset(layout_, more))
          followImage(*address, offset + more.getSExtValue(), fixed);
      } else if (isa<AddrSpaceCastInst>(user)) {
        followImage(*user, offset, fixed);
      } else if (auto *call = dyn_cast<CallBase>(user)) {
        Function *callee = call->getCalledFunction();
        if (!callee || callee->isDeclaration())
          continue;
        callee->removeFnAttr(Attribute::NoInline);
        callee->addFnAttr(Attribute::AlwaysInline);
        hasCalls_ = true;
      }
    }
  }

  static void bindLoad(LoadInst &load, int64_t offset, const FixedArgument &fixed) {
    if (offset >= 0 && offset < FormatEnd && offset % 4 == 0 && load.getType()->isIntegerTy(32)) {
      load.replaceAllUsesWith(ConstantInt::get(load.getType(), fixed.words[offset / 4]));
      load.eraseFromParent();
      return;
    }
    load.setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load.getContext(), {}));
  }

  const SpecializeRequest &request_;
  const DataLayout &layout_;
  bool hasCalls_ = false;
};

} // namespace

Linked specializeKernel(const SpecializeRequest &request) {
  Linked result;
  LLVMContext context;
  Expected<std::unique_ptr<Module>> loaded =
      parseBitcodeFile(MemoryBufferRef(request.code, "program"), context);
  if (!loaded) {
    result.log = "error: " + toString(loaded.takeError()) + "\n";
    return result;
  }
  Module &module = **loaded;
  SmallVector<Function *, 3> forms;
  for (Function &function : module)
    if (!function.isDeclaration()) {
      const bool isForm = function.getName() == request.kernel ||
                          function.getName() == RangeForm + request.kernel ||
                          function.getName() == WideForm + request.kernel;
      if (isForm)
        forms.push_back(&function);
      else
        function.setLinkage(GlobalValue::InternalLinkage);
    }
  for (bool again = true; again;) {
    Specializing pass(request, module);
    for (Function *form : forms)
      pass.bind(*form);
    Pipeline(module).inlineMarked(module);
    again = pass.hasCalls();
  }
  Pipeline(module).optimize(module, request.isDebug);
  raw_string_ostream stream(result.code);
  WriteBitcodeToFile(module, stream);
  stream.flush();
  result.isGood = true;
  return result;
}

} // namespace heddle::opencl
