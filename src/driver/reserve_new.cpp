// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `new` and `delete` of libheddle_driver.so itself, which are not exported. They are the program's, by
// the forms with std::nothrow, and the reserve's.
#include "driver/reserve.h"

#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

using heddle::driver::isOfReserve;

void *orReserve(void *p, size_t bytes, size_t align) {
  if (!p)
    p = heddle::driver::takeReserve(bytes, align);
  if (p)
    return p;
  std::fputs("heddle: there is no memory left\n", stderr);
  std::abort();
}

void *take(size_t bytes) {
  return orReserve(::operator new(bytes, std::nothrow), bytes, alignof(std::max_align_t));
}
void *take(size_t bytes, std::align_val_t align) {
  return orReserve(::operator new(bytes, align, std::nothrow), bytes, static_cast<size_t>(align));
}
void give(void *p) {
  if (!isOfReserve(p))
    ::operator delete(p, std::nothrow);
}
void give(void *p, std::align_val_t align) {
  if (!isOfReserve(p))
    ::operator delete(p, align, std::nothrow);
}

} // namespace

void *operator new(size_t bytes) { return take(bytes); }
void *operator new[](size_t bytes) { return take(bytes); }
void *operator new[](size_t bytes, const std::nothrow_t &) noexcept {
  return ::operator new(bytes, std::nothrow); // as delete[] gives it
}
void *operator new(size_t bytes, std::align_val_t align) { return take(bytes, align); }
void *operator new[](size_t bytes, std::align_val_t align) { return take(bytes, align); }
void operator delete(void *p) noexcept { give(p); }
void operator delete[](void *p) noexcept { give(p); }
void operator delete(void *p, size_t) noexcept { give(p); }
void operator delete[](void *p, size_t) noexcept { give(p); }
void operator delete(void *p, std::align_val_t align) noexcept { give(p, align); }
void operator delete[](void *p, std::align_val_t align) noexcept { give(p, align); }
void operator delete(void *p, size_t, std::align_val_t align) noexcept { give(p, align); }
void operator delete[](void *p, size_t, std::align_val_t align) noexcept { give(p, align); }
