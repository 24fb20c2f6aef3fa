// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/tools/toolchain.h"
#include "tool/tools/files.h"

#include <cstdlib>
#include <filesystem>
#include <sys/auxv.h>
#include <unistd.h>

namespace heddle::tool {

namespace {

constexpr int ClangVersion = 22;

std::string startedFile() {
  char buffer[4096];
  ssize_t size = readlink("/proc/self/exe", buffer, sizeof(buffer));
  if (size > 0)
    return std::string(buffer, static_cast<size_t>(size));
  auto *started = reinterpret_cast<const char *>(getauxval(AT_EXECFN)); // there is no /proc
  return started && realpath(started, buffer) ? buffer : "";
}

/// <prefix>/bin/heddle; nvcc, a file of its own beside the toolkit's other tools, is the same.
std::string thisProgram() {
  std::string started = startedFile(), folder = directoryOf(started);
  std::error_code error;
  std::filesystem::path command = folder + "/../../../bin/heddle";
  if (folder.ends_with("/lib/heddle/bin") && std::filesystem::exists(command, error))
    return std::filesystem::canonical(command, error);
  return started;
}

std::string findClang() {
  if (const char *variable = std::getenv("HEDDLE_CLANG"))
    return findProgram(variable);
  if (std::string configured = findProgram(HEDDLE_CONFIGURED_CLANG); !configured.empty())
    return configured;
  return findProgram("clang-22");
}

/// "/usr/bin/clang-22" -> "/usr/bin/clang++-22", or clang++ in the same folder.
std::string cxxDriverOf(const std::string &clang) {
  std::string name = fileName(clang);
  if (name.starts_with("clang"))
    name.insert(5, "++");
  for (const std::string &candidate : {name, std::string("clang++")})
    if (std::string path = directoryOf(clang) + "/" + candidate; isFile(path))
      return path;
  return "";
}

/// <clang's prefix>/lib/clang/22.
std::string resourcesOf(const std::string &clang) {
  std::error_code error;
  std::filesystem::path program = std::filesystem::canonical(clang, error);
  return program.parent_path().parent_path() / "lib/clang" / std::to_string(ClangVersion);
}

} // namespace

Toolchain ownFolders() {
  Toolchain tools;
  tools.program = thisProgram();
  const char *home = std::getenv("HEDDLE_HOME");
  tools.root = home ? home : directoryOf(directoryOf(tools.program)) + "/lib/heddle";
  tools.include = tools.root + "/include";
  tools.libs = tools.root + "/lib64";
  tools.cuda = tools.root + "/bin/heddle-clang";
  tools.plugin = tools.libs + "/libheddle_clang_plugin.so";
  return tools;
}

Result<Toolchain> findToolchain() {
  Toolchain tools = ownFolders();
  if (!isDirectory(tools.include))
    return Failure{"the CUDA headers are missing: there is no folder " + tools.include};
  if (!isFile(tools.cuda))
    return Failure{"Heddle's own clang is missing: there is no " + tools.cuda +
                   "; install Heddle again"};
  tools.clang = findClang();
  if (tools.clang.empty())
    return Failure{
        "clang 22 is missing: install the package clang-22, or set HEDDLE_CLANG to its path"};
  tools.clangxx = cxxDriverOf(tools.clang);
  if (tools.clangxx.empty())
    return Failure{"there is no C++ driver (clang++) beside " + tools.clang};
  tools.resources = resourcesOf(tools.clang);
  return tools;
}

} // namespace heddle::tool
