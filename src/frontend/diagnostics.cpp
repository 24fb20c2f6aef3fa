// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/diagnostics.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::frontend {

using namespace llvm;

namespace {

struct Collector : DiagnosticHandler {
  Collector(std::string &text, std::string prefix) : text(text), prefix(std::move(prefix)) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true; // remarks and warnings of the optimiser are not for the user
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    stream << (text.empty() ? "" : "\n") << prefix;
    info.print(printer);
    return true;
  }

  std::string &text;
  std::string prefix;
};

} // namespace

void collectDiagnostics(LLVMContext &context, std::string &text, std::string prefix) {
  context.setDiagnosticHandler(std::make_unique<Collector>(text, std::move(prefix)));
}

} // namespace heddle::frontend
