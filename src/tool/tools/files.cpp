// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/tools/files.h"

#include "base/temporary_files.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::tool {

namespace fs = std::filesystem;

namespace {

Failure systemFailure(const std::string &what) { return {what + ": " + std::strerror(errno)}; }

bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return false;
    if (written > 0)
      text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

} // namespace

Result<std::string> readDescriptor(int fd) {
  std::string text;
  char buffer[1 << 16];
  for (off_t at = 0;;) {
    ssize_t count = pread(fd, buffer, sizeof(buffer), at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemFailure("cannot read");
    if (count == 0)
      return text;
    text.append(buffer, static_cast<size_t>(count));
    at += count;
  }
}

Result<std::string> readFile(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return systemFailure(path);
  Result<std::string> text = readDescriptor(fd);
  close(fd);
  return text;
}

std::optional<Failure> writeFile(const std::string &path, std::string_view text) {
  Unfinished unfinished(path);
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return systemFailure(path);
  std::optional<Failure> failure;
  if (!writeAll(fd, text))
    failure = systemFailure(path);
  if (close(fd) != 0 && !failure)
    failure = systemFailure(path);
  if (failure)
    removeRegularFile(path);
  return failure;
}

void removeRegularFile(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
    unlink(path.c_str());
}

bool isFile(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

bool isDirectory(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::optional<Failure> refuseOverwriting(const std::vector<std::string> &inputs,
                                         const std::vector<std::string> &outputs) {
  std::map<std::pair<dev_t, ino_t>, const std::string *> known;
  struct stat info;
  for (const std::string &input : inputs)
    if (stat(input.c_str(), &info) == 0 && S_ISREG(info.st_mode))
      known.emplace(std::pair(info.st_dev, info.st_ino), &input);
  for (const std::string &output : outputs) {
    if (stat(output.c_str(), &info) != 0)
      continue;
    auto input = known.find({info.st_dev, info.st_ino});
    if (input != known.end())
      return Failure{"input file '" + *input->second + "' is the same as output file '" + output +
                     "'"};
  }
  return {};
}

bool makeDirectories(const std::string &path) {
  std::error_code error;
  fs::create_directories(path, error);
  return isDirectory(path);
}

std::string fileName(std::string_view path) {
  size_t slash = path.rfind('/');
  return std::string(slash == path.npos ? path : path.substr(slash + 1));
}

std::string directoryOf(std::string_view path) {
  size_t slash = path.rfind('/');
  if (slash == path.npos)
    return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string extension(std::string_view path) {
  std::string name = fileName(path);
  size_t dot = name.rfind('.');
  return dot == name.npos || dot == 0 ? "" : name.substr(dot);
}

std::string stem(std::string_view path) {
  std::string name = fileName(path);
  return name.substr(0, name.size() - extension(path).size());
}

std::string absolutePath(const std::string &path) {
  std::error_code error;
  fs::path result = fs::absolute(path, error);
  return error ? path : result.lexically_normal().string();
}

std::string findProgram(const std::string &name) {
  if (name.find('/') != name.npos)
    return access(name.c_str(), X_OK) == 0 ? name : "";
  const char *variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "/usr/bin:/bin";
  while (true) {
    size_t colon = rest.find(':');
    std::string candidate = std::string(rest.substr(0, colon)) + "/" + name;
    if (isFile(candidate) && access(candidate.c_str(), X_OK) == 0)
      return candidate;
    if (colon == rest.npos)
      return "";
    rest.remove_prefix(colon + 1);
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  if (!path_.empty())
    fs::remove_all(path_, error);
}

Result<std::string> TemporaryDirectory::path() {
  if (!path_.empty())
    return path_;
  std::string pattern = temporaryFolder() + "/heddle-XXXXXX";
  unfinished_.emplace([&] { return path_ = mkdtemp(pattern.data()) ? pattern : std::string(); });
  if (path_.empty())
    return systemFailure("cannot make a temporary folder " + pattern);
  return path_;
}

} // namespace heddle::tool
