// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/opencl/link.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"

namespace heddle::opencl {

using namespace llvm;

namespace {

std::string textOf(const MDNode *node, unsigned at) {
  auto *text =
      node && at < node->getNumOperands() ? dyn_cast<MDString>(node->getOperand(at)) : nullptr;
  return text ? text->getString().str() : "";
}

uint32_t numberOf(const MDNode *node, unsigned at) {
  auto *value = node && at < node->getNumOperands()
                    ? mdconst::dyn_extract<ConstantInt>(node->getOperand(at))
                    : nullptr;
  return value ? static_cast<uint32_t>(value->getZExtValue()) : 0;
}

ArgumentKind kindOf(const llvm::Argument &argument, uint32_t space, StringRef type) {
  if (type == "sampler_t")
    return ArgumentKind::Sampler;
  if (type.starts_with("image") && type.ends_with("_t"))
    return ArgumentKind::Image;
  if (!argument.getType()->isPointerTy() || argument.hasByValAttr())
    return ArgumentKind::Value;
  return space == 3   ? ArgumentKind::Local
         : space == 2 ? ArgumentKind::Constant
                      : ArgumentKind::Global;
}

Argument describe(const Function &kernel, unsigned number) {
  const llvm::Argument &argument = *kernel.getArg(number);
  const DataLayout &layout = kernel.getParent()->getDataLayout();
  const uint32_t space = numberOf(kernel.getMetadata("kernel_arg_addr_space"), number);
  const std::string base = textOf(kernel.getMetadata("kernel_arg_base_type"), number);
  Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
  const ArgumentKind kind = kindOf(argument, space, base);
  return {kind,
          kind == ArgumentKind::Local
              ? 0
              : static_cast<uint32_t>(layout.getTypeAllocSize(type).getFixedValue()),
          static_cast<uint32_t>(argument.getParamAlign().valueOrOne().value()),
          space,
          textOf(kernel.getMetadata("kernel_arg_access_qual"), number),
          textOf(kernel.getMetadata("kernel_arg_type"), number),
          textOf(kernel.getMetadata("kernel_arg_name"), number),
          textOf(kernel.getMetadata("kernel_arg_type_qual"), number)};
}

std::array<uint32_t, 3> shapeOf(const Function &kernel, const char *name) {
  const MDNode *node = kernel.getMetadata(name);
  return {numberOf(node, 0), numberOf(node, 1), numberOf(node, 2)};
}

/// "float4" of <4 x float>, for vec_type_hint.
std::string spell(Type *type, bool isSigned) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return spell(vector->getElementType(), isSigned) + std::to_string(vector->getNumElements());
  if (type->isFloatingPointTy())
    return type->isFloatTy() ? "float" : type->isDoubleTy() ? "double" : "half";
  const unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
  const char *name = bits == 8 ? "char" : bits == 16 ? "short" : bits == 64 ? "long" : "int";
  return std::string(isSigned ? "" : "u") + name;
}

/// CL_KERNEL_ATTRIBUTES.
std::string attributesOf(const Function &kernel, const Kernel &described) {
  std::string text;
  auto add = [&](const char *name, const std::string &arguments) {
    text += std::string(text.empty() ? "" : " ") + name + "(" + arguments + ")";
  };
  auto list = [](const std::array<uint32_t, 3> &s) {
    return std::to_string(s[0]) + "," + std::to_string(s[1]) + "," + std::to_string(s[2]);
  };
  if (const MDNode *hint = kernel.getMetadata("vec_type_hint"))
    if (auto *value = dyn_cast<ValueAsMetadata>(hint->getOperand(0)))
      add("vec_type_hint", spell(value->getType(), numberOf(hint, 1)));
  if (described.shapeHint[0])
    add("work_group_size_hint", list(described.shapeHint));
  if (described.requiredShape[0])
    add("reqd_work_group_size", list(described.requiredShape));
  return text;
}

} // namespace

std::vector<Kernel> describeKernels(const Module &module) {
  std::vector<Kernel> kernels;
  for (const Function &function : module) {
    if (function.getCallingConv() != CallingConv::PTX_Kernel || function.isDeclaration())
      continue;
    Kernel kernel;
    kernel.name = function.getName();
    kernel.requiredShape = shapeOf(function, "reqd_work_group_size");
    kernel.shapeHint = shapeOf(function, "work_group_size_hint");
    kernel.isUniform =
        function.getFnAttribute("uniform-work-group-size").getValueAsString() != "false";
    for (unsigned i = 0; i != function.arg_size(); ++i)
      kernel.arguments.push_back(describe(function, i));
    kernel.attributes = attributesOf(function, kernel);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

uint64_t globalBytes(const Module &module) {
  constexpr unsigned GlobalSpace = 1; // of NVPTX
  uint64_t bytes = 0;
  for (const GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == GlobalSpace && !variable.isConstant())
      bytes += module.getDataLayout().getTypeAllocSize(variable.getValueType()).getFixedValue();
  return bytes;
}

} // namespace heddle::opencl
