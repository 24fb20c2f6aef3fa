// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/pack.h"

#include "base/abi/device_runtime_names.h"
#include "frontend/annotations.h"
#include "frontend/error.h"
#include "frontend/externalized.h"
#include "frontend/functions.h"
#include "frontend/kernels.h"
#include "frontend/layout.h"
#include "frontend/library_calls.h"
#include "frontend/ptx/inline_asm.h"
#include "frontend/references.h"
#include "frontend/shared_tables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace heddle::frontend {

using namespace llvm;

namespace {

constexpr uint64_t ConstantLimit = 64 * 1024; // CUDA guide, "Compute Capabilities"

class Strings {
public:
  uint32_t add(StringRef text) {
    auto [at, isNew] = offsets_.try_emplace(text, static_cast<uint32_t>(bytes_.size()));
    if (isNew) {
      bytes_.append(text);
      bytes_.push_back('\0');
    }
    return at->second;
  }
  StringRef bytes() const { return bytes_; }

private:
  StringMap<uint32_t> offsets_;
  std::string bytes_;
};

/// Appends the arrays of the image behind its header, each 16-byte aligned.
class ImageBytes {
public:
  ImageBytes() : bytes_(sizeof(ImageHeader)) {}

  template <typename T> ImageRange append(ArrayRef<T> elements) {
    bytes_.resize(alignTo(bytes_.size(), 16));
    ImageRange range{bytes_.size(), elements.size()};
    auto *data = reinterpret_cast<const uint8_t *>(elements.data());
    bytes_.insert(bytes_.end(), data, data + elements.size() * sizeof(T));
    return range;
  }

  std::vector<uint8_t> finish(const ImageHeader &header) {
    std::memcpy(bytes_.data(), &header, sizeof(header));
    sealImage(bytes_);
    return std::move(bytes_);
  }

private:
  std::vector<uint8_t> bytes_;
};

Error checkSymbols(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !isLibraryFunction(function.getName()))
      return fail("unresolved extern function '" + demangle(function.getName().str()) + "'");
  return Error::success();
}

Error checkConstantMemory(const GlobalsLayout &layout) {
  uint64_t bytes = 0;
  for (const PlacedVariable &placed : layout.variables)
    if (placed.space == VariableSpace::Constant)
      bytes = alignTo(bytes, placed.align) + placed.size;
  if (bytes > ConstantLimit)
    return fail("constant memory of the module is " + Twine(bytes) + " bytes; the device allows " +
                Twine(ConstantLimit));
  return Error::success();
}

void replaceAliases(Module &module) {
  for (GlobalAlias &alias : make_early_inc_range(module.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
}

/// What is only weakly referred to and defined nowhere is at address 0. Unoptimised code refers so
/// to clang's objects threadIdx, blockIdx, ..., whose members it calls and which do not exist.
void replaceWeakReferences(Module &module) {
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if (variable.hasExternalWeakLinkage()) {
      variable.replaceAllUsesWith(Constant::getNullValue(variable.getType()));
      variable.eraseFromParent();
    }
}

SmallVector<char, 0> writeBitcode(const Module &module) {
  SmallVector<char, 0> bytes;
  BitcodeWriter writer(bytes);
  writer.writeModule(module);
  writer.writeStrtab();
  return bytes;
}

std::vector<ImageVariable> tableOf(const GlobalsLayout &layout, Strings &strings) {
  std::vector<ImageVariable> rows;
  for (const PlacedVariable &placed : layout.variables)
    rows.push_back({strings.add(placed.variable->getName()), placed.space, placed.size,
                    placed.offset, placed.initOffset, static_cast<uint32_t>(placed.align),
                    placed.isExtern});
  return rows;
}

/// As people know it. Of Fortran that is nvfortran's name: of saxpy in module m, flang's `_QMmPsaxpy`, it is
/// `m_saxpy_`, and of a loop in line 7 `m_work_7_gpu`. In flang's a capital letter stands before each part.
std::string shownName(StringRef name) {
  StringRef rest = name;
  if (!rest.consume_front("_Q"))
    return demangle(name.str());
  std::string shown;
  while (!rest.empty()) {
    rest = rest.drop_while(isUpper);
    StringRef part = rest.take_until(isUpper);
    rest = rest.drop_front(part.size());
    const bool isLoop = part.size() > 4 && part.ends_with("_gpu") && isDigit(part[part.size() - 5]);
    shown += part.str() + (isLoop ? "" : "_");
  }
  return shown;
}

/// Fills in the string and parameter offsets of the kernels' rows.
std::vector<ImageKernel> tableOf(const std::vector<KernelFacts> &kernels, Strings &strings,
                                 std::vector<ImageParam> &params) {
  std::vector<ImageKernel> rows;
  for (const KernelFacts &facts : kernels) {
    ImageKernel row = facts.row;
    row.name = strings.add(facts.name);
    row.displayName = strings.add(shownName(facts.name));
    row.firstParam = static_cast<uint32_t>(params.size());
    params.insert(params.end(), facts.params.begin(), facts.params.end());
    rows.push_back(row);
  }
  return rows;
}

/// As another image has them.
std::vector<ImageVariable> tableOf(const ImageView &image, Strings &strings) {
  std::vector<ImageVariable> rows(image.variables().begin(), image.variables().end());
  for (ImageVariable &row : rows) {
    std::string_view name = image.string(row.name);
    row.name = strings.add({name.data(), name.size()});
  }
  return rows;
}

/// `variables` is a layout, or an image that has the same variables.
template <typename Variables>
std::vector<uint8_t> assemble(ImageHeader header, StringRef code, const Variables &variables,
                              ArrayRef<ImageRelocation> relocations, ArrayRef<uint8_t> init,
                              const std::vector<KernelFacts> &kernels) {
  Strings strings;
  strings.add("");
  std::vector<ImageParam> params;
  ImageBytes image;
  header.kernels = image.append(ArrayRef(tableOf(kernels, strings, params)));
  header.params = image.append(ArrayRef(params));
  header.variables = image.append(ArrayRef(tableOf(variables, strings)));
  header.relocations = image.append(relocations);
  header.strings = image.append(arrayRefFromStringRef(strings.bytes()));
  header.globalsInit = image.append(init);
  header.bitcode = image.append(ArrayRef(code.data(), code.size()));
  return image.finish(header);
}

std::vector<uint8_t> assemble(StringRef code, const GlobalsLayout &layout,
                              const std::vector<KernelFacts> &kernels, const PackOptions &options) {
  ImageHeader header = {};
  header.flags = options.imageFlags & ~KeepsInlinePtx;
  header.sm = options.sm;
  header.compileOptions = options.compileOptions;
  header.globalsBytes = layout.bytes;
  header.globalsAlign = layout.align;
  return assemble(header, code, layout, layout.relocations, layout.init, kernels);
}

} // namespace

bool isLibraryFunction(StringRef name) {
  for (StringRef prefix : {"__nv_", "__nvvm_", "__heddle_", "llvm."})
    if (name.starts_with(prefix))
      return true;
  return is_contained(
             {
                 "vprintf",
                 "malloc",
                 "free",
                 "__assertfail",
                 "memcpy",
                 "memset",
                 "memmove",
                 "cudaCGGetIntrinsicHandle", // library_calls.cpp
                 "cudaCGSynchronize",
                 "cudaCGSynchronizeGrid",
             },
             name) ||
         isDeviceRuntime(name);
}

/// For kernels that say nothing of it: nvcc takes their bounds.
static void limitRegisters(std::vector<KernelFacts> &kernels, uint32_t most) {
  for (KernelFacts &facts : kernels)
    if (most != 0 && facts.row.maxRegisters == 0 && facts.row.maxThreads == 0) {
      facts.row.maxRegisters = most;
      // What outlives a link, and is not written into PTX.
      if (facts.function)
        facts.function->addFnAttr("heddle.maxnreg", utostr(most));
    }
}

Expected<std::vector<uint8_t>> packModule(Module &module, const PackOptions &options) {
  bool isRelocatable = options.imageFlags & ImageRelocatable;
  std::vector<Function *> numbered;
  if (!(options.imageFlags & KeepsInlinePtx))
    if (Error error = ptx::lowerInlineAsm(module))
      return error;
  bindLibraryCalls(module);
  eraseHostUses(module);
  joinExternalized(module);
  loadReferences(module);
  if (!isRelocatable) {
    replaceWeakReferences(module);
    replaceAliases(module);
    expandSharedTables(module);
    if (Error error = checkSymbols(module))
      return error;
    numbered = numberFunctions(module);
  }
  GlobalsLayout layout = listVariables(module);
  if (Error error = isRelocatable ? layOutManaged(layout, module.getDataLayout())
                                  : layOut(layout, module.getDataLayout(), numbered))
    return error;
  if (Error error = checkConstantMemory(layout))
    return error;
  Expected<std::vector<KernelFacts>> kernels = collectKernels(module, numbered);
  if (!kernels)
    return kernels.takeError();
  limitRegisters(*kernels, options.maxRegisters);
  SmallVector<char, 0> bitcode = writeBitcode(module);
  return assemble(StringRef(bitcode.data(), bitcode.size()), layout, *kernels, options);
}

Expected<std::vector<uint8_t>> packIndex(Module &module, std::vector<KernelFacts> kernels,
                                         StringRef text, const PackOptions &options) {
  limitRegisters(kernels, options.maxRegisters);
  GlobalsLayout layout = listVariables(module);
  if (Error error = layOut(layout, module.getDataLayout(), numberedFunctions(module)))
    return std::move(error);
  if (Error error = checkConstantMemory(layout))
    return std::move(error);
  return assemble(text, layout, kernels, options);
}

Expected<std::vector<uint8_t>> packKernel(Module &module, const ImageView &index,
                                          uint32_t compileOptions) {
  expandSharedTables(module);
  if (Error error = checkSymbols(module))
    return std::move(error);
  Expected<std::vector<KernelFacts>> kernels = collectKernels(module, numberedFunctions(module));
  if (!kernels)
    return kernels.takeError();
  SmallVector<char, 0> bitcode = writeBitcode(module);
  ImageHeader header = {};
  header.flags = index.header().flags & ~uint32_t(ImagePtx);
  header.sm = index.header().sm;
  header.compileOptions = index.header().compileOptions | compileOptions;
  header.globalsBytes = index.header().globalsBytes;
  header.globalsAlign = index.header().globalsAlign;
  return assemble(header, StringRef(bitcode.data(), bitcode.size()), index, {}, {}, *kernels);
}

Expected<MemoryBufferRef> bitcodeOf(const ImageView &image) {
  Result<std::span<const uint8_t>> bytes = image.bitcode();
  if (!bytes)
    return fail(bytes.error());
  return MemoryBufferRef(toStringRef(ArrayRef(bytes->data(), bytes->size())), "device code");
}

Expected<std::vector<uint8_t>> packBitcode(MemoryBufferRef bitcode, const PackOptions &options) {
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile(bitcode, context);
  if (!module)
    return module.takeError();
  return packModule(**module, options);
}

} // namespace heddle::frontend
