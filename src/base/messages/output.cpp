// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/output.h"

#include "base/messages/messages.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace heddle {

Output::Output(const std::string &path) {
  if (path == "-")
    file_ = STDOUT_FILENO;
  else if (!path.empty()) {
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0)
      tellf("heddle: cannot open %s: %s\n", path.c_str(), std::strerror(errno));
  }
}

Output::~Output() {
  if (file_ > STDERR_FILENO)
    close(file_);
}

void Output::write(const std::string &text) const {
  if (file_ < 0)
    return tell(text);
  for (size_t at = 0; at < text.size();) {
    ssize_t done = ::write(file_, text.data() + at, text.size() - at);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return;
    at += static_cast<size_t>(done);
  }
}

void beginFile(const std::string &path) {
  if (!path.empty() && path != "-" && truncate(path.c_str(), 0) != 0 && errno == EISDIR)
    tellf("heddle: %s is a folder\n", path.c_str());
}

std::string expandLogName(const std::string &name, pid_t process) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    char next = name[i] == '%' && i + 1 < name.size() ? name[i + 1] : 0;
    size_t close = name.find('}', i);
    if (next == 'p') {
      text += std::to_string(process), ++i;
    } else if (next == '%') {
      text += '%', ++i;
    } else if (next == 'q' && name.compare(i + 2, 1, "{") == 0 && close != name.npos) {
      const char *value = std::getenv(name.substr(i + 3, close - i - 3).c_str());
      text += value ? value : "";
      i = close;
    } else {
      text += name[i];
    }
  }
  return text;
}

Result<std::string> readWhole(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return Failure{"cannot be read"};
  return text.str();
}

void writeReport(const std::string &path, const std::string &text) {
  if (path.empty())
    return;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  if (!file.flush())
    tellf("heddle: cannot write %s: %s\n", path.c_str(), std::strerror(errno));
}

} // namespace heddle
