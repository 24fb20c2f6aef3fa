// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/pass_control.h"

#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::simt {

void PassControl::registerCallbacks(PassInstrumentationCallbacks &callbacks) {
  callbacks.registerShouldRunOptionalPassCallback(
      [this](StringRef pass, Any) { return runs(pass); });
  callbacks.registerAfterPassCallback([this](StringRef pass, Any unit, const PreservedAnalyses &) {
    if (const auto *module = any_cast<const Module *>(&unit))
      ran(pass, **module);
  });
}

bool PassControl::runs(StringRef pass) const {
  auto entry = passes_.find(pass);
  if (entry == passes_.end())
    return true;
  auto [when, isRequired] = entry->second;
  return !hasStopped_ && (when == When::Always || !options_.debug) &&
         (isRequired || options_.isEnabled(pass));
}

void PassControl::ran(StringRef pass, const Module &module) {
  if (!passes_.contains(pass))
    return;
#ifndef NDEBUG
  if (verifyModule(module, &errs())) {
    errs() << "after " << pass << ":\n" << module;
    report_fatal_error("heddle: invalid IR");
  }
#endif
  if (options_.printAfter == pass || options_.printAfter == "*")
    errs() << "; after " << pass << '\n' << module;
  hasStopped_ |= options_.stopAfter == pass;
}

} // namespace heddle::simt
