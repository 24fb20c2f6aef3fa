// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/link/link.h"
#include "jit/client/jit_library.h"
#include "tool/compile/compile.h"
#include "tool/compile/device_objects.h"
#include "tool/link/host_link.h"
#include "tool/tools/files.h"
#include "tool/tools/host_parts.h"
#include "tool/tools/mpi.h"
#include "tool/tools/timing.h"

#include <unistd.h>

namespace heddle::tool {

namespace {

void append(Command &command, const Command &words) {
  command.insert(command.end(), words.begin(), words.end());
}

void addRuntime(const Settings &s, Command &command) {
  std::string kind = s.options.last(Opt::Cudart, "static");
  command.push_back(libraryFlag(s));
  if (kind == "none")
    return;
  append(command, {"-lcudadevrt", kind == "static" ? "-lcudart_static" : "-lcudart", "-lrt",
                   "-lpthread", "-ldl"});
}

/// Runs a command that talks to the user itself. Its exit code; -1 if it did not start, which is
/// told.
int runPlainly(const Command &command) {
  Result<Process> process = Process::start(command);
  if (process)
    return process->wait();
  fatal(process.error());
  return -1;
}

int runTool(const Settings &s, const Command &command, const char *phase, const std::string &output,
            int (*run)(const Command &) = runPlainly) {
  showCommand(s, command);
  if (s.dryRun)
    return 0;
  Timer timer("");
  int code = run(command);
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

/// The symbols that make the linker take the archives' members with relocatable device code, which
/// nothing else may ask for (heddle/register_linked.h).
std::vector<std::string> neededUnits(const Settings &s, const std::vector<std::string> &inputs) {
  std::vector<std::string> units;
  for (const std::string &input : inputs) {
    std::string path = input.starts_with("-l") ? findArchive(s, input.substr(2)) : input;
    if (!path.empty())
      append(units, unitsOfArchive(path));
  }
  return units;
}

int checkDeviceLink(const Settings &s, const std::vector<std::string> &inputs) {
  std::vector<std::string> paths;
  for (const std::string &input : inputs)
    paths.push_back(input.starts_with("-l") ? findArchive(s, input.substr(2)) : input);
  return checkDeviceCode(s.tools, paths, s.architectures.main().number);
}

/// What the linker gets, whoever it is: as from nvcc, files, options and libraries in one group, so
/// that archives may refer to what stands before them (Kokkos' nvcc_wrapper gives them as -Xlinker).
Command linkWords(const Settings &s, const std::vector<std::string> &inputs,
                  const std::string &output) {
  Command words;
  if (!s.options.has(Opt::HostCompiler))
    words = fastLinker(s.tools);
  if (s.options.has(Opt::Shared))
    words.push_back("-shared");
  if (s.options.has(Opt::RelocatableLink))
    append(words, {"-r", "-nostdlib"});
  if (s.options.has(Opt::Profile))
    words.push_back("-pg");
  append(words, {"-o", output});
  append(words, s.options.values(Opt::HostOptions));
  append(words, s.options.forwarded);
  for (const std::string &folder : s.options.values(Opt::LibraryPath))
    words.push_back("-L" + folder);
  for (const std::string &unit : neededUnits(s, inputs))
    append(words, {"-Xlinker", "-u", "-Xlinker", unit});
  bool isWhole = !s.options.has(Opt::RelocatableLink);
  if (isWhole)
    words.push_back("-Wl,--start-group");
  auto addInputs = [&](bool libraries) {
    for (const std::string &input : inputs)
      if (input.starts_with("-l") == libraries)
        words.push_back(input);
  };
  addInputs(false);
  for (const std::string &word : s.options.values(Opt::LinkerOptions))
    append(words, {"-Xlinker", word});
  addInputs(true);
  if (!isWhole)
    return words;
  append(words, sanitizerFlags());
  addRuntime(s, words);
  words.push_back("-Wl,--end-group");
  if (s.options.last(Opt::Cudart) != "shared") // for that one see host_link.cpp
    append(words, {"-Xlinker", "-rpath", "-Xlinker", s.tools.libs});
  return words;
}

/// Assembly text that refers to the symbols and is nothing itself.
std::string unitReferences(const std::vector<std::string> &units) {
  std::string text;
  for (const std::string &unit : units)
    text += ".hidden " + unit + "\n.quad " + unit + "\n";
  if (text.empty())
    return "";
  return ".section .data.rel.ro.heddle_units,\"aw\",@progbits\n" + text +
         ".section .note.GNU-stack,\"\",@progbits\n";
}

} // namespace

int checkDeviceCode(const Toolchain &tools, const std::vector<std::string> &paths,
                    unsigned capability) {
  std::vector<std::string> images;
  for (const std::string &path : paths) {
    if (path.empty())
      continue;
    Result<std::vector<std::string>> found = relocatableImages(path, capability);
    if (!found)
      return fatal(found.error());
    images.insert(images.end(), found->begin(), found->end());
  }
  if (images.empty())
    return 0;
  Result<const JitLibrary *> jit = JitLibrary::open(tools.libs);
  Result<std::string> linked =
      jit ? (*jit)->link(images) : Result<std::string>(Failure{jit.error()});
  if (linked)
    return 0;
  std::string text = linked.error() + (linked.error().ends_with('\n') ? "" : "\n");
  (void)!write(STDERR_FILENO, text.data(), text.size());
  return ExitUsage;
}

Command sanitizerFlags() {
  return *HEDDLE_SANITIZER_FLAG ? Command{HEDDLE_SANITIZER_FLAG} : Command();
}

std::string libraryFlag(const Settings &s) { return "-L" + s.tools.libs; }

int linkProgram(const Settings &s, const std::vector<std::string> &inputs,
                const std::string &output) {
  if (!s.dryRun && !s.options.has(Opt::NoDeviceLink))
    if (int code = checkDeviceLink(s, inputs))
      return code;
  Command words = linkWords(s, inputs, output);
  if (auto failure = refuseLink(words))
    return fatal(failure->message);
  if (s.options.has(Opt::HostCompiler)) {
    std::string linker = hostCompiler(s, true);
    bool isClang = fileName(linker).find("clang") != std::string::npos;
    if (isMpiCompiler(linker) && isOpenMpis(linker)) {
      Command library = mpiLibrary(s.tools);
      words.insert(words.begin(), library.begin(), library.end());
    }
    Command command = {linker};
    append(command, prepareHostLink(s.tools, std::move(words), isClang));
    return runTool(s, command, "link", output, runHostLinker);
  }
  Command command = {s.tools.root + "/bin/" + HostLinkName};
  append(command, words);
  return runTool(s, command, "link", output);
}

int makeLibrary(const Settings &s, const std::vector<std::string> &inputs,
                const std::string &output) {
  Command command = {s.options.last(Opt::Archiver, "ar"), "rcs"};
  append(command, s.options.values(Opt::ArchiveOptions));
  command.push_back(output);
  append(command, inputs);
  if (!s.dryRun)
    removeRegularFile(output); // ar would add to what is there
  return runTool(s, command, "archive", output);
}

int linkDevice(const Settings &s, const std::vector<std::string> &inputs,
               const std::string &output) {
  if (!s.dryRun)
    if (int code = checkDeviceLink(s, inputs))
      return code;
  TemporaryDirectory temporary;
  std::string source = "/dev/null";
  std::string text = unitReferences(neededUnits(s, inputs));
  if (!text.empty() && !s.dryRun) {
    Result<std::string> folder = temporary.path();
    if (!folder)
      return fatal(folder.error());
    source = *folder + "/units.s";
    if (auto failure = writeFile(source, text))
      return fatal(failure->message);
  }
  return runTool(
      s, {s.tools.clang, "-c", "-Wa,--noexecstack", "-x", "assembler", source, "-o", output},
      "device link", output);
}

} // namespace heddle::tool
