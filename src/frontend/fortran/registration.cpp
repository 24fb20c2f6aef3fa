// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host half's constructor, as clang's CUDA code has one: it hands the image to the runtime and
// tells the names of kernels and variables, with the host's addresses that stand for them.
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle::fortran {

using namespace llvm;

namespace {

// Of the structure that __cudaRegisterFatBinary takes.
constexpr unsigned WrapperMagic = 0x466243b1, WrapperVersion = 1;
// Before all constructors of programs, which may launch kernels (plugin/register_first.cpp).
constexpr int Priority = 99;
constexpr StringLiteral ImageSymbol = "heddle_fortran_image";

/// Kernels with bind(c) may be those of CUDA C++, or be launched there. On the host such a kernel's
/// name is that of its stub, whose name clang chooses.
bool isFortranName(StringRef name) { return name.starts_with("_Q"); }

/// The name in LLVM's IR: procedures outside of modules lose Flang's mark and get an underscore
/// (fir::createExternalNameConversion).
std::string nameInCode(StringRef name) {
  return name.consume_front("_QP") ? name.str() + "_" : name.str();
}

class Registration {
public:
  explicit Registration(Module &host)
      : host_(host), context_(host.getContext()), builder_(context_),
        pointer_(PointerType::getUnqual(context_)) {}

  void add(ArrayRef<DeviceSymbol> symbols, ArrayRef<std::string> hostVariables, StringRef imagePath,
           bool kernelsPrint) {
    auto *function =
        Function::Create(FunctionType::get(builder_.getVoidTy(), false),
                         GlobalValue::InternalLinkage, "heddle.fortran.register", host_);
    builder_.SetInsertPoint(BasicBlock::Create(context_, "", function));
    call("_FortranACUFRegisterAllocator", builder_.getVoidTy(), {});
    if (kernelsPrint)
      call("heddleFortranOutput", builder_.getVoidTy(), {});
    if (!imagePath.empty())
      addImage(symbols, hostVariables, imagePath);
    builder_.CreateRetVoid();
    appendToGlobalCtors(host_, function, Priority);
    for (const DeviceSymbol &symbol : symbols)
      if (Function *stub = host_.getFunction(symbol.name);
          stub && symbol.isKernel && !isFortranName(symbol.name))
        stub->setName("__device_stub__" + symbol.name);
  }

private:
  Value *call(StringRef name, Type *result, ArrayRef<Value *> arguments) {
    std::vector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    return builder_.CreateCall(
        host_.getOrInsertFunction(name, FunctionType::get(result, types, false)), arguments);
  }

  void addImage(ArrayRef<DeviceSymbol> symbols, ArrayRef<std::string> hostVariables,
                StringRef imagePath) {
    Value *handle = call("__cudaRegisterFatBinary", pointer_, {wrapper(imagePath)});
    for (const DeviceSymbol &symbol : symbols)
      if (symbol.isKernel)
        addKernel(handle, symbol);
      else
        addVariable(handle, symbol);
    for (const std::string &name : hostVariables)
      addAddress(handle, *addressOnHost(host_, name));
    call("__cudaRegisterFatBinaryEnd", builder_.getVoidTy(), {handle});
  }

  GlobalVariable *wrapper(StringRef imagePath) {
    std::string file;
    for (char c : imagePath)
      file += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    // A symbol of this object alone, for there may be several.
    host_.appendModuleInlineAsm((".section .nv_fatbin,\"a\"\n.balign 16\n" + ImageSymbol +
                                 ":\n.incbin \"" + file + "\"\n.text\n")
                                    .str());
    auto *image = new GlobalVariable(host_, builder_.getInt8Ty(), true,
                                     GlobalValue::ExternalLinkage, nullptr, ImageSymbol);
    image->setDSOLocal(true);
    Constant *fields[] = {builder_.getInt32(WrapperMagic), builder_.getInt32(WrapperVersion), image,
                          ConstantPointerNull::get(pointer_)};
    auto *value = ConstantStruct::getAnon(context_, fields);
    auto *global = new GlobalVariable(host_, value->getType(), true, GlobalValue::InternalLinkage,
                                      value, "heddle.fortran.fatbin");
    global->setSection(".nvFatBinSegment");
    return global;
  }

  Value *null() { return ConstantPointerNull::get(pointer_); }

  void addKernel(Value *handle, const DeviceSymbol &symbol) {
    Function *stub = host_.getFunction(nameInCode(symbol.name));
    if (!stub || stub->isDeclaration())
      return;
    Value *name = builder_.CreateGlobalString(nameInCode(symbol.name));
    call("__cudaRegisterFunction", builder_.getInt32Ty(),
         {handle, stub, name, name, builder_.getInt32(-1), null(), null(), null(), null(), null()});
  }

  void addVariable(Value *handle, const DeviceSymbol &symbol) {
    GlobalVariable *variable = host_.getGlobalVariable(symbol.name, true);
    if (!variable || variable->isDeclaration())
      return;
    registerVariable(handle, *variable, symbol.isConstant);
  }

  void addAddress(Value *handle, GlobalVariable &address) {
    registerVariable(handle, address, /*isConstant=*/false);
    call("heddleFortranHostVariable", builder_.getVoidTy(), {&address});
  }

  void registerVariable(Value *handle, GlobalVariable &variable, bool isConstant) {
    Value *name = builder_.CreateGlobalString(variable.getName());
    Value *size =
        builder_.getInt64(host_.getDataLayout().getTypeAllocSize(variable.getValueType()));
    call("__cudaRegisterVar", builder_.getVoidTy(),
         {handle, &variable, name, name, builder_.getInt32(0), size, builder_.getInt32(isConstant),
          builder_.getInt32(0)});
  }

  Module &host_;
  LLVMContext &context_;
  IRBuilder<> builder_;
  PointerType *pointer_;
};

} // namespace

std::vector<DeviceSymbol> deviceSymbols(mlir::ModuleOp host) {
  std::vector<DeviceSymbol> symbols;
  for (auto code : host.getOps<mlir::gpu::GPUModuleOp>())
    for (auto kernel : code.getOps<mlir::gpu::GPUFuncOp>())
      if (kernel.isKernel())
        symbols.push_back({kernel.getName().str(), true, false, false});
  for (auto function : host.getOps<mlir::func::FuncOp>()) // those of other sources
    if (auto kind = function->getAttrOfType<cuf::ProcAttributeAttr>(cuf::getProcAttrName());
        kind && kind.getValue() == cuf::ProcAttribute::Global && function.isDeclaration())
      symbols.push_back({function.getName().str(), true, false, false});
  for (auto global : host.getOps<fir::GlobalOp>()) {
    if (!isDeviceVariable(*global))
      continue;
    std::optional<cuf::DataAttribute> kind = global.getDataAttr();
    symbols.push_back({global.getSymName().str(), false, *kind == cuf::DataAttribute::Constant,
                       *kind == cuf::DataAttribute::Managed, global->hasAttr(TouchedMark)});
  }
  return symbols;
}

void addRegistration(Module &host, ArrayRef<DeviceSymbol> symbols,
                     ArrayRef<std::string> hostVariables, StringRef imagePath, bool kernelsPrint) {
  Registration(host).add(symbols, hostVariables, imagePath, kernelsPrint);
}

} // namespace heddle::fortran
