// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is a file, with a header behind its bytes by which an importing
// process knows it. The allocator has the addresses (Allocator::reserve).
#include "driver/memory/virtual.h"

#include "driver/memory/memory.h"
#include "driver/memory/pointer_notes.h"
#include "driver/rooms.h"

#include <cstring>
#include <unordered_map>
#include <vector>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

using device::cpu::Allocator;
using device::cpu::MemoryKind;
using device::cpu::MemoryUse;

static_assert(VirtualUnit == Allocator::ReservationUnit);

namespace {

constexpr char FileMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'V', '1'};

struct FileHeader {
  char magic[8];
  uint64_t bytes;
  int32_t place, id; ///< CUmemLocation, as the exporting process counts
};

struct Mapping {
  size_t bytes;
  std::shared_ptr<VirtualMemory> memory;
  uint64_t readers = 0, writers = 0; ///< bit n: device n, or HostAccess; who writes may read
};
using Mappings = std::map<uintptr_t, Mapping>;

struct Reservation {
  size_t bytes; ///< as asked for
  Mappings mappings;
};

struct Reference {
  std::shared_ptr<VirtualMemory> memory;
  unsigned count;
};

} // namespace

struct VirtualTable {
  std::mutex mutex; ///< guards what follows
  std::map<uintptr_t, Reservation> reservations;
  std::unordered_map<uint64_t, Reference> handles;
  uint64_t lastHandle = 0;
};

namespace {

VirtualTable &table() { return rooms().virtualMemory.get(); }

uint8_t *asBytes(uintptr_t at) { return reinterpret_cast<uint8_t *>(at); }

/// Of the host's memory the first.
Context &deviceOf(const VirtualMemory &memory) {
  return *state()
              .devices[memory.isHosts() ? 0 : static_cast<size_t>(memory.properties.location.id)];
}

// With the table's mutex held.

/// The element that begins at or before an address.
template <typename Map> auto findBefore(Map &map, uintptr_t at) {
  auto next = map.upper_bound(at);
  return next == map.begin() ? map.end() : std::prev(next);
}

/// The reservation that holds the bytes, or the end.
auto findReservation(uintptr_t at, size_t bytes) {
  auto found = findBefore(table().reservations, at);
  const auto none = table().reservations.end();
  if (found == none)
    return none;
  const size_t offset = at - found->first, size = found->second.bytes;
  return offset <= size && bytes <= size - offset ? found : none;
}

Mappings::value_type *findMapping(uintptr_t at) {
  auto reservation = findReservation(at, 1);
  if (reservation == table().reservations.end())
    return nullptr;
  auto found = findBefore(reservation->second.mappings, at);
  const bool isThere =
      found != reservation->second.mappings.end() && at - found->first < found->second.bytes;
  return isThere ? &*found : nullptr;
}

bool isFree(Mappings &mappings, uintptr_t at, size_t bytes) {
  auto before = findBefore(mappings, at);
  if (before != mappings.end() && at - before->first < before->second.bytes)
    return false;
  auto next = mappings.upper_bound(at);
  return next == mappings.end() || next->first - at >= bytes;
}

/// The first of whole mappings that fill the range side by side; the end: they
/// do not.
Mappings::iterator findWhole(Mappings &mappings, uintptr_t at, size_t bytes) {
  const auto first = mappings.find(at);
  auto mapping = first;
  size_t filled = 0;
  for (; mapping != mappings.end() && mapping->first == at + filled && filled < bytes; ++mapping)
    filled += mapping->second.bytes;
  return bytes && filled == bytes ? first : mappings.end();
}

/// Runs `body(reservation, first mapping)` for whole mappings.
template <typename F> CUresult withWhole(uintptr_t at, size_t bytes, F &&body) {
  std::lock_guard lock(table().mutex);
  auto reservation = findReservation(at, bytes);
  if (reservation == table().reservations.end())
    return CUDA_ERROR_INVALID_VALUE;
  Mappings &mappings = reservation->second.mappings;
  auto first = findWhole(mappings, at, bytes);
  return first == mappings.end() ? CUDA_ERROR_INVALID_VALUE : body(*reservation, first);
}

uint64_t addHandle(std::shared_ptr<VirtualMemory> memory) {
  std::lock_guard lock(table().mutex);
  memory->handle = ++table().lastHandle;
  const uint64_t handle = memory->handle;
  table().handles[handle] = {std::move(memory), 1};
  return handle;
}

/// Any device may be using the memory.
int protectionOf(const Mapping &mapping) {
  return mapping.writers ? PROT_READ | PROT_WRITE : mapping.readers ? PROT_READ : PROT_NONE;
}

} // namespace

VirtualMemory::~VirtualMemory() {
  forgetNotes(this);
  if (bytes && !isImported && !isHosts())
    dischargeMemory(deviceOf(*this), bytes);
}

// ---------------------------------------------------------------------------------------------------
// Addresses.

CUresult reserveAddresses(uintptr_t &start, size_t bytes, size_t alignment) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (!bytes || bytes % page || alignment & (alignment - 1))
    return CUDA_ERROR_INVALID_VALUE;
  uint8_t *reserved = Allocator::get().reserve(bytes, alignment);
  if (!reserved)
    return CUDA_ERROR_OUT_OF_MEMORY;
  start = reinterpret_cast<uintptr_t>(reserved);
  std::lock_guard lock(table().mutex);
  table().reservations[start].bytes = bytes;
  return CUDA_SUCCESS;
}

CUresult freeAddresses(uintptr_t start, size_t bytes) {
  std::lock_guard lock(table().mutex);
  auto found = table().reservations.find(start);
  if (found == table().reservations.end() || found->second.bytes != bytes ||
      !found->second.mappings.empty())
    return CUDA_ERROR_INVALID_VALUE;
  table().reservations.erase(found);
  Allocator::get().unreserve(asBytes(start));
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Memory.

CUresult createVirtual(uint64_t &handle, size_t bytes, const CUmemAllocationProp &properties) {
  if (!bytes || bytes % VirtualUnit)
    return CUDA_ERROR_INVALID_VALUE;
  auto memory = std::make_shared<VirtualMemory>();
  memory->properties = properties;
  if (!memory->isHosts() && !chargeMemory(deviceOf(*memory), bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  memory->bytes = bytes; // from now on it gives back what it took
  memory->file.reset(createSharedFile(bytes + sizeof(FileHeader)).release());
  FileHeader header = {};
  std::memcpy(header.magic, FileMagic, sizeof header.magic);
  header.bytes = bytes;
  header.place = properties.location.type;
  header.id = properties.location.id;
  if (!memory->file || pwrite(memory->file.get(), &header, sizeof header,
                              static_cast<off_t>(bytes)) != ssize_t(sizeof header))
    return CUDA_ERROR_OUT_OF_MEMORY;
  handle = addHandle(std::move(memory));
  return CUDA_SUCCESS;
}

CUresult releaseVirtual(uint64_t handle) {
  std::shared_ptr<VirtualMemory> last; // goes without the lock
  std::lock_guard lock(table().mutex);
  auto found = table().handles.find(handle);
  if (found == table().handles.end())
    return CUDA_ERROR_INVALID_VALUE;
  if (--found->second.count)
    return CUDA_SUCCESS;
  last = std::move(found->second.memory);
  table().handles.erase(found);
  return CUDA_SUCCESS;
}

std::shared_ptr<VirtualMemory> findVirtual(uint64_t handle) {
  std::lock_guard lock(table().mutex);
  auto found = table().handles.find(handle);
  return found == table().handles.end() ? nullptr : found->second.memory;
}

CUresult retainVirtual(uint64_t &handle, uintptr_t at) {
  std::lock_guard lock(table().mutex);
  const auto *mapping = findMapping(at);
  if (!mapping)
    return CUDA_ERROR_INVALID_VALUE;
  handle = mapping->second.memory->handle;
  Reference &reference = table().handles[handle];
  reference.memory = mapping->second.memory;
  ++reference.count;
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Mappings.

CUresult mapVirtual(uintptr_t at, size_t bytes, uint64_t offset, uint64_t handle) {
  const auto memory = findVirtual(handle);
  if (!memory || !bytes || at % VirtualUnit)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes % VirtualUnit || offset % VirtualUnit || offset > memory->bytes ||
      bytes > memory->bytes - offset)
    return CUDA_ERROR_NOT_SUPPORTED; // as an H200's driver says
  std::lock_guard lock(table().mutex);
  auto reservation = findReservation(at, bytes);
  if (reservation == table().reservations.end() || !isFree(reservation->second.mappings, at, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  const MemoryUse use = {memory->isHosts() ? MemoryKind::PinnedHost : MemoryKind::Device,
                         static_cast<uint8_t>(deviceOf(*memory).index), Tag{Owner::Virtual}.pack()};
  if (!Allocator::get().mapReserved(asBytes(reservation->first), asBytes(at), bytes,
                                    memory->file.get(), offset, PROT_NONE, use))
    return CUDA_ERROR_OUT_OF_MEMORY;
  reservation->second.mappings[at] = {bytes, memory};
  return CUDA_SUCCESS;
}

CUresult unmapVirtual(uintptr_t at, size_t bytes) {
  synchronizeContexts(); // a lost context does not keep the rest from being unmapped
  std::vector<std::shared_ptr<VirtualMemory>> gone;
  return withWhole(at, bytes, [&](auto &reservation, Mappings::iterator mapping) {
    auto &[start, reserved] = reservation;
    while (mapping != reserved.mappings.end() && mapping->first < at + bytes) {
      gone.push_back(std::move(mapping->second.memory));
      mapping = reserved.mappings.erase(mapping);
    }
    Allocator::get().unmapReserved(asBytes(start), asBytes(at), bytes);
    return CUDA_SUCCESS;
  });
}

CUresult setAccess(uintptr_t at, size_t bytes, int whose, CUmemAccess_flags flags) {
  const uint64_t bit = uint64_t(1) << whose;
  return withWhole(at, bytes, [&](auto &reservation, Mappings::iterator mapping) -> CUresult {
    for (; mapping != reservation.second.mappings.end() && mapping->first < at + bytes; ++mapping) {
      Mapping &one = mapping->second;
      if (whose == HostAccess && !one.memory->isHosts())
        return CUDA_ERROR_NOT_SUPPORTED;
      one.readers = flags != CU_MEM_ACCESS_FLAGS_PROT_NONE ? one.readers | bit : one.readers & ~bit;
      one.writers =
          flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? one.writers | bit : one.writers & ~bit;
      if (mprotect(asBytes(mapping->first), one.bytes, protectionOf(one)) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
  });
}

MappedRange mappedAt(const void *p) {
  std::lock_guard lock(table().mutex);
  const auto *mapping = findMapping(reinterpret_cast<uintptr_t>(p));
  return mapping ? MappedRange{mapping->first, mapping->second.bytes, mapping->second.memory}
                 : MappedRange{};
}

CUresult accessOf(uintptr_t at, int whose, CUmemAccess_flags &flags) {
  std::lock_guard lock(table().mutex);
  const auto *found = findMapping(at);
  const Mapping *mapping = found ? &found->second : nullptr;
  if (!mapping)
    return CUDA_ERROR_INVALID_VALUE;
  flags = mapping->writers >> whose & 1   ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
          : mapping->readers >> whose & 1 ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                          : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Other processes.

CUresult exportVirtual(uint64_t handle, int &file) {
  const auto memory = findVirtual(handle);
  if (!memory ||
      memory->properties.requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_INVALID_VALUE;
  file = dup(memory->file.get());
  if (file < 0)
    return CUDA_ERROR_OPERATING_SYSTEM;
  Allocator::get().noteShared();
  return CUDA_SUCCESS;
}

CUresult importVirtual(uint64_t &handle, int file) {
  struct stat status;
  FileHeader header;
  constexpr off_t HeaderBytes = sizeof header;
  if (fstat(file, &status) != 0 || status.st_size <= HeaderBytes ||
      pread(file, &header, sizeof header, status.st_size - HeaderBytes) != HeaderBytes ||
      std::memcmp(header.magic, FileMagic, sizeof header.magic) != 0 ||
      header.bytes != static_cast<uint64_t>(status.st_size - HeaderBytes))
    return CUDA_ERROR_INVALID_VALUE;
  auto memory = std::make_shared<VirtualMemory>();
  memory->isImported = true;
  memory->bytes = header.bytes;
  memory->file.reset(dup(file));
  if (!memory->file)
    return CUDA_ERROR_OPERATING_SYSTEM;
  memory->properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  memory->properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  const auto place = static_cast<CUmemLocationType>(header.place);
  const bool isThere =
      place == CU_MEM_LOCATION_TYPE_DEVICE ? isDevice(header.id) : isNumaNode(header.id);
  memory->properties.location = {place, isThere ? header.id : 0};
  Allocator::get().noteShared();
  handle = addHandle(std::move(memory));
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
