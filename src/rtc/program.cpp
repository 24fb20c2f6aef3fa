// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of NVRTC becomes what nvcc would make of the same text: bitcode by the front end, a device
// image by `pack`, PTX of the image. The image is the cubin, or, if it is to be linked, the LTO IR.
#include "rtc/program.h"

#include "rtc/toolkit.h"

#include "base/image/module_image.h"

#include "llvm/Support/thread.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <regex>

namespace heddle::rtc {

namespace {

using Words = std::vector<std::string>;

void append(Words &words, const Words &more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// "12.8" of 12080.
std::string versionOf(unsigned release) {
  return std::to_string(release / 1000) + "." + std::to_string(release % 1000 / 10);
}

/// Headers of another toolkit would come before ours.
bool isOtherToolkit(const std::string &folder, const cuda::Toolkit &toolkit) {
  std::error_code error;
  return std::filesystem::exists(folder + "/cuda_runtime_api.h", error) &&
         !std::filesystem::equivalent(folder, toolkit.root + "/include", error);
}

/// A folder in which programs look for the toolkit's headers; CUDA 13 has libcu++ in one of its own.
bool isOfToolkit(const std::string &folder, const cuda::Toolkit &toolkit) {
  std::error_code error;
  return std::filesystem::equivalent(folder, toolkit.root + "/include", error) ||
         std::filesystem::path(folder + "/.").lexically_normal().parent_path().filename() ==
             "cccl" ||
         isOtherToolkit(folder, toolkit);
}

/// On a thread with a large stack: clang recurses, and a caller's stack may be small.
std::string runGuarded(const JitLibrary &jit, const std::function<void()> &action) {
  constexpr unsigned Stack = 8 << 20;
  std::string fatal;
  llvm::thread thread(std::optional<unsigned>(Stack), [&] { fatal = jit.survive(action); });
  thread.join();
  return fatal;
}

class Compilation {
public:
  Compilation(Program &program, Options options, size_t limit, cuda::Toolkit toolkit,
              const JitLibrary &jit)
      : program_(program), options_(std::move(options)), limit_(limit),
        toolkit_(std::move(toolkit)), jit_(jit) {}

  nvrtcResult run() {
    cuda::SourceRequest request = {program_.source,
                                   program_.headers,
                                   codeFlags(),
                                   sourceFlags(),
                                   program_.expressions,
                                   options_.has(Opt::DefaultDevice),
                                   options_.has(Opt::SyntaxOnly),
                                   !options_.has(Opt::NoErrorNumbers),
                                   options_.precompile(limit_)};
    if (isCancelled())
      return NVRTC_ERROR_CANCELLED;
    cuda::CompiledSource compiled;
    std::string fatal =
        runGuarded(jit_, [&] { compiled = cuda::compileSource(request, toolkit_); });
    program_.log += compiled.log;
    program_.precompiled = compiled.precompiled;
    program_.precompiledBytes = compiled.precompiledBytes;
    if (!fatal.empty())
      return fail(fatal);
    if (!compiled.isGood)
      return NVRTC_ERROR_COMPILATION;
    if (isCancelled())
      return NVRTC_ERROR_CANCELLED;
    program_.names = std::move(compiled.names);
    if (!request.checksOnly)
      if (nvrtcResult error = makeCode(compiled.bitcode))
        return error;
    program_.isCompiled = true;
    return reportTime(compiled);
  }

private:
  bool isCancelled() const {
    return program_.callback && program_.callback(program_.payload, nullptr) != 0;
  }

  /// A message with a place, "k.cu:1:27: error: ...", gets NVRTC's form of it, without a column.
  nvrtcResult fail(const std::string &message) {
    static const std::regex place("^([^\n]*?):([0-9]+):[0-9]+: error: ");
    std::smatch found;
    program_.log += std::regex_search(message, found, place)
                        ? found.str(1) + "(" + found.str(2) + "): error: " + found.suffix().str()
                        : program_.source.name + ": error: " + message;
    program_.log += "\n";
    return NVRTC_ERROR_COMPILATION;
  }

  Words codeFlags() const {
    const std::string version = versionOf(program_.release);
    const Target &target = options_.target();
    Words flags = languageFlags(toolkit_.root, toolkit_.resources);
    append(flags, versionMacros(version, "0"));
    append(flags, {"-std=" + (options_.has(Opt::Standard) ? options_.last(Opt::Standard) : "c++17"),
                   "-D__CUDACC__", "-D__CUDACC_RTC__", "-Xclang", "-U__CUDA_ARCH_LIST__", "-Xclang",
                   "-D__CUDA_ARCH_LIST__=" + std::to_string(target.number * 10), "-U__DEPRECATED",
                   "-fno-color-diagnostics", "-fno-spell-checking", "-Wno-deprecated-attributes",
                   "-Wno-c++20-extensions", "-Wno-c++23-extensions", "-Wno-c++26-extensions",
                   "-Wno-keyword-compat", "-fpass-plugin=" + pluginOf(toolkit_)});
    append(flags, options_.isRelocatable() ? Words{"-fgpu-rdc", "-D__CUDACC_RDC__"}
                                           : Words{"-fuse-cuid=none"});
    if (options_.has(Opt::Debug))
      flags.push_back("-D__CUDACC_DEBUG__");
    append(flags, deviceFlags(options_.code()));
    append(flags,
           architectureFlags(target.number, clangArchitecture(target.number, target.suffix)));
    return flags;
  }

  Words sourceFlags() const {
    Words flags = {"-ferror-limit=100", "-Wunused-variable", "-Wunused-but-set-variable"};
    for (const std::string &macro : options_.values(Opt::Define))
      flags.push_back("-D" + macro);
    for (const std::string &macro : options_.values(Opt::Undefine))
      flags.push_back("-U" + macro);
    const Words &folders = options_.values(Opt::Include);
    for (const std::string &folder : folders)
      if (!isOtherToolkit(folder, toolkit_))
        flags.push_back("-I" + folder);
    if (std::any_of(folders.begin(), folders.end(),
                    [&](const std::string &folder) { return isOfToolkit(folder, toolkit_); }))
      append(flags, {"-idirafter", toolkit_.root + "/cccl", "-idirafter",
                     toolkit_.root + "/include/heddle/rtc/cccl"});
    for (const std::string &header : options_.values(Opt::PreInclude))
      append(flags, {"-include", header});
    append(flags, options_.diagnosticFlags());
    if (options_.has(Opt::NoWarnings))
      flags.push_back("-w");
    if (options_.isTrue(Opt::MoveForward, true))
      flags.push_back("-D__HEDDLE_MOVE_FORWARD__");
    if (options_.isTrue(Opt::InitializerList, true))
      flags.push_back("-D__HEDDLE_INITIALIZER_LIST__");
    return flags;
  }

  nvrtcResult makeCode(const std::string &bitcode) {
    const unsigned number = options_.target().number;
    const uint32_t flags = (options_.has(Opt::Debug) ? ImageDebug : 0) |
                           (options_.isRelocatable() ? ImageRelocatable : 0);
    const unsigned registers =
        options_.has(Opt::MaxRegisters)
            ? static_cast<unsigned>(std::stoul(options_.last(Opt::MaxRegisters)))
            : 0;
    auto pack = [&](uint32_t flags) {
      return jit_.pack(bitcode, flags, number, compileOptionsOf(options_.code()), registers);
    };
    Result<std::string> image = pack(flags);
    std::string problem; // of what ptxas would refuse there may be PTX
    if (!image) {
      problem = image.error();
      image = pack(flags | ImageRelocatable);
    }
    if (!image)
      return fail(problem);
    if (options_.isForLinking()) {
      program_.linkable = *image;
      return NVRTC_SUCCESS;
    }
    const bool hasLines = options_.has(Opt::LineInfo) || options_.has(Opt::Debug);
    const std::string name = "sm_" + std::to_string(number) + options_.target().suffix;
    Result<std::string> ptx = jit_.emitPtx(*image, name, hasLines);
    if (ptx)
      program_.ptx = *ptx;
    if (!options_.target().isReal)
      return ptx ? NVRTC_SUCCESS : fail(ptx.error());
    if (!problem.empty())
      return fail(problem);
    if (!ptx) // what LLVM's back end for GPUs lacks runs here all the same
      program_.log += program_.source.name + ": warning: there is no PTX: " + ptx.error() + "\n";
    program_.cubin = *image;
    return NVRTC_SUCCESS;
  }

  /// -time: a line for each step, in a file or, for "-", the log.
  nvrtcResult reportTime(const cuda::CompiledSource &compiled) {
    if (!options_.has(Opt::Time))
      return NVRTC_SUCCESS;
    auto line = [&](const char *step, double milliseconds) {
      return program_.source.name + ", " + step + ", " +
             std::to_string(static_cast<long>(milliseconds)) + ", ms\n";
    };
    std::string text = "File name, phase name, metric, unit\n" +
                       line("CUDA C++ Frontend", compiled.parseMilliseconds) +
                       line("NVVM Optimizer", compiled.codeMilliseconds);
    std::string path = options_.last(Opt::Time);
    if (path == "-") {
      program_.log += "\n" + text;
      return NVRTC_SUCCESS;
    }
    FILE *file = std::fopen(path.c_str(), "a");
    if (!file)
      return NVRTC_ERROR_TIME_FILE_WRITE_FAILED;
    const bool isWritten = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && isWritten ? NVRTC_SUCCESS : NVRTC_ERROR_TIME_FILE_WRITE_FAILED;
  }

  Program &program_;
  const Options options_;
  const size_t limit_;
  const cuda::Toolkit toolkit_;
  const JitLibrary &jit_;
};

} // namespace

nvrtcResult compileProgram(Program &program, const Words &words, size_t limit) {
  program.isTried = true;
  program.isCompiled = false;
  program.precompiled = cuda::Precompiled::NotTried;
  program.precompiledBytes = 0;
  program.names.clear();
  for (std::string *text : {&program.log, &program.ptx, &program.cubin, &program.linkable})
    text->clear();
  Result<Options> options = Options::parse(program.release, words);
  if (options && options->has(Opt::OptixIr))
    options = Failure{"--optix-ir (-optix-ir) is not supported by Heddle"};
  if (!options) {
    program.log = "nvrtc: error: " + options.error() + "\n";
    return NVRTC_ERROR_INVALID_OPTION;
  }
  Result<cuda::Toolkit> toolkit = findToolkit();
  Result<const JitLibrary *> jit = openJit();
  if (!toolkit || !jit) {
    program.log = "nvrtc: error: " + (toolkit ? jit.error() : toolkit.error()) + "\n";
    return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
  }
  return Compilation(program, *options, limit, *toolkit, **jit).run();
}

} // namespace heddle::rtc
