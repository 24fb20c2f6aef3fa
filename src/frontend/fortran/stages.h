// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages from FIR to the two halves' LLVM IR, in the order in which main.cpp runs them.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace heddle::fortran {

/// Which half of a program a module is.
enum class Half { Host, Device };

/// The attribute of a device module's functions that are kernels, until they are LLVM's.
inline constexpr const char *KernelAttribute = "heddle.kernel";

/// Tells on standard error of the kernels that CUF loops become, as nvfortran's -Minfo does. Before
/// outlineLoops.
void tellOfLoops(mlir::ModuleOp module);

/// Fails with diagnostics where device code uses what only the host has, or the reverse. Before
/// outlineLoops. With unified memory variables of the host's modules may be in device code.
mlir::LogicalResult checkPlaces(mlir::ModuleOp module, bool isUnified);

/// What is wrong with a variable in device code, and with a procedure that is called there (null
/// for one that is not known); empty if nothing is.
std::string faultInDeviceCode(fir::GlobalOp, bool isUnified);
std::string faultOfCallee(mlir::func::FuncOp);
/// The first operation that uses the variable; a procedure declares all that its modules have. Null
/// if there is none.
mlir::Operation *firstUse(fir::AddrOfOp);

/// Makes kernels of CUF loops. Fails with a diagnostic at what a loop may not contain; arrays of the
/// host are such, if memory is not unified.
mlir::LogicalResult outlineLoops(mlir::ModuleOp module, bool isUnified);

/// Gives the attribute byval to those parameters of kernels that Flang passes by address although
/// they are values.
void markArgumentsByValue(mlir::ModuleOp module);

/// Takes that away in the host's half, whose kernels are names alone: Flang's conversions for the
/// host's target split complex arguments and leave the attributes behind at their old places.
void unmarkArgumentsByValue(mlir::ModuleOp module);

/// Makes calls of the runtime of launches. After markArgumentsByValue.
mlir::LogicalResult lowerLaunches(mlir::ModuleOp module);

/// What Flang's passes over CUDA Fortran do: predefined variables, device procedures and globals
/// into the gpu.module, allocations, transfers and launches into calls of the runtime.
mlir::LogicalResult lowerCudaFortran(mlir::ModuleOp module, bool isUnified);

/// Takes what is for the host out of the device's copies of procedures that both sides have. Fails
/// with diagnostics at what is left of it.
mlir::LogicalResult takeDeviceSides(mlir::ModuleOp module, bool isUnified);

/// The contents of the gpu.module as a module for NVPTX, with all that they refer to; null if there
/// is no device code. In the host module only the kernels' names stay there, as empty kernels.
mlir::OwningOpRef<mlir::ModuleOp> takeDeviceModule(mlir::ModuleOp host);

/// Writes initial values of components in device code, without Flang's runtime. Before the code is
/// in a module of its own.
void writeInitialValues(mlir::Operation *code, mlir::ModuleOp host);

/// How much of the source code knows: nothing, its lines, or lines, variables and types.
enum class DebugLevel { None, Lines, Full };

/// FIR to the LLVM dialect, then to LLVM IR. Null after an error, which has been reported.
std::unique_ptr<llvm::Module> generateCode(mlir::ModuleOp module, Half half, DebugLevel,
                                           llvm::LLVMContext &context);

/// Makes items of the components of values of derived type in output statements. Before
/// checkRuntimeCalls.
void splitDerivedOutput(mlir::ModuleOp device);

/// Looks whether what the device's procedures call of Flang's runtime is in the device library; a
/// diagnostic at what is not.
mlir::LogicalResult checkRuntimeCalls(mlir::ModuleOp device, llvm::StringRef libraryPath);

/// Whether there are output statements in the device half. Before linkDeviceLibrary.
bool printsInKernels(const llvm::Module &device);

/// Copies what the device half calls of the device library (lib/fortran/device) into it. False if
/// that cannot be read.
bool linkDeviceLibrary(llvm::Module &device, llvm::StringRef path);

/// Optimises the device half as clang does that of CUDA C++. After the variables that the host
/// reads are marked.
void optimizeDevice(llvm::Module &device);

/// Conversion of all that is left to the LLVM dialect, as one pass.
std::unique_ptr<mlir::Pass> createToLLVMPass(Half half);

/// Whether elements of the type are, or have components that are, arrays with descriptors.
bool hasDescriptors(mlir::Type);

/// A variable of a module, or one that is saved, with memory on the device.
bool isDeviceVariable(mlir::Operation &);

/// A kernel or a variable that the runtime must know.
struct DeviceSymbol {
  std::string name;
  bool isKernel = false, isConstant = false, isManaged = false;
  bool isTouched = false; ///< a constant one that the host's code reads or writes itself
};

/// Of constant variables that the host's code touches (flang/waits.cpp).
constexpr const char *TouchedMark = "heddle.touched";

/// The symbols that the host half registers. Before generateCode, which removes what marks them.
std::vector<DeviceSymbol> deviceSymbols(mlir::ModuleOp host);

/// Whether it is a variable of a module or a common block with memory on the host alone.
bool isHostVariable(fir::GlobalOp);
/// Whether it is one of Flang's own variables, as threadIdx.
bool isPredefined(llvm::StringRef symbol);
/// The names in LLVM's IR of all host variables.
std::vector<std::string> hostVariables(mlir::ModuleOp host);
/// Lets device code reach those that it names by their addresses; returns their names.
std::vector<std::string> reachHostVariables(llvm::Module &device,
                                            llvm::ArrayRef<std::string> names);
/// Adds the variable of the host that stands for the device's one with the address.
llvm::GlobalVariable *addressOnHost(llvm::Module &host, llvm::StringRef name);

/// Adds a constructor to the host's LLVM IR that registers the symbols and the device image, which
/// assembly includes from the file `imagePath` when the module is compiled. If kernels print, it
/// also registers how. `hostVariables` are those that device code reaches.
void addRegistration(llvm::Module &host, llvm::ArrayRef<DeviceSymbol> symbols,
                     llvm::ArrayRef<std::string> hostVariables, llvm::StringRef imagePath,
                     bool kernelsPrint);

} // namespace heddle::fortran
