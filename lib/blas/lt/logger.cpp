// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/lt/logger.h"

#include "blas/status.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

#define HEDDLE_EXPORT __attribute__((visibility("default")))

namespace {

/// Levels ("cublasLtLoggerSetLevel()"): each has those below it. The bit of a mask is 1 << (level -
/// 1).
enum Level { Off = 0, Error = 1, Trace = 2, Highest = 5 };

struct Logger {
  Logger() {
    auto number = [](const char *name) {
      const char *value = std::getenv(name);
      return value ? std::atoi(value) : 0;
    };
    int level = number("CUBLASLT_LOG_LEVEL");
    setLevel(level >= Off && level <= Highest ? level : Off);
    mask |= number("CUBLASLT_LOG_MASK");
    const char *name = std::getenv("CUBLASLT_LOG_FILE");
    file = name && mask ? std::fopen(name, "w") : nullptr;
    isOurs = file;
    if (!file)
      file = stdout;
  }

  void setLevel(int level) { mask = (1 << level) - 1; }

  void write(Level level, const char *function, const char *message) {
    std::lock_guard lock(mutex);
    if (isDisabled || !(mask & 1 << (level - 1)))
      return;
    if (callback)
      callback(level, function, message);
    if (file) {
      std::fprintf(file, "[cublasLt][%s][%s] %s\n", level == Error ? "Error" : "Trace", function,
                   message);
      std::fflush(file);
    }
  }

  /// Closes a file that was opened by name.
  void setFile(std::FILE *other, bool ours) {
    std::lock_guard lock(mutex);
    if (file && isOurs)
      std::fclose(file);
    file = other;
    isOurs = ours;
  }

  std::mutex mutex;
  int mask = 0;
  bool isDisabled = false, isOurs = false;
  std::FILE *file = nullptr;
  cublasLtLoggerCallback_t callback = nullptr;
};

Logger &logger() {
  static Logger *one = new Logger; // for the life of the process, as cuBLAS's
  return *one;
}

} // namespace

cublasStatus_t heddle::blas::logged(const char *function, cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS)
    logger().write(Trace, function, "called");
  else
    logger().write(Error, function, statusName(status));
  return status;
}

extern "C" {

HEDDLE_EXPORT cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback) {
  std::lock_guard lock(logger().mutex);
  logger().callback = callback;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtLoggerSetFile(FILE *file) {
  logger().setFile(file, false);
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtLoggerOpenFile(const char *name) {
  std::FILE *opened = name ? std::fopen(name, "w") : nullptr;
  if (!opened)
    return CUBLAS_STATUS_INVALID_VALUE;
  logger().setFile(opened, true);
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtLoggerSetLevel(int level) {
  if (level < Off || level > Highest)
    return CUBLAS_STATUS_INVALID_VALUE;
  std::lock_guard lock(logger().mutex);
  logger().setLevel(level);
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtLoggerSetMask(int mask) {
  std::lock_guard lock(logger().mutex);
  logger().mask = mask;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtLoggerForceDisable() {
  std::lock_guard lock(logger().mutex);
  logger().isDisabled = true;
  return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
