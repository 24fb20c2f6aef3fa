// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/test_module.h"

#include "jit/emit/machine.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace heddle::jit {

std::unique_ptr<Module> moduleAfter(LLVMContext &context, const std::string &source,
                                    const char *cpu,
                                    function_ref<void(Module &, TargetMachine &)> pass) {
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(source, error, context);
  EXPECT_TRUE(module) << error.getMessage().str() << source;
  if (!module)
    return nullptr;
  auto machine = cantFail(createMachine(cpu, true));
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  pass(*module, *machine);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  return module;
}

size_t count(const std::string &text, const std::string &what) {
  size_t times = 0;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size())
    ++times;
  return times;
}

} // namespace heddle::jit
