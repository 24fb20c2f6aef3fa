// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/link.h"
#include "driver/compile.h"
#include "driver/device_objects.h"
#include "driver/files.h"
#include "driver/jit_library.h"
#include "driver/timing.h"

#include <unistd.h>

namespace heddle::driver {

namespace {

void append(Command &command, const Command &words) {
  command.insert(command.end(), words.begin(), words.end());
}

/// lld of the same version as clang links several times faster than the system's linker.
bool hasLld(const Settings &s) {
  char real[4096];
  if (!realpath(s.tools.clang.c_str(), real))
    return false;
  return isFile(directoryOf(real) + "/ld.lld");
}

void addRuntime(const Settings &s, Command &command) {
  std::string kind = s.options.last(Opt::Cudart, "static");
  command.push_back(libraryFlag(s));
  if (kind == "none")
    return;
  append(command, {"-lcudadevrt", kind == "static" ? "-lcudart_static" : "-lcudart", "-lrt",
                   "-lpthread", "-ldl"});
}

int runTool(const Settings &s, const Command &command, const char *phase,
            const std::string &output) {
  showCommand(s, command);
  if (s.dryRun)
    return 0;
  Timer timer("");
  Result<Process> process = Process::start(command);
  if (!process)
    return fatal(process.error());
  int code = process->wait();
  timer.step(phase, "", output);
  return code == 0 ? 0 : ExitUsage;
}

/// -lname in the folders of -L, as an archive.
std::string findArchive(const Settings &s, const std::string &name) {
  for (const std::string &folder : s.options.values(Opt::LibraryPath))
    if (std::string path = folder + "/lib" + name + ".a"; isFile(path))
      return path;
  return "";
}

/// Links the relocatable device code of the inputs to see that it fits together; the result is not
/// kept.
int checkDeviceLink(const Settings &s, const std::vector<std::string> &inputs) {
  std::vector<std::string> images;
  for (const std::string &input : inputs) {
    std::string path = input.starts_with("-l") ? findArchive(s, input.substr(2)) : input;
    if (path.empty())
      continue;
    Result<std::vector<std::string>> found = relocatableImages(path, s.architectures.main().number);
    if (!found)
      return fatal(found.error());
    images.insert(images.end(), found->begin(), found->end());
  }
  if (images.empty())
    return 0;
  Result<JitLibrary *> jit = JitLibrary::open(s.tools);
  Result<std::string> linked =
      jit ? (*jit)->link(images) : Result<std::string>(Failure{jit.error()});
  if (linked)
    return 0;
  std::string text = linked.error() + (linked.error().ends_with('\n') ? "" : "\n");
  (void)!write(STDERR_FILENO, text.data(), text.size());
  return ExitUsage;
}

} // namespace

std::string libraryFlag(const Settings &s) { return "-L" + s.tools.libs; }

int linkProgram(const Settings &s, const std::vector<std::string> &inputs,
                const std::string &output) {
  if (!s.dryRun && !s.options.has(Opt::NoDeviceLink))
    if (int code = checkDeviceLink(s, inputs))
      return code;
  Command command = {hostCompiler(s, true)};
  if (!s.options.has(Opt::HostCompiler) && hasLld(s))
    command.push_back("-fuse-ld=lld");
  if (s.options.has(Opt::Shared))
    command.push_back("-shared");
  if (s.options.has(Opt::RelocatableLink))
    append(command, {"-r", "-nostdlib"});
  if (s.options.has(Opt::Profile))
    command.push_back("-pg");
  append(command, {"-o", output});
  append(command, s.options.values(Opt::HostOptions));
  append(command, s.options.forwarded);
  for (const std::string &word : s.options.values(Opt::LinkerOptions))
    append(command, {"-Xlinker", word});
  for (const std::string &folder : s.options.values(Opt::LibraryPath))
    command.push_back("-L" + folder);
  append(command, inputs);
  if (!s.options.has(Opt::RelocatableLink)) {
    if (*HEDDLE_SANITIZER_FLAG) // our runtime was built with it, so the program needs its library
      command.push_back(HEDDLE_SANITIZER_FLAG);
    addRuntime(s, command);
    append(command, {"-Xlinker", "-rpath", "-Xlinker", s.tools.libs});
  }
  return runTool(s, command, "link", output);
}

int makeLibrary(const Settings &s, const std::vector<std::string> &inputs,
                const std::string &output) {
  Command command = {s.options.last(Opt::Archiver, "ar"), "rcs"};
  append(command, s.options.values(Opt::ArchiveOptions));
  command.push_back(output);
  append(command, inputs);
  if (!s.dryRun)
    unlink(output.c_str()); // ar would add to what is there
  return runTool(s, command, "archive", output);
}

int linkDevice(const Settings &s, const std::vector<std::string> &inputs,
               const std::string &output) {
  if (!s.dryRun)
    if (int code = checkDeviceLink(s, inputs))
      return code;
  return runTool(s, {s.tools.clang, "-c", "-x", "c", "/dev/null", "-o", output}, "device link",
                 output);
}

} // namespace heddle::driver
