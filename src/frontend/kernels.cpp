// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/kernels.h"

#include "frontend/annotations.h"
#include "frontend/error.h"
#include "frontend/layout.h"
#include "frontend/pointer_use.h"
#include "frontend/registers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace heddle::frontend {

using namespace llvm;

namespace {

constexpr uint64_t StaticSharedLimit = 48 * 1024; // CUDA guide, "Compute Capabilities"
constexpr uint64_t BarriersPerBlock = 16;         // PTX ISA, "barrier"

/// "x", "x,y" or "x,y,z" as clang writes launch bounds into function attributes.
std::vector<uint32_t> readNumbers(const Function &function, StringRef attribute) {
  std::vector<uint32_t> numbers;
  SmallVector<StringRef, 3> parts;
  function.getFnAttribute(attribute).getValueAsString().split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    uint32_t number = 0;
    if (!part.trim().getAsInteger(10, number))
      numbers.push_back(number);
  }
  return numbers;
}

uint32_t readProduct(const Function &function, StringRef attribute) {
  std::vector<uint32_t> numbers = readNumbers(function, attribute);
  uint32_t product = numbers.empty() ? 0 : 1;
  for (uint32_t number : numbers)
    product *= number;
  return product;
}

/// Those that are not named are 1; no numbers: as they were.
void readDimensions(const Function &function, StringRef attribute, uint32_t (&dim)[3]) {
  const std::vector<uint32_t> numbers = readNumbers(function, attribute);
  for (size_t i = 0; i != 3 && !numbers.empty(); ++i)
    dim[i] = i < numbers.size() ? numbers[i] : 1;
}

void readLaunchBounds(const Function &function, ImageKernel &row) {
  row.maxThreads = readProduct(function, "nvvm.maxntid");
  readDimensions(function, "nvvm.reqntid", row.blockDim);
  if (uint32_t exact = readProduct(function, "nvvm.reqntid"))
    row.maxThreads = exact;
  row.minBlocks = readProduct(function, "nvvm.minctasm");
  row.maxRegisters = readProduct(function, "nvvm.maxnreg");
  if (!row.maxRegisters)
    row.maxRegisters = readProduct(function, "heddle.maxnreg"); // an option's (pack.cpp)
  row.maxClusterRank = readProduct(function, "nvvm.maxclusterrank");
  readDimensions(function, "nvvm.cluster_dim", row.clusterDim);
}

bool isDynamicShared(const GlobalVariable &variable) { return variable.isDeclaration(); }

void measureShared(const Reach &reach, const DataLayout &layout, ImageKernel &row) {
  uint64_t bytes = 0, dynamicAlign = 1;
  for (const GlobalVariable *variable : reach.globals) {
    if (variable->getAddressSpace() != SharedSpace)
      continue;
    uint64_t align = layout.getPreferredAlign(variable).value();
    if (isDynamicShared(*variable))
      dynamicAlign = std::max(dynamicAlign, align);
    else
      bytes =
          alignTo(bytes, align) + layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
  }
  row.staticShared = static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
  row.dynamicSharedAlign = static_cast<uint32_t>(dynamicAlign);
}

/// Per-thread memory: the locals of all functions that the kernel can reach, as if all were active
/// at once. An upper bound without recursion.
uint32_t measureLocals(const Reach &reach, const DataLayout &layout) {
  uint64_t bytes = 0;
  for (Function *function : reach.functions)
    for (const Instruction &instruction : instructions(*function))
      if (auto *local = dyn_cast<AllocaInst>(&instruction))
        if (std::optional<TypeSize> size = local->getAllocationSize(layout))
          bytes = alignTo(bytes, local->getAlign()) + size->getFixedValue();
  return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
}

bool hasGridBarrier(const Reach &reach) {
  return any_of(reach.functions, [](const Function *function) {
    return function->getName() == "__heddle_grid_sync" ||
           function->getName() == "cudaCGSynchronizeGrid";
  });
}

/// One more than the highest barrier number; a number that is not constant may be any.
uint32_t countBarriers(const Reach &reach) {
  uint64_t count = 0;
  for (Function *function : reach.functions)
    for (const Instruction &instruction : instructions(*function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->getName().starts_with("llvm.nvvm.barrier.cta."))
        continue;
      auto *number = dyn_cast<ConstantInt>(call->getArgOperand(0));
      count = std::max(count, number ? number->getLimitedValue(BarriersPerBlock - 1) + 1
                                     : BarriersPerBlock);
    }
  return static_cast<uint32_t>(count);
}

Expected<KernelFacts> describe(Function &function, ArrayRef<Function *> numbered) {
  Expected<Reach> reach = findReach(function, numbered);
  if (!reach)
    return reach.takeError();
  const DataLayout &layout = function.getParent()->getDataLayout();
  KernelFacts facts{&function, function.getName(), {}, layOutParams(function)};
  ImageKernel &row = facts.row;
  row.paramCount = static_cast<uint32_t>(facts.params.size());
  row.paramBytes = facts.params.empty() ? 0 : facts.params.back().offset + facts.params.back().size;
  readLaunchBounds(function, row);
  measureShared(*reach, layout, row);
  row.localBytes = measureLocals(*reach, layout);
  llvm::copy(estimateRegisters(function), row.registers);
  row.barriers = countBarriers(*reach);
  row.flags = (hasGridBarrier(*reach) ? ImageKernelGridSync : 0) |
              (function.hasFnAttribute("heddle.explicitcluster") ? ImageKernelNeedsCluster : 0) |
              (function.hasFnAttribute("nvvm.blocksareclusters") ? ImageKernelCountsClusters : 0);
  if (row.staticShared > StaticSharedLimit)
    return fail("static shared memory of kernel '" + demangle(function.getName().str()) + "' is " +
                Twine(row.staticShared) + " bytes; the device allows " + Twine(StaticSharedLimit));
  return facts;
}

/// ImageKernel::functionNumber.
uint32_t numberOf(const Function &kernel, ArrayRef<Function *> numbered) {
  const auto *at = find(numbered, &kernel);
  return at == numbered.end() ? UINT32_MAX : static_cast<uint32_t>(at - numbered.begin());
}

/// __cluster_dims__, __block_size__.
void applyShapeAnnotations(const Module &module, std::vector<KernelFacts> &kernels) {
  for (const Annotation &annotation : readAnnotations(module)) {
    const bool isBlock = annotation.text == "heddle_block_size";
    if (!isBlock && annotation.text != "heddle_cluster_dims")
      continue;
    for (KernelFacts &facts : kernels) {
      if (facts.function != annotation.target)
        continue;
      uint32_t (&dim)[3] = isBlock ? facts.row.blockDim : facts.row.clusterDim;
      for (size_t i = 0; i != 3; ++i)
        dim[i] =
            i < annotation.arguments.size() ? static_cast<uint32_t>(annotation.arguments[i]) : 1;
      if (isBlock)
        facts.row.maxThreads = dim[0] * dim[1] * dim[2];
    }
  }
}

} // namespace

bool isKernel(const Function &function) {
  return function.getCallingConv() == CallingConv::PTX_Kernel && !function.isDeclaration();
}

std::vector<ImageParam> layOutParams(const Function &kernel) {
  const DataLayout &layout = kernel.getParent()->getDataLayout();
  std::vector<ImageParam> params;
  uint64_t offset = 0;
  for (const Argument &argument : kernel.args()) {
    Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
    uint64_t align = argument.hasByValAttr()
                         ? argument.getParamAlign().value_or(layout.getABITypeAlign(type)).value()
                         : layout.getABITypeAlign(type).value();
    uint64_t size = layout.getTypeAllocSize(type).getFixedValue();
    offset = alignTo(offset, align);
    uint32_t isPointer = argument.getType()->isPointerTy() && !argument.hasByValAttr();
    if (isPointer && isOnlyAccessed(argument))
      isPointer = ParamOnlyAccessed;
    params.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size),
                      static_cast<uint32_t>(align), isPointer});
    offset += size;
  }
  return params;
}

Expected<std::vector<KernelFacts>> collectKernels(Module &module, ArrayRef<Function *> numbered) {
  std::vector<KernelFacts> kernels;
  for (Function &function : module) {
    if (!isKernel(function))
      continue;
    Expected<KernelFacts> facts = describe(function, numbered);
    if (!facts)
      return facts.takeError();
    facts->row.functionNumber = numberOf(function, numbered);
    kernels.push_back(std::move(*facts));
  }
  applyShapeAnnotations(module, kernels);
  return kernels;
}

} // namespace heddle::frontend
