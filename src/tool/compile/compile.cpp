// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles one source file to an object file.
//
// A CUDA source is compiled by clang processes that run at the same time: one makes the device
// half's bitcode (one for each architecture that makes a difference, see device_half.cpp), one the
// host half's object. The host object embeds the device image, which is ready only when the device
// half is compiled and packed. clang opens the image last, after generating all host code; so its
// standard input is a pipe, the image's name is /dev/stdin, and the two compilations overlap except
// for the end (image_input.h). Bitcode and diagnostics come back in memory files: a compilation
// leaves nothing in the file system but its outputs.
#include "tool/compile/compile.h"
#include "base/hash.h"
#include "jit/client/jit_library.h"
#include "tool/absent/absent_parts.h"
#include "tool/compile/dependencies.h"
#include "tool/compile/device_half.h"
#include "tool/compile/device_objects.h"
#include "tool/compile/host_source.h"
#include "tool/compile/image_input.h"
#include "tool/compile/precompiled_headers.h"
#include "tool/compile/resources.h"
#include "tool/compile/seen_source.h"
#include "tool/sources/diagnostics.h"
#include "tool/tools/files.h"
#include "tool/tools/host_parts.h"
#include "tool/tools/timing.h"

#include <cstdio>
#include <mutex>
#include <unistd.h>

namespace heddle::tool {

namespace {

std::string ProgramName = "heddle";

/// One diagnostic or command at a time, when several sources are compiled at once.
std::mutex &outputMutex() {
  static std::mutex mutex;
  return mutex;
}

void append(Command &command, const Command &words) {
  command.insert(command.end(), words.begin(), words.end());
}

/// What -M and -MD call the target.
std::string dependencyTarget(const Settings &s, const Unit &unit) {
  std::string fallback = unit.product == Product::Object ? unit.output : stem(unit.source) + ".o";
  return s.options.last(Opt::DependencyTarget, fallback);
}

/// Writes the make rule for -MD. `rules` are what the compilers wrote.
std::optional<Failure> writeDependencies(const Settings &s, const Unit &unit,
                                         const std::vector<std::string> &ruleFiles) {
  std::vector<std::string> files;
  for (const std::string &path : ruleFiles) {
    Result<std::string> rule = readFile(path);
    if (!rule)
      return Failure{rule.error()};
    mergeDependencies(files, parseDependencies(*rule));
  }
  return writeFile(
      dependencyFile(s, unit),
      formatDependencies(dependencyTarget(s, unit), files, s.options.has(Opt::DependencyPhony)));
}

Command dependencyFlags(const Settings &s, const std::string &file) {
  return {s.options.has(Opt::DependenciesToo) ? "-MD" : "-MMD", "-MF", file};
}

/// The compilation of one CUDA source.
class CudaCompilation {
public:
  CudaCompilation(const Settings &settings, const Unit &unit)
      : s_(settings), unit_(unit), source_(unit.source), headers_(settings, unit.source) {}

  int run() {
    if (!s_.dryRun)
      if (auto failure = source_.read())
        return fatal(failure->message);
    if (unit_.product == Product::Preprocessed || unit_.product == Product::Dependencies)
      return runHostOnly();
    bool withHost = unit_.product == Product::Object || isText();
    if (auto failure = withHost && !s_.dryRun ? nameImage() : std::nullopt)
      return fatal(failure->message);
    Command host = hostCommand();
    for (const Architecture &arch : s_.architectures.all)
      showCommand(s_, deviceCommand(arch, "-c"));
    if (withHost)
      showCommand(s_, host);
    if (s_.dryRun)
      return 0;
    int code;
    do
      code = withHost ? runBoth(hostCommand()) : runDeviceOnly();
    while (code == Again);
    if (code != 0 && !unit_.output.empty())
      removeRegularFile(unit_.output);
    return code;
  }

private:
  /// The host half is made as assembly text.
  bool isText() const {
    return unit_.product == Product::Assembly || unit_.product == Product::HostSource;
  }

  Command base(const Command &sideFlags) const {
    Command command = {s_.tools.cuda};
    append(command, s_.cudaFlags);
    if (s_.relocatable)
      command.push_back("-cuid=" + unitNumber());
    append(command, source_.flags());
    append(command, sideFlags);
    return command;
  }

  /// Tells static names of objects apart, which may be of one source under other macros.
  std::string unitNumber() const {
    std::string flags;
    for (const std::string &flag : s_.cudaFlags)
      flags += flag + '\0';
    return hashOf({absolutePath(unit_.source), flags}).text().substr(0, 16);
  }

  Command deviceCommand(const Architecture &arch, const char *what) {
    Command command = base(s_.deviceFlags);
    append(command, architectureFlags(arch));
    bool preprocess = std::string_view(what) == "-E";
    if (wantsDependencyFile(s_.options) && !preprocess)
      append(command, dependencyFlags(s_, ruleFile("device" + std::to_string(arch.number) +
                                                   arch.suffix + ".d")));
    if (preprocess)
      append(command, {"-E", "-w", unit_.source, "-o", "-"});
    else if (unit_.product == Product::Nothing)
      append(command, {"-fsyntax-only", unit_.source});
    else
      append(command, {"-emit-llvm", "-c", unit_.source, "-o", "-"});
    return command;
  }

  Command hostCommand() {
    Command command = base(s_.hostFlags);
    append(command, {"-D__HEDDLE_TOOLKIT__=" + literalOf(s_.tools.root), "-include",
                     "heddle/toolkit_folder.h"});
    if (s_.relocatable)
      append(command, {"-D__HEDDLE_UNIT__=" + unitName(),
                       "-D__HEDDLE_IMAGE__=" + literalOf(literalOf(imagePath_)), "-include",
                       "heddle/register_linked.h"});
    else
      append(command, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", imagePath_});
    if (wantsDependencyFile(s_.options))
      append(command, dependencyFlags(s_, ruleFile("host.d")));
    if (unit_.product == Product::HostSource)
      append(command, hostSourceFlags(s_.options.has(Opt::Debug)));
    append(command, {isText() ? "-S" : "-c", unit_.source, "-o", unit_.output});
    return command;
  }

  /// The name of this object (device_objects.h): a source may be compiled more than once, with
  /// other options, for one program.
  std::string unitName() const {
    Hash128 hash = hashOf(
        {absolutePath(unit_.source), quoteCommand(s_.cudaFlags), quoteCommand(s_.hostFlags)});
    return std::string(UnitPrefix) + hash.text().substr(0, 16);
  }

  std::optional<Failure> nameImage() {
    Result<std::string> path = ImageInput(temporary_).path();
    if (!path)
      return Failure{path.error()};
    imagePath_ = *path;
    return {};
  }

  std::string ruleFile(const std::string &name) {
    if (s_.dryRun)
      return name;
    Result<std::string> folder = temporary_.path();
    if (!folder)
      return name;
    ruleFiles_.push_back(*folder + "/" + name);
    return ruleFiles_.back();
  }

  /// With the precompiled headers that fit, if clang sees the source as it is.
  void addHeaders(Command &command, const Command &sideFlags, const Command &more = {}) {
    if (!source_.flags().empty())
      return;
    Command common = base(sideFlags);
    append(common, more);
    append(command, headers_.flags(common));
  }

  DeviceHalf compileDeviceHalf(Timer &timer) {
    auto commandFor = [&](const Architecture &arch, const char *what) {
      Command command = deviceCommand(arch, what);
      if (std::string_view(what) == "-c")
        addHeaders(command, s_.deviceFlags, architectureFlags(arch));
      return command;
    };
    return compileDevice(s_, unit_, commandFor, timer);
  }

  int runBoth(Command hostCommand) {
    addHeaders(hostCommand, s_.hostFlags);
    Timer timer(unit_.source);
    ImageInput image(temporary_);
    if (auto failure = image.start(hostCommand))
      return fatal(failure->message);
    DeviceHalf device = compileDeviceHalf(timer);
    std::string code = device.code == 0 ? deviceCode(s_, device.images) : "";
    if (auto failure = image.write(code))
      return fatal(failure->message);
    int hostCode = image.compiler().wait();
    timer.step("clang (host)", unit_.source, unit_.output);
    int result = conclude(hostCode, image.compiler().errors(), device);
    if (result == 0 && isText())
      if (auto failure = finishText(code))
        return fatal(failure->message);
    return result;
  }

  int runDeviceOnly() {
    Timer timer(unit_.source);
    DeviceHalf device = compileDeviceHalf(timer);
    if (int code = conclude(0, "", device))
      return code;
    switch (unit_.product) {
    case Product::Nothing:
      return 0;
    case Product::Ptx:
      return writePtx(device.images.front());
    default:
      return writeOutput(s_.options.has(Opt::Fatbin) ? deviceCode(s_, device.images)
                                                     : device.images.front().bytes);
    }
  }

  int conclude(int hostCode, const std::string &hostErrors, const DeviceHalf &device) {
    std::vector<std::string> errors = {hostErrors};
    errors.insert(errors.end(), device.errors.begin(), device.errors.end());
    bool failed = hostCode != 0 || device.code != 0;
    if (failed && headers_.giveUp(errors))
      return Again;
    if (failed && source_.repair(errors))
      return Again;
    if (failed)
      errors = source_.errorsToShow(errors);
    std::string text = mergeDiagnostics(unit_.source, errors);
    if (std::string why = failed ? whyNotCompiled(s_.tools, text) : ""; !why.empty())
      return fatal(why);
    printErrors(explainAbsentHeaders(text));
    if (failed)
      return ExitCompile;
    if (wantsResources(s_.options))
      for (const DeviceImage &image : device.images)
        printErrors(resourceReport(image.bytes, image.arch, s_.maxRegisters));
    if (wantsDependencyFile(s_.options))
      if (auto failure = writeDependencies(s_, unit_, usedRuleFiles()))
        return fatal(failure->message);
    return 0;
  }

  std::vector<std::string> usedRuleFiles() {
    std::vector<std::string> files;
    for (const std::string &file : ruleFiles_)
      if (isFile(file))
        files.push_back(file);
    return files;
  }

  int writePtx(const DeviceImage &image) {
    Result<const JitLibrary *> jit = JitLibrary::open(s_.tools.libs);
    Result<std::string> ptx = jit ? (*jit)->emitPtx(image.bytes, image.arch.name(), s_.ptxHasLines)
                                  : Result<std::string>(Failure{jit.error()});
    if (!ptx)
      return fatal(ptx.error());
    return writeOutput(*ptx);
  }

  int writeOutput(const std::string &bytes) {
    if (auto failure = writeFile(unit_.output, bytes))
      return fatal(failure->message);
    return 0;
  }

  /// What clang has written is assembly text, which must not ask for an image that is gone.
  std::optional<Failure> finishText(const std::string &image) {
    bool isSource = unit_.product == Product::HostSource;
    if (!isSource && !s_.relocatable)
      return {};
    Result<std::string> text = readFile(unit_.output);
    if (!text)
      return Failure{text.error()};
    if (s_.relocatable)
      inlineImage(*text, imagePath_, image);
    return writeFile(unit_.output,
                     isSource ? sourceOfAssembly(*text, fileName(unit_.source)) : *text);
  }

  int runHostOnly() {
    Command command = base(s_.hostFlags);
    if (unit_.product == Product::Preprocessed)
      command.push_back("-E");
    else
      append(command, {s_.options.has(Opt::Dependencies) ? "-M" : "-MM", "-MQ",
                       dependencyTarget(s_, unit_)});
    command.push_back(unit_.source);
    if (!unit_.output.empty())
      append(command, {"-o", unit_.output});
    showCommand(s_, command);
    if (s_.dryRun)
      return 0;
    Result<Process> process = Process::start(command, {.captureErrors = true});
    if (!process)
      return fatal(process.error());
    int code = process->wait();
    printErrors(explainAbsentHeaders(mergeDiagnostics(unit_.source, {process->errors()})));
    return code == 0 ? 0 : ExitCompile;
  }

  const Settings &s_;
  const Unit &unit_;
  SeenSource source_;
  PrecompiledHeaders headers_;
  TemporaryDirectory temporary_;
  /// The code of a compilation that is to be done once more, with other text.
  static constexpr int Again = -1;
  std::vector<std::string> ruleFiles_;
  std::string imagePath_ = ImageInput::StandardInput;
};

/// A C or C++ source: one run of the host compiler.
int compilePlain(const Settings &s, const Unit &unit) {
  bool cxx = unit.language == Language::Cxx;
  Command command = {hostCompiler(s, cxx)};
  append(command, s.plainFlags);
  if (s.colour)
    command.push_back("-fdiagnostics-color=always"); // its errors do not go to the terminal at once
  if (cxx && s.options.has(Opt::Standard))
    command.push_back("-std=" + s.options.last(Opt::Standard));
  append(command, {"-x", cxx ? "c++" : "c"});
  // nvcc gives C to gcc, for which what C99 took out of the language is a warning.
  if (!cxx && !s.options.has(Opt::HostCompiler))
    append(command, {"-Wno-error=implicit-int", "-Wno-error=implicit-function-declaration",
                     "-Wno-error=int-conversion", "-Wno-error=incompatible-function-pointer-types",
                     "-Wno-error=incompatible-pointer-types"});
  switch (unit.product) {
  case Product::Object:
    command.push_back("-c");
    break;
  case Product::Assembly:
    command.push_back("-S");
    break;
  case Product::Preprocessed:
    command.push_back("-E");
    break;
  case Product::Dependencies:
    append(command,
           {s.options.has(Opt::Dependencies) ? "-M" : "-MM", "-MQ", dependencyTarget(s, unit)});
    break;
  case Product::Nothing:
    command.push_back("-fsyntax-only");
    break;
  case Product::HostSource:
  case Product::Ptx:
  case Product::Image:
    return 0; // nvcc, too, passes over sources without device code
  }
  if (wantsDependencyFile(s.options)) {
    append(command, dependencyFlags(s, dependencyFile(s, unit)));
    append(command, {"-MQ", dependencyTarget(s, unit)});
    if (s.options.has(Opt::DependencyPhony))
      command.push_back("-MP");
  }
  command.push_back(unit.source);
  if (!unit.output.empty())
    append(command, {"-o", unit.output});
  showCommand(s, command);
  if (s.dryRun)
    return 0;
  Timer timer(unit.source);
  Result<Process> process = Process::start(command, {.captureErrors = true});
  if (!process)
    return fatal(process.error());
  int code = process->wait();
  bool isOurs = !s.options.has(Opt::HostCompiler);
  if (std::string why = code && isOurs ? whyNotCompiled(s.tools, process->errors()) : "";
      !why.empty())
    return fatal(why);
  printErrors(explainAbsentHeaders(process->errors()));
  timer.step("host compiler", unit.source, unit.output);
  return code == 0 ? 0 : ExitUsage;
}

} // namespace

bool wantsDependencyFile(const Options &o) {
  return o.has(Opt::DependenciesToo) || o.has(Opt::UserDependenciesToo);
}

std::string dependencyFile(const Settings &s, const Unit &unit) {
  std::string base =
      unit.output.empty() ? stem(unit.source) : directoryOf(unit.output) + "/" + stem(unit.output);
  if (base.starts_with("./"))
    base.erase(0, 2);
  return s.options.last(Opt::DependencyOutput, base + ".d");
}

int compileUnit(const Settings &settings, const Unit &unit) {
  if (unit.language != Language::Cuda)
    return compilePlain(settings, unit);
  return CudaCompilation(settings, unit).run();
}

void printErrors(const std::string &text) {
  std::lock_guard lock(outputMutex());
  fwrite(text.data(), 1, text.size(), stderr);
}

void showCommand(const Settings &s, const Command &command) {
  if (s.verbose)
    printErrors("#$ " + quoteCommand(command, true) + "\n");
}

int fatal(const std::string &message) {
  printErrors(ProgramName + " fatal   : " + message + "\n");
  return ExitUsage;
}

void setProgramName(const std::string &name) { ProgramName = name; }

} // namespace heddle::tool
