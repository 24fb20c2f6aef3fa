// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is different in our Flang (main.cpp).
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace Fortran::frontend {
class CompilerInstance;
}
namespace Fortran::parser {
class AllCookedSources;
class CharBlock;
class Message;
class Messages;
} // namespace Fortran::parser
namespace cuf {
class DataTransferOp;
}
namespace mlir {
class ModuleOp;
class Operation;
class Value;
} // namespace mlir

namespace heddle::fortran {

/// The compilation whose errors acceptStatements looks at.
void setCompilation(Fortran::frontend::CompilerInstance *);
Fortran::frontend::CompilerInstance *compilation();

/// What a message points at in the text that was parsed; none if that comes from a module file.
std::optional<Fortran::parser::CharBlock> blockOf(const Fortran::parser::Message &);

/// The kind in the declaration of an integer dummy whose implicit type the message tells of: its
/// text and its value.
std::optional<std::pair<Fortran::parser::CharBlock, int64_t>>
kindOfDummy(const Fortran::parser::Message &);

/// Text in the place of what is in the source from `begin` to `end`.
struct Fix {
  size_t begin, end;
  std::string text;
};

/// Notes what must be changed in the source for the errors that a change of text mends; whether
/// there is any.
bool noteFixes(Fortran::parser::Messages &, const Fortran::parser::AllCookedSources &);
bool hasFixes();
/// The text of the source with what was noted.
std::string fixedText(llvm::StringRef text);

/// -gpu=mem:managed: allocatable arrays and pointers may be used on the device, so errors that they
/// may not are none; all of the host's may if memory is unified.
void setManaged(bool isUnified);

/// No warnings are told.
void setSilent();

/// Gives text of several characters on the device the memory that it needs, and makes calls of the
/// runtime of its transfers. Before mendTransfers.
void mendText(mlir::ModuleOp);

/// A side of a transfer as HLFIR has the variable; a transfer may have its address, which says
/// nothing of extents.
mlir::Value withExtents(mlir::Value side);
/// Whether a left side is an allocatable variable as a whole, and whether text there has a length
/// that assignments do not change.
bool isAllocatable(mlir::Value to);
bool keepsLength(mlir::Value to);
/// Makes an assignment of a transfer to the host, which reads what is on the device itself.
void assignOnHost(mlir::ModuleOp, cuf::DataTransferOp);

/// Mends transfers that Flang's lowering writes in a form that its verifier refuses.
void mendTransfers(mlir::ModuleOp);

/// What FIR does not know of a source: names of components with the attribute device, of those with
/// managed or unified, and of functions whose results have an attribute of CUDA.
struct DeviceNames {
  llvm::StringSet<> components, managedComponents, functions;
};

/// Lets the host wait for the device before it computes with arrays there itself.
void mendWaits(mlir::ModuleOp, const DeviceNames &);
/// Lets it wait in front of the statement that an operation belongs to.
void waitBefore(mlir::Operation *);

/// Makes the number of elements of device and shared arrays right.
void mendExtents(mlir::ModuleOp);

/// Makes atomic functions right.
void mendAtomics(mlir::ModuleOp);

/// Passes addresses of variables where C takes an address and arguments may be of any type.
void mendAddresses(mlir::ModuleOp);

/// Gives components with CUDA's attributes their allocators.
void mendAllocations(mlir::ModuleOp);

} // namespace heddle::fortran
