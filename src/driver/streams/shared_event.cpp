// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of several streams and processes may complete in any order, so each has a slot of its own
// in a ring; when a slot is used again, Slots records later, the older record counts as done. A
// waiting thread sleeps on the lower half of its slot.
#include "driver/streams/shared_event.h"

#include "device/cpu/shared_futex.h"

#include <cstring>

#include <sys/mman.h>

namespace heddle::driver {

namespace {

constexpr char HandleMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'E', '1'};
constexpr size_t Slots = 511;

/// What lies in a cudaIpcEventHandle_t.
struct EventHandle {
  char magic[8];
  FileAddress file;
};
static_assert(sizeof(EventHandle) <= sizeof(cudaIpcEventHandle_t));

EventHandle read(const cudaIpcEventHandle_t &in) {
  EventHandle handle;
  std::memcpy(&handle, &in, sizeof handle);
  return handle;
}

} // namespace

struct SharedEvent::Page {
  std::atomic<uint64_t> latest;
  std::atomic<uint64_t> done[Slots]; ///< of number n at n % Slots: at least n when it is done
};

std::shared_ptr<SharedEvent> SharedEvent::map(File file) {
  if (!file)
    return nullptr;
  void *page = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (page == MAP_FAILED)
    return nullptr;
  return std::shared_ptr<SharedEvent>(new SharedEvent(std::move(file), static_cast<Page *>(page)));
}

std::shared_ptr<SharedEvent> SharedEvent::create() { return map(createSharedFile(sizeof(Page))); }

std::shared_ptr<SharedEvent> SharedEvent::open(const cudaIpcEventHandle_t &handle) {
  return map(openFile(read(handle).file));
}

SharedEvent::~SharedEvent() { munmap(page_, sizeof(Page)); }

cudaIpcEventHandle_t SharedEvent::handle() const {
  EventHandle handle = {};
  std::memcpy(handle.magic, HandleMagic, sizeof handle.magic);
  handle.file = addressOf(file_.get());
  cudaIpcEventHandle_t out = {};
  std::memcpy(&out, &handle, sizeof handle);
  return out;
}

uint64_t SharedEvent::begin() { return page_->latest.fetch_add(1) + 1; }

void SharedEvent::complete(uint64_t number) {
  device::cpu::raiseAndWake(page_->done[number % Slots], number);
}

uint64_t SharedEvent::latest() const { return page_->latest.load(); }

bool SharedEvent::isDone(uint64_t number) const {
  return page_->done[number % Slots].load(std::memory_order_acquire) >= number;
}

void SharedEvent::wait(uint64_t number) const {
  device::cpu::waitUntilAtLeast(page_->done[number % Slots], number);
}

bool isOwn(const cudaIpcEventHandle_t &handle) { return isOwn(read(handle).file); }

bool isEventHandle(const cudaIpcEventHandle_t &handle) {
  return std::memcmp(read(handle).magic, HandleMagic, sizeof HandleMagic) == 0;
}

} // namespace heddle::driver
