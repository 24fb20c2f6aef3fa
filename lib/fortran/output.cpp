// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels print: Flang's runtime makes text of the items that device code has collected
// (device/statement.h), as it does of the host's. It writes to a unit that is a file in memory,
// from which the text is read.
#include "fortran/device/statement.h"
#include "fortran/entry.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// libcudart.so.12 (src/device/statements.h).
extern "C" void heddle_set_statement_formatter(
    void (*)(const void *statement, void (*append)(void *, const char *, size_t), void *to));

// Of Flang's runtime (flang/Runtime/io-api.h).
extern "C" {
void *_FortranAioBeginOpenNewUnit(const char *file, int line);
bool _FortranAioSetFile(void *, const char *, size_t);
bool _FortranAioSetForm(void *, const char *, size_t);
bool _FortranAioGetNewUnit(void *, int &, int kind);
void *_FortranAioBeginExternalListOutput(int unit, const char *file, int line);
void *_FortranAioBeginExternalFormattedOutput(const char *format, size_t length, const void *,
                                              int unit, const char *file, int line);
void *_FortranAioBeginFlush(int unit, const char *file, int line);
bool _FortranAioOutputInteger8(void *, int8_t);
bool _FortranAioOutputInteger16(void *, int16_t);
bool _FortranAioOutputInteger32(void *, int32_t);
bool _FortranAioOutputInteger64(void *, int64_t);
bool _FortranAioOutputReal32(void *, float);
bool _FortranAioOutputReal64(void *, double);
bool _FortranAioOutputComplex32(void *, float, float);
bool _FortranAioOutputComplex64(void *, double, double);
bool _FortranAioOutputLogical(void *, bool);
bool _FortranAioOutputAscii(void *, const char *, size_t);
bool _FortranAioOutputDescriptor(void *, const heddle::fortran::Descriptor &);
int _FortranAioEndIoStatement(void *);
}

namespace heddle::fortran {

namespace {

/// A unit whose file lies in memory. Its formatted records are those of any file.
class MemoryUnit {
public:
  MemoryUnit() : file_(memfd_create("kernel output", MFD_CLOEXEC)) {
    std::string path = "/proc/self/fd/" + std::to_string(file_);
    void *open = _FortranAioBeginOpenNewUnit(__FILE__, __LINE__);
    _FortranAioSetFile(open, path.data(), path.size());
    _FortranAioSetForm(open, "FORMATTED", std::strlen("FORMATTED"));
    _FortranAioGetNewUnit(open, unit_, sizeof(unit_));
    _FortranAioEndIoStatement(open);
  }

  int unit() const { return unit_; }

  /// What was written since the last time. Its memory is given back.
  std::string take() {
    _FortranAioEndIoStatement(_FortranAioBeginFlush(unit_, __FILE__, __LINE__));
    off_t end = lseek(file_, 0, SEEK_END);
    std::string text(static_cast<size_t>(end - taken_), '\0');
    bool isRead = pread(file_, text.data(), text.size(), taken_) == end - taken_;
    if (!isRead || fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end) != 0)
      check(cudaErrorOperatingSystem, "the output of a kernel", {nullptr, 0});
    taken_ = end;
    return text;
  }

private:
  int file_, unit_ = 0;
  off_t taken_ = 0;
};

template <typename T> T valueAt(const uint8_t *place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

void putInteger(void *cookie, const uint8_t *value, uint64_t bytes) {
  switch (bytes) {
  case 1:
    _FortranAioOutputInteger8(cookie, valueAt<int8_t>(value));
    return;
  case 2:
    _FortranAioOutputInteger16(cookie, valueAt<int16_t>(value));
    return;
  case 4:
    _FortranAioOutputInteger32(cookie, valueAt<int32_t>(value));
    return;
  default:
    _FortranAioOutputInteger64(cookie, valueAt<int64_t>(value));
  }
}

void putReal(void *cookie, const uint8_t *value, uint64_t bytes) {
  if (bytes == sizeof(float))
    _FortranAioOutputReal32(cookie, valueAt<float>(value));
  else
    _FortranAioOutputReal64(cookie, valueAt<double>(value));
}

void putComplex(void *cookie, const uint8_t *value, uint64_t bytes) {
  if (bytes == 2 * sizeof(float))
    _FortranAioOutputComplex32(cookie, valueAt<float>(value), valueAt<float>(value + 4));
  else
    _FortranAioOutputComplex64(cookie, valueAt<double>(value), valueAt<double>(value + 8));
}

void putArray(void *cookie, const uint8_t *item, uint32_t rank) {
  auto array = valueAt<ArrayItem>(item);
  alignas(Descriptor) char room[sizeof(Descriptor) + CFI_MAX_RANK * sizeof(CFI_dim_t)] = {};
  auto &descriptor = *reinterpret_cast<Descriptor *>(room);
  descriptor.elem_len = array.elementBytes;
  descriptor.version = CFI_VERSION;
  descriptor.type = static_cast<CFI_type_t>(array.type);
  descriptor.rank = static_cast<CFI_rank_t>(rank);
  item += sizeof(ArrayItem);
  auto stride = static_cast<CFI_index_t>(array.elementBytes);
  for (uint32_t d = 0; d < rank; ++d, item += sizeof(int64_t)) {
    descriptor.dim[d] = {1, valueAt<int64_t>(item), stride};
    stride *= descriptor.dim[d].extent;
  }
  descriptor.base_addr = const_cast<uint8_t *>(item);
  _FortranAioOutputDescriptor(cookie, descriptor);
}

void put(void *cookie, const ItemHead &head, const uint8_t *item) {
  switch (head.kind) {
  case ItemKind::Integer:
    return putInteger(cookie, item, head.bytes);
  case ItemKind::Real:
    return putReal(cookie, item, head.bytes);
  case ItemKind::Complex:
    return putComplex(cookie, item, head.bytes);
  case ItemKind::Logical:
    _FortranAioOutputLogical(cookie, *item != 0);
    return;
  case ItemKind::Array:
    return putArray(cookie, item, head.rank);
  case ItemKind::NoAdvance:
    return;
  case ItemKind::Format:
  case ItemKind::Character:
    _FortranAioOutputAscii(cookie, reinterpret_cast<const char *>(item), head.bytes);
  }
}

/// Writes the statement's records; false if the last one is not to be ended.
bool write(int unit, const Statement &statement) {
  void *cookie = nullptr;
  bool advances = true;
  for (uint64_t at = 0; at < statement.bytes;) {
    auto head = valueAt<ItemHead>(statement.items + at);
    const uint8_t *item = statement.items + at + sizeof(head);
    at += sizeof(head) + (head.bytes + ItemAlignment - 1) / ItemAlignment * ItemAlignment;
    if (head.kind == ItemKind::Format) {
      cookie = _FortranAioBeginExternalFormattedOutput(
          reinterpret_cast<const char *>(item), head.bytes, nullptr, unit, __FILE__, __LINE__);
      continue;
    }
    if (!cookie)
      cookie = _FortranAioBeginExternalListOutput(unit, __FILE__, __LINE__);
    advances &= head.kind != ItemKind::NoAdvance;
    put(cookie, head, item);
  }
  if (!cookie)
    cookie = _FortranAioBeginExternalListOutput(unit, __FILE__, __LINE__);
  _FortranAioEndIoStatement(cookie);
  return advances;
}

void format(const void *statement, void (*append)(void *, const char *, size_t), void *to) {
  static std::mutex mutex;
  std::lock_guard guard(mutex);
  static MemoryUnit unit;
  bool advances = write(unit.unit(), *static_cast<const Statement *>(statement));
  std::string text = unit.take();
  if (!advances)
    text.pop_back(); // the end of the record
  append(to, text.data(), text.size());
}

} // namespace

} // namespace heddle::fortran

/// Called before main by objects whose kernels print.
HEDDLE_FORTRAN void heddleFortranOutput() {
  heddle_set_statement_formatter(heddle::fortran::format);
}
