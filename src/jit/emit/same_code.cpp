// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/same_code.h"

#include "base/cache/object_cache.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace heddle::jit {

using namespace llvm;

namespace {

/// Null: none is wanted.
const ObjectCache *keptObjects() {
  static const ObjectCache *const kept = [] {
    const char *folder = std::getenv("HEDDLE_SAME_CODE");
    ObjectCache::Config config = ObjectCache::configFromEnvironment();
    config.directory = folder ? folder : "";
    return folder && *folder ? new ObjectCache(config) : nullptr;
  }();
  return kept;
}

} // namespace

std::optional<Hash128> keyOfCode(const Module &module, const TargetMachine &machine) {
  if (!keptObjects())
    return std::nullopt;
  std::string code;
  raw_string_ostream stream(code);
  WriteBitcodeToFile(module, stream);
  StringRef cpu = machine.getTargetCPU(), features = machine.getTargetFeatureString();
  auto level = machine.getOptLevel();
  return hashOf({code, std::string_view(cpu), std::string_view(features), bytesOf(level)});
}

std::optional<std::vector<uint8_t>> findSameCode(const std::optional<Hash128> &key) {
  auto path = key ? keptObjects()->lookup(*key) : std::nullopt;
  if (!path)
    return std::nullopt;
  auto file = MemoryBuffer::getFile(*path);
  if (!file)
    return std::nullopt;
  return std::vector<uint8_t>((*file)->getBufferStart(), (*file)->getBufferEnd());
}

void keepCode(const std::optional<Hash128> &key, const std::vector<uint8_t> &object) {
  if (key)
    (void)keptObjects()->store(*key, object);
}

} // namespace heddle::jit
