// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle run`: compile into the cache, then become the program.
//
// The cache (base/cache/object_cache.h) holds two kinds of entries. A manifest, named by the source's
// path, the options and the versions of the tools, lists the files that the compilation read, with
// size, time and hash. A program is named by the manifest's name and the hashes of those files. So
// a source that changes back finds its old program, and a header that changes is noticed. A file
// whose size and time are as listed is not read again: a warm start costs a few hundred calls of
// stat and one exec.
#include "tool/run/run.h"
#include "base/cache/object_cache.h"
#include "base/cache/version.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/compile/dependencies.h"
#include "tool/fortran/fc.h"
#include "tool/fortran/fortran_unit.h"
#include "tool/options/options.h"
#include "tool/run/check.h"
#include "tool/tools/files.h"
#include "tool/tools/interrupts.h"
#include "tool/tools/toolchain.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::tool {

namespace {

constexpr std::string_view ManifestEnd = "end of manifest";

/// A file that a compilation read.
struct Dependency {
  uint64_t size = 0;
  int64_t time = 0; ///< of the last change, in nanoseconds
  std::string hash;
  std::string path;
};

struct Request {
  Toolchain tools;
  std::vector<std::string> options; ///< of the compiler
  std::string file;
  std::vector<std::string> arguments; ///< of the program
  /// Of `heddle check`, where --check asks for it.
  std::optional<std::vector<std::string>> check;
};

bool statFile(const std::string &path, Dependency &file) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return false;
  file.size = static_cast<uint64_t>(info.st_size);
  file.time = info.st_mtim.tv_sec * 1000000000ll + info.st_mtim.tv_nsec;
  return true;
}

std::string stamp(const std::string &path) {
  Dependency file;
  return statFile(path, file) ? std::to_string(file.size) + "@" + std::to_string(file.time) : "-";
}

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Hash128 manifestKey(const Request &request) {
  std::string words;
  for (const std::string &word : request.options)
    words += word + '\0';
  for (const char *name : {"HEDDLE_CUDA_VERSION", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS",
                           "CPATH", "CPLUS_INCLUDE_PATH"})
    words += environment(name) + '\0';
  return hashOf({"heddle run", compilerVersion(), stamp(request.tools.program),
                 stamp(request.tools.libs + "/libcudart_static.a"), stamp(request.tools.clang),
                 stamp(request.tools.cuda), stamp(request.tools.plugin),
                 stamp(request.tools.root + "/bin/heddle-flang"),
                 stamp(request.tools.root + "/bin/heddle-fortran"),
                 stamp(request.tools.libs + "/libheddle_fortran.a"), request.tools.root,
                 absolutePath(request.file), absolutePath("."), words});
}

/// Fills in the hash. False when the file is gone.
bool hashFile(Dependency &file) {
  Result<std::string> text = readFile(file.path);
  if (!text || !statFile(file.path, file))
    return false;
  file.hash = hashOf({*text}).text();
  return true;
}

std::vector<Dependency> parseManifest(const std::string &text) {
  std::vector<Dependency> files;
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line) && line != ManifestEnd) {
    std::istringstream fields(line);
    Dependency file;
    fields >> file.size >> file.time >> file.hash;
    fields.get();
    std::getline(fields, file.path);
    files.push_back(std::move(file));
  }
  return files;
}

std::string formatManifest(const std::vector<Dependency> &files) {
  std::string text;
  for (const Dependency &file : files)
    text += std::to_string(file.size) + " " + std::to_string(file.time) + " " + file.hash + " " +
            file.path + "\n";
  return text + std::string(ManifestEnd) + "\n";
}

/// Brings the list up to date. False when a file is gone; `changed` when the manifest must be
/// rewritten.
bool refresh(std::vector<Dependency> &files, bool &changed) {
  for (Dependency &file : files) {
    Dependency now;
    if (!statFile(file.path, now))
      return false;
    if (now.size == file.size && now.time == file.time)
      continue;
    changed = true;
    if (!hashFile(file))
      return false;
  }
  return true;
}

Hash128 programKey(const Hash128 &manifest, const std::vector<Dependency> &files) {
  std::string hashes;
  for (const Dependency &file : files)
    hashes += file.path + '\0' + file.hash;
  return hashOf({"heddle program", manifest.text(), hashes});
}

std::span<const uint8_t> bytes(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// The cached program, if it is there and up to date.
std::string findCached(const Hash128 &key) {
  std::optional<std::string> manifest = objectCache().lookup(key);
  Result<std::string> text = manifest ? readFile(*manifest) : Result<std::string>(Failure{""});
  if (!text)
    return "";
  std::vector<Dependency> files = parseManifest(*text);
  bool changed = false;
  if (!refresh(files, changed))
    return "";
  std::optional<std::string> program = objectCache().lookup(programKey(key, files));
  if (program && changed)
    (void)objectCache().store(key, bytes(formatManifest(files)));
  return program.value_or("");
}

/// The files that a compilation read: what the depfile says, or the file alone for an object.
/// `isWhole`: all of them could be read again, and a manifest can name them. Neither rules of make nor
/// manifests hold line breaks in names.
std::vector<Dependency> readDependencies(const std::string &path, const std::string &source,
                                         bool &isWhole) {
  Result<std::string> rule = readFile(path);
  std::vector<std::string> names = rule ? parseDependencies(*rule) : std::vector{source};
  std::vector<Dependency> files;
  isWhole = true;
  for (const std::string &name : names) {
    Dependency file;
    file.path = absolutePath(name);
    isWhole &= hashFile(file) && file.path.find('\n') == file.path.npos;
    files.push_back(std::move(file));
  }
  return files;
}

/// Compiles and stores. The program's path, or empty after a diagnostic, with `code` set.
std::string compileProgram(const Request &request, const Hash128 &key, int &code) {
  TemporaryDirectory temporary;
  Result<std::string> folder = temporary.path();
  if (!folder) {
    code = fatal(folder.error());
    return "";
  }
  std::string program = *folder + "/program", rule = *folder + "/program.d";
  std::vector<std::string> words = request.options;
  if (isFortranSource(request.file)) {
    words.insert(words.end(), {"-module", *folder, "-MF", rule, "-o", program, request.file});
    code = runFc(words);
  } else {
    words.insert(words.end(), {"-MD", "-MF", rule, "-o", program, request.file});
    code = runCc(words);
  }
  Result<std::string> text = code == 0 ? readFile(program) : Result<std::string>(Failure{""});
  if (!text)
    return "";
  bool isWhole;
  std::vector<Dependency> files = readDependencies(rule, request.file, isWhole);
  if (isWhole)
    (void)objectCache().store(key, bytes(formatManifest(files)));
  Result<std::string> stored = objectCache().store(programKey(key, files), bytes(*text));
  if (!stored)
    code = fatal(stored.error());
  return stored ? *stored : "";
}

/// Lets a program that was linked elsewhere find our shared libraries.
void addLibraryPath(const Toolchain &tools) {
  std::string old = environment("LD_LIBRARY_PATH");
  setenv("LD_LIBRARY_PATH", (old.empty() ? tools.libs : tools.libs + ":" + old).c_str(), 1);
}

int become(const std::string &program, const std::string &name,
           const std::vector<std::string> &arguments) {
  std::vector<char *> argv = {const_cast<char *>(name.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  if (objectCache().isRefused()) // said once is enough
    setenv("CUDA_CACHE_DISABLE", "1", 1);
  restoreSignals();
  fflush(nullptr);
  execv(program.c_str(), argv.data());
  return fatal("cannot run " + name + ": " + std::strerror(errno));
}

bool isProgram(const std::string &path) {
  std::string suffix = extension(path);
  bool source = isFortranSource(path);
  for (const char *known : {".cu", ".cpp", ".cc", ".cxx", ".C", ".c++", ".c", ".o", ".ptx"})
    source |= suffix == known;
  return !source && access(path.c_str(), X_OK) == 0;
}

int start(const Request &request, const std::string &program, const std::string &name) {
  if (!request.check)
    return become(program, name, request.arguments);
  return become(request.tools.program, request.tools.program,
                checkCommand(*request.check, program, name, request.arguments));
}

int run(const Request &request) {
  if (isProgram(request.file)) {
    addLibraryPath(request.tools);
    return start(request, request.file, request.file);
  }
  Hash128 key = manifestKey(request);
  std::string program = findCached(key);
  int code = 0;
  if (program.empty())
    program = compileProgram(request, key, code);
  if (program.empty())
    return code;
  std::string name = request.file.substr(0, request.file.size() - extension(request.file).size());
  return start(request, program, name);
}

/// Takes --check and --check=tools out of the words in front of the file.
std::optional<std::vector<std::string>> takeCheck(std::vector<std::string> &words) {
  size_t end = findFirstInput(words);
  for (size_t i = 0; i < end; ++i) {
    if (words[i] != "--check" && !words[i].starts_with("--check="))
      continue;
    std::vector<std::string> options;
    if (words[i].size() > 8)
      options = {"--tool", words[i].substr(8)};
    words.erase(words.begin() + static_cast<long>(i));
    return options;
  }
  return std::nullopt;
}

} // namespace

int runRun(const std::vector<std::string> &given) {
  std::vector<std::string> words = given;
  std::optional<std::vector<std::string>> check = takeCheck(words);
  size_t at = findFirstInput(words);
  if (at == words.size())
    return fatal("heddle run needs a file: heddle run [options] file.cu [--] [arguments]");
  // A program that is compiled already runs where clang is not.
  Result<Toolchain> tools = isProgram(words[at]) ? ownFolders() : findToolchain();
  if (!tools)
    return fatal(tools.error());
  Request request{
      *tools, {words.begin(), words.begin() + static_cast<long>(at)}, words[at], {}, check};
  if (!isFile(request.file))
    return fatal("Could not open input file '" + request.file + "'");
  size_t from = at + 1;
  if (from < words.size() && words[from] == "--")
    ++from;
  request.arguments.assign(words.begin() + static_cast<long>(from), words.end());
  return run(request);
}

int runDevices(const std::vector<std::string> &arguments) {
  std::string program = ownFolders().root + "/bin/heddle-devices";
  return become(program, "heddle devices", arguments);
}

} // namespace heddle::tool
