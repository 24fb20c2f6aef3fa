// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What building has given, in the cache of the compiled kernels (base/cache/object_cache), so that a
// program that was built before starts without clang and LLVM. A step's key is all that it is given
// and the compiler's version. The files that a source includes are not known before it is compiled:
// the entry has what clang asked of the file system and was answered, and is good while the answers
// are the same. A result that is no good, or that shows the time, is not kept.
#include "opencl/build_cache.h"

#include "opencl/bytes.h"
#include "opencl/program.h"

#include "base/cache/object_cache.h"
#include "base/cache/version.h"
#include "base/messages/output.h"

#include <sys/stat.h>

namespace heddle::cl {

using opencl::Compiled;
using opencl::CompileRequest;
using opencl::FileAnswer;
using opencl::FileKind;
using opencl::Linked;
using opencl::LinkRequest;
using opencl::SpecializeRequest;

namespace {

/// Of the layout of entries.
constexpr uint32_t Layout = 1;

std::span<const uint8_t> bytesIn(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

Hash128 keyOf(const char *step, const Writer &request) {
  auto setting = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string_view(value ? value : "");
  };
  return hashOf({step, bytesOf(Layout), compilerVersion(), setting("HEDDLE_CLANG"),
                 setting("HEDDLE_HOME"), request.bytes});
}

Hash128 keyOf(const CompileRequest &request) {
  Writer all;
  all.text(request.source);
  all.plain(request.headers.size());
  for (const opencl::SourceText &header : request.headers) {
    all.text(header.name);
    all.text(header.text);
  }
  for (const std::string &flag : request.flags)
    all.text(flag);
  return keyOf("opencl compile", all);
}

Hash128 keyOf(const LinkRequest &request) {
  Writer all;
  for (const std::string &module : request.modules)
    all.text(module);
  all.plain(request.isLibrary);
  all.plain(request.isDebug);
  all.plain(request.compileOptions);
  return keyOf("opencl link", all);
}

Hash128 keyOf(const SpecializeRequest &request) {
  Writer all;
  all.text(request.code);
  all.text(request.kernel);
  for (const opencl::FixedArgument &fixed : request.fixed) {
    all.number(fixed.argument);
    all.number(fixed.isImage);
    all.plain(fixed.words);
  }
  all.plain(request.isDebug);
  all.plain(request.compileOptions);
  return keyOf("opencl specialize", all);
}

bool isStillTrue(const FileAnswer &answer) {
  struct stat now;
  if (stat(answer.path.c_str(), &now) != 0)
    return answer.kind == FileKind::Absent;
  if (answer.kind != (S_ISDIR(now.st_mode) ? FileKind::Folder : FileKind::File))
    return false;
  if (!answer.isRead)
    return true;
  if (static_cast<uint64_t>(now.st_size) != answer.size)
    return false;
  if (now.st_mtim.tv_sec * 1'000'000'000ll + now.st_mtim.tv_nsec == answer.time)
    return true;
  Result<std::string> text = readWhole(answer.path);
  return text && hashOf(bytesIn(*text)) == answer.hash;
}

std::string entryOf(const Compiled &compiled) {
  Writer entry;
  entry.text(compiled.log);
  entry.text(compiled.code);
  entry.number(static_cast<uint32_t>(compiled.files.size()));
  for (const FileAnswer &file : compiled.files) {
    entry.text(file.path);
    entry.plain(file.kind);
    entry.plain(file.isRead);
    entry.plain(file.size);
    entry.plain(file.time);
    entry.plain(file.hash);
  }
  return entry.bytes;
}

std::string entryOf(const Linked &linked) {
  Writer entry;
  entry.text(linked.log);
  entry.text(writeBinary({Stage::Executable, "", linked.code, linked.kernels, linked.globalBytes}));
  return entry.bytes;
}

/// False if it is out of date.
bool read(Reader entry, Compiled &compiled) {
  compiled.log = entry.text();
  compiled.code = entry.text();
  for (uint32_t count = entry.number(); count && entry.isGood(); --count) {
    FileAnswer file;
    file.path = entry.text();
    file.kind = entry.plain<FileKind>();
    file.isRead = entry.plain<bool>();
    file.size = entry.plain<uint64_t>();
    file.time = entry.plain<int64_t>();
    file.hash = entry.plain<Hash128>();
    if (!entry.isGood() || !isStillTrue(file))
      return false;
  }
  return compiled.isGood = entry.isGood();
}

bool read(Reader entry, Linked &linked) {
  linked.log = entry.text();
  const std::string bytes = entry.text();
  Binary binary = readBinary(reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
  linked.code = std::move(binary.code);
  linked.kernels = std::move(binary.kernels);
  linked.globalBytes = binary.globalBytes;
  return linked.isGood = entry.isGood() && binary.stage != Stage::None;
}

bool mayKeep(const Compiled &compiled) { return compiled.isGood && compiled.isRepeatable; }
bool mayKeep(const Linked &linked) { return linked.isGood; }

template <typename Answer, typename Request>
Answer cached(const Request &request,
              void (*opencl::CompilerTable::*step)(const Request &, Answer &)) {
  const Hash128 key = keyOf(request);
  if (auto path = objectCache().lookup(key))
    if (auto entry = readWhole(*path))
      if (Answer known; read(Reader(*entry), known))
        return known;
  Answer made;
  const opencl::CompilerTable *table = compiler(made.log);
  if (!table)
    return made;
  (table->*step)(request, made);
  if (mayKeep(made)) // a cache that cannot be written only costs time
    objectCache().keep(key, bytesIn(entryOf(made)));
  return made;
}

} // namespace

Compiled compileSource(const CompileRequest &request) {
  return cached<Compiled>(request, &opencl::CompilerTable::compile);
}

Linked linkPrograms(const LinkRequest &request) {
  return cached<Linked>(request, &opencl::CompilerTable::link);
}

Linked specializeKernel(const SpecializeRequest &request) {
  return cached<Linked>(request, &opencl::CompilerTable::specialize);
}

} // namespace heddle::cl
