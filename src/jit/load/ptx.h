// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <vector>

namespace heddle::jit {

/// PTX text of a whole image for `cpu` (sm_90a), by LLVM's NVPTX back end. With `.loc` lines if
/// `hasLines`.
llvm::Expected<std::vector<uint8_t>> emitPtx(const ImageView &image, llvm::StringRef cpu,
                                             bool hasLines);

/// LLVM's NVPTX target for `cpu`. `version`: of PTX, times 10; 0: the usual one.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createGpuMachine(const llvm::Triple &, llvm::StringRef cpu, unsigned version = 0);

/// Makes of a device module, whose globals are not placed, what that target wants. `compileOptions`:
/// CompileOptions.
void prepareForGpu(llvm::Module &, uint32_t compileOptions, llvm::StringRef cpu);

/// The same of a module that is linked with the library, and may flush denormals.
void prepareText(llvm::Module &, uint32_t compileOptions, llvm::StringRef cpu);

/// __managed__ in the back end's own form: !nvvm.annotations = !{!{ptr @x, !"managed", i32 1}}.
void declareManaged(llvm::GlobalValue &variable);

/// __cluster_dims__ and __block_size__ of the image's kernels in the back end's own form.
void declareClusters(llvm::Module &, const ImageView &);

/// The text. Changes the module. `keepsCounters`: of loops (BackEndList).
llvm::Expected<llvm::SmallVector<char, 0>> writePtx(llvm::Module &, llvm::TargetMachine &,
                                                    bool keepsCounters = false);

/// Line tables become `.loc` lines.
void keepLinesOnly(llvm::Module &);

} // namespace heddle::jit
