// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// split_builtins IN.bc OUT.a: the built-in functions of OpenCL C as an archive with an index. They are
// thousands, and LLVM makes a declaration of each when it opens a module, be it ever so lazily: of a
// small program, that would be most of the time. So each member has what shares a name: `sin`, with
// `__clc_sin`, of all types. Its tables and helpers may lie in other members, so what was local to the
// library becomes hidden.
#include "llvm/ADT/MapVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {

/// "_Z9__clc_sinDv4_f" -> "sin". What is not mangled keeps its name.
StringRef rootOf(StringRef name) {
  unsigned length;
  if (name.consume_front("_Z") && !name.consumeInteger(10, length))
    name = name.take_front(length);
  name.consume_front("__clc_");
  return name;
}

/// A member of the archive.
class Member final : ValueMaterializer {
public:
  Member(const Module &library, StringRef name)
      : module_(std::make_unique<Module>(name, library.getContext())) {
    module_->setTargetTriple(library.getTargetTriple());
    module_->setDataLayout(library.getDataLayout());
  }

  void define(const Function &function) {
    auto *copy = cast<Function>(declare(function));
    auto target = copy->arg_begin();
    for (const Argument &argument : function.args()) {
      target->setName(argument.getName());
      map_[&argument] = &*target++;
    }
    SmallVector<ReturnInst *, 8> returns;
    CloneFunctionInto(copy, &function, map_, CloneFunctionChangeType::DifferentModule, returns, "",
                      nullptr, nullptr, this);
    setLinkage(function, *copy);
  }

  void define(const GlobalVariable &variable) {
    auto *copy = cast<GlobalVariable>(declare(variable));
    copy->setInitializer(MapValue(variable.getInitializer(), map_, RF_None, nullptr, this));
    setLinkage(variable, *copy);
  }

  std::string write() const {
    std::string bytes;
    raw_string_ostream stream(bytes);
    WriteBitcodeToFile(*module_, stream);
    return bytes;
  }

private:
  /// The linker's copy of a body has the linkage of what it is a copy of.
  static void setLinkage(const GlobalValue &from, GlobalValue &to) {
    to.setLinkage(from.hasLocalLinkage() ? GlobalValue::ExternalLinkage : from.getLinkage());
    if (from.hasLocalLinkage())
      to.setVisibility(GlobalValue::HiddenVisibility);
  }

  GlobalValue *declare(const GlobalValue &value) {
    auto known = map_.find(&value);
    if (known != map_.end())
      return cast<GlobalValue>(known->second);
    GlobalValue *made;
    if (auto *function = dyn_cast<Function>(&value)) {
      auto *copy =
          Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage,
                           function->getAddressSpace(), function->getName(), module_.get());
      copy->copyAttributesFrom(function);
      made = copy;
    } else {
      auto *variable = cast<GlobalVariable>(&value);
      auto *copy =
          new GlobalVariable(*module_, variable->getValueType(), variable->isConstant(),
                             GlobalValue::ExternalLinkage, nullptr, variable->getName(), nullptr,
                             variable->getThreadLocalMode(), variable->getAddressSpace());
      copy->copyAttributesFrom(variable);
      made = copy;
    }
    made->setDSOLocal(false);
    map_[&value] = made;
    return made;
  }

  Value *materialize(Value *value) override {
    auto *global = dyn_cast<GlobalValue>(value);
    return global ? declare(*global) : nullptr;
  }

  std::unique_ptr<Module> module_;
  ValueToValueMapTy map_;
};

ExitOnError check("split_builtins: ");

void write(const Module &library, StringRef path) {
  MapVector<StringRef, std::unique_ptr<Member>> members;
  auto memberOf = [&](const GlobalValue &value) -> Member & {
    std::unique_ptr<Member> &member = members[rootOf(value.getName())];
    if (!member)
      member = std::make_unique<Member>(library, rootOf(value.getName()));
    return *member;
  };
  for (const Function &function : library)
    if (!function.isDeclaration())
      memberOf(function).define(function);
  for (const GlobalVariable &variable : library.globals())
    if (!variable.isDeclaration())
      memberOf(variable).define(variable);
  SmallVector<std::string, 0> texts;
  for (auto &[name, member] : members)
    texts.push_back(member->write());
  std::vector<NewArchiveMember> list;
  for (auto [text, member] : zip_equal(texts, members))
    list.emplace_back(MemoryBufferRef(text, member.first));
  check(writeArchive(path, list, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU,
                     /*Deterministic=*/true, /*Thin=*/false));
}

} // namespace

int main(int count, char **words) {
  if (count != 3) {
    errs() << "usage: split_builtins IN.bc OUT.a\n";
    return 2;
  }
  LLVMContext context;
  std::unique_ptr<MemoryBuffer> file = check(errorOrToExpected(MemoryBuffer::getFile(words[1])));
  std::unique_ptr<Module> library = check(parseBitcodeFile(*file, context));
  write(*library, words[2]);
  return 0;
}
