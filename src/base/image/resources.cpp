// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/image/resources.h"

#include <algorithm>

namespace heddle {

namespace {

uint64_t bytesIn(const ImageView &image, VariableSpace space) {
  uint64_t bytes = 0;
  for (const ImageVariable &variable : image.variables())
    if (variable.space == space && !variable.isExtern)
      bytes += variable.size;
  return bytes;
}

std::string line(const std::string &text) { return "ptxas info    : " + text + "\n"; }

/// Where a kernel's parameters begin in constant bank 0; ptxas counts what lies before.
unsigned parameterBase(unsigned sm) {
  if (sm >= 100)
    return 896;
  if (sm >= 90)
    return 528;
  if (sm >= 70)
    return 352;
  return sm >= 30 ? 320 : 32;
}

/// Registers above the limit are spilled, each once.
struct Usage {
  Usage(const ImageKernel &kernel, unsigned sm)
      : needs(kernel.registers[registerGeneration(sm / 10)]),
        registers(std::min(needs, registerLimit(sm, kernel.maxRegisters))),
        stack(kernel.localBytes + 4 * (needs - registers)),
        constant(parameterBase(sm) + kernel.paramBytes) {}
  unsigned needs, registers, stack, constant; ///< the latter two in bytes
};

std::string kernelReport(const ImageView &image, const ImageKernel &kernel, unsigned sm,
                         std::string_view suffix) {
  std::string name(image.string(kernel.name));
  const auto [needs, registers, stack, parameters] = Usage(kernel, sm);
  std::string spilled = std::to_string(4 * (needs - registers));
  std::string used = "Used " + std::to_string(registers) + " registers, used " +
                     std::to_string(kernel.barriers) + " barriers";
  if (stack != 0)
    used += ", " + std::to_string(stack) + " bytes cumulative stack size";
  if (kernel.staticShared != 0)
    used += ", " + std::to_string(kernel.staticShared) + " bytes smem";
  used += ", " + std::to_string(parameters) + " bytes cmem[0]";
  return line("Compiling entry function '" + name + "' for 'sm_" + std::to_string(sm) +
              std::string(suffix) + "'") +
         line("Function properties for " + name) + "    " + std::to_string(stack) +
         " bytes stack frame, " + spilled + " bytes spill stores, " + spilled +
         " bytes spill loads\n" + line(used);
}

} // namespace

std::string resourceReport(const ImageView &image, std::span<const unsigned> capabilities,
                           uint32_t maxRegisters, std::string_view suffix) {
  uint64_t global = bytesIn(image, VariableSpace::Global) + bytesIn(image, VariableSpace::Managed);
  uint64_t constant = bytesIn(image, VariableSpace::Constant);
  std::string text = std::to_string(global) + " bytes gmem";
  if (constant != 0)
    text += ", " + std::to_string(constant) + " bytes cmem[3]";
  std::string report;
  for (unsigned sm : capabilities) {
    if (maxRegisters != 0 && maxRegisters < leastRegisterLimit(sm))
      report += "ptxas warning : For profile sm_" + std::to_string(sm) +
                " adjusting per thread register count of " + std::to_string(maxRegisters) +
                " to lower bound of " + std::to_string(leastRegisterLimit(sm)) + "\n";
    report += line(text);
    for (const ImageKernel &kernel : image.kernels())
      report += kernelReport(image, kernel, sm, suffix);
  }
  return report;
}

std::string resourceUsage(const ImageView &image, unsigned capability, std::string_view only) {
  const auto field = [](const char *name, uint64_t number) {
    return std::string(" ") + name + ":" + std::to_string(number);
  };
  const uint64_t global =
      bytesIn(image, VariableSpace::Global) + bytesIn(image, VariableSpace::Managed);
  const uint64_t constant = bytesIn(image, VariableSpace::Constant);
  std::string text = "\nResource usage:\n Common:\n " + field("GLOBAL", global) +
                     (constant ? field("CONSTANT[3]", constant) : "") + "\n";
  for (const ImageKernel &kernel : image.kernels()) {
    const std::string_view name = image.string(kernel.name);
    if (!only.empty() && only != name)
      continue;
    const Usage usage(kernel, capability);
    text += " Function " + std::string(name) + ":\n " + field("REG", usage.registers) +
            field("STACK", usage.stack) + field("SHARED", kernel.staticShared) + field("LOCAL", 0) +
            field("CONSTANT[0]", usage.constant) + field("TEXTURE", 0) + field("SURFACE", 0) +
            field("SAMPLER", 0) + "\n";
  }
  return text;
}

} // namespace heddle
