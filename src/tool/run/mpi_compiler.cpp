// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/compile/compile.h"
#include "tool/run/run.h"
#include "tool/tools/files.h"
#include "tool/tools/mpi.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace heddle::tool {

namespace {

constexpr const char *FortranNames[] = {"mpif77", "mpif90", "mpifort"};

bool isFortran(const std::string &name) {
  return std::find(std::begin(FortranNames), std::end(FortranNames), name) !=
         std::end(FortranNames);
}

/// The first of that name in PATH that is not this program.
std::string findSystems(const std::string &name, const std::string &program) {
  const char *path = std::getenv("PATH");
  std::string folders = path ? path : "";
  std::error_code error;
  for (size_t begin = 0; begin <= folders.size();) {
    size_t end = std::min(folders.find(':', begin), folders.size());
    std::string file = folders.substr(begin, end - begin) + "/" + name;
    if (access(file.c_str(), X_OK) == 0 && !std::filesystem::equivalent(file, program, error))
      return file;
    begin = end + 1;
  }
  return "";
}

/// Whether the words end before the link.
bool stopsEarly(const std::string &word) {
  for (const char *stop : {"-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"})
    if (word == stop)
      return true;
  return word.find("showme:") != word.npos && word.find("showme:link") == word.npos;
}

} // namespace

int runMpiCompiler(const std::string &name, const std::vector<std::string> &arguments) {
  Toolchain tools = ownFolders();
  std::string systems = findSystems(name, tools.program);
  if (systems.empty()) {
    return fatal("there is no other " + name +
                 " in PATH, which it calls: install an MPI library "
                 "(Debian's package libopenmpi-dev)");
  }
  Command words = {systems};
  if (isFortran(name)) { // whose link adds the library (link/host_link.cpp)
    for (const char *variable : {"OMPI_FC", "MPICH_FC"})
      setenv(variable, (tools.root + "/bin/nvfortran").c_str(), /*overwrite=*/0);
    // gfortran finds mpif.h by itself.
    Command headers = mpiHeaderWords(findSystems("mpicc", tools.program));
    words.insert(words.end(), headers.begin(), headers.end());
  } else if (Command library = mpiLibrary(tools); !library.empty() && isOpenMpis(systems)) {
    words.push_back(mpiHeaders(tools));
    if (std::none_of(arguments.begin(), arguments.end(), stopsEarly))
      words.insert(words.end(), library.begin(), library.end());
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(systems.c_str(), pointers.data());
  return fatal(systems + " cannot be started");
}

} // namespace heddle::tool
