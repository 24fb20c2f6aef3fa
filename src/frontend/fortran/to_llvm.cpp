// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last conversion: FIR, the standard dialects and gpu to the LLVM dialect, all in one, since
// FIR's types may stand in the operands of any of them.
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/CodeGen/CodeGen.h"
#include "flang/Optimizer/CodeGen/CodeGenOpenMP.h"
#include "flang/Optimizer/CodeGen/TypeConverter.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "flang/Optimizer/Transforms/CUFGPUToLLVMConversion.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/OpenMPToLLVM/ConvertOpenMPToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

// Of patterns for one operation the one with the higher benefit is taken.
constexpr unsigned OverMath = 3, OverLibm = 5, OverFir = 10, OverFlang = 20;

/// An address in the shared memory of a kernel. Flang's own pattern wants a gpu.module around the
/// function.
struct SharedMemoryLowering : ConvertOpToLLVMPattern<cuf::SharedMemoryOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cuf::SharedMemoryOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function)
      return failure();
    std::string global = function.getName().str() + "__shared_mem__";
    if (op.getIsStatic())
      global += *op.getBindcName();
    auto shared = LLVM::LLVMPointerType::get(op.getContext(), 3);
    auto generic = LLVM::LLVMPointerType::get(op.getContext());
    Value address = LLVM::AddrSpaceCastOp::create(
        rewriter, op.getLoc(), generic,
        LLVM::AddressOfOp::create(rewriter, op.getLoc(), shared, global));
    LLVM::GEPArg offset = adaptor.getOffset() ? LLVM::GEPArg(adaptor.getOffset()) : LLVM::GEPArg(0);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, generic, rewriter.getI8Type(), address,
                                             ArrayRef<LLVM::GEPArg>{offset});
    return success();
  }
};

struct ToLLVMPass : PassWrapper<ToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToLLVMPass)

  explicit ToLLVMPass(Half half) : isDevice(half == Half::Device) {
    options.typeDescriptorsRenamedForAssembly = true;
    options.ignoreMissingTypeDescriptors = isDevice;
  }
  ToLLVMPass(const ToLLVMPass &) = default;

  StringRef getArgument() const override { return "heddle-fortran-to-llvm"; }

  /// Powers and complex functions that have no instruction.
  LogicalResult expand(ModuleOp module) {
    OpPassManager passes("builtin.module");
    ConvertMathToFuncsOptions options;
    options.minWidthOfFPowIExponent = 33;
    options.convertCtlz = false;
    passes.addPass(createConvertMathToFuncs(options));
    passes.addPass(createConvertComplexToStandardPass());
    if (!isDevice)
      passes.addNestedPass<func::FuncOp>(createConvertMathToLLVMPass());
    return runPipeline(passes, module);
  }

  void populate(const LLVMTypeConverter &converter, fir::LLVMTypeConverter &types,
                RewritePatternSet &patterns) {
    cuf::populateCUFGPUToLLVMConversionPatterns(types, patterns, OverFir);
    fir::populateFIRToLLVMConversionPatterns(types, patterns, options);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    cf::populateAssertToLLVMConversionPattern(converter, patterns);
    populateMathToLibmConversionPatterns(patterns);
    populateComplexToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateOpenMPToLLVMConversionPatterns(types, patterns);
    fir::populateOpenMPFIRToLLVMConversionPatterns(types, patterns);
    if (!isDevice)
      return;
    patterns.add<SharedMemoryLowering>(types, OverFlang);
    populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/true, OverMath);
    populateGpuToNVVMConversionPatterns(converter, patterns, OverLibm); // __nv_sinf and its like
    populateGpuSubgroupReduceOpLoweringPattern(converter, patterns);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expand(module)))
      return signalPassFailure();
    auto layout = fir::support::getOrSetMLIRDataLayout(module, /*allowDefaultLayout=*/true);
    fir::LLVMTypeConverter types{module, /*applyTBAA=*/false, /*forceUnifiedTBAATree=*/false,
                                 *layout};
    RewritePatternSet patterns(&getContext());
    populate(types, types, patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addLegalOp<ModuleOp, gpu::GPUModuleOp, gpu::GPUFuncOp, gpu::ReturnOp,
                      UnrealizedConversionCastOp>();
    configureOpenMPToLLVMConversionLegality(target, types);
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }

  bool isDevice;
  fir::FIRToLLVMPassOptions options; ///< Flang's patterns keep a reference
};

} // namespace

std::unique_ptr<Pass> createToLLVMPass(Half half) { return std::make_unique<ToLLVMPass>(half); }

} // namespace heddle::fortran
