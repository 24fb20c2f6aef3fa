// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/code_bytes.h"

#include <cstring>
#include <type_traits>

namespace heddle::model {

namespace {

class Writer {
public:
  std::vector<uint8_t> bytes;

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void operator()(const T &value) {
    const auto *at = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), at, at + sizeof(T));
  }
  void operator()(const std::string &text) {
    (*this)(uint64_t(text.size()));
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  void operator()(const CodeLine &line) {
    (*this)(line.file);
    (*this)(line.line);
    (*this)(line.function);
  }
  template <typename T> void operator()(const std::vector<T> &all) {
    (*this)(uint64_t(all.size()));
    for (const T &one : all)
      (*this)(one);
  }
};

class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : rest_(bytes) {}
  bool isWhole() const { return isWhole_ && rest_.empty(); }

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void operator()(T &value) {
    if (!has(sizeof(T)))
      return;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
  }
  void operator()(std::string &text) {
    uint64_t size = count(1);
    text.assign(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size));
    rest_ = rest_.subspan(size);
  }
  void operator()(CodeLine &line) {
    (*this)(line.file);
    (*this)(line.line);
    (*this)(line.function);
  }
  template <typename T> void operator()(std::vector<T> &all) {
    all.resize(count(std::is_trivially_copyable_v<T> ? sizeof(T) : sizeof(uint64_t)));
    for (T &one : all)
      (*this)(one);
  }

private:
  bool has(uint64_t bytes) {
    isWhole_ &= rest_.size() >= bytes;
    return isWhole_;
  }
  /// Of what has so many bytes at least.
  uint64_t count(uint64_t least) {
    uint64_t count = 0;
    (*this)(count);
    isWhole_ &= count <= rest_.size() / least;
    return isWhole_ ? count : 0;
  }

  std::span<const uint8_t> rest_;
  bool isWhole_ = true;
};

template <typename Archive, typename Code> void visit(Archive &archive, Code &code) {
  archive(code.name);
  archive(code.operations);
  archive(code.blocks);
  archive(code.accesses);
  archive(code.lines);
  archive(code.registerBits);
  archive(code.successors);
  archive(code.staticShared);
  archive(code.localBytes);
  archive(code.maxRegisters);
  archive(code.paramBytes);
  archive(code.notes);
}

} // namespace

std::vector<uint8_t> bytesOf(const KernelCode &code) {
  Writer writer;
  visit(writer, code);
  return std::move(writer.bytes);
}

Result<KernelCode> codeOf(std::span<const uint8_t> bytes) {
  Reader reader(bytes);
  KernelCode code;
  visit(reader, code);
  if (!reader.isWhole())
    return Failure{"the counted kernel's code is damaged"};
  return code;
}

} // namespace heddle::model
