// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C to device images: what libheddle-opencl.so calls in libheddle_compiler.so. Both come from
// one build.
#pragma once

#include "base/hash.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::opencl {

/// A file that exists in memory only.
struct SourceText {
  std::string name, text;
};

struct CompileRequest {
  std::string source;
  std::vector<SourceText> headers; ///< found under their names before those of any folder
  std::vector<std::string> flags;  ///< of the compiler proper: macros, folders, -cl-...
};

/// CL_KERNEL_ARG_*, as clGetKernelArgInfo gives them.
enum class ArgumentKind : uint32_t { Value, Global, Constant, Local, Image, Sampler };
struct Argument {
  ArgumentKind kind;
  uint32_t size;                  ///< bytes that clSetKernelArg takes; of Local: 0
  uint32_t align;                 ///< of Local: of what it points to
  uint32_t addressSpace;          ///< clang's number: 0 private, 1 global, 2 constant, 3 local
  std::string access, type, name; ///< "read_only", "float4*", "a"
  std::string qualifiers;         ///< "const restrict"
};

struct Kernel {
  std::string name, attributes;
  std::array<uint32_t, 3> requiredShape, shapeHint; ///< 0: none
  std::vector<Argument> arguments;
  bool isUniform = false;  ///< all work-groups have one size
  bool needsRange = false; ///< only the forms with a range will do (forms.cpp)
  bool isFree = false;     ///< groups mean nothing to it, so that they may have any shape
};

/// The forms of a kernel that take a Range behind their parameters have these before its name: for numbers
/// below 2^31, and for all.
inline constexpr const char *RangeForm = "__heddle_range_";
inline constexpr const char *WideForm = "__heddle_wide_";

/// What such a form is told of the command's range: it is a part that begins at group `firstGroup`.
struct Range {
  uint64_t offset[3], size[3]; ///< in work-items
  uint64_t firstGroup[3], groups[3];
  uint32_t groupSize[3]; ///< of groups that are not at the range's end
  uint32_t dimensions;
};

/// What a compilation has seen of the machine's files.
enum class FileKind : uint32_t { Absent, Folder, File };
struct FileAnswer {
  std::string path; ///< as it was asked for: it may be relative
  FileKind kind = FileKind::Absent;
  bool isRead = false; ///< else only whether there is such a file matters
  uint64_t size = 0;   ///< of files, in bytes
  int64_t time = 0;    ///< of files, when they were changed, in nanoseconds since 1970
  Hash128 hash;        ///< of what was read
};

struct Compiled {
  bool isGood = false;
  std::string log, code;         ///< bitcode
  bool isRepeatable = false;     ///< the same request gives the same while the files are the same
  std::vector<FileAnswer> files; ///< that clang has looked for
};
struct Linked {
  bool isGood = false;
  std::string log, code;       ///< bitcode of a library, or an image
  std::vector<Kernel> kernels; ///< empty for libraries
  uint64_t globalBytes = 0;    ///< of the program's variables
};

struct LinkRequest {
  std::vector<std::string> modules; ///< bitcode
  bool isLibrary = false;           ///< gives bitcode, in which symbols may be missing
  bool isDebug = false;             ///< -cl-opt-disable
  uint32_t compileOptions = 0;      ///< heddle::CompileOptions
};

/// What is known of an argument when a kernel is launched: of an image, the format as in HeddleClImage; of a
/// sampler, its number.
struct FixedArgument {
  uint32_t argument;
  bool isImage;
  std::array<uint32_t, 4> words;
  bool operator==(const FixedArgument &) const = default;
};

/// A kernel of a linked program for such arguments.
struct SpecializeRequest {
  std::string code, kernel; ///< the image's bitcode; the name
  std::vector<FixedArgument> fixed;
  bool isDebug = false;
  uint32_t compileOptions = 0;
};

struct CompilerTable {
  void (*compile)(const CompileRequest &, Compiled &);
  void (*link)(const LinkRequest &, Linked &);
  void (*specialize)(const SpecializeRequest &, Linked &);
};

} // namespace heddle::opencl

extern "C" const heddle::opencl::CompilerTable *heddleOpenclTable();
