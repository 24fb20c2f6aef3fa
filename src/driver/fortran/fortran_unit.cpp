// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One Fortran source becomes an object:
//
//   flang-22 -fc1     source -> FIR, with CUDA Fortran's operations; its diagnostics are what the user sees
//   heddle-fortran    FIR -> LLVM bitcode of the device half and of the host half
//   libheddle_jit     packs the device half, as it does that of CUDA C++
//   clang             host half -> object, which includes the image (from its standard input)
#include "driver/fortran/fortran_unit.h"
#include "base/module_image.h"
#include "driver/compile/compile.h"
#include "driver/tools/jit_library.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace heddle::driver {

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

std::string level(const FortranOptions &o) {
  if (o.has(FOpt::Optimise)) {
    std::string given = o.last(FOpt::Optimise);
    return "-O" + (given.empty() ? "2" : std::min<std::string>(given, "3"));
  }
  if (o.has(FOpt::Fast) || o.has(FOpt::FastSse))
    return "-O3";
  return o.has(FOpt::Debug) ? "-O0" : "-O2";
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
    std::string fir = *folder + "/unit.fir";
    device_ = *folder + "/device.bc";
    host_ = *folder + "/host.bc";
    if (int code = runTool(frontend({"-emit-fir", "-mmlir", "-mlir-print-debuginfo", "-o", fir})))
      return code;
    if (int code = runTool({s_.tools.middle, fir, "-device=" + device_, "-host=" + host_}))
      return code;
    return compileHost();
  }

private:
  /// Runs a command that talks to the user itself. nvfortran's exit code for errors in sources is 2.
  int runTool(const Command &command) {
    show(command);
    if (s_.dryRun)
      return 0;
    Result<Process> process = Process::start(command);
    if (!process)
      return fatal(process.error());
    return process->wait() == 0 ? 0 : ExitCompile;
  }

  void show(const Command &command) {
    if (s_.verbose)
      printErrors(quoteCommand(command) + "\n");
  }

  Command frontend(const Command &action) {
    Command command = {s_.tools.flang, "-fc1"};
    append(command, action);
    append(command, {"-x", "cuda"});
    addForm(command);
    addMacros(command);
    for (const std::string &folder : o_.values(FOpt::Include))
      command.push_back("-I" + folder);
    for (FOpt id : {FOpt::ModuleFolder, FOpt::ModuleFolderToo})
      for (const std::string &folder : o_.values(id))
        append(command, {"-I" + folder, "-module-dir", folder});
    command.push_back("-I" + s_.tools.modules);
    // Without optimisation the frontend leaves assignments of arrays to the host's runtime, in kernels too.
    std::string optimise = level(o_) < "-O2" ? "-O2" : level(o_);
    append(command, {optimise, "-complex-range=improved"});
    if (o_.has(FOpt::Debug))
      command.push_back("-debug-info-kind=standalone");
    std::string severity = o_.last(FOpt::Inform);
    if (severity == "severe" || severity == "fatal")
      command.push_back("-w");
    command.push_back(source_);
    return command;
  }

  void addForm(Command &command) {
    bool fixed = o_.has(FOpt::Fixed) || isFixedForm(suffix_);
    if (o_.has(FOpt::Free) || o_.has(FOpt::FreeForm))
      fixed = false;
    command.push_back(fixed ? "-ffixed-form" : "-ffree-form");
    if (o_.has(FOpt::Extend))
      command.push_back("-ffixed-line-length=132");
    if (!o_.has(FOpt::Backslash)) // nvfortran's default is the reverse of Flang's
      command.push_back("-fbackslash");
    if (o_.has(FOpt::Real8))
      append(command, {"-fdefault-real-8", "-fdefault-double-8"});
    if (o_.has(FOpt::Integer8))
      command.push_back("-fdefault-integer-8");
  }

  /// Macros that nvfortran predefines, by its user's guide.
  void addMacros(Command &command) {
    if (!isPreprocessed(o_, suffix_))
      return;
    append(command, {"-cpp", "-D_CUDA", "-D__NVCOMPILER", "-D__NVCOMPILER_LLVM__", "-D__PGI",
                     "-D__PGIC__=25", "-D__NVCOMPILER_MAJOR__=25", "-D__NVCOMPILER_MINOR__=1",
                     "-D__HEDDLE__=1"});
    for (const std::string &macro : o_.values(FOpt::Define))
      command.push_back("-D" + macro);
    for (const std::string &macro : o_.values(FOpt::Undefine))
      command.push_back("-U" + macro);
  }

  /// The packed device half; empty if there is none. Procedures and variables of modules are seen by other sources.
  Result<std::string> image() {
    if (!isFile(device_))
      return std::string();
    Result<std::string> bitcode = readFile(device_);
    Result<JitLibrary *> jit = JitLibrary::open(s_.tools.tools);
    if (!bitcode || !jit)
      return Failure{bitcode ? jit.error() : bitcode.error()};
    return (*jit)->pack(*bitcode, ImageRelocatable, DefaultFortranArchitecture, 0);
  }

  int compileHost() {
    Command command = {s_.tools.tools.clang,   "-x",    "ir",
                       "-Wno-override-module", "-fPIC", level(o_)};
    append(command, {o_.has(FOpt::Assembly) ? "-S" : "-c", host_, "-o", output_});
    show(command);
    if (s_.dryRun)
      return 0;
    Result<std::string> packed = image();
    if (!packed)
      return fatal(source_ + ": " + packed.error());
    Result<Pipe> pipe = Pipe::create();
    if (!pipe)
      return fatal(pipe.error());
    Result<Process> process = Process::start(command, {.input = pipe->read});
    close(pipe->read);
    if (!process) {
      close(pipe->write);
      return fatal(process.error());
    }
    writeAndClose(pipe->write, *packed);
    return process->wait() == 0 ? 0 : ExitCompile;
  }

  const FortranSettings &s_;
  const FortranOptions &o_;
  const std::string &source_, &output_;
  std::string suffix_, device_, host_;
  TemporaryDirectory temporary_;
};

/// Flang's runtime library, in the folder of clang's own ones.
std::string findRuntime(const std::string &flang) {
  char *real = realpath(flang.c_str(), nullptr);
  std::string root = real ? directoryOf(directoryOf(real)) : "";
  free(real);
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
  FortranTools fortran{*tools, findProgram("flang-22"), tools->root + "/bin/heddle-fortran",
                       tools->root + "/fortran", ""};
  if (fortran.flang.empty())
    return Failure{"flang-22 is not there; the package flang-22 brings it"};
  if (!isFile(fortran.middle))
    return Failure{
        "this build of Heddle has no CUDA Fortran; install flang-22, libflang-22-dev and "
        "libmlir-22-dev and build it again"};
  fortran.runtime = findRuntime(fortran.flang);
  if (fortran.runtime.empty())
    return Failure{"libflang_rt.runtime.a is not there; the package libflang-22-dev brings it"};
  return fortran;
}

int compileFortran(const FortranSettings &s, const std::string &source, const std::string &output) {
  return FortranCompilation(s, source, output).run();
}

} // namespace heddle::driver
