// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle fc: nvfortran's phases. Fortran sources are compiled here, all others by `heddle cc`, and
// all is linked with Flang's runtime and ours.
#include "tool/fortran/fc.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/fortran/fortran_unit.h"
#include "tool/link/host_link.h"
#include "tool/link/link.h"
#include "tool/tools/files.h"
#include "tool/tools/host_parts.h"

#include <cstdio>
#include <optional>
#include <tuple>

namespace heddle::tool {

namespace {

void append(Command &command, const Command &words) {
  command.insert(command.end(), words.begin(), words.end());
}

bool isOtherSource(const std::string &path) {
  std::string suffix = extension(path);
  for (const char *known : {".cu", ".c", ".cpp", ".cc", ".cxx", ".C"})
    if (suffix == known)
      return true;
  return false;
}

/// The CUDA libraries that -cudalib=cublas,cufft names, as words for the linker. The prefix `cu`
/// may be left out.
Command cudaLibraries(const FortranOptions &o) {
  Command words;
  for (FOpt id : {FOpt::CudaLibraries, FOpt::MCudaLibraries})
    for (const std::string &name : o.values(id)) {
      bool isWhole = name.starts_with("cu") || name == "nccl";
      if (!name.empty())
        words.push_back("-l" + (name == "nvtx" ? "nvToolsExt" : isWhole ? name : "cu" + name));
    }
  return words;
}

/// Device code of a module, which programs are linked with if theirs has such names.
struct DeviceLibrary {
  const char *names, *object;
};
constexpr DeviceLibrary DeviceLibraries[] = {
    {"heddleRandom", "heddle_curand_device.o"}, // lib/fortran/random.cu
    {"heddleMatrix", "heddle_wmma.o"},          // lib/fortran/wmma.cu
};

/// The device libraries that these objects need.
std::vector<std::string> deviceLibraries(const std::vector<std::string> &objects) {
  std::vector<std::string> needed;
  for (const DeviceLibrary &library : DeviceLibraries)
    for (const std::string &path : objects) {
      Result<std::string> bytes = readFile(path);
      if (!bytes || bytes->find(library.names) == std::string::npos)
        continue;
      needed.push_back(library.object);
      break;
    }
  return needed;
}

class Phases {
public:
  explicit Phases(const FortranSettings &s) : s_(s), o_(s.options) {}

  int run() {
    bool each = o_.has(FOpt::Compile) || o_.has(FOpt::Assembly) || o_.has(FOpt::PreprocessOnly);
    if (o_.inputs.empty())
      return fatal("No files to process");
    size_t sources = 0;
    for (const std::string &input : o_.inputs)
      sources += isFortranSource(input) || isOtherSource(input);
    if (each && o_.has(FOpt::Output) && sources > 1)
      return fatal("-o with several sources needs a link");
    if (o_.has(FOpt::DependencyFile) && sources > 1)
      return fatal("-MF takes one source");
    if (auto failure = checkOutputs(each))
      return fatal(failure->message);
    for (const std::string &input : o_.inputs)
      if (int code = process(input, each))
        return code;
    return each ? 0 : link();
  }

private:
  int process(const std::string &input, bool each) {
    bool fortran = isFortranSource(input);
    if (!fortran && !isOtherSource(input)) {
      linked_.push_back(input);
      return 0;
    }
    if (!isFile(input) && !s_.dryRun)
      return fatal("File not found: " + input);
    Result<std::string> output = outputOf(input, each);
    if (!output)
      return fatal(output.error());
    linked_.push_back(*output);
    Unfinished unfinished(*output);
    if (fortran)
      return compileFortran(s_, input, *output);
    Command words = {"-c", "-rdc=true", input, "-o", *output};
    for (const std::string &folder : o_.values(FOpt::Include))
      words.push_back("-I" + folder);
    for (const std::string &macro : o_.values(FOpt::Define))
      words.push_back("-D" + macro);
    if (o_.has(FOpt::Debug))
      words.push_back("-g");
    append(words, s_.gpu.nvcc);
    if (s_.dryRun)
      words.push_back("-dryrun");
    else if (s_.verbose)
      words.push_back("-v");
    return runCc(words);
  }

  /// Before anything is written.
  std::optional<Failure> checkOutputs(bool each) {
    std::vector<std::string> outputs = {o_.last(FOpt::DependencyFile)};
    if (!each)
      outputs.push_back(programName());
    for (const std::string &input : o_.inputs) {
      bool isFortran = isFortranSource(input);
      if (!isFortran && !isOtherSource(input))
        continue;
      if (each)
        outputs.push_back(*outputOf(input, each));
      for (const char *suffix : {".n001.gpu", ".n001.bin", ".n001.ptx"})
        if (isFortran)
          outputs.push_back(stem(input) + suffix);
    }
    return refuseOverwriting(o_.inputs, outputs);
  }

  std::string programName() const { return o_.last(FOpt::Output, "a.out"); }

  Result<std::string> outputOf(const std::string &input, bool each) {
    if (o_.has(FOpt::PreprocessOnly))
      return o_.last(FOpt::Output);
    if (each)
      return o_.last(FOpt::Output, stem(input) + (o_.has(FOpt::Assembly) ? ".s" : ".o"));
    Result<std::string> folder = temporary_.path();
    if (!folder)
      return Failure{folder.error()};
    return *folder + "/" + stem(input) + "-" + std::to_string(linked_.size()) + ".o";
  }

  int link() {
    const Toolchain &tools = s_.tools.tools;
    std::vector<std::string> files;
    for (const std::string &word : linked_)
      if (isFile(word))
        files.push_back(word);
    if (!s_.dryRun)
      for (const std::string &object : deviceLibraries(files)) {
        linked_.push_back(tools.libs + "/" + object);
        files.push_back(linked_.back());
      }
    if (!s_.dryRun && checkDeviceCode(tools, files, s_.cuda.architectures.main().number) != 0)
      return ExitCompile;
    Unfinished unfinished(programName());
    Command words = fastLinker(tools);
    append(words, {"-o", programName()});
    if (o_.has(FOpt::Shared))
      words.push_back("-shared");
    if (o_.has(FOpt::OpenMp) || o_.has(FOpt::OpenMpToo))
      words.push_back("-fopenmp");
    append(words, memoryWords());
    for (const std::string &list : o_.values(FOpt::LinkerWords))
      words.push_back("-Wl," + list);
    for (const std::string &folder : o_.values(FOpt::LibraryFolder))
      words.push_back("-L" + folder);
    append(words, linked_);
    append(words, sanitizerFlags());
    words.push_back("-L" + tools.libs);
    append(words, cudaLibraries(o_));
    append(words, {"-lheddle_fortran", s_.tools.runtime, "-lcudart", "-lquadmath", "-lm",
                   "-lpthread", "-ldl"});
    Command command = {tools.clangxx};
    append(command, prepareHostLink(tools, words, /*isClang=*/true));
    if (s_.verbose)
      printErrors(quoteCommand(command) + "\n");
    return s_.dryRun ? 0 : runHostLinker(command) == 0 ? 0 : ExitCompile;
  }

  /// What the runtime (lib/fortran) is told of memory: in managed.cpp, and by the symbols of
  /// entry.h.
  Command memoryWords() {
    Command words;
    if (s_.gpu.isManaged)
      for (const char *name : {"malloc", "calloc", "realloc", "free"})
        words.push_back(std::string("-Wl,--wrap=") + name);
    if (s_.gpu.isUnified)
      words.push_back("-Wl,--defsym=heddleFortranUnified=1");
    if (s_.gpu.zeroesMemory)
      words.push_back("-Wl,--defsym=heddleFortranZeroes=1");
    return words;
  }

  const FortranSettings &s_;
  const FortranOptions &o_;
  std::vector<std::string> linked_;
  TemporaryDirectory temporary_;
};

std::string versionText() {
  return "nvfortran (heddle " HEDDLE_VERSION
         ") CUDA Fortran for CPUs, on Flang 22\nThe release of nvfortran whose options and macros "
         "are followed: 25.1\n";
}

/// The settings of nvcc that the words for device code stand for.
Result<Settings> settleCuda(const GpuWords &gpu, const Toolchain &tools) {
  std::vector<std::string> words = gpu.nvcc;
  words.push_back("-rdc=true");
  Result<Options> options = parseOptions(words);
  if (!options)
    return Failure{options.error()};
  return settle(std::move(*options), tools);
}

int compileAndLink(FortranOptions options) {
  GpuWords gpu = readGpuWords(options);
  Result<FortranTools> tools = findFortranTools();
  if (!tools)
    return fatal(tools.error());
  Result<Settings> cuda = settleCuda(gpu, tools->tools);
  if (!cuda)
    return fatal(cuda.error());
  bool dryRun = options.has(FOpt::DryRun) || options.has(FOpt::DryRunToo);
  bool verbose = dryRun || options.has(FOpt::Verbose);
  FortranSettings settings{std::move(options), std::move(*tools), std::move(gpu),
                           std::move(*cuda),   verbose,           dryRun};
  return Phases(settings).run();
}

} // namespace

int runFc(const std::vector<std::string> &arguments) {
  Result<FortranOptions> options = parseFortranOptions(arguments);
  if (!options)
    return fatal(options.error());
  bool isOfWords = options->has(FOpt::MCuda) || options->has(FOpt::Cuda) || options->has(FOpt::Gpu);
  for (auto [shown, again, text] :
       {std::tuple{FOpt::Version, FOpt::VersionToo, versionText()},
        std::tuple{FOpt::Help, FOpt::HelpToo, isOfWords ? gpuWordsHelp() : fortranHelp()}})
    if (options->has(shown) || options->has(again)) {
      std::fputs(text.c_str(), stdout);
      return 0;
    }
  return compileAndLink(std::move(*options));
}

} // namespace heddle::tool
