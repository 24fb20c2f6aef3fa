// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of errors (driver API, "Error Log Management Functions"): the lines that the driver has
// written to stderr, the latest hundred. An iterator is the number of the next line.
#include "driver/log.h"

#include "driver/functions.h"
#include "driver/rooms.h"
#include "driver/state.h"

#include <cstdio>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <string>

namespace heddle::driver {

struct Listener {
  CUlogsCallback callback;
  void *data;
};

struct Log {
  std::mutex mutex;
  std::deque<std::string> lines;
  unsigned first = 0; ///< the number of the first line that is kept
  std::list<Listener> listeners;
};

namespace {

constexpr size_t Kept = 100;

/// The lines from an iterator's on, or all; it goes behind them.
std::string linesFrom(CUlogIterator *iterator, size_t room) {
  Log &log = rooms().log.get();
  std::lock_guard guard(log.mutex);
  const unsigned end = log.first + static_cast<unsigned>(log.lines.size());
  unsigned at = iterator && *iterator - log.first <= end - log.first ? *iterator : log.first;
  std::string text;
  for (; at != end && text.size() + log.lines[at - log.first].size() <= room; ++at)
    text += log.lines[at - log.first];
  if (iterator)
    *iterator = at;
  return text;
}

} // namespace

void noteInLog(std::string_view line) {
  Log &log = rooms().log.get();
  std::list<Listener> listeners;
  {
    std::lock_guard guard(log.mutex);
    log.lines.emplace_back(line);
    if (log.lines.size() > Kept) {
      log.lines.pop_front();
      ++log.first;
    }
    listeners = log.listeners;
  }
  std::string copy(line);
  HostFunctionScope scope;
  for (const Listener &listener : listeners)
    listener.callback(listener.data, CU_LOG_LEVEL_ERROR, copy.data(), copy.size());
}

CUresult cuLogsRegisterCallback(CUlogsCallback callback, void *data, CUlogsCallbackHandle *handle) {
  Log &log = rooms().log.get();
  std::lock_guard guard(log.mutex);
  log.listeners.push_back({callback, data});
  if (handle)
    *handle = reinterpret_cast<CUlogsCallbackHandle>(&log.listeners.back());
  return CUDA_SUCCESS;
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  Log &log = rooms().log.get();
  std::lock_guard guard(log.mutex);
  const size_t found = log.listeners.remove_if([&](const Listener &listener) {
    return reinterpret_cast<CUlogsCallbackHandle>(const_cast<Listener *>(&listener)) == handle;
  });
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLogsCurrent(CUlogIterator *iterator, unsigned) {
  Log &log = rooms().log.get();
  std::lock_guard guard(log.mutex);
  *iterator = log.first + static_cast<unsigned>(log.lines.size());
  return CUDA_SUCCESS;
}

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *path, unsigned) {
  FILE *file = *path ? std::fopen(path, "a") : nullptr;
  if (!file)
    return CUDA_ERROR_INVALID_VALUE;
  const std::string text = linesFrom(iterator, SIZE_MAX);
  const bool isWritten = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && isWritten ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

/// As many whole lines as there is room for; the size is that of the text without the zero behind
/// it.
CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *bytes, unsigned) {
  if (!*bytes)
    return CUDA_SUCCESS;
  const std::string text = linesFrom(iterator, *bytes - 1);
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  *bytes = text.size();
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
