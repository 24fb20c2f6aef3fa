// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static texture and surface references of one name in several files. With -fgpu-rdc clang gives
// a static __device__ variable that the host refers to a name of its file's own, in both halves:
// `_ZL6hidden__static__<number of the file>`. It forgets references (CUDA 11's), which it takes for
// no device variables. Then two files register one name, as weak symbols at that, of which the
// linker keeps one; the other reference is never bound.
//
//     device:  @_ZL3tex = internal global i64        ->  @_ZL3tex__static__3037e3efc24d323f
//     host:    { ..., ptr @_ZL3tex, ptr @name, ... } ->  with the string of that name, and a symbol
//              in the section llvm_offload_entries       of the entry that is not another file's
//
// Without -fgpu-rdc the host calls __cudaRegisterTexture, whose names change in the same way: the
// device half does not know which it is. The number is made of the file's path, which is the same
// for both halves.
#include "plugin/static_references.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace heddle::plugin {

namespace {

std::string suffixOf(const Module &module) {
  SmallString<256> path(module.getSourceFileName());
  sys::fs::make_absolute(path);
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return "__static__" + utohexstr(xxh3_64bits(path), /*LowerCase=*/true);
}

/// Whether a variable of that mangled name is static or in an unnamed namespace (Itanium C++ ABI,
/// "External Names": L before the name). Both halves go by the name: without -fgpu-rdc clang makes
/// all references of the device half local.
bool isStaticName(StringRef name) {
  if (!name.consume_front("_Z"))
    return false;
  bool isNested = name.consume_front("N");
  for (unsigned length; !name.empty() && isDigit(name[0]); name = name.drop_front(length)) {
    if (name.consumeInteger(10, length) || length > name.size() || !isNested)
      return false;
    if (name.starts_with("_GLOBAL__N_"))
      return true;
  }
  return name.size() > 1 && name[0] == 'L' && isDigit(name[1]);
}

class Names {
public:
  explicit Names(Module &module) : module_(module), suffix_(suffixOf(module)) {}

  bool change() {
    Triple triple(module_.getTargetTriple());
    triple.isNVPTX() ? changeReferences() : changeRegistrations();
    return isChanged_;
  }

private:
  void changeReferences() {
    for (Function &function : module_)
      if (function.getIntrinsicID() == Intrinsic::nvvm_texsurf_handle_internal)
        for (User *user : function.users())
          if (auto *call = dyn_cast<CallInst>(user))
            changeReference(*call);
  }

  void changeReference(CallInst &call) {
    Value *operand = call.getArgOperand(call.arg_size() - 1)->stripPointerCasts();
    auto *reference = dyn_cast<GlobalVariable>(operand);
    if (!reference || !isStaticName(reference->getName()) ||
        reference->getName().ends_with(suffix_))
      return;
    reference->setName(reference->getName() + suffix_);
    isChanged_ = true;
  }

  void changeRegistrations() {
    SmallVector<GlobalVariable *, 8> entries;
    for (GlobalVariable &variable : module_.globals())
      if (variable.getSection() == "llvm_offload_entries" && variable.hasInitializer())
        entries.push_back(&variable);
    for (GlobalVariable *entry : entries)
      changeEntry(*entry);
    for (StringRef name : {"__cudaRegisterTexture", "__cudaRegisterSurface"})
      if (Function *function = module_.getFunction(name))
        for (User *user : function->users())
          if (auto *call = dyn_cast<CallInst>(user))
            changeCall(*call);
  }

  /// Its fields are those of include/heddle/register_linked.h.
  void changeEntry(GlobalVariable &entry) {
    enum Field { Flags = 3, Name = 5, Fields = 9 };
    enum Kind { Surface = 2, Texture = 3, KindMask = 7 };
    auto *value = dyn_cast<ConstantStruct>(entry.getInitializer());
    if (!value || value->getNumOperands() != Fields)
      return;
    auto *flags = dyn_cast<ConstantInt>(value->getOperand(Flags));
    uint64_t kind = flags ? flags->getZExtValue() & KindMask : 0;
    bool isReference = kind == Surface || kind == Texture;
    Constant *name = isReference ? longer(value->getOperand(Name)) : nullptr;
    if (!name)
      return;
    SmallVector<Constant *, Fields> fields;
    for (Value *field : value->operands())
      fields.push_back(cast<Constant>(field));
    fields[Name] = name;
    entry.setInitializer(ConstantStruct::get(value->getType(), fields));
    entry.setName(entry.getName() + suffix_);
    isChanged_ = true;
  }

  /// (handle, reference, name, name, ...)
  void changeCall(CallInst &call) {
    constexpr unsigned First = 2, Second = 3;
    Constant *name = call.arg_size() > Second ? longer(call.getArgOperand(Second)) : nullptr;
    if (!name)
      return;
    call.setArgOperand(First, name);
    call.setArgOperand(Second, name);
    isChanged_ = true;
  }

  /// The name that `address` is of, with the suffix, as a string of the same kind; null if it is no
  /// static variable's.
  Constant *longer(Value *address) {
    auto *string = dyn_cast<GlobalVariable>(address->stripPointerCasts());
    auto *bytes = string && string->hasInitializer()
                      ? dyn_cast<ConstantDataArray>(string->getInitializer())
                      : nullptr;
    if (!bytes || !bytes->isCString() || !isStaticName(bytes->getAsCString()))
      return nullptr;
    Constant *text =
        ConstantDataArray::getString(module_.getContext(), (bytes->getAsCString() + suffix_).str());
    auto *made = new GlobalVariable(module_, text->getType(), true, GlobalValue::PrivateLinkage,
                                    text, string->getName());
    made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    made->setAlignment(Align(1));
    made->setSection(string->getSection());
    return made;
  }

  Module &module_;
  std::string suffix_;
  bool isChanged_ = false;
};

} // namespace

PreservedAnalyses StaticReferencesPass::run(Module &module, ModuleAnalysisManager &) {
  return Names(module).change() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::plugin
