// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-fortran: CUDA Fortran between Flang's frontend and LLVM.
//
//   heddle-fortran x.fir -device=x.device.bc -host=x.host.bc -library=device.bc -image=FILE
//   [-debug-host] [-debug-device] [-info] [-silent] [-unified] [-any-order] [-flush] [-traps=BITS] [-reallocate]
//
// Reads the FIR that `flang-22 -fc1 -emit-fir -x cuda` writes, and writes LLVM bitcode of both
// halves. The device's is what clang makes of CUDA C++ and goes the same way from here
// (docs/fortran.md); no file is written if the source has no device code. The host's includes the
// packed image from FILE when it is compiled.
#include "frontend/annotations.h"
#include "frontend/fortran/fast_host.h"
#include "frontend/fortran/stages.h"
#include "frontend/fortran/text_arguments.h"

#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InitFIR.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace heddle::fortran;

namespace {

llvm::cl::opt<std::string> InputPath(llvm::cl::Positional, llvm::cl::Required,
                                     llvm::cl::desc("<FIR>"));
llvm::cl::opt<std::string> DevicePath("device", llvm::cl::Required,
                                      llvm::cl::desc("where the device half's bitcode goes"));
llvm::cl::opt<std::string> HostPath("host", llvm::cl::Required,
                                    llvm::cl::desc("where the host half's bitcode goes"));
llvm::cl::opt<std::string> ImagePath("image", llvm::cl::Required,
                                     llvm::cl::desc("the image that the host half includes"));
llvm::cl::opt<std::string> LibraryPath("library", llvm::cl::Required,
                                       llvm::cl::desc("the device library's bitcode"));

llvm::cl::opt<bool> DebugHost("debug-host", llvm::cl::desc("debug information in the host half"));
llvm::cl::opt<bool> DebugDevice("debug-device",
                                llvm::cl::desc("more than lines in the device half"));
llvm::cl::opt<bool> Unified("unified", llvm::cl::desc("kernels may use all of the host's memory"));
llvm::cl::opt<bool> Silent("silent", llvm::cl::desc("tell no warnings"));
llvm::cl::opt<bool> Info("info", llvm::cl::desc("tell of kernels that CUF loops become"));
llvm::cl::opt<bool> AnyOrder("any-order", llvm::cl::desc("the host sums in any order"));
llvm::cl::opt<bool> Flush("flush", llvm::cl::desc("denormal results of the host are zero"));
llvm::cl::opt<unsigned> Traps("traps", llvm::cl::desc("exceptions of the host that are signals"));
llvm::cl::opt<bool> Reallocate("reallocate",
                               llvm::cl::desc("transfers give the device's arrays their shape"));

void loadDialects(mlir::DialectRegistry &registry, mlir::MLIRContext &context) {
  fir::support::loadDialects(context);
  context.loadDialect<mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect>();
  fir::support::registerLLVMTranslation(context);
}

int fail(const llvm::Twine &message) {
  llvm::errs() << "heddle-fortran: error: " << message << "\n";
  return 1;
}

int write(const llvm::Module &module, llvm::StringRef path) {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
  if (error)
    return fail(path + ": " + error.message());
  llvm::WriteBitcodeToFile(module, file.os());
  file.keep();
  return 0;
}

/// The mark of variables that the host reads and writes: the link of device code keeps them. Constant ones,
/// which may be another source's, are in a list.
void markVariables(llvm::Module &device, llvm::ArrayRef<DeviceSymbol> symbols) {
  llvm::LLVMContext &context = device.getContext();
  for (const DeviceSymbol &symbol : symbols) {
    if (symbol.isTouched)
      device.getOrInsertNamedMetadata(heddle::frontend::TouchedConstants)
          ->addOperand(llvm::MDNode::get(context, {llvm::MDString::get(context, symbol.name)}));
    if (llvm::GlobalVariable *variable = device.getGlobalVariable(symbol.name);
        variable && !variable->isDeclaration()) {
      variable->setExternallyInitialized(true);
      if (!symbol.isConstant)
        variable->addAttribute(heddle::frontend::HostTouches);
    }
  }
}

/// Calls lib/fortran's transfers that allocate arrays of the device anew.
void reallocateInTransfers(llvm::Module &host) {
  constexpr std::pair<const char *, const char *> Transfers[] = {
      {"_FortranACUFDataTransferDescDesc", "heddleFortranTransferAnew"},
      {"_FortranACUFDataTransferGlobalDescDesc", "heddleFortranTransferGlobalAnew"}};
  for (auto [name, anew] : Transfers)
    if (llvm::Function *transfer = host.getFunction(name))
      transfer->setName(anew);
}

/// What the host half must know of the device half.
struct DeviceFacts {
  bool exists = false, prints = false;
  std::vector<std::string> hostVariables; ///< that it names
};

int writeDevice(mlir::ModuleOp host, llvm::ArrayRef<DeviceSymbol> symbols, DeviceFacts &facts) {
  mlir::OwningOpRef<mlir::ModuleOp> device = takeDeviceModule(host);
  facts.exists = bool(device);
  if (!device)
    return 0;
  std::vector<std::string> variables = Unified ? hostVariables(host) : std::vector<std::string>();
  splitDerivedOutput(*device);
  if (failed(checkRuntimeCalls(*device, LibraryPath)))
    return fail("device code calls what is not there");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = generateCode(
      *device, Half::Device, DebugDevice ? DebugLevel::Full : DebugLevel::Lines, context);
  if (!module)
    return fail("no code for the device");
  facts.prints = printsInKernels(*module);
  facts.hostVariables = reachHostVariables(*module, variables);
  if (!linkDeviceLibrary(*module, LibraryPath))
    return fail("the device library cannot be linked: " + LibraryPath);
  markVariables(*module, symbols);
  if (!DebugDevice)
    optimizeDevice(*module);
  return write(*module, DevicePath);
}

int compile(mlir::ModuleOp module) {
  if (failed(checkPlaces(module, Unified)))
    return 1;
  if (Info)
    tellOfLoops(module);
  if (failed(outlineLoops(module, Unified)))
    return fail("a CUF loop could not be lowered");
  splitTextArguments(module);
  markArgumentsByValue(module);
  if (failed(lowerLaunches(module)) || failed(lowerCudaFortran(module, Unified)))
    return fail("CUDA Fortran could not be lowered");
  std::vector<DeviceSymbol> symbols = deviceSymbols(module);
  DeviceFacts facts;
  if (int code = writeDevice(module, symbols, facts))
    return code;
  for (auto global : module.getOps<fir::GlobalOp>())
    global->removeAttr("data_attr"); // constants would have the device's address space on the host
  unmarkArgumentsByValue(module);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> host =
      generateCode(module, Half::Host, DebugHost ? DebugLevel::Full : DebugLevel::None, context);
  if (!host)
    return fail("no code for the host");
  if (AnyOrder)
    sumInAnyOrder(*host);
  if (Flush)
    flushDenormals(*host);
  if (Traps)
    trapExceptions(*host, Traps);
  if (Reallocate)
    reallocateInTransfers(*host);
  addRegistration(*host, symbols, facts.hostVariables,
                  facts.exists ? llvm::StringRef(ImagePath) : llvm::StringRef(), facts.prints);
  return write(*host, HostPath);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "CUDA Fortran's halves\n");
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  fir::support::registerDialects(registry);
  fir::support::addFIRExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::MLIRContext context(registry);
  loadDialects(registry, context);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context); // with the user's lines
  mlir::ScopedDiagnosticHandler silence(&context, [](mlir::Diagnostic &told) {
    return mlir::success(Silent && told.getSeverity() == mlir::DiagnosticSeverity::Warning);
  });
  auto file = llvm::MemoryBuffer::getFile(InputPath);
  if (!file)
    return fail(InputPath + ": " + file.getError().message());
  sources.AddNewSourceBuffer(std::move(*file), {});
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  return module ? compile(*module) : 1;
}
