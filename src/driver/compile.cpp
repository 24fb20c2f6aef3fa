// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One source file becomes an object file.
//
// A CUDA source is compiled by two clang processes that run at the same time: one makes the device
// half's bitcode, one the host half's object. The host object embeds the device image, which is
// ready only when the device half is compiled and packed. clang opens the image last, when all host
// code is generated; so its standard input is a pipe, the image's name is /dev/stdin, and the two
// compilations overlap but for the end. Bitcode and diagnostics come back in memory files: a
// compilation leaves nothing in the file system but its outputs.
#include "driver/compile.h"
#include "base/hash.h"
#include "driver/dependencies.h"
#include "driver/diagnostics.h"
#include "driver/files.h"
#include "driver/jit_library.h"
#include "driver/resources.h"
#include "driver/timing.h"

#include <cstdio>
#include <mutex>
#include <unistd.h>

namespace heddle::driver {

namespace {

std::string ProgramName = "heddle";

constexpr const char *ImagePath = "/dev/stdin"; // also in include/heddle/register_linked.h

/// One diagnostic or command at a time, when several sources are compiled at once.
std::mutex &outputMutex() {
  static std::mutex mutex;
  return mutex;
}

void printErrors(const std::string &text) {
  std::lock_guard lock(outputMutex());
  fwrite(text.data(), 1, text.size(), stderr);
}

void append(Command &command, const Command &words) {
  command.insert(command.end(), words.begin(), words.end());
}

bool wantsDependencyFile(const Options &o) {
  return o.has(Opt::DependenciesToo) || o.has(Opt::UserDependenciesToo);
}

/// What -M and -MD call the target, and -MD's file.
std::string dependencyTarget(const Settings &s, const Unit &unit) {
  std::string fallback = unit.product == Product::Object ? unit.output : stem(unit.source) + ".o";
  return s.options.last(Opt::DependencyTarget, fallback);
}

std::string dependencyFile(const Settings &s, const Unit &unit) {
  std::string base =
      unit.output.empty() ? stem(unit.source) : directoryOf(unit.output) + "/" + stem(unit.output);
  if (base.starts_with("./"))
    base.erase(0, 2);
  return s.options.last(Opt::DependencyOutput, base + ".d");
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
  CudaCompilation(const Settings &settings, const Unit &unit) : s_(settings), unit_(unit) {}

  int run() {
    if (unit_.product == Product::Preprocessed || unit_.product == Product::Dependencies)
      return runHostOnly();
    bool withHost = unit_.product == Product::Object || unit_.product == Product::Assembly;
    Command device = deviceCommand(), host = hostCommand();
    showCommand(s_, device);
    if (withHost)
      showCommand(s_, host);
    if (s_.dryRun)
      return 0;
    int code = withHost ? runBoth(device, host) : runDeviceOnly(device);
    if (code != 0 && !unit_.output.empty())
      unlink(unit_.output.c_str());
    return code;
  }

private:
  Command base(const Command &sideFlags) const {
    Command command = {s_.tools.clang};
    append(command, s_.cudaFlags);
    if (s_.relocatable)
      command.push_back("-cuid=" + hashOf({absolutePath(unit_.source)}).text().substr(0, 16));
    append(command, sideFlags);
    return command;
  }

  Command deviceCommand() {
    Command command = base(s_.deviceFlags);
    if (wantsDependencyFile(s_.options))
      append(command, dependencyFlags(s_, ruleFile("device.d")));
    if (unit_.product == Product::Nothing)
      append(command, {"-fsyntax-only", unit_.source});
    else
      append(command, {"-emit-llvm", "-c", unit_.source, "-o", "-"});
    return command;
  }

  Command hostCommand() {
    Command command = base(s_.hostFlags);
    append(command, {"-D__HEDDLE_TOOLKIT__=\"" + s_.tools.root + "\"", "-include",
                     "heddle/toolkit_folder.h"});
    if (s_.relocatable)
      append(command, {"-include", "heddle/register_linked.h"});
    else
      append(command, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", ImagePath});
    if (wantsDependencyFile(s_.options))
      append(command, dependencyFlags(s_, ruleFile("host.d")));
    append(command,
           {unit_.product == Product::Assembly ? "-S" : "-c", unit_.source, "-o", unit_.output});
    return command;
  }

  std::string ruleFile(const char *name) {
    if (s_.dryRun)
      return name;
    Result<std::string> folder = temporary_.path();
    return folder ? *folder + "/" + name : name;
  }

  int runBoth(const Command &deviceCommand, const Command &hostCommand) {
    Result<Pipe> pipe = Pipe::create();
    if (!pipe)
      return fatal(pipe.error());
    Timer timer(unit_.source);
    Result<Process> device =
        Process::start(deviceCommand, {.captureOutput = true, .captureErrors = true});
    Result<Process> host =
        Process::start(hostCommand, {.input = pipe->read, .captureErrors = true});
    close(pipe->read);
    std::string image = device && host ? finishDevice(*device, timer) : "";
    writeAndClose(pipe->write, image);
    if (!device || !host)
      return fatal(device ? host.error() : device.error());
    int hostCode = host->wait();
    timer.step("clang (host)", unit_.source, unit_.output);
    return conclude(hostCode, host->errors(), image);
  }

  int runDeviceOnly(const Command &command) {
    Timer timer(unit_.source);
    Result<Process> device =
        Process::start(command, {.captureOutput = true, .captureErrors = true});
    if (!device)
      return fatal(device.error());
    std::string image = finishDevice(*device, timer);
    if (int code = conclude(0, "", image))
      return code;
    if (unit_.product == Product::Nothing)
      return 0;
    return unit_.product == Product::Ptx ? writePtx(image) : writeOutput(image);
  }

  /// The image, or empty when there is none; deviceCode_ and the messages say why.
  std::string finishDevice(Process &device, Timer &timer) {
    Result<JitLibrary *> jit = JitLibrary::open(s_.tools); // while clang is at work
    deviceCode_ = device.wait();
    deviceErrors_ = device.errors();
    timer.step("clang (device)", unit_.source, "");
    if (deviceCode_ != 0 || unit_.product == Product::Nothing)
      return "";
    keep(".bc", device.output());
    if (!jit)
      return failDevice(jit.error());
    Result<std::string> image =
        (*jit)->pack(device.output(), s_.imageFlags, s_.arch.number, s_.compileOptions);
    timer.step("pack", unit_.source, "");
    if (!image)
      return failDevice(image.error());
    keep(".image", *image);
    return *image;
  }

  std::string failDevice(const std::string &message) {
    deviceCode_ = ExitCompile;
    bool placed = message.find("error: ") != message.npos;
    deviceErrors_ += (placed ? "" : unit_.source + ": error: ") + message;
    if (!deviceErrors_.ends_with('\n'))
      deviceErrors_ += '\n';
    return "";
  }

  int conclude(int hostCode, const std::string &hostErrors, const std::string &image) {
    printErrors(mergeDiagnostics(unit_.source, hostErrors, deviceErrors_));
    if (hostCode != 0 || deviceCode_ != 0)
      return ExitCompile;
    if (unit_.product == Product::Assembly && s_.relocatable)
      if (auto failure = inlineImage(image))
        return fatal(failure->message);
    if (wantsResources(s_.options))
      printErrors(resourceReport(image, s_.arch.number));
    if (wantsDependencyFile(s_.options))
      if (auto failure = writeDependencies(s_, unit_, usedRuleFiles()))
        return fatal(failure->message);
    return 0;
  }

  std::vector<std::string> usedRuleFiles() {
    std::vector<std::string> files;
    for (const char *name : {"host.d", "device.d"})
      if (isFile(ruleFile(name)))
        files.push_back(ruleFile(name));
    return files;
  }

  int writePtx(const std::string &image) {
    Result<JitLibrary *> jit = JitLibrary::open(s_.tools);
    Result<std::string> ptx =
        jit ? (*jit)->emitPtx(image, s_.arch.number) : Result<std::string>(Failure{jit.error()});
    if (!ptx)
      return fatal(ptx.error());
    return writeOutput(*ptx);
  }

  int writeOutput(const std::string &bytes) {
    if (auto failure = writeFile(unit_.output, bytes))
      return fatal(failure->message);
    return 0;
  }

  /// Assembly text must not ask for an image that was on a pipe: puts its bytes in.
  std::optional<Failure> inlineImage(const std::string &image) {
    Result<std::string> text = readFile(unit_.output);
    if (!text)
      return Failure{text.error()};
    const std::string directive = std::string(".incbin \"") + ImagePath + "\"";
    size_t at = text->find(directive);
    if (at == text->npos)
      return {};
    std::string bytes;
    for (unsigned char byte : image)
      bytes += (bytes.empty() ? ".byte " : ",") + std::to_string(byte);
    text->replace(at, directive.size(), bytes);
    return writeFile(unit_.output, *text);
  }

  int runHostOnly() {
    Command command = base(s_.hostFlags);
    if (unit_.product == Product::Preprocessed)
      command.push_back("-E");
    else
      append(command, {s_.options.has(Opt::Dependencies) ? "-M" : "-MM", "-MT",
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
    printErrors(mergeDiagnostics(unit_.source, process->errors(), ""));
    return code == 0 ? 0 : ExitCompile;
  }

  void keep(const char *suffix, const std::string &bytes) {
    if (!unit_.keepDirectory.empty())
      (void)writeFile(unit_.keepDirectory + "/" + stem(unit_.source) + suffix, bytes);
  }

  const Settings &s_;
  const Unit &unit_;
  TemporaryDirectory temporary_;
  int deviceCode_ = 0;
  std::string deviceErrors_;
};

/// A C or C++ source: one run of the host compiler, which talks to the user itself.
int compilePlain(const Settings &s, const Unit &unit) {
  bool cxx = unit.language == Language::Cxx;
  Command command = {hostCompiler(s, cxx)};
  append(command, s.plainFlags);
  if (cxx && s.options.has(Opt::Standard))
    command.push_back("-std=" + s.options.last(Opt::Standard));
  append(command, {"-x", cxx ? "c++" : "c"});
  // nvcc gives C to gcc, for which what C99 took out of the language is a warning.
  if (!cxx && !s.options.has(Opt::HostCompiler))
    append(command,
           {"-Wno-error=implicit-int", "-Wno-error=implicit-function-declaration",
            "-Wno-error=int-conversion", "-Wno-error=incompatible-function-pointer-types"});
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
           {s.options.has(Opt::Dependencies) ? "-M" : "-MM", "-MT", dependencyTarget(s, unit)});
    break;
  case Product::Nothing:
    command.push_back("-fsyntax-only");
    break;
  case Product::Ptx:
  case Product::Image:
    return 0; // nvcc, too, passes over sources without device code
  }
  if (wantsDependencyFile(s.options)) {
    append(command, dependencyFlags(s, dependencyFile(s, unit)));
    append(command, {"-MT", dependencyTarget(s, unit)});
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
  Result<Process> process = Process::start(command);
  if (!process)
    return fatal(process.error());
  int code = process->wait();
  timer.step("host compiler", unit.source, unit.output);
  return code == 0 ? 0 : ExitUsage;
}

} // namespace

int compileUnit(const Settings &settings, const Unit &unit) {
  if (unit.language != Language::Cuda)
    return compilePlain(settings, unit);
  return CudaCompilation(settings, unit).run();
}

void showCommand(const Settings &s, const Command &command) {
  if (s.verbose)
    printErrors("#$ " + quoteCommand(command) + "\n");
}

int fatal(const std::string &message) {
  printErrors(ProgramName + " fatal   : " + message + "\n");
  return ExitUsage;
}

void setProgramName(const std::string &name) { ProgramName = name; }

} // namespace heddle::driver
