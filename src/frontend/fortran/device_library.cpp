// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code calls of Flang's runtime has a second implementation for devices
// (lib/fortran/device, in bitcode). The device half gets copies of the functions that it calls, and
// of what those call. A call of something that is not there is an error with the user's line.
//
// Some things are different from the host's runtime. An output statement's state lies in the frame
// of the procedure, so the call that begins it gets the state's address in front of its arguments.
// And behind STOP the thread ends. Complex arguments are passed as two numbers.
#include "base/abi/end_thread.h"
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace heddle::fortran {

namespace {

constexpr llvm::StringRef RuntimePrefix = "_FortranA", OutputPrefix = "_FortranAio";
constexpr llvm::StringRef StopPrefix = "_FortranAStopStatement";

// The memory of a statement (Statement in lib/fortran/device/statement.h).
constexpr uint64_t StatementBytes = 256, StatementAlignment = 8;

bool beginsStatement(llvm::StringRef name) { return name.starts_with("_FortranAioBegin"); }

std::unique_ptr<llvm::Module> readLibrary(llvm::StringRef path, llvm::LLVMContext &context) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return nullptr;
  auto module = llvm::parseBitcodeFile(**file, context);
  if (module)
    return std::move(*module);
  llvm::consumeError(module.takeError());
  return nullptr;
}

mlir::LogicalResult checkCall(fir::CallOp call, const llvm::Module &library) {
  if (!call.getCallee())
    return mlir::success();
  llvm::StringRef name = call.getCallee()->getLeafReference().getValue();
  if (!name.starts_with(RuntimePrefix))
    return mlir::success();
  const llvm::Function *function = library.getFunction(name);
  if (function && !function->isDeclaration())
    return mlir::success();
  if (name.starts_with(OutputPrefix))
    return call.emitError("device code does not support this in an input or output statement: ")
           << name.drop_front(OutputPrefix.size());
  return call.emitError("device code does not support what Flang's runtime does here: ")
         << name.drop_front(RuntimePrefix.size());
}

llvm::SmallVector<llvm::CallInst *> callsOf(llvm::Function &function,
                                            llvm::function_ref<bool(llvm::StringRef)> isIt) {
  llvm::SmallVector<llvm::CallInst *> found;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call && call->getCalledFunction() && isIt(call->getCalledFunction()->getName()))
      found.push_back(call);
  return found;
}

/// Statements follow one another, so they share the memory.
void giveMemory(llvm::Function &function) {
  llvm::AllocaInst *memory = nullptr;
  for (llvm::CallInst *call : callsOf(function, beginsStatement)) {
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    if (!memory) {
      memory = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), StatementBytes));
      memory->setAlignment(llvm::Align(StatementAlignment));
    }
    llvm::SmallVector<llvm::Value *> arguments = {memory};
    arguments.append(call->arg_begin(), call->arg_end());
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    builder.SetInsertPoint(call);
    auto *type = llvm::FunctionType::get(call->getType(), types, false);
    llvm::CallInst *begin = builder.CreateCall(type, call->getCalledOperand(), arguments);
    call->replaceAllUsesWith(begin);
    call->eraseFromParent();
  }
}

void endBehindStop(llvm::Function &function) {
  for (llvm::CallInst *call :
       callsOf(function, [](llvm::StringRef name) { return name.starts_with(StopPrefix); })) {
    call->removeFnAttr(llvm::Attribute::NoReturn);
    call->getCalledFunction()->removeFnAttr(llvm::Attribute::NoReturn);
    llvm::IRBuilder<> builder(call->getNextNode());
    llvm::FunctionCallee end =
        function.getParent()->getOrInsertFunction(EndThreadName, builder.getVoidTy());
    llvm::cast<llvm::Function>(end.getCallee())->setDoesNotReturn();
    llvm::cast<llvm::Function>(end.getCallee())->setConvergent();
    builder.CreateCall(end);
  }
}

/// A complex number's two parts, if the value is one.
llvm::SmallVector<llvm::Value *> partsOf(llvm::IRBuilder<> &builder, llvm::Value *value) {
  auto *type = llvm::dyn_cast<llvm::StructType>(value->getType());
  if (!type || type->getNumElements() != 2)
    return {value};
  return {builder.CreateExtractValue(value, 0), builder.CreateExtractValue(value, 1)};
}

/// The library's functions take the parts of complex numbers as arguments of their own.
void passParts(llvm::Function &function, const llvm::Module &library) {
  auto isOfLibrary = [&](llvm::StringRef name) {
    const llvm::Function *found = library.getFunction(name);
    return found && !found->isDeclaration();
  };
  for (llvm::CallInst *call : callsOf(function, isOfLibrary)) {
    if (llvm::none_of(call->args(),
                      [](const llvm::Use &argument) { return argument->getType()->isStructTy(); }))
      continue;
    llvm::IRBuilder<> builder(call);
    llvm::SmallVector<llvm::Value *> arguments;
    for (llvm::Value *argument : call->args())
      arguments.append(partsOf(builder, argument));
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto *type = llvm::FunctionType::get(call->getType(), types, false);
    llvm::CallInst *changed = builder.CreateCall(type, call->getCalledOperand(), arguments);
    call->replaceAllUsesWith(changed);
    call->eraseFromParent();
  }
}

} // namespace

mlir::LogicalResult checkRuntimeCalls(mlir::ModuleOp device, llvm::StringRef libraryPath) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> library = readLibrary(libraryPath, context);
  if (!library)
    return device.emitError("the device library cannot be read: ") << libraryPath;
  mlir::WalkResult result = device.walk([&](fir::CallOp call) {
    return failed(checkCall(call, *library)) ? mlir::WalkResult::interrupt()
                                             : mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

bool printsInKernels(const llvm::Module &device) {
  return llvm::any_of(device, [](const llvm::Function &f) { return beginsStatement(f.getName()); });
}

bool linkDeviceLibrary(llvm::Module &device, llvm::StringRef path) {
  std::unique_ptr<llvm::Module> library = readLibrary(path, device.getContext());
  if (!library)
    return false;
  for (llvm::Function &function : device)
    if (!function.isDeclaration()) {
      giveMemory(function);
      endBehindStop(function);
      passParts(function, *library);
    }
  return !llvm::Linker::linkModules(
      device, std::move(library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &module, const llvm::StringSet<> &names) {
        llvm::internalizeModule(module, [&](const llvm::GlobalValue &value) {
          return !value.hasName() || !names.contains(value.getName());
        });
      });
}

} // namespace heddle::fortran
