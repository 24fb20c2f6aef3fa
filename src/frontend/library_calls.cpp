// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/library_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::frontend {

namespace {

/// Functions that the device library has in double and, with an f behind the name, in float, with
/// C's parameters.
constexpr StringLiteral MathNames[] = {
    "acos",   "acosh",  "asin",      "asinh",     "atan",  "atan2",     "atanh",  "cbrt",
    "ceil",   "cos",    "cosh",      "copysign",  "erf",   "erfc",      "exp",    "exp10",
    "exp2",   "expm1",  "fabs",      "fdim",      "floor", "fma",       "fmax",   "fmin",
    "fmod",   "frexp",  "hypot",     "ilogb",     "j0",    "j1",        "jn",     "ldexp",
    "lgamma", "llrint", "llround",   "log",       "log10", "log1p",     "log2",   "logb",
    "modf",   "nan",    "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",
    "round",  "scalbn", "sin",       "sincos",    "sinh",  "sqrt",      "tan",    "tanh",
    "tgamma", "trunc",  "y0",        "y1",        "yn"};

/// Functions of bytes (src/devlib/bytes.cpp).
constexpr StringLiteral ByteNames[] = {"memchr", "memcmp", "strlen"};

/// Empty if the function is none of C's.
std::string deviceName(StringRef name) {
  if (name == "lrint" || name == "lrintf" || name == "lround" || name == "lroundf")
    return ("__nv_l" + name).str(); // long is long long
  if (is_contained(ByteNames, name))
    return ("__heddle_" + name).str();
  StringRef base = name;
  if (is_contained(MathNames, base) || (base.consume_back("f") && is_contained(MathNames, base)))
    return ("__nv_" + name).str();
  return {};
}

/// The functions of libcudadevrt that cooperative groups were made of: there is one grid, whose handle is
/// the scope itself.
void defineGridFunctions(Module &module) {
  for (StringRef name :
       {"cudaCGGetIntrinsicHandle", "cudaCGSynchronize", "cudaCGSynchronizeGrid"}) {
    Function *function = module.getFunction(name);
    if (!function || !function->isDeclaration() || !function->getReturnType()->isIntegerTy() ||
        function->arg_empty() || !function->getArg(0)->getType()->isIntegerTy())
      continue;
    IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", function));
    Value *result = ConstantInt::get(function->getReturnType(), 0);
    if (name == "cudaCGGetIntrinsicHandle") {
      result = builder.CreateZExtOrTrunc(function->getArg(0), function->getReturnType());
    } else {
      auto *sync = cast<Function>(
          module.getOrInsertFunction("__heddle_grid_sync", builder.getVoidTy()).getCallee());
      sync->setConvergent();
      builder.CreateCall(sync)->setConvergent();
      function->setConvergent();
    }
    builder.CreateRet(result);
    function->addFnAttr(Attribute::AlwaysInline);
    function->setLinkage(GlobalValue::InternalLinkage);
  }
}

} // namespace

void bindLibraryCalls(Module &module) {
  defineGridFunctions(module);
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.use_empty())
      continue;
    std::string name = deviceName(function.getName());
    if (name.empty())
      continue;
    FunctionCallee ours = module.getOrInsertFunction(name, function.getFunctionType());
    if (auto *callee = dyn_cast<Function>(ours.getCallee());
        callee && callee->getFunctionType() != function.getFunctionType())
      continue; // another function of the name, which is an error
    function.replaceAllUsesWith(ours.getCallee());
    function.eraseFromParent();
  }
}

} // namespace heddle::frontend
