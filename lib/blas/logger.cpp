// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/logger.h"

#include <cublas_api.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#define HEDDLE_EXPORT __attribute__((visibility("default")))

namespace {

struct Logger {
  Logger() {
    const char *wanted = std::getenv("CUBLAS_LOGINFO_DBG");
    const char *place = std::getenv("CUBLAS_LOGDEST_DBG");
    if (wanted && std::strcmp(wanted, "1") == 0 && place)
      configure(true, std::strcmp(place, "stdout") == 0, std::strcmp(place, "stderr") == 0, place);
  }

  /// Returns false if the file cannot be opened.
  bool configure(bool on, bool toStdout, bool toStderr, const char *fileName) {
    std::lock_guard lock(mutex);
    if (file)
      std::fclose(file);
    file = nullptr;
    out = toStdout;
    err = toStderr;
    isOn = on;
    bool isName = fileName && *fileName && std::strcmp(fileName, "stdout") != 0 &&
                  std::strcmp(fileName, "stderr") != 0;
    if (on && isName)
      file = std::fopen(fileName, "w");
    return !(on && isName) || file;
  }

  void write(const std::string &line) {
    std::lock_guard lock(mutex);
    if (callback)
      callback(line.c_str());
    for (std::FILE *place : {file, out ? stdout : nullptr, err ? stderr : nullptr})
      if (place)
        std::fputs(line.c_str(), place), std::fflush(place);
  }

  std::mutex mutex;
  std::atomic<bool> isOn{false};
  std::FILE *file = nullptr;
  bool out = false, err = false;
  cublasLogCallback callback = nullptr;
};

Logger &logger() {
  static Logger *one =
      new Logger; // for the life of the process: other static objects may log at its end
  return *one;
}

} // namespace

void heddle::blas::log(const char *function, const void *handle) {
  if (!logger().isOn)
    return;
  char line[128];
  std::snprintf(line, sizeof line, "I! cuBLAS (v%d.%d) function %s called: handle=%p\n",
                CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, function, handle);
  logger().write(line);
}

extern "C" {

HEDDLE_EXPORT cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr,
                                                   const char *logFileName) {
  bool done = logger().configure(logIsOn, logToStdOut, logToStdErr, logFileName);
  return done ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

HEDDLE_EXPORT cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback) {
  std::lock_guard lock(logger().mutex);
  logger().callback = userCallback;
  logger().isOn = logger().isOn || userCallback;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback) {
  if (!userCallback)
    return CUBLAS_STATUS_INVALID_VALUE;
  std::lock_guard lock(logger().mutex);
  *userCallback = logger().callback;
  return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
