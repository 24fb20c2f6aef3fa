// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/memory/explain.h"

#include "base/abi/check_abi.h"
#include "check/allocations.h"
#include "check/api_errors.h"
#include "check/check.h"
#include "check/reports.h"
#include "device/checks.h"

#include "base/machine/mapped.h"

#include <cstdio>

namespace heddle::driver {

using check::AllocationNote;
using check::Note;
using device::cpu::MemoryKind;

namespace {

std::string hexadecimal(const void *address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%zx", reinterpret_cast<size_t>(address));
  return text;
}

std::string kindOf(const PointerInfo &info) {
  switch (info.type) {
  case cudaMemoryTypeDevice:
    return "device memory";
  case cudaMemoryTypeManaged:
    return "managed memory";
  case cudaMemoryTypeHost:
    return info.registered ? "registered host memory" : "pinned host memory";
  case cudaMemoryTypeUnregistered:
    break;
  }
  return info.stale ? "no live allocation" : "host memory";
}

std::vector<Note> notesOf(const void *base) {
  std::vector<Note> notes;
  AllocationNote note;
  if (base && check::findAllocationNote(base, note))
    check::describeAllocation(note, notes);
  return notes;
}

/// "freed device memory of 400 bytes", with who has freed it.
std::string describeFreed(const AllocationNote &freed, std::vector<Note> &notes) {
  check::describeAllocation(freed, notes);
  return "freed " + std::string(freed.what) + " memory of " + check::counted(freed.bytes, "byte");
}

void explainStale(const void *p, size_t bytes) {
  const void *base;
  AllocationNote freed;
  std::vector<Note> notes;
  if (!check::findFreedAllocation(p, base, freed))
    return check::explainFailure("api-invalid-pointer",
                                 "Access of " + check::counted(bytes, "byte") + " at " +
                                     hexadecimal(p) + ", where nothing is allocated");
  std::string what = describeFreed(freed, notes);
  check::explainFailure("api-use-after-free",
                        "Access of " + check::counted(bytes, "byte") + " of " + what,
                        std::move(notes));
}

} // namespace

void explainAccess(const void *p, size_t bytes, const PointerInfo &info, bool onDevice) {
  if (!check::checks())
    return;
  if (!p)
    return check::explainFailure("api-invalid-pointer", "Access of a null pointer");
  if (info.stale)
    return explainStale(p, bytes);
  if (onDevice && !info.onDevice())
    return check::explainFailure("api-invalid-pointer", "Access of device memory at " +
                                                            hexadecimal(p) +
                                                            ", which is host memory");
  if (!info.base)
    return;
  auto offset = static_cast<size_t>(static_cast<const uint8_t *>(p) - info.base);
  check::explainFailure("api-out-of-bounds",
                        "Access of " + check::counted(bytes, "byte") + " runs " +
                            check::counted(offset + bytes - info.bytes, "byte") +
                            " over the end of " + kindOf(info) + " of " +
                            check::counted(info.bytes, "byte"),
                        notesOf(info.base));
}

void explainArrayAccess(const void *array, size_t rowBytes, size_t rows, size_t slices) {
  if (!check::checks())
    return;
  check::explainFailure("api-out-of-bounds",
                        "Access outside of an array of " + std::to_string(slices) + " x " +
                            std::to_string(rows) + " rows of " + check::counted(rowBytes, "byte"),
                        notesOf(array));
}

void explainFree(const void *p, cudaMemoryType wanted) {
  if (!check::checks())
    return;
  const PointerInfo info = lookUp(p);
  AllocationNote note;
  if (!info.base && check::findAllocationNote(p, note) && note.isFreed) {
    std::vector<Note> notes;
    std::string what = describeFreed(note, notes);
    return check::explainFailure("double-free", "Free of " + what, std::move(notes));
  }
  if (info.base && info.base != p)
    return check::explainFailure(
        "invalid-free",
        "Free of an address that is " +
            check::counted(static_cast<size_t>(static_cast<const uint8_t *>(p) - info.base),
                           "byte") +
            " inside " + kindOf(info) + " of " + check::counted(info.bytes, "byte"),
        notesOf(info.base));
  if (info.base && (info.type == cudaMemoryTypeHost) != (wanted == cudaMemoryTypeHost))
    return check::explainFailure("mismatched-free",
                                 "Free of " + kindOf(info) + " by the wrong function",
                                 notesOf(info.base));
  check::explainFailure("invalid-free",
                        "Free of " + hexadecimal(p) + ", which is no allocation's start");
}

/// For libraries, whose work runs on the host: memory of a call that the device is to access.
extern "C" __attribute__((visibility("default"))) bool heddle_may_access(const void *p,
                                                                         uint64_t bytes) {
  if (!(check::checks() & CheckMemory))
    return true;
  const PointerInfo info = lookUp(p);
  if (info.isPageable() && !info.stale)
    return true; // of the library's own
  const void *base = info.base;
  AllocationNote note;
  bool isFreed = base ? check::isGone(base, device::numberCall()) &&
                            check::findAllocationNote(base, note) && note.isFreed
                      : check::findFreedAllocation(p, base, note);
  if (info.base && info.holds(p, bytes) && !isFreed)
    return true;
  std::vector<Note> notes = isFreed ? std::vector<Note>() : notesOf(info.base);
  std::string what = "Access of " + check::counted(bytes, "byte");
  if (isFreed)
    what += " of " + describeFreed(note, notes);
  else if (info.base)
    what += " runs over the end of " + kindOf(info) + " of " + check::counted(info.bytes, "byte");
  else
    what += " at " + hexadecimal(p) + ", where nothing is allocated";
  check::noteWrongCall(isFreed     ? "api-use-after-free"
                       : info.base ? "api-out-of-bounds"
                                   : "api-invalid-pointer",
                       what, std::move(notes));
  return false;
}

void checkHostSide(const void *p, size_t bytes, bool isTarget) {
  if (!check::checks())
    return;
  const PointerInfo info = lookUp(p);
  if (!info.base && !isMapped(reinterpret_cast<uintptr_t>(p), bytes))
    check::noteWrongCall("api-invalid-pointer",
                         std::string("Copy ") + (isTarget ? "to " : "from ") +
                             check::counted(bytes, "byte") + " of the host at " + hexadecimal(p) +
                             ", where it has no such memory",
                         {});
  if (info.type == cudaMemoryTypeDevice)
    check::noteWrongCall("wrong-copy-direction",
                         std::string("Copy ") + (isTarget ? "to" : "from") + " the host, whose " +
                             (isTarget ? "target" : "source") + " is device memory of " +
                             check::counted(info.bytes, "byte"),
                         notesOf(info.base));
}

void noteTaken(const void *base, size_t bytes, MemoryKind kind) {
  if (!check::checks() || !base)
    return;
  check::noteAllocation(base, bytes,
                        kind == MemoryKind::Device    ? "device"
                        : kind == MemoryKind::Managed ? "managed"
                                                      : "pinned host");
}

void noteKeptByPool(const void *base) {
  if (check::checks())
    check::noteKept(base);
}

void noteGiven(const void *base) {
  if (check::checks())
    check::noteRelease(base);
}

} // namespace heddle::driver
