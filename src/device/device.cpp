// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/device.h"
#include "device/checks.h"
#include "device/children.h"
#include "device/counts.h"
#include "device/hooks.h"
#include "device/statements.h"
#include "device/watch.h"

#include <atomic>
#include <pthread.h>

namespace heddle::device {

namespace {
struct {
  std::atomic<FindAllocation> findAllocation;
  std::atomic<Symbolize> symbolize;
  std::atomic<DeviceCallHandler> deviceCall;
  std::atomic<FormatStatement> formatStatement;
  std::atomic<const Checker *> checker;
  std::atomic<const Counter *> counter;
} hooks;

std::atomic<bool> forkedCopy{false};
} // namespace

bool isForkedCopy() { return forkedCopy.load(std::memory_order_relaxed); }

void noteForks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forkedCopy = true; });
  (void)registered;
}

void setAllocationFinder(FindAllocation find) { hooks.findAllocation = find; }
void setSymbolizer(Symbolize symbolize) { hooks.symbolize = symbolize; }
void setDeviceCallHandler(DeviceCallHandler handler) { hooks.deviceCall = handler; }
void setStatementFormatter(FormatStatement format) { hooks.formatStatement = format; }
std::atomic<bool> isObserved{false};

void setChecker(const Checker *checker) {
  hooks.checker = checker;
  isObserved = true;
}
void setCounter(const Counter *counter) { hooks.counter = counter; }
const Counter *counter() { return hooks.counter; }
const Checker *checker() { return hooks.checker; }
FormatStatement statementFormatter() { return hooks.formatStatement; }

bool findAllocation(const void *address, AllocationInfo &info) {
  FindAllocation find = hooks.findAllocation;
  return find && find(address, info);
}

bool symbolize(const char *objectPath, uint64_t offset, SourcePosition &position) {
  Symbolize function = hooks.symbolize;
  return function && *objectPath && function(objectPath, offset, position);
}

uint32_t answerDeviceCall(const DeviceCaller &caller, uint32_t function, void *call) {
  DeviceCallHandler handler = hooks.deviceCall;
  return handler(caller, function, call);
}

} // namespace heddle::device
