// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/tools/mpi.h"

#include "tool/tools/files.h"

#include <algorithm>

namespace heddle::tool {

bool isMpiCompiler(const std::string &path) {
  std::string name = fileName(path);
  for (const char *known : {"mpicc", "mpicxx", "mpic++", "mpiCC", "mpiicc", "mpiicpc", "mpiicx"})
    if (name == known || name.starts_with(std::string(known) + "."))
      return true;
  return false;
}

Command mpiHeaderWords(const std::string &compiler) {
  for (const char *question : {"--showme:compile", "-compile_info"}) {
    Result<Process> process =
        Process::start({compiler, question}, {.captureOutput = true, .captureErrors = true});
    if (!process || process->wait() != 0)
      continue;
    Command words;
    std::string text = process->output();
    for (size_t at = 0; (at = text.find_first_not_of(" \t\n", at)) != text.npos;) {
      size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
      std::string word = text.substr(at, end - at);
      if (word.starts_with("-I") || word.starts_with("-D") || word.starts_with("-isystem"))
        words.push_back(std::move(word));
      at = end;
    }
    return words;
  }
  return {};
}

bool isOpenMpis(const std::string &compiler) {
  Result<Process> process = Process::start({compiler, "--showme:version"},
                                           {.captureOutput = true, .captureErrors = true});
  return process && process->wait() == 0 && process->output().find("Open MPI") != std::string::npos;
}

bool mayBeOpenMpis(const std::string &folder) {
  Result<std::string> header = readFile(folder + "/mpi.h");
  return !header || header->find("OPEN_MPI") != std::string::npos;
}

std::string mpiHeaders(const Toolchain &tools) { return "-I" + tools.include + "/heddle/mpi"; }

Command mpiLibrary(const Toolchain &tools) {
  if (!isFile(tools.libs + "/libheddle_mpi.so"))
    return {};
  // It comes before the objects that call it, which a linker may take for not needed.
  return {"-L" + tools.libs, "-Wl,--push-state,--no-as-needed", "-lheddle_mpi", "-Wl,--pop-state",
          "-Wl,-rpath," + tools.libs};
}

} // namespace heddle::tool
