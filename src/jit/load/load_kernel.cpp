// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/load/load_kernel.h"

#include "frontend/error.h"
#include "frontend/functions.h"
#include "frontend/pack.h"
#include "frontend/place_globals.h"
#include "frontend/reach.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"

namespace heddle::jit {

using namespace llvm;
using frontend::fail;

namespace {

/// Leaves declarations of what `reach` does not hold; what it holds becomes internal.
void keepOnly(Module &module, const frontend::Reach &reach, Function &kernel) {
  for (Function &function : module) {
    function.setComdat(nullptr);
    if (!reach.functions.contains(&function))
      function.deleteBody();
    else if (!function.isDeclaration() && &function != &kernel)
      function.setLinkage(GlobalValue::InternalLinkage);
  }
  kernel.setLinkage(GlobalValue::ExternalLinkage);
}

/// Declarations and shared variables that nothing uses any more.
template <typename Range> void eraseUnused(Range &&values) {
  for (GlobalObject &value : make_early_inc_range(values)) {
    value.removeDeadConstantUsers();
    bool isDropped = isa<GlobalVariable>(value) || value.isDeclaration();
    if (isDropped && value.use_empty())
      value.eraseFromParent();
  }
}

} // namespace

Expected<std::unique_ptr<Module>> loadUnplaced(LLVMContext &context, const ImageView &image,
                                               const std::string &name) {
  if (image.header().flags & ImageRelocatable)
    return fail("internal error: relocatable image was not linked");
  Expected<MemoryBufferRef> code = frontend::bitcodeOf(image);
  if (!code)
    return code.takeError();
  Expected<std::unique_ptr<Module>> loaded = getLazyBitcodeModule(*code, context);
  if (!loaded)
    return loaded.takeError();
  Module &module = **loaded;
  Function *kernel = module.getFunction(name);
  if (!kernel)
    return fail("no kernel '" + name + "' in the device image");
  Expected<frontend::Reach> reach =
      frontend::findReach(*kernel, frontend::numberedFunctions(module));
  if (!reach)
    return reach.takeError();
  keepOnly(module, *reach, *kernel);
  if (Error error = module.materializeAll())
    return error;
  return std::move(*loaded);
}

Error placeKernel(Module &module, const ImageView &image) {
  if (Error error = frontend::placeGlobals(module, image))
    return error;
  eraseUnused(module.functions());
  eraseUnused(module.globals());
  return Error::success();
}

Expected<std::unique_ptr<Module>> loadKernel(LLVMContext &context, const ImageView &image,
                                             const std::string &name) {
  auto module = loadUnplaced(context, image, name);
  if (!module)
    return module;
  if (Error error = placeKernel(**module, image))
    return error;
  return module;
}

} // namespace heddle::jit
