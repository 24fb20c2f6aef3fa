// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft/wisdom.h"

#include "fft/fftw.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::fft {

namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string cacheFolder() {
  if (environment("CUDA_CACHE_DISABLE") == "1")
    return "";
  if (std::string path = environment("CUDA_CACHE_PATH"); !path.empty())
    return path;
  if (std::string path = environment("XDG_CACHE_HOME"); !path.empty())
    return path + "/heddle";
  if (std::string path = environment("HOME"); !path.empty())
    return path + "/.cache/heddle";
  return "";
}

/// Ours, and nobody else's to write to.
bool isPrivate(const struct stat &entry) {
  return entry.st_uid == geteuid() && !(entry.st_mode & (S_IWGRP | S_IWOTH));
}

bool isPrivateFolder(const std::string &path) {
  struct stat entry;
  return lstat(path.c_str(), &entry) == 0 && S_ISDIR(entry.st_mode) && isPrivate(entry);
}

/// The folder of wisdom, "" if there is none to be used. `make`: where it is missing.
std::string wisdomFolder(bool make) {
  std::string cache = cacheFolder();
  if (cache.empty())
    return "";
  std::string folder = cache + "/fftw";
  if (make) {
    mkdir(cache.c_str(), 0700);
    mkdir(folder.c_str(), 0700);
  }
  return isPrivateFolder(cache) && isPrivateFolder(folder) ? folder : "";
}

template <typename T> std::string fileName(const std::string &folder) {
  return folder + (std::is_same_v<T, float> ? "/float" : "/double");
}

/// A private file's text, "" if it is none.
std::string readPrivateFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return "";
  std::string text;
  struct stat entry;
  if (fstat(file, &entry) == 0 && S_ISREG(entry.st_mode) && isPrivate(entry)) {
    char part[4096];
    for (ssize_t n; (n = read(file, part, sizeof part)) > 0;)
      text.append(part, size_t(n));
  }
  close(file);
  return text;
}

/// Others see the whole file or the one before. What cannot be written is not kept.
void writeFile(const std::string &path, const char *text) {
  std::string fresh = path + "." + std::to_string(getpid());
  int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  size_t size = std::char_traits<char>::length(text);
  bool written = write(file, text, size) == ssize_t(size);
  if (close(file) != 0 || !written || std::rename(fresh.c_str(), path.c_str()) != 0)
    unlink(fresh.c_str());
}

} // namespace

template <typename T> void readWisdom() {
  std::string folder = wisdomFolder(false);
  if (folder.empty())
    return;
  if (std::string text = readPrivateFile(fileName<T>(folder)); !text.empty())
    Fftw<T>::import_wisdom_from_string(text.c_str()); // text that is not FFTW's changes nothing
}

template <typename T> void keepWisdom() {
  std::string folder = wisdomFolder(true);
  if (folder.empty())
    return;
  readWisdom<T>();
  char *text = Fftw<T>::export_wisdom_to_string();
  if (!text)
    return;
  writeFile(fileName<T>(folder), text);
  std::free(text); // allocated by malloc, says FFTW's manual
}

template void readWisdom<float>();
template void readWisdom<double>();
template void keepWisdom<float>();
template void keepWisdom<double>();

} // namespace heddle::fft
