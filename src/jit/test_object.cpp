// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/test_object.h"

#include "jit/emit/codegen.h"
#include "jit/emit/link_object.h"
#include "jit/emit/machine.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::jit {

using namespace llvm;

LoadedObject::LoadedObject(ArrayRef<uint8_t> bytes)
    : descriptor_(memfd_create("test", MFD_CLOEXEC)),
      path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  EXPECT_EQ(write(descriptor_, bytes.data(), bytes.size()), ssize_t(bytes.size()));
  handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle_, nullptr) << dlerror();
}

LoadedObject::~LoadedObject() {
  if (handle_)
    dlclose(handle_);
  close(descriptor_);
}

void *LoadedObject::find(const char *name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

Expected<std::vector<uint8_t>> buildObject(const std::string &text, const char *cpu,
                                           function_ref<void(Module &, TargetMachine &)> pass) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  if (!module)
    return createStringError(diagnostic.getMessage() + "\n" + text);
  auto machine = createMachine(cpu, true);
  if (!machine)
    return machine.takeError();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  pass(*module, **machine);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  auto object = emitObject(*module, **machine);
  if (!object)
    return object.takeError();
  return linkObject(*object);
}

LonePage::LonePage() : bytes_(size_t(sysconf(_SC_PAGESIZE))) {
  void *mapped = mmap(nullptr, 3 * bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  begin_ = static_cast<char *>(mapped) + bytes_;
  if (mapped == MAP_FAILED || mprotect(begin_, bytes_, PROT_READ | PROT_WRITE) != 0)
    report_fatal_error("no memory for a page");
}

LonePage::~LonePage() { munmap(begin_ - bytes_, 3 * bytes_); }

std::string filledIn(std::string text,
                     std::initializer_list<std::pair<std::string, std::string>> words) {
  for (const auto &[from, to] : words)
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

} // namespace heddle::jit
