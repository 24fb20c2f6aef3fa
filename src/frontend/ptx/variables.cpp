// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables and parameters as LLVM has them. A variable is bytes, whatever its type is, and an initial
// value is runs of bytes with addresses between them:
//
//     .global .u64 a[3] = {1, b, 2};   ->   @a = addrspace(1) global <{ [8 x i8], ptr, [8 x i8] }>
//
// A parameter is an integer of its size, or memory of which the callee gets a copy. A result in memory
// is a structure of integers of its alignment; where that is long, the caller gives the memory.
#include "frontend/ptx/variables.h"

#include "frontend/layout.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// The bytes of an initial value as far as it goes, and the addresses among them.
class InitialBytes {
public:
  InitialBytes(const Variable &variable, FindName find)
      : variable_(variable), find_(find), size_(sizeOf(variable)) {}

  Error run() {
    const InitialValue &value = variable_.init.front();
    if (variable_.isArray() != (value.kind == InitialValue::List) &&
        !(value.kind == InitialValue::String && variable_.isArray()) && variable_.vector == 1)
      return failAt(value.at,
                    "Initializer of variable '" + variable_.name + "' does not fit its type");
    uint64_t at = 0;
    return put(value, 0, at);
  }

  Constant *constant(LLVMContext &context) {
    constexpr uint64_t Few = 4096; // zeros that are bytes like others
    SmallVector<Constant *, 8> parts;
    uint64_t done = 0;
    if (!addresses_.empty() && addresses_.back().first + 8 > bytes_.size())
      bytes_.resize(addresses_.back().first + 8);
    if (size_ - bytes_.size() <= Few)
      bytes_.resize(size_);
    auto bytesUpTo = [&](uint64_t end) {
      if (end > done)
        parts.push_back(ConstantDataArray::get(context, ArrayRef(bytes_).slice(done, end - done)));
      done = end;
    };
    for (auto &[at, address] : addresses_) {
      bytesUpTo(at);
      parts.push_back(address);
      done = at + 8;
    }
    bytesUpTo(bytes_.size());
    if (done < size_)
      parts.push_back(
          Constant::getNullValue(ArrayType::get(Type::getInt8Ty(context), size_ - bytes_.size())));
    return parts.size() == 1 ? parts[0] : ConstantStruct::getAnon(context, parts, /*Packed=*/true);
  }

private:
  Error tooMany(const InitialValue &value) const {
    return failAt(value.at, "Too many initial values for variable '" + variable_.name + "'");
  }

  /// `depth` dimensions around it are open; `at` moves behind the value.
  Error put(const InitialValue &value, unsigned depth, uint64_t &at) {
    if (value.kind != InitialValue::List)
      return putScalar(value, at);
    uint64_t inner = variable_.type.bits() / 8;
    for (size_t i = depth + 1; i <= variable_.dims.size(); ++i)
      inner *= i < variable_.dims.size() ? variable_.dims[i] : variable_.vector;
    const uint64_t start = at;
    uint64_t count = 0;
    for (const InitialValue &element : value.elements) {
      if (element.kind == InitialValue::List)
        at = start + count++ * inner;
      if (Error error = put(element, depth + 1, at))
        return error;
    }
    return Error::success();
  }

  Error putScalar(const InitialValue &value, uint64_t &at) {
    const uint64_t bytes = variable_.type.bits() / 8;
    switch (value.kind) {
    case InitialValue::Integer:
      return putBits(value, value.bits, bytes, at);
    case InitialValue::Float:
      return putBits(value, floatBits(value), bytes, at);
    case InitialValue::String:
      return putString(value, at);
    default:
      return putAddress(value, bytes, at);
    }
  }

  uint64_t floatBits(const InitialValue &value) const {
    if (variable_.type.bits() == 64)
      return value.bits;
    APFloat number(APFloat::IEEEdouble(), APInt(64, value.bits));
    bool lost;
    number.convert(variable_.type.bits() != 16              ? APFloat::IEEEsingle()
                   : variable_.type.kind == TypeKind::Brain ? APFloat::BFloat()
                                                            : APFloat::IEEEhalf(),
                   APFloat::rmNearestTiesToEven, &lost);
    return number.bitcastToAPInt().getZExtValue();
  }

  Error putBits(const InitialValue &value, uint64_t bits, uint64_t bytes, uint64_t &at) {
    if (bytes > size_ || at > size_ - bytes)
      return tooMany(value);
    if (bytes_.size() < at + bytes)
      bytes_.resize(at + bytes);
    for (uint64_t i = 0; i < bytes; ++i)
      bytes_[at++] = i < 8 ? uint8_t(bits >> (8 * i)) : 0;
    return Error::success();
  }

  Error putString(const InitialValue &value, uint64_t &at) {
    for (StringRef rest = value.name.drop_front().drop_back(); !rest.empty();) {
      char c = rest.front();
      rest = rest.drop_front();
      if (c == '\\' && !rest.empty()) {
        c = rest.front();
        rest = rest.drop_front();
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? '\0' : c;
      }
      if (Error error = putBits(value, uint8_t(c), 1, at))
        return error;
    }
    return Error::success();
  }

  /// A whole address, or one byte of it: the eighth completes it.
  Error putAddress(const InitialValue &value, uint64_t bytes, uint64_t &at) {
    if (value.mask != ~uint64_t(0)) {
      const unsigned byte = unsigned(llvm::countr_zero(value.mask)) / 8;
      if (bytes != 1 || !value.mask || value.mask != uint64_t(0xff) << (8 * byte) || at < byte)
        return failAt(value.at, "mask of the address of '" + value.name + "' is no byte of it");
      ++at;
      if (byte != 7)
        return Error::success();
      at -= 8;
    } else if (bytes != 8) {
      return failAt(value.at, "the address of '" + value.name + "' needs 64 bits");
    }
    if (at + 8 > size_)
      return tooMany(value);
    const Register *found = find_(value.name);
    if (!found || !found->value)
      return failAt(value.name.data(), "Unknown symbol '" + value.name + "'");
    auto *base = cast<Constant>(found->value);
    LLVMContext &context = base->getContext();
    auto *pointer = PointerType::get(context, 0);
    if (base->getType() != pointer)
      base = ConstantExpr::getAddrSpaceCast(base, pointer);
    if (value.bits)
      base = ConstantExpr::getGetElementPtr(
          Type::getInt8Ty(context), base, ConstantInt::get(Type::getInt64Ty(context), value.bits));
    addresses_.push_back({at, base});
    at += 8;
    return Error::success();
  }

  const Variable &variable_;
  FindName find_;
  const uint64_t size_;
  std::vector<uint8_t> bytes_; ///< zeros behind them
  std::vector<std::pair<uint64_t, Constant *>> addresses_;
};

unsigned addressSpace(StringRef space) {
  return space == "shared" ? SharedSpace : space == "const" ? ConstantSpace : GlobalSpace;
}

uint64_t countScalars(const InitialValue &value) {
  if (value.kind == InitialValue::String)
    return value.name.size() - 2;
  uint64_t count = value.kind == InitialValue::List ? 0 : 1;
  for (const InitialValue &element : value.elements)
    count += countScalars(element);
  return count;
}

Error declareRegister(const Variable &variable, const Twine &name, Registers &registers,
                      IRBuilder<> &builder) {
  static const char *const suffixes[] = {".x", ".y", ".z", ".w", ".4", ".5", ".6", ".7"};
  for (unsigned i = 0; i < variable.vector; ++i)
    if (!registers.declare(builder, (variable.vector == 1 ? name : name + Twine(suffixes[i])).str(),
                           variable.type.bits()))
      return failAt(variable.name.data(), "register '" + name + "' is declared twice");
  return Error::success();
}

} // namespace

uint64_t sizeOf(const Variable &variable) {
  if (!variable.isArray() || variable.dims[0] || variable.init.empty())
    return variable.bytes();
  Variable one = variable;
  one.dims[0] = 1;
  uint64_t bytes = countScalars(variable.init[0]) * (variable.type.bits() / 8);
  return one.bytes() ? alignTo(bytes, one.bytes()) : 0;
}

Expected<GlobalVariable *> makeGlobal(Module &module, const Variable &variable, const Twine &name,
                                      bool isExtern) {
  constexpr uint64_t MostBytes = uint64_t(1) << 36;
  if (sizeOf(variable) > MostBytes)
    return failAt(variable.name.data(), "variable '" + variable.name + "' is too large");
  Type *type = ArrayType::get(Type::getInt8Ty(module.getContext()), sizeOf(variable));
  const unsigned space = addressSpace(variable.space);
  Constant *init = nullptr;
  if (space == SharedSpace)
    init = isExtern || !sizeOf(variable) ? nullptr : PoisonValue::get(type);
  else if (!isExtern)
    init = Constant::getNullValue(type);
  auto *global = new GlobalVariable(
      module, type, /*isConstant=*/false,
      init ? GlobalValue::InternalLinkage : GlobalValue::ExternalLinkage, init, name, nullptr,
      GlobalValue::NotThreadLocal, space, /*isExternallyInitialized=*/space != SharedSpace);
  global->setAlignment(Align(variable.alignment()));
  return global;
}

Error setInitialValue(GlobalVariable &global, const Variable &variable, FindName find) {
  constexpr uint64_t MostBytes = uint64_t(1) << 30;
  if (variable.init.empty() || global.isDeclaration())
    return Error::success();
  if (variable.space == "shared")
    return failAt(variable.name.data(),
                  "Initial value of variable '" + variable.name + "' in .shared");
  if (sizeOf(variable) > MostBytes)
    return failAt(variable.name.data(), "variable '" + variable.name + "' is too large");
  InitialBytes bytes(variable, find);
  if (Error error = bytes.run())
    return error;
  global.replaceInitializer(bytes.constant(global.getContext()));
  return Error::success();
}

Error declareVariable(const Variable &variable, Registers &registers, IRBuilder<> &builder) {
  if (variable.space == "reg") {
    if (!variable.copies)
      return declareRegister(variable, variable.name, registers, builder);
    for (uint64_t i = 0; i < variable.copies; ++i)
      if (Error error = declareRegister(variable, variable.name + Twine(i), registers, builder))
        return error;
    return Error::success();
  }
  Function &function = *builder.GetInsertBlock()->getParent();
  Register what;
  what.space = variable.space;
  if (variable.space == "param" || variable.space == "local") {
    if (sizeOf(variable) > MostLocalBytes)
      return failAt(variable.name.data(), "variable '" + variable.name + "' is too large");
    BasicBlock &entry = function.getEntryBlock();
    IRBuilder<> atEntry(&entry, entry.getFirstInsertionPt());
    AllocaInst *memory =
        atEntry.CreateAlloca(ArrayType::get(builder.getInt8Ty(), sizeOf(variable)));
    memory->setAlignment(Align(variable.alignment()));
    what.value = memory;
  } else {
    constexpr uint64_t MostSharedBytes = 227 * 1024; // CUDA guide, "Compute Capabilities"
    if (variable.space == "shared" && sizeOf(variable) > MostSharedBytes)
      return failAt(variable.name.data(),
                    "Entry function '" + function.getName() + "' uses too much shared data (0x" +
                        utohexstr(sizeOf(variable), /*LowerCase=*/true) + " bytes, 0x" +
                        utohexstr(MostSharedBytes, /*LowerCase=*/true) + " max)");
    auto made = makeGlobal(*function.getParent(), variable,
                           function.getName() + "$" + variable.name, /*isExtern=*/false);
    if (!made)
      return made.takeError();
    if (Error error =
            setInitialValue(**made, variable, [&](StringRef name) { return registers.find(name); }))
      return error;
    what.value = *made;
  }
  if (!registers.declare(variable.name, what))
    return failAt(variable.name.data(), "Duplicate definition of variable '" + variable.name + "'");
  return Error::success();
}

//===-- Parameters -------------------------------------------------------------------------------//

bool isInMemory(const Variable &parameter) {
  return parameter.isArray() || parameter.elementBytes() > 8;
}

Type *valueType(const Variable &variable, LLVMContext &context) {
  if (!isInMemory(variable))
    return Type::getIntNTy(context, variable.type.bits() * variable.vector);
  const uint64_t unit = std::min<uint64_t>(variable.alignment(), 8);
  SmallVector<Type *, 16> units(divideCeil(variable.bytes(), unit),
                                Type::getIntNTy(context, unsigned(unit * 8)));
  return StructType::get(context, units);
}

bool givesInMemory(const Signature &signature) {
  constexpr uint64_t MostAsValue = 256;
  return bytesOf(signature.results) > MostAsValue;
}

SmallVector<uint64_t, 2> resultOffsets(const Signature &signature) {
  SmallVector<uint64_t, 2> offsets;
  uint64_t at = 0;
  for (const Variable &result : signature.results) {
    at = alignTo(at, result.alignment());
    offsets.push_back(at);
    at += result.bytes();
  }
  return offsets;
}

FunctionType *functionType(const Signature &signature, LLVMContext &context) {
  SmallVector<Type *, 8> params, results;
  if (givesInMemory(signature))
    params.push_back(PointerType::get(context, 0));
  for (const Variable &param : signature.params)
    params.push_back(isInMemory(param) ? PointerType::get(context, 0) : valueType(param, context));
  if (!givesInMemory(signature))
    for (const Variable &result : signature.results)
      results.push_back(valueType(result, context));
  Type *result = results.empty()       ? Type::getVoidTy(context)
                 : results.size() == 1 ? results[0]
                                       : StructType::get(context, results);
  return FunctionType::get(result, params, false);
}

AttributeList attributesOf(const Signature &signature, LLVMContext &context) {
  AttributeList list;
  for (auto [i, param] : enumerate(signature.params)) {
    if (!isInMemory(param))
      continue;
    AttrBuilder attributes(context);
    attributes.addByValAttr(ArrayType::get(Type::getInt8Ty(context), param.bytes()));
    attributes.addAlignmentAttr(Align(param.alignment()));
    list = list.addParamAttributes(context, unsigned(i) + givesInMemory(signature), attributes);
  }
  return list;
}

} // namespace heddle::frontend::ptx
