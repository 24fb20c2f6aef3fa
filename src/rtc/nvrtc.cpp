// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC's functions, as the thin libraries call them (tables.h).
#include "rtc/program.h"
#include "rtc/tables.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

namespace heddle::rtc {

namespace {

/// Handles that are valid, so that others are recognised.
struct Programs {
  std::mutex mutex;
  std::set<Program *> all;
  size_t pchHeap = 256 << 20;
};

Programs &programs() {
  static Programs &all = *new Programs; // threads may still compile when the process ends
  return all;
}

size_t pchHeap() {
  std::lock_guard lock(programs().mutex);
  return programs().pchHeap;
}

Program *find(nvrtcProgram handle) {
  std::lock_guard lock(programs().mutex);
  auto *program = reinterpret_cast<Program *>(handle);
  return programs().all.contains(program) ? program : nullptr;
}

/// Calls `body(program)`, which is given the pointers that are not null.
template <typename F, typename... Pointers>
nvrtcResult with(nvrtcProgram handle, F &&body, Pointers... given) {
  Program *program = find(handle);
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (((given == nullptr) || ...))
    return NVRTC_ERROR_INVALID_INPUT;
  return body(*program);
}

/// Text is handed over with its zero.
nvrtcResult textSize(nvrtcProgram handle, std::string Program::*text, size_t *size) {
  return with(
      handle, [&](Program &program) { return *size = (program.*text).size() + 1, NVRTC_SUCCESS; },
      size);
}

nvrtcResult copyText(nvrtcProgram handle, std::string Program::*text, char *to) {
  return with(
      handle,
      [&](Program &program) {
        std::memcpy(to, (program.*text).c_str(), (program.*text).size() + 1);
        return NVRTC_SUCCESS;
      },
      to);
}

nvrtcResult bytesSize(nvrtcProgram handle, std::string Program::*bytes, size_t *size) {
  return with(
      handle, [&](Program &program) { return *size = (program.*bytes).size(), NVRTC_SUCCESS; },
      size);
}

nvrtcResult copyBytes(nvrtcProgram handle, std::string Program::*bytes, char *to) {
  return with(
      handle,
      [&](Program &program) {
        std::memcpy(to, (program.*bytes).data(), (program.*bytes).size());
        return NVRTC_SUCCESS;
      },
      to);
}

} // namespace

nvrtcResult nvrtcVersion(Release release, int *major, int *minor) {
  if (!major || !minor)
    return NVRTC_ERROR_INVALID_INPUT;
  *major = static_cast<int>(release / 1000);
  *minor = static_cast<int>(release % 1000 / 10);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(Release release, int *count) {
  if (!count)
    return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(architecturesOf(release).size());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(Release release, int *numbers) {
  if (!numbers)
    return NVRTC_ERROR_INVALID_INPUT;
  for (unsigned number : architecturesOf(release))
    *numbers++ = static_cast<int>(number);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(Release release, nvrtcProgram *handle, const char *source,
                               const char *name, int count, const char *const *headers,
                               const char *const *includeNames) {
  if (!handle || !source || count < 0 || (count > 0 && (!headers || !includeNames)))
    return NVRTC_ERROR_INVALID_INPUT;
  auto program = std::make_unique<Program>();
  program->release = release;
  program->source = {name && *name ? name : "default_program", source};
  for (int i = 0; i != count; ++i) {
    if (!headers[i] || !includeNames[i])
      return NVRTC_ERROR_INVALID_INPUT;
    program->headers.push_back({includeNames[i], headers[i]});
  }
  std::lock_guard lock(programs().mutex);
  programs().all.insert(program.get());
  *handle = reinterpret_cast<nvrtcProgram>(program.release());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(Release, nvrtcProgram *handle) {
  if (!handle)
    return NVRTC_ERROR_INVALID_PROGRAM;
  std::lock_guard lock(programs().mutex);
  auto *program = reinterpret_cast<Program *>(*handle);
  if (!programs().all.erase(program))
    return NVRTC_ERROR_INVALID_PROGRAM;
  delete program;
  *handle = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(Release, nvrtcProgram handle, int count,
                                const char *const *options) {
  return with(handle, [&](Program &program) {
    if (count < 0 || (count > 0 && !options))
      return NVRTC_ERROR_INVALID_INPUT;
    std::vector<std::string> words;
    for (int i = 0; i != count; ++i) {
      if (!options[i])
        return NVRTC_ERROR_INVALID_INPUT;
      words.push_back(options[i]);
    }
    return compileProgram(program, words, pchHeap());
  });
}

nvrtcResult nvrtcGetPTXSize(Release, nvrtcProgram handle, size_t *size) {
  return textSize(handle, &Program::ptx, size);
}
nvrtcResult nvrtcGetPTX(Release, nvrtcProgram handle, char *ptx) {
  return copyText(handle, &Program::ptx, ptx);
}
nvrtcResult nvrtcGetCUBINSize(Release, nvrtcProgram handle, size_t *size) {
  return bytesSize(handle, &Program::cubin, size);
}
nvrtcResult nvrtcGetCUBIN(Release, nvrtcProgram handle, char *cubin) {
  return copyBytes(handle, &Program::cubin, cubin);
}
nvrtcResult nvrtcGetNVVMSize(Release, nvrtcProgram handle, size_t *size) {
  return bytesSize(handle, &Program::linkable, size);
}
nvrtcResult nvrtcGetNVVM(Release, nvrtcProgram handle, char *code) {
  return copyBytes(handle, &Program::linkable, code);
}
nvrtcResult nvrtcGetLTOIRSize(Release, nvrtcProgram handle, size_t *size) {
  return bytesSize(handle, &Program::linkable, size);
}
nvrtcResult nvrtcGetLTOIR(Release, nvrtcProgram handle, char *code) {
  return copyBytes(handle, &Program::linkable, code);
}
nvrtcResult nvrtcGetProgramLogSize(Release, nvrtcProgram handle, size_t *size) {
  return textSize(handle, &Program::log, size);
}
nvrtcResult nvrtcGetProgramLog(Release, nvrtcProgram handle, char *log) {
  return copyText(handle, &Program::log, log);
}

/// There is no code for OptiX: the option that asks for it is refused.
nvrtcResult nvrtcGetOptiXIRSize(Release, nvrtcProgram handle, size_t *size) {
  return with(handle, [&](Program &) { return *size = 0, NVRTC_SUCCESS; }, size);
}
nvrtcResult nvrtcGetOptiXIR(Release, nvrtcProgram handle, char *code) {
  return with(handle, [](Program &) { return NVRTC_SUCCESS; }, code);
}

nvrtcResult nvrtcAddNameExpression(Release, nvrtcProgram handle, const char *expression) {
  return with(
      handle,
      [&](Program &program) {
        if (program.isTried)
          return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
        program.expressions.push_back(expression);
        return NVRTC_SUCCESS;
      },
      expression);
}

nvrtcResult nvrtcGetLoweredName(Release, nvrtcProgram handle, const char *expression,
                                const char **name) {
  return with(
      handle,
      [&](Program &program) {
        if (!program.isCompiled)
          return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
        auto found = std::find(program.expressions.begin(), program.expressions.end(), expression);
        if (found == program.expressions.end())
          return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        *name = program.names[static_cast<size_t>(found - program.expressions.begin())].c_str();
        return NVRTC_SUCCESS;
      },
      expression, name);
}

// The heap bounds the precompiled header that a compilation may make; it is whole pages.
static constexpr size_t Page = 4096;
static size_t inPages(size_t bytes) { return (bytes + Page - 1) / Page * Page; }

nvrtcResult nvrtcGetPCHHeapSize(Release, size_t *size) {
  if (!size)
    return NVRTC_ERROR_INVALID_INPUT;
  *size = pchHeap();
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcSetPCHHeapSize(Release, size_t size) {
  if (size > ~size_t(0) - Page)
    return NVRTC_ERROR_INVALID_INPUT;
  std::lock_guard lock(programs().mutex);
  programs().pchHeap = inPages(size);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPCHCreateStatus(Release, nvrtcProgram handle) {
  return with(handle, [](Program &program) {
    switch (program.precompiled) {
    case cuda::Precompiled::NotTried:
      return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
    case cuda::Precompiled::Failed:
      return NVRTC_ERROR_PCH_CREATE;
    case cuda::Precompiled::TooLarge:
      return NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED;
    case cuda::Precompiled::Made:
      break;
    }
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetPCHHeapSizeRequired(Release, nvrtcProgram handle, size_t *size) {
  return with(
      handle,
      [&](Program &program) {
        if (program.precompiledBytes == 0)
          return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
        *size = inPages(program.precompiledBytes);
        return NVRTC_SUCCESS;
      },
      size);
}

nvrtcResult nvrtcSetFlowCallback(Release, nvrtcProgram handle,
                                 int (*callback)(void *payload, void *unused), void *payload) {
  return with(
      handle,
      [&](Program &program) {
        program.callback = callback;
        program.payload = payload;
        return NVRTC_SUCCESS;
      },
      callback);
}

} // namespace heddle::rtc

extern "C" __attribute__((visibility("default"))) const heddle::rtc::NvrtcTable *
heddleNvrtcTable() {
  static constexpr heddle::rtc::NvrtcTable Table = {
#define HEDDLE_NVRTC(since, until, name, parameters, arguments) .name = heddle::rtc::name,
#include "heddle/nvrtc_functions.inc"
#undef HEDDLE_NVRTC
  };
  return &Table;
}
