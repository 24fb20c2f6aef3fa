// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/temporary_files.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <pthread.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace heddle {

namespace {

/// It can be written to, and has room for a few files.
bool hasRoom(const std::string &folder) {
  constexpr unsigned long Room = 1 << 20, Files = 16;
  struct statvfs status;
  return access(folder.c_str(), W_OK | X_OK) == 0 && statvfs(folder.c_str(), &status) == 0 &&
         !(status.f_flag & ST_RDONLY) && status.f_bavail >= Room / status.f_frsize &&
         (status.f_files == 0 || status.f_favail >= Files);
}

} // namespace

std::string temporaryFolder() {
  const char *variable = std::getenv("TMPDIR");
  const std::string wanted = variable && *variable ? variable : "/tmp";
  for (const std::string &folder :
       {wanted, std::string("/tmp"), std::string("/var/tmp"), std::string("/dev/shm")})
    if (hasRoom(folder))
      return folder;
  return wanted;
}

std::string pathOfDescriptor(int file) {
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  return access(path.c_str(), F_OK) == 0 ? path : "";
}

ScratchFolder::ScratchFolder() : process_(getpid()) {
  std::string pattern = temporaryFolder() + "/heddle-XXXXXX";
  if (mkdtemp(pattern.data()))
    path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  if (!path_.empty() && getpid() == process_)
    std::filesystem::remove_all(path_, error);
}

FileSizeGuard::FileSizeGuard() {
  sigset_t one, pending;
  sigemptyset(&one);
  sigaddset(&one, SIGXFSZ);
  wasPending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  pthread_sigmask(SIG_BLOCK, &one, &before_);
}

FileSizeGuard::~FileSizeGuard() {
  const int error = errno;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGXFSZ);
  constexpr timespec AtOnce = {};
  while (!wasPending_ && sigtimedwait(&one, nullptr, &AtOnce) < 0 && errno == EINTR)
    ;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

} // namespace heddle
