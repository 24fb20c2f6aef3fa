// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "opencl/context.h"

#include "frontend/opencl/compiler.h"

#include <map>
#include <memory>

namespace heddle::cl {

using FixedArguments = std::vector<opencl::FixedArgument>;

/// A linked program: an image and what the compiler says of its kernels. Kernels keep it. Each device
/// loads it at the first use.
struct Executable {
  std::string image;
  std::vector<opencl::Kernel> kernels;
  uint64_t globalBytes = 0; ///< of its variables
  std::mutex mutex;
  std::vector<std::pair<cl_device_id, CUmodule>> modules;
  /// Of single kernels, for some of their arguments.
  std::map<std::string, std::vector<std::pair<FixedArguments, std::shared_ptr<Executable>>>>
      specialized;

  ~Executable();
  /// Itself where it cannot be done: variables of a program exist once.
  Executable *specializedFor(const std::string &kernel, const FixedArguments &);
  /// Null, with CUDA's code, if the driver does not take it.
  CUmodule moduleOn(cl_device_id, CUresult &);
};

/// What a binary of a program has before its code.
enum class Stage : uint32_t { None, Compiled, Library, Executable };

/// clang's flags of the options of clBuildProgram (options.cpp).
struct Options {
  std::vector<std::string> flags; ///< of clang's command line proper
  std::string standard;           ///< "CL1.2" unless the options say another
  bool isDebug = false, createsLibrary = false;
  uint32_t compileOptions = 0;
  std::string problem; ///< the option that is wrong; empty: none is
};
Options parseOptions(const char *, bool isForLinking);

/// The compiler, loaded at the first use; null, with the reason, where it is missing.
const opencl::CompilerTable *compiler(std::string &reason);

struct Binary {
  Stage stage = Stage::None;
  std::string options, code;
  std::vector<opencl::Kernel> kernels;
  uint64_t globalBytes = 0;
};
std::string writeBinary(const Binary &);
/// Stage::None if it is none of ours.
Binary readBinary(const unsigned char *, size_t);

} // namespace heddle::cl

struct _cl_program : heddle::cl::Object<_cl_program, heddle::cl::Kind::Program> {
  heddle::cl::Ref<_cl_context> context;
  std::vector<cl_device_id> devices;
  std::string source;
  bool isFromBinary = false;
  std::mutex mutex; ///< of what follows
  heddle::cl::Stage stage = heddle::cl::Stage::None;
  cl_build_status status = CL_BUILD_NONE;
  std::string options, log, code; ///< code: bitcode, up to Stage::Library
  std::shared_ptr<heddle::cl::Executable> executable;
  std::atomic<cl_uint> kernels = 0; ///< objects of it that exist
};
