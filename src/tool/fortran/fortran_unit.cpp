// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One Fortran source becomes an object:
//
//   rewrite           what Flang's frontend lacks is put into the source, if it needs that (rewrite.cpp)
//   heddle-flang      source -> FIR, with CUDA Fortran's operations; its diagnostics are what the user sees
//   heddle-fortran    FIR -> LLVM bitcode of the device half and of the host half
//   libheddle_jit     packs the device half, as it does that of CUDA C++
//   clang             host half -> object, which includes the image
#include "tool/fortran/fortran_unit.h"
#include "base/image/module_image.h"
#include "jit/client/jit_library.h"
#include "tool/compile/compile.h"
#include "tool/compile/dependencies.h"
#include "tool/compile/device_half.h"
#include "tool/compile/image_input.h"
#include "tool/compile/resources.h"
#include "tool/fortran/fortran_dependencies.h"
#include "tool/fortran/rewrite.h"
#include "tool/tools/files.h"
#include "tool/tools/mpi.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <regex>
#include <unistd.h>

namespace heddle::tool {

namespace {

constexpr std::string_view Suffixes[] = {".cuf", ".CUF", ".f90", ".F90", ".f95", ".F95", ".f03",
                                         ".F03", ".f08", ".F08", ".f",   ".F",   ".for", ".FOR"};

void append(Command &command, const Command &words) {
  command.insert(command.end(), words.begin(), words.end());
}

bool isFixedForm(const std::string &suffix) {
  return suffix == ".f" || suffix == ".F" || suffix == ".for" || suffix == ".FOR";
}

/// Suffixes in capitals mean preprocessing.
bool isPreprocessed(const FortranOptions &o, const std::string &suffix) {
  return o.has(FOpt::Preprocess) || o.has(FOpt::PreprocessToo) || std::isupper(suffix[1]);
}

bool isFast(const FortranOptions &o) { return o.has(FOpt::Fast) || o.has(FOpt::FastSse); }

std::string level(const FortranOptions &o) {
  if (o.has(FOpt::Optimise)) {
    std::string given = o.last(FOpt::Optimise);
    return "-O" + (given.empty() ? "2" : std::min<std::string>(given, "3"));
  }
  if (isFast(o))
    return "-O3";
  return o.has(FOpt::Debug) ? "-O0" : "-O2";
}

bool hasWord(const FortranOptions &o, FOpt id, std::string_view word) {
  const std::vector<std::string> &words = o.values(id);
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool sumsInAnyOrder(const FortranOptions &o) {
  return (isFast(o) || o.has(FOpt::Vectors)) && !o.has(FOpt::NoVectors) && !o.has(FOpt::Ieee) &&
         !hasWord(o, FOpt::Vectors, "noassoc");
}

bool flushesDenormals(const FortranOptions &o) {
  return (isFast(o) || o.has(FOpt::Flush)) && !o.has(FOpt::NoFlush) && !o.has(FOpt::Ieee);
}

/// Kernels' names as nvfortran has them: _QMsimpleopsPincrement becomes simpleops_increment_.
std::string withUserNames(const std::string &report) {
  static const std::regex OfModule(R"(_QM([a-z0-9_]+)(?:S[a-z0-9_]+)*P([a-z0-9_]+))");
  static const std::regex External(R"(_QP([a-z0-9_]+))");
  return std::regex_replace(std::regex_replace(report, OfModule, "$1_$2_"), External, "$1_");
}

class FortranCompilation {
public:
  FortranCompilation(const FortranSettings &s, const std::string &source, const std::string &output)
      : s_(s), o_(s.options), source_(source), output_(output), suffix_(extension(source)) {}

  int run() {
    if (o_.has(FOpt::PreprocessOnly))
      return runTool(frontend({"-E", "-o", output_.empty() ? "-" : output_}));
    Result<std::string> folder = temporary_.path();
    if (!folder)
      return fatal(folder.error());
    if (int code = rewriteSource(*folder))
      return code;
    std::string fir = *folder + "/unit.fir";
    device_ = *folder + "/device.bc";
    host_ = *folder + "/host.bc";
    image_ = *folder + "/image";
    if (int code = runTool(frontend({"-emit-fir", "-mmlir", "-mlir-print-debuginfo", "-o", fir})))
      return explainFailure(code);
    if (int code = runTool(middle(fir)))
      return code;
    if (int code = o_.has(FOpt::DependencyFile) ? writeDependencies() : 0)
      return code;
    return compileHost();
  }

private:
  /// Runs a command that talks to the user itself. nvfortran's exit code for errors in sources is
  /// 2.
  int runTool(const Command &command) {
    show(command);
    if (s_.dryRun)
      return 0;
    Result<Process> process = Process::start(command);
    if (!process)
      return fatal(process.error());
    return process->wait() == 0 ? 0 : ExitCompile;
  }

  /// A make rule with the source, what it includes, and module files.
  int writeDependencies() {
    Command command = frontend({"-fdebug-dump-provenance"});
    show(command);
    if (s_.dryRun)
      return 0;
    Result<Process> process = Process::start(command, {.captureOutput = true});
    if (!process || process->wait() != 0)
      return fatal(process ? source_ + ": no dependencies" : process.error());
    std::vector<std::string> folders = {"."};
    for (FOpt id : {FOpt::Include, FOpt::ModuleFolder, FOpt::ModuleFolderToo})
      folders.insert(folders.end(), o_.values(id).begin(), o_.values(id).end());
    folders.push_back(s_.tools.modules);
    std::vector<std::string> sources = filesOfProvenance(process->output());
    sources.insert(sources.end(), included_.begin(), included_.end());
    std::vector<std::string> files = addModuleFiles(std::move(sources), folders);
    std::string rule = formatDependencies(stem(source_) + ".o", files, /*phony=*/false);
    std::optional<Failure> failure = writeFile(o_.last(FOpt::DependencyFile), rule);
    return failure ? fatal(failure->message) : 0;
  }

  void show(const Command &command) {
    if (s_.verbose)
      printErrors(quoteCommand(command) + "\n");
  }

  /// Where the source needs changes, the frontend reads another one.
  int rewriteSource(const std::string &folder) {
    Result<std::string> text = readFile(source_);
    if (!text)
      return s_.dryRun ? 0 : fatal(text.error());
    auto changed = rewriteFortran(*text, source_, fixedLength(), o_.values(FOpt::Include));
    if (!changed)
      return 0;
    read_ = folder + "/source" + suffix_;
    included_ = std::move(changed->included);
    std::optional<Failure> failure = writeFile(read_, changed->text);
    return failure ? fatal(failure->message) : 0;
  }

  Command frontend(const Command &action) {
    Command command = {s_.tools.frontend, s_.tools.intrinsics};
    if (s_.gpu.isManaged)
      command.push_back(s_.gpu.isUnified ? "-unified" : "-managed");
    append(command, action);
    if (isCuda())
      append(command, {"-x", "cuda"});
    addForm(command);
    addMacros(command);
    // Before what an MPI compiler adds: gfortran's modules of the same names.
    if (!gfortransMpi().empty() && !hasOtherMpi())
      command.push_back("-I" + s_.tools.modules + "/openmpi");
    for (const std::string &folder : o_.values(FOpt::Include))
      command.push_back("-I" + folder);
    for (FOpt id : {FOpt::ModuleFolder, FOpt::ModuleFolderToo})
      for (const std::string &folder : o_.values(id))
        append(command, {"-I" + folder, "-module-dir", folder});
    command.push_back("-I" + s_.tools.modules);
    if (!hasOtherMpi())
      command.push_back("-I" + s_.tools.modules + "/openmpi");
    // Without optimisation the frontend leaves assignments of arrays to the host's runtime, in
    // kernels too.
    std::string optimise = level(o_) < "-O2" ? "-O2" : level(o_);
    append(command, {optimise, "-complex-range=improved"});
    if (s_.cuda.compileOptions & OptionNoContract)
      command.push_back("-ffp-contract=off");
    if (hasWord(o_, FOpt::Allocatable, "95"))
      command.push_back("-fno-realloc-lhs");
    if (o_.has(FOpt::OpenMp) || o_.has(FOpt::OpenMpToo))
      command.push_back("-fopenmp");
    if (isSilent())
      command.push_back("-w");
    if (read_ != source_) // what it includes lies beside it
      command.push_back("-I" + directoryOf(source_));
    command.push_back(read_);
    return command;
  }

  /// The module file of gfortran for MPI in the folders that are searched; empty if there is none.
  std::string gfortransMpi() const {
    for (FOpt id : {FOpt::Include, FOpt::ModuleFolder, FOpt::ModuleFolderToo})
      for (const std::string &folder : o_.values(id))
        for (const char *name : {"/mpi.mod", "/mpi_f08.mod"})
          if (Result<std::string> file = readFile(folder + name);
              file && file->starts_with("\x1f\x8b")) // gzip
            return folder + name;
    return "";
  }

  /// Whether the folders of the MPI library that is used are not Open MPI's.
  bool hasOtherMpi() const {
    const std::vector<std::string> &folders = o_.values(FOpt::Include);
    return !std::all_of(folders.begin(), folders.end(), mayBeOpenMpis);
  }

  int explainFailure(int code) {
    std::string file = gfortransMpi();
    if (!file.empty() && hasOtherMpi())
      fatal(file + " is for gfortran; Heddle has modules for Open MPI only (Debian's package "
                   "libopenmpi-dev), and mpif.h works");
    else if (!file.empty() && !isFile(s_.tools.modules + "/openmpi/mpi.mod"))
      fatal(file + " is for gfortran, and Heddle has no module mpi: it was built without Open MPI "
                   "(Debian's package libopenmpi-dev)");
    return code;
  }

  /// What follows the frontend.
  Command middle(const std::string &fir) {
    Command command = {s_.tools.middle,      fir,
                       "-device=" + device_, "-host=" + host_,
                       "-image=" + image_,   "-library=" + s_.tools.modules + "/device.bc"};
    if (o_.has(FOpt::Debug))
      command.push_back("-debug-host");
    if (s_.cuda.imageFlags & ImageDebug)
      command.push_back("-debug-device");
    if (s_.gpu.isUnified)
      command.push_back("-unified");
    if (sumsInAnyOrder(o_))
      command.push_back("-any-order");
    if (flushesDenormals(o_))
      command.push_back("-flush");
    if (unsigned exceptions = trappedExceptions(o_))
      command.push_back("-traps=" + std::to_string(exceptions));
    if (hasWord(o_, FOpt::Allocatable, "03"))
      command.push_back("-reallocate");
    if (wantsLoops())
      command.push_back("-info");
    if (isSilent())
      command.push_back("-silent");
    return command;
  }

  /// Whether warnings are not told.
  bool isSilent() const {
    std::string severity = o_.last(FOpt::Inform);
    return severity == "severe" || severity == "fatal" || o_.has(FOpt::NoWarnings);
  }

  /// -Minfo alone, or with a word under which nvfortran tells of kernels.
  bool wantsLoops() {
    const std::vector<std::string> &words = o_.values(FOpt::Info);
    return std::any_of(words.begin(), words.end(), [&](const std::string &word) {
      return word == "all" || word == "accel" || (word.empty() && words.size() == 1);
    });
  }

  bool isFixed() const {
    if (o_.has(FOpt::Free) || o_.has(FOpt::FreeForm))
      return false;
    return o_.has(FOpt::Fixed) || isFixedForm(suffix_);
  }

  /// Where lines end; 0 in free form.
  size_t fixedLength() const {
    constexpr size_t Length = 72, Extended = 132;
    if (!isFixed())
      return 0;
    return o_.has(FOpt::Extend) ? Extended : Length;
  }

  void addForm(Command &command) {
    command.push_back(isFixed() ? "-ffixed-form" : "-ffree-form");
    if (o_.has(FOpt::Extend))
      command.push_back("-ffixed-line-length=132");
    if (!o_.has(FOpt::Backslash)) // nvfortran's default is the reverse of Flang's
      command.push_back("-fbackslash");
    if (o_.has(FOpt::Real8) || o_.has(FOpt::Real8Too))
      append(command, {"-fdefault-real-8", "-fdefault-double-8"});
    if (o_.has(FOpt::Integer8) || o_.has(FOpt::Integer8Too))
      command.push_back("-fdefault-integer-8");
  }

  /// Whether CUDA Fortran's words have their meaning; without it "!@cuf" begins a comment.
  bool isCuda() const {
    return suffix_ == ".cuf" || suffix_ == ".CUF" || o_.has(FOpt::Cuda) || o_.has(FOpt::MCuda);
  }

  /// Macros that nvfortran predefines, by its user's guide.
  void addMacros(Command &command) {
    if (!isPreprocessed(o_, suffix_))
      return;
    append(command, {"-cpp", "-D__NVCOMPILER", "-D__NVCOMPILER_LLVM__", "-D__PGI", "-D__PGIC__=25",
                     "-D__NVCOMPILER_MAJOR__=25", "-D__NVCOMPILER_MINOR__=1", "-D__HEDDLE__=1"});
    if (isCuda())
      command.push_back("-D_CUDA");
    for (const std::string &macro : o_.values(FOpt::Define))
      command.push_back("-D" + macro);
    for (const std::string &macro : o_.values(FOpt::Undefine))
      command.push_back("-U" + macro);
  }

  /// The packed device half; empty if there is none. Procedures and variables of modules are seen
  /// by other sources.
  Result<std::string> image() {
    if (!isFile(device_))
      return std::string();
    Result<std::string> bitcode = readFile(device_);
    Result<const JitLibrary *> jit = JitLibrary::open(s_.tools.tools.libs);
    if (!bitcode || !jit)
      return Failure{bitcode ? jit.error() : bitcode.error()};
    std::vector<DeviceImage> images;
    for (const Architecture &arch : s_.cuda.architectures.all) {
      Result<std::string> packed = (*jit)->pack(*bitcode, s_.cuda.imageFlags, arch.number,
                                                s_.cuda.compileOptions, s_.cuda.maxRegisters);
      if (!packed)
        return packed;
      images.push_back({arch, *packed});
      if (wantsResources(s_.cuda.options))
        printErrors(withUserNames(resourceReport(*packed, arch, s_.cuda.maxRegisters)));
    }
    if (auto failure = keep(*bitcode, images, **jit))
      return *failure;
    return deviceCode(s_.cuda, images);
  }

  /// Leaves what keepptx and its like ask for in the current folder, under PGI's names.
  std::optional<Failure> keep(const std::string &bitcode, const std::vector<DeviceImage> &images,
                              const JitLibrary &jit) {
    std::string name = stem(source_) + ".n001.";
    const DeviceImage &main = *std::find_if(images.begin(), images.end(), [&](const auto &image) {
      return image.arch.number == s_.cuda.architectures.main().number;
    });
    if (s_.gpu.keepsBitcode)
      if (auto failure = writeFile(name + "gpu", bitcode))
        return failure;
    if (s_.gpu.keepsImage)
      if (auto failure = writeFile(name + "bin", main.bytes))
        return failure;
    if (!s_.gpu.keepsPtx)
      return {};
    Result<std::string> ptx = jit.emitPtx(main.bytes, main.arch.name(), s_.cuda.ptxHasLines);
    if (!ptx)
      return Failure{ptx.error()};
    return writeFile(name + "ptx", *ptx);
  }

  int compileHost() {
    Command command = {s_.tools.tools.clang,
                       "-x",
                       "ir",
                       "-Wno-override-module",
                       "-fPIC",
                       level(o_),
                       "-fpass-plugin=" + s_.tools.tools.plugin};
    append(command, {o_.has(FOpt::Assembly) ? "-S" : "-c", host_, "-o", output_});
    if (trappedExceptions(o_)) // vectors divide by what a condition keeps away
      append(command, {"-fno-vectorize", "-fno-slp-vectorize"});
    if (o_.has(FOpt::Assembly))
      command.push_back("-fno-addrsig"); // GNU's assembler does not know it
    if (s_.dryRun)
      return runTool(command);
    Result<std::string> packed = image();
    if (!packed)
      return fatal(source_ + ": " + packed.error());
    if (auto failure = writeFile(image_, *packed))
      return fatal(failure->message);
    if (int code = runTool(command))
      return code;
    return o_.has(FOpt::Assembly) ? finishText(*packed) : 0;
  }

  /// Assembly text must not ask for an image that is gone.
  int finishText(const std::string &image) {
    Result<std::string> text = readFile(output_);
    if (!text)
      return fatal(text.error());
    inlineImage(*text, image_, image);
    std::optional<Failure> failure = writeFile(output_, *text);
    return failure ? fatal(failure->message) : 0;
  }

  const FortranSettings &s_;
  const FortranOptions &o_;
  const std::string &source_, &output_;
  std::string read_ = source_;        ///< what the frontend reads
  std::vector<std::string> included_; ///< files whose text is in that
  std::string suffix_, device_, host_, image_;
  TemporaryDirectory temporary_;
};

/// Where LLVM is that Flang belongs to.
std::string findRoot(const std::string &flang) {
  char *real = realpath(flang.c_str(), nullptr);
  std::string root = real ? directoryOf(directoryOf(real)) : "";
  free(real);
  return root;
}

/// Flang's runtime library, in the folder of clang's own ones.
std::string findRuntime(const std::string &root) {
  for (const char *folder : {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu", "linux"})
    if (std::string path = root + "/lib/clang/22/lib/" + folder + "/libflang_rt.runtime.a";
        isFile(path))
      return path;
  return "";
}

} // namespace

bool isFortranSource(const std::string &path) {
  std::string suffix = extension(path);
  return std::find(std::begin(Suffixes), std::end(Suffixes), suffix) != std::end(Suffixes);
}

Result<FortranTools> findFortranTools() {
  Result<Toolchain> tools = findToolchain();
  if (!tools)
    return Failure{tools.error()};
  std::string flang = findProgram("flang-22"), root = findRoot(flang);
  FortranTools fortran{.tools = *tools,
                       .flang = flang,
                       .frontend = tools->root + "/bin/heddle-flang",
                       .middle = tools->root + "/bin/heddle-fortran",
                       .modules = tools->root + "/fortran",
                       .intrinsics = root + "/include/flang",
                       .runtime = findRuntime(root)};
  if (!isFile(fortran.middle) || !isFile(fortran.frontend))
    return Failure{
        "CUDA Fortran is not there: install the package heddle-fortran, or build Heddle where "
        "flang-22, libflang-22-dev and libmlir-22-dev are installed"};
  if (fortran.flang.empty())
    return Failure{"flang-22 is not there; the package flang-22 brings it"};
  if (fortran.runtime.empty())
    return Failure{"libflang_rt.runtime.a is not there; the package libflang-22-dev brings it"};
  return fortran;
}

int compileFortran(const FortranSettings &s, const std::string &source, const std::string &output) {
  return FortranCompilation(s, source, output).run();
}

} // namespace heddle::tool
