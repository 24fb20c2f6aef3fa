// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that touches device memory, which a machine with a GPU ends the program for.
//
// The handler of faults (device/cpu/memory/hidden.cpp) notes addresses of code and no more. What is
// no function of the program is not told of: another library may know that our device memory is
// ordinary memory. Nor are functions without a name, or with one of CUDA's libraries', which may be
// linked in. In programs with MPI nothing is hidden: what it hands to the system must be
// accessible.
//
// Work of libraries runs on the host, too. Where it goes outside of memory, it is told of with the
// call that asked for it, and goes on with memory that is nobody's.
//
// To make pages accessible and back costs time for each. So there is an allowance of pages, and a
// further one for each call of the API: in long programs large memory is hidden now and then.
#include "check/host_access.h"

#include "check/findings.h"
#include "check/host_stack.h"
#include "check/memcheck.h"
#include "device/checks.h"

#include <algorithm>
#include <atomic>
#include <string_view>

#include <dlfcn.h>
#include <execinfo.h>

namespace heddle::check {

namespace {

constexpr size_t MostTouches = 64, MostFrames = 48;
constexpr size_t FirstPages = size_t(1) << 20, PagesPerCall = 256;

struct Touch {
  const void *address;
  bool isWrite;
  int count;
  void *frames[MostFrames];
  uint32_t work; ///< of a library: where it was asked for
  std::atomic<bool> isReady;
};

std::atomic<bool> isOn = false;
std::atomic<bool> isEveryoneTold = false;
std::atomic<size_t> noted = 0;
std::atomic<size_t> told = 0;
std::atomic<size_t> pages = FirstPages;
Touch touches[MostTouches];
/// Libraries have threads of their own besides.
std::atomic<uint32_t> works = 0, lastWork = 0;
thread_local uint32_t ownWork = 0;

bool isOfCuda(std::string_view function) {
  for (std::string_view name :
       {"cuda", "cublas", "cufft", "curand", "cusparse", "cusolver", "nccl", "nvrtc"})
    if (function.starts_with(name))
      return true;
  return false;
}

/// Null if there is no room.
Touch *newTouch() {
  size_t number = isOn ? noted.fetch_add(1) : MostTouches;
  return number < MostTouches ? &touches[number] : nullptr;
}

/// Takes what is the library's own away; its function that the program has called, which has jumped
/// to the one that computes here (lib/support/forward.h).
std::string takeLibrary(std::vector<Frame> &frames) {
  std::string name;
  size_t first = 0;
  for (; first < frames.size(); ++first) {
    std::string_view function = frames[first].function;
    if (constexpr std::string_view Own = "heddle_own_"; function.starts_with(Own))
      function.remove_prefix(Own.size());
    if (isOfCuda(function))
      name = function;
    else if (function.find("heddle") == std::string_view::npos)
      break;
  }
  frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(first));
  return name;
}

void tellOfWork(const Touch &touch) {
  Finding finding;
  finding.frames = framesOfStack(touch.work);
  std::string name = takeLibrary(finding.frames);
  finding.tool = "memcheck";
  finding.kind = "library-out-of-bounds";
  finding.text = (name.empty() ? "A function of a library" : "'" + name + "'") +
                 (touch.isWrite ? " writes" : " reads") + " outside of device memory";
  describeObject(touch.address, nullptr, finding.notes);
  note(std::move(finding));
}

bool isOfProgram(const std::vector<Frame> &frames) {
  return !frames.empty() && std::none_of(frames.begin(), frames.end(), [](const Frame &frame) {
    return frame.function.empty() || isOfCuda(frame.function) ||
           frame.function.find("heddle") != std::string::npos;
  });
}

void tell(const Touch &touch) {
  if (touch.work)
    return tellOfWork(touch);
  uint32_t stack = hostStackAt(touch.frames, static_cast<size_t>(touch.count));
  if (!stack)
    return;
  Finding finding;
  finding.frames = framesOfStack(stack);
  if (!isEveryoneTold && (isFortran(stack) || !isOfProgram(finding.frames)))
    return;
  finding.tool = "memcheck";
  finding.kind = "host-access-to-device-memory";
  finding.text = std::string("Host code ") + (touch.isWrite ? "writes" : "reads") +
                 " device memory, where a GPU's driver would end the program";
  describeObject(touch.address, nullptr, finding.notes);
  note(std::move(finding));
}

} // namespace

void startHostAccesses() {
  if (dlsym(RTLD_DEFAULT, "MPI_Init") || dlsym(RTLD_DEFAULT, "mpi_init_"))
    return;
  void *here[1];
  backtrace(here, 1); // loads what it needs
  isOn = true;
}

bool looksAtHostAccesses() { return isOn; }

void tellEveryHostAccess() { isEveryoneTold = true; }

void touchedHidden(const void *address, const void *code, bool isWrite) {
  Touch *place = newTouch();
  if (!place)
    return;
  Touch &touch = *place;
  touch.address = address;
  touch.isWrite = isWrite;
  touch.count = framesFrom(code, touch.frames, MostFrames);
  touch.isReady.store(true, std::memory_order_release);
}

bool touchedNothing(const void *address, bool isWrite) {
  static std::atomic<uint32_t> toldWork = 0; // the first place of each is told
  uint32_t work = ownWork ? ownWork : works.load() ? lastWork.load() : 0;
  if (!isOn || !work)
    return false;
  if (toldWork.exchange(work) == work)
    return true;
  if (Touch *touch = newTouch()) {
    touch->address = address;
    touch->isWrite = isWrite;
    touch->work = work;
    touch->isReady.store(true, std::memory_order_release);
  }
  return true;
}

void beginLibraryWork(uint32_t stack) {
  ownWork = stack;
  lastWork = stack;
  works.fetch_add(1);
}

uint32_t stackOfLibraryWork() { return ownWork; }

void endLibraryWork() {
  ownWork = 0;
  works.fetch_sub(1);
}

void tellHostAccesses() {
  static std::atomic_flag busy = ATOMIC_FLAG_INIT;
  if (told >= std::min(noted.load(), MostTouches) || busy.test_and_set())
    return;
  while (told < MostTouches && touches[told].isReady.load(std::memory_order_acquire))
    tell(touches[told++]);
  busy.clear();
}

void lookAtHostAccesses() {
  if (!isOn)
    return;
  tellHostAccesses();
  if (device::liveCheckedLaunches())
    return;
  size_t allowance = pages.exchange(0) + PagesPerCall;
  device::hideFromHost(allowance);
  pages.fetch_add(allowance);
}

} // namespace heddle::check
