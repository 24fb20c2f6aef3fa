// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/types.h"

#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace heddle::frontend::ptx {

std::optional<PtxType> findType(StringRef name) {
  static const PtxType types[] = {
#define PTX_TYPE(NAME, KIND, BITS, ELEMENTS) {#NAME, TypeKind::KIND, BITS, ELEMENTS},
#include "frontend/ptx/types.def"
  };
  for (const PtxType &type : types)
    if (type.name == name)
      return type;
  return {};
}

PtxType PtxType::element() const {
  PtxType one = *this;
  one.elements = 1;
  return one;
}

Type *PtxType::ir(LLVMContext &context) const {
  if (!isFloat() || isPacked())
    return IntegerType::get(context, bits());
  if (kind == TypeKind::Brain)
    return Type::getBFloatTy(context);
  return elementBits == 16   ? Type::getHalfTy(context)
         : elementBits == 32 ? Type::getFloatTy(context)
                             : Type::getDoubleTy(context);
}

} // namespace heddle::frontend::ptx
