// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libNVVM's functions, as the thin library calls them (tables.h).
#include "rtc/nvvm_program.h"
#include "rtc/tables.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <set>

namespace heddle::rtc {

namespace {

/// Handles that are valid, so that others are recognised.
struct Programs {
  std::mutex mutex;
  std::set<NvvmProgram *> all;
};

Programs &programs() {
  static Programs &all = *new Programs; // threads may still compile when the process ends
  return all;
}

NvvmProgram *find(nvvmProgram handle) {
  std::lock_guard lock(programs().mutex);
  auto *program = reinterpret_cast<NvvmProgram *>(handle);
  return programs().all.contains(program) ? program : nullptr;
}

nvvmResult addModule(nvvmProgram handle, const char *buffer, size_t size, const char *name,
                     bool isLazy) {
  NvvmProgram *program = find(handle);
  if (!program)
    return NVVM_ERROR_INVALID_PROGRAM;
  if (!buffer || !size)
    return NVVM_ERROR_INVALID_INPUT;
  program->modules.push_back({name ? name : "<unnamed>", std::string(buffer, size), isLazy});
  return NVVM_SUCCESS;
}

nvvmResult compile(nvvmProgram handle, int count, const char **options, bool makesCode) {
  NvvmProgram *program = find(handle);
  if (!program)
    return NVVM_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count > 0 && !options))
    return NVVM_ERROR_INVALID_INPUT;
  std::vector<std::string> words;
  for (int i = 0; i != count; ++i) {
    if (!options[i])
      return NVVM_ERROR_INVALID_INPUT;
    words.push_back(options[i]);
  }
  return compileProgram(*program, words, makesCode);
}

/// `zero`: it is text, and handed over with its zero.
nvvmResult sizeOf(nvvmProgram handle, std::string NvvmProgram::*bytes, size_t zero, size_t *size) {
  NvvmProgram *program = find(handle);
  if (!program)
    return NVVM_ERROR_INVALID_PROGRAM;
  if (!size)
    return NVVM_ERROR_INVALID_INPUT;
  *size = (program->*bytes).size() + zero;
  return NVVM_SUCCESS;
}

nvvmResult copy(nvvmProgram handle, std::string NvvmProgram::*bytes, size_t zero, char *to) {
  NvvmProgram *program = find(handle);
  if (!program)
    return NVVM_ERROR_INVALID_PROGRAM;
  if (!to)
    return NVVM_ERROR_INVALID_INPUT;
  std::memcpy(to, (program->*bytes).c_str(), (program->*bytes).size() + zero);
  return NVVM_SUCCESS;
}

} // namespace

nvvmResult nvvmVersion(Release, int *major, int *minor) {
  if (!major || !minor)
    return NVVM_ERROR_INVALID_INPUT;
  *major = 2;
  *minor = 0;
  return NVVM_SUCCESS;
}

nvvmResult nvvmIRVersion(Release, int *majorIR, int *minorIR, int *majorDbg, int *minorDbg) {
  if (!majorIR || !minorIR || !majorDbg || !minorDbg)
    return NVVM_ERROR_INVALID_INPUT;
  *majorIR = 2;
  *minorIR = 0;
  *majorDbg = 3;
  *minorDbg = 2;
  return NVVM_SUCCESS;
}

/// Of the IR for an architecture: from Blackwell on it is newer.
nvvmResult nvvmLLVMVersion(Release, const char *arch, int *major) {
  if (!arch || !major)
    return NVVM_ERROR_INVALID_INPUT;
  int number = 0;
  if (std::sscanf(arch, "compute_%d", &number) != 1)
    return NVVM_ERROR_INVALID_INPUT;
  *major = number >= 100 ? 20 : 7;
  return NVVM_SUCCESS;
}

nvvmResult nvvmCreateProgram(Release, nvvmProgram *handle) {
  if (!handle)
    return NVVM_ERROR_INVALID_PROGRAM;
  auto program = std::make_unique<NvvmProgram>();
  std::lock_guard lock(programs().mutex);
  programs().all.insert(program.get());
  *handle = reinterpret_cast<nvvmProgram>(program.release());
  return NVVM_SUCCESS;
}

nvvmResult nvvmDestroyProgram(Release, nvvmProgram *handle) {
  if (!handle)
    return NVVM_ERROR_INVALID_PROGRAM;
  std::lock_guard lock(programs().mutex);
  auto *program = reinterpret_cast<NvvmProgram *>(*handle);
  if (!programs().all.erase(program))
    return NVVM_ERROR_INVALID_PROGRAM;
  delete program;
  *handle = nullptr;
  return NVVM_SUCCESS;
}

nvvmResult nvvmAddModuleToProgram(Release, nvvmProgram handle, const char *buffer, size_t size,
                                  const char *name) {
  return addModule(handle, buffer, size, name, /*isLazy=*/false);
}
nvvmResult nvvmLazyAddModuleToProgram(Release, nvvmProgram handle, const char *buffer, size_t size,
                                      const char *name) {
  return addModule(handle, buffer, size, name, /*isLazy=*/true);
}

nvvmResult nvvmCompileProgram(Release, nvvmProgram handle, int count, const char **options) {
  return compile(handle, count, options, /*makesCode=*/true);
}
nvvmResult nvvmVerifyProgram(Release, nvvmProgram handle, int count, const char **options) {
  return compile(handle, count, options, /*makesCode=*/false);
}

nvvmResult nvvmGetCompiledResultSize(Release, nvvmProgram handle, size_t *size) {
  return sizeOf(handle, &NvvmProgram::result, 0, size);
}
nvvmResult nvvmGetCompiledResult(Release, nvvmProgram handle, char *result) {
  return copy(handle, &NvvmProgram::result, 0, result);
}
nvvmResult nvvmGetProgramLogSize(Release, nvvmProgram handle, size_t *size) {
  return sizeOf(handle, &NvvmProgram::log, 1, size);
}
nvvmResult nvvmGetProgramLog(Release, nvvmProgram handle, char *log) {
  return copy(handle, &NvvmProgram::log, 1, log);
}

} // namespace heddle::rtc

extern "C" __attribute__((visibility("default"))) const heddle::rtc::NvvmTable *heddleNvvmTable() {
  static constexpr heddle::rtc::NvvmTable Table = {
#define HEDDLE_NVVM(name, parameters, arguments) .name = heddle::rtc::name,
#include "heddle/nvvm_functions.inc"
#undef HEDDLE_NVVM
  };
  return &Table;
}
