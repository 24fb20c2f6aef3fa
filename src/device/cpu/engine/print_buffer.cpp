// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device printf. The host's snprintf formats each conversion, so that the text is the host's to the
// letter, as on a GPU, where the host does it too. What differs: arguments come from a packed
// buffer; `long` is 64 bits; %hd, %hhd read an int.
#include "device/cpu/engine/print_buffer.h"

#include "device/statements.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace heddle::device::cpu {

void PrintBuffer::append(const std::string &text) {
  std::lock_guard guard(mutex_);
  text_ += text;
  empty_.store(false, std::memory_order_relaxed);
  if (text_.size() >= capacity_.load(std::memory_order_relaxed)) {
    fwrite(text_.data(), 1, text_.size(), stdout);
    text_.clear();
  }
}

void PrintBuffer::flush() {
  if (empty_.load(std::memory_order_relaxed))
    return;
  std::lock_guard guard(mutex_);
  fwrite(text_.data(), 1, text_.size(), stdout);
  fflush(stdout);
  text_.clear();
  empty_.store(true, std::memory_order_relaxed);
}

namespace {

class Arguments {
public:
  explicit Arguments(const void *bytes) : bytes_(static_cast<const uint8_t *>(bytes)) {}
  template <typename T> T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, bytes_ + at_, sizeof(T));
    at_ += sizeof(T);
    ++count_;
    return value;
  }
  int count() const { return count_; }

private:
  const uint8_t *bytes_;
  size_t at_ = 0;
  int count_ = 0;
};

template <typename T> void formatOne(std::string &out, const std::string &spec, T value) {
  char small[256];
  int length = snprintf(small, sizeof(small), spec.c_str(), value);
  if (length < 0)
    return;
  if (static_cast<size_t>(length) < sizeof(small)) {
    out.append(small, static_cast<size_t>(length));
    return;
  }
  std::vector<char> large(static_cast<size_t>(length) + 1);
  snprintf(large.data(), large.size(), spec.c_str(), value);
  out.append(large.data(), static_cast<size_t>(length));
}

/// Copies digits, or the value of an argument in place of '*'.
const char *copyNumber(const char *p, std::string &spec, Arguments &arguments) {
  if (*p == '*') {
    spec += std::to_string(arguments.next<int32_t>());
    return p + 1;
  }
  while (*p >= '0' && *p <= '9')
    spec += *p++;
  return p;
}

/// The text of another language's output statement (device/statements.h).
void formatStatement(std::string &out, const void *statement) {
  auto append = [](void *to, const char *text, size_t bytes) {
    static_cast<std::string *>(to)->append(text, bytes);
  };
  if (FormatStatement format = statementFormatter())
    format(statement, append, &out);
}

/// One conversion; `p` is behind the '%'. Returns what follows it.
const char *formatConversion(std::string &out, const char *p, Arguments &arguments) {
  const char *start = p;
  std::string spec = "%";
  while (*p && std::strchr("-+ #0", *p))
    spec += *p++;
  p = copyNumber(p, spec, arguments);
  if (*p == '.') {
    spec += *p++;
    p = copyNumber(p, spec, arguments);
  }
  bool wide = false;
  std::string size;
  while (*p && std::strchr("hlLqjzt", *p)) {
    wide |= *p != 'h';
    if (*p == 'h')
      size += 'h';
    ++p;
  }
  switch (*p) {
  case 'd':
  case 'i':
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    if (wide)
      formatOne(out, spec + "ll" + *p, arguments.next<long long>());
    else
      formatOne(out, spec + size + *p, arguments.next<int32_t>());
    return p + 1;
  case 'c':
    formatOne(out, spec + *p, arguments.next<int32_t>());
    return p + 1;
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    formatOne(out, spec + *p, arguments.next<double>());
    return p + 1;
  case 'p':
    formatOne(out, spec + *p, arguments.next<void *>());
    return p + 1;
  case 's': {
    const char *text = arguments.next<const char *>();
    formatOne(out, spec + *p, text ? text : "(null)");
    return p + 1;
  }
  case StatementConversion:
    formatStatement(out, arguments.next<const void *>());
    return p + 1;
  case '%':
    out += '%';
    return p + 1;
  default: // not a conversion: stands for itself
    out += '%';
    return start;
  }
}

} // namespace

int formatDevicePrintf(std::string &out, const char *format, const void *args) {
  if (!format)
    return -1;
  Arguments arguments(args);
  for (const char *p = format; *p;) {
    if (*p != '%') {
      size_t run = std::strcspn(p, "%");
      out.append(p, run);
      p += run;
    } else {
      p = formatConversion(out, p + 1, arguments);
    }
  }
  return arguments.count();
}

} // namespace heddle::device::cpu
