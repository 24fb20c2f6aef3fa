// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precompiled headers. Most of a small source's compilation is the reading of headers, ours and the
// standard library's, in both halves. With HEDDLE_PRECOMPILED_HEADERS=FOLDER what is in front of a
// source's own code, cuda_runtime.h and then what its first lines include, is compiled once and
// kept in FOLDER for other sources that begin alike. nvcc has nothing of the kind, so it is not
// done unasked.
//
//     #include "support.h"        clang ... -Xclang -emit-pch FOLDER/<hash>.h -o FOLDER/<hash>.pch
//     #include <algorithm>    ->  clang ... -include-pch FOLDER/<hash>.pch ...
//
// The source is compiled as it is: its #include lines find headers that have been read, and their
// guards skip them. So a header without a guard that is included first is read twice, which is what
// clang refuses mostly. A compilation that fails with precompiled headers is done again without,
// and its messages are those that count.
//
// Making them costs more than it saves once. Of the sequences of headers that a source begins with,
// from all to none, the longest one that another compilation has begun with gets its precompiled
// header; a file without content marks those that were met once.
//
// What they are found by is a hash of clang's command, of what it takes from the environment, of
// the folder of the source and of the current one. clang itself looks at the size and time of each
// header that went in, the system's too, and refuses what is old; that file is removed then. What
// neither sees: a new header in a folder that is searched before the one where a header was found.
//
// Not with -rdc=true, where clang's command names the source, nor with lists of dependencies,
// -include, or a source that clang sees other than it is (seen_source.h). Headers that do not
// compile alone are marked (.refused).
#include "tool/compile/precompiled_headers.h"
#include "base/cache/cache_files.h"
#include "base/hash.h"
#include "base/source/source_text.h"
#include "tool/tools/files.h"
#include "tool/tools/interrupts.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::tool {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t MostBytes = uint64_t(1) << 30; ///< of all files; the oldest go first

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string stamp(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return "-";
  return std::to_string(info.st_size) + "@" +
         std::to_string(info.st_mtim.tv_sec * 1000000000ll + info.st_mtim.tv_nsec);
}

bool mayUse(const std::string &folder) {
  return makeDirectories(folder) && lookAtFolder(folder).problem.empty();
}

/// Appears whole, and stays as it is when it is there: clang compares its time.
bool writeOnce(const std::string &path, const std::string &text) {
  if (isFile(path))
    return true;
  std::string temporary = path + "." + std::to_string(getpid());
  Unfinished unfinished(temporary);
  bool ok = !writeFile(temporary, text) &&
            (link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST);
  unlink(temporary.c_str());
  return ok;
}

void removeOldest(const std::string &folder) {
  struct File {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".pch")
      continue;
    files.push_back({entry.last_write_time(error), entry.file_size(error), entry.path()});
    total += files.back().bytes;
  }
  std::sort(files.begin(), files.end(),
            [](const File &a, const File &b) { return a.used < b.used; });
  for (const File &file : files) {
    if (total <= MostBytes)
      return;
    fs::remove(file.path, error);
    total -= file.bytes;
  }
}

/// Compiles `header` to `path`, which appears whole.
bool precompile(Command command, const std::string &header, const std::string &path) {
  std::string temporary = path + "." + std::to_string(getpid());
  Unfinished unfinished(temporary);
  command.insert(command.end(),
                 {"-w", "-emit-llvm", "-c", "-Xclang", "-emit-pch", header, "-o", temporary});
  Result<Process> process = Process::start(command, {.captureOutput = true, .captureErrors = true});
  bool ok = process && process->wait() == 0 && rename(temporary.c_str(), path.c_str()) == 0;
  if (!ok)
    unlink(temporary.c_str());
  return ok;
}

} // namespace

std::vector<std::string> leadingHeaders(std::string_view text) {
  constexpr std::string_view Include = "include";
  std::vector<std::string> headers;
  for (size_t at = skipBlanks(text, 0); at < text.size() && text[at] == '#';
       at = skipBlanks(text, at)) {
    at = text.find_first_not_of(" \t", at + 1);
    if (at == text.npos || text.substr(at, Include.size()) != Include)
      break;
    at = text.find_first_not_of(" \t", at + Include.size());
    if (at == text.npos || (text[at] != '<' && text[at] != '"'))
      break; // a macro
    size_t end = text.find_first_of(text[at] == '<' ? ">\n" : "\"\n", at + 1);
    if (end == text.npos || text[end] == '\n')
      break;
    headers.emplace_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return headers;
}

PrecompiledHeaders::PrecompiledHeaders(const Settings &s, std::string source)
    : folder_(environment("HEDDLE_PRECOMPILED_HEADERS")), source_(std::move(source)) {
  if (s.relocatable || s.readsStandardInput || s.dryRun || s.options.has(Opt::PreInclude) ||
      s.options.has(Opt::DependenciesToo) || s.options.has(Opt::UserDependenciesToo))
    folder_.clear();
  if (folder_.empty())
    return;
  folder_ = absolutePath(folder_);
  Result<std::string> text = readFile(source_);
  if (!text || !mayUse(folder_)) {
    folder_.clear();
    return;
  }
  headers_ = leadingHeaders(*text);
  clang_ = stamp(s.tools.cuda);
}

Command PrecompiledHeaders::flags(const Command &command) {
  if (folder_.empty())
    return {};
  std::string variables;
  for (const char *name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    variables += environment(name) + '\0';
  // Names in quotes are looked for beside the source, as clang does for the source itself.
  Command making = command;
  making.insert(making.end(),
                {"-Xclang", "-fmodules-validate-system-headers", "-iquote", directoryOf(source_)});
  for (size_t count = headers_.size() + 1; count-- > 0;) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += "#include " + headers_[i] + "\n";
    Hash128 key = hashOf({text, quoteCommand(making), variables, absolutePath("."), clang_});
    std::string base = folder_ + "/" + key.text();
    std::string header = base + ".h", result = base + ".pch", refused = base + ".refused";
    if (!isFile(result)) {
      bool isMet = isFile(header); // by another compilation
      if (!writeOnce(header, text) || !isMet || isFile(refused))
        continue;
      if (!precompile(making, header, result)) {
        (void)writeFile(refused, "");
        continue;
      }
      removeOldest(folder_);
    }
    utimensat(AT_FDCWD, result.c_str(), nullptr, 0); // used now
    used_.push_back(result);
    return {"-include-pch", result, "-Xclang", "-fmodules-validate-system-headers"};
  }
  return {};
}

bool PrecompiledHeaders::giveUp(const std::vector<std::string> &errors) {
  if (used_.empty())
    return false;
  for (const std::string &text : errors)
    if (text.find(" precompiled ") != text.npos) // old, or damaged
      for (const std::string &path : used_)
        unlink(path.c_str());
  used_.clear();
  folder_.clear();
  return true;
}

} // namespace heddle::tool
