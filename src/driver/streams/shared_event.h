// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of several processes (cudaEventInterprocess).
#pragma once

#include "driver/shared_file.h"

#include "driver_types.h"

#include <atomic>
#include <memory>

namespace heddle::driver {

/// A page that all processes with the event map. Each record of it has a number, the same to all; a
/// wait is for the latest number when it is asked for.
class SharedEvent {
public:
  /// A new one, or the one of a handle. Null: the system has no memory; there is no such event (any
  /// more).
  static std::shared_ptr<SharedEvent> create();
  static std::shared_ptr<SharedEvent> open(const cudaIpcEventHandle_t &);
  ~SharedEvent();
  SharedEvent(const SharedEvent &) = delete;

  /// Another process opens it by this.
  cudaIpcEventHandle_t handle() const;

  /// A record is under way; its number.
  uint64_t begin();
  void complete(uint64_t number);
  /// The latest record; 0: none.
  uint64_t latest() const;
  bool isDone(uint64_t number) const;
  /// Returns when that record is done.
  void wait(uint64_t number) const;

private:
  struct Page;
  SharedEvent(File file, Page *page) : file_(std::move(file)), page_(page) {}
  static std::shared_ptr<SharedEvent> map(File);

  File file_;
  Page *page_;
};

/// Whether this process made a handle.
bool isOwn(const cudaIpcEventHandle_t &);
/// Whether a handle was made by cudaIpcGetEventHandle.
bool isEventHandle(const cudaIpcEventHandle_t &);

} // namespace heddle::driver
