// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a launch can reach. Parameters are bytes, and so is memory: a word that is an
// address of an allocation, as the driver says, is taken as a pointer to it, wherever it lies. So a list
// or a tree is found from its head. A word that is none by chance only makes the snapshot larger.
//
// Few words look like addresses: these are asked for once per page.
#include "driver/record/snapshot.h"

#include <cstring>
#include <set>

namespace heddle::driver {

namespace {

/// Of 64-bit systems: nothing lies below, and user addresses have 47 or 48 bits.
constexpr uint64_t LowestAddress = uint64_t(1) << 32;
constexpr uint64_t HighestAddress = uint64_t(1) << 48;
constexpr unsigned PageBits = 12;

CUresult copyOut(const Table &driver, const SavedMemory &m, void *to, size_t bytes) {
  if (m.kind == SavedKind::Host) {
    std::memcpy(to, reinterpret_cast<const void *>(m.address), bytes);
    return CUDA_SUCCESS;
  }
  return driver.cuMemcpyDtoH_v2(to, m.address, bytes);
}

class Search {
public:
  Search(const Table &driver, SavedLaunch &launch) : driver_(driver), launch_(launch) {}

  void addVariable(SavedMemory memory, size_t bytes) {
    memory.content.resize(bytes);
    if (copyOut(driver_, memory, memory.content.data(), bytes) == CUDA_SUCCESS)
      enter(std::move(memory));
  }

  /// Adds what the words lead to, and what that leads to.
  CUresult follow(std::span<const uint8_t> bytes) {
    size_t next = launch_.memory.size();
    if (CUresult error = look(bytes))
      return error;
    for (; next < launch_.memory.size(); ++next) {
      const std::vector<uint8_t> content = launch_.memory[next].content; // the list grows
      if (CUresult error = look(content))
        return error;
    }
    return CUDA_SUCCESS;
  }

private:
  CUresult look(std::span<const uint8_t> bytes) {
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
      uint64_t word;
      std::memcpy(&word, &bytes[at], sizeof word);
      if (word >= LowestAddress && word < HighestAddress)
        if (CUresult error = lookAt(word))
          return error;
    }
    return CUDA_SUCCESS;
  }

  bool isKnown(uint64_t address) const {
    auto place = ranges_.upper_bound(address);
    return place != ranges_.begin() && address < std::prev(place)->second;
  }

  CUresult lookAt(uint64_t address) {
    if (isKnown(address) || nothing_.contains(address >> PageBits))
      return CUDA_SUCCESS;
    CUdeviceptr start = 0;
    size_t bytes = 0;
    unsigned type = 0, isManaged = 0;
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *values[] = {&start, &bytes, &type, &isManaged};
    CUresult error =
        driver_.cuPointerGetAttributes(std::size(attributes), attributes, values, address);
    if (error != CUDA_SUCCESS || !start || !bytes || address - start >= bytes) {
      nothing_.insert(address >> PageBits);
      return CUDA_SUCCESS;
    }
    SavedMemory m;
    m.kind = isManaged                    ? SavedKind::Managed
             : type == CU_MEMORYTYPE_HOST ? SavedKind::Host
                                          : SavedKind::Device;
    m.address = start;
    m.content.resize(bytes);
    if (CUresult failed = copyOut(driver_, m, m.content.data(), bytes))
      return failed;
    enter(std::move(m));
    return CUDA_SUCCESS;
  }

  void enter(SavedMemory m) {
    ranges_[m.address] = m.address + m.content.size();
    launch_.memory.push_back(std::move(m));
  }

  const Table &driver_;
  SavedLaunch &launch_;
  std::map<uint64_t, uint64_t> ranges_; ///< start, end
  std::set<uint64_t> nothing_;          ///< pages where no allocation is
};

/// The bytes of the parameters, from either of the two forms.
Result<std::vector<uint8_t>> packedParams(const LaunchCall &call,
                                          const std::vector<SavedParam> &places) {
  size_t size = 0;
  for (const SavedParam &p : places)
    size = std::max<size_t>(size, p.offset + p.size);
  std::vector<uint8_t> packed(size);
  if (call.params) {
    for (size_t i = 0; i < places.size(); ++i)
      std::memcpy(&packed[places[i].offset], call.params[i], places[i].size);
    return packed;
  }
  const void *buffer = nullptr;
  size_t bytes = 0;
  for (void **at = call.extra; at && *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = at[1];
    else if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = *static_cast<size_t *>(at[1]);
  }
  if (!buffer && size)
    return Failure{"it has no parameters"};
  std::memcpy(packed.data(), buffer, std::min(bytes, size));
  return packed;
}

std::vector<SavedParam> placesOf(const Table &driver, CUfunction function) {
  std::vector<SavedParam> places;
  size_t offset = 0, size = 0;
  while (driver.cuFuncGetParamInfo(function, places.size(), &offset, &size) == CUDA_SUCCESS)
    places.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
  return places;
}

} // namespace

Result<SavedLaunch> takeSnapshot(const Table &driver, const LaunchCall &call,
                                 const KnownKernel &kernel, uint64_t number) {
  SavedLaunch launch;
  launch.kernel = kernel.name;
  launch.shown = shownName(kernel);
  launch.number = number;
  std::copy_n(call.grid, 3, launch.grid);
  std::copy_n(call.block, 3, launch.block);
  std::copy_n(call.cluster, 3, launch.cluster);
  launch.sharedBytes = call.sharedBytes;
  launch.isCooperative = call.isCooperative;
  launch.places = placesOf(driver, call.function);
  auto packed = packedParams(call, launch.places);
  if (!packed)
    return Failure{packed.error()};
  launch.params = std::move(*packed);
  Search search(driver, launch);
  CUresult error = search.follow(launch.params);
  std::vector<size_t> sizes;
  std::vector<SavedMemory> variables = variablesOf(*kernel.code, sizes);
  for (size_t i = 0; i < variables.size() && error == CUDA_SUCCESS; ++i) {
    search.addVariable(std::move(variables[i]), sizes[i]);
    const std::vector<uint8_t> content = launch.memory.back().content;
    error = search.follow(content);
  }
  if (error != CUDA_SUCCESS)
    return Failure{"its memory cannot be read (error " + std::to_string(error) + ")"};
  return launch;
}

bool takeAgain(const Table &driver, SavedLaunch &launch) {
  for (SavedMemory &m : launch.memory)
    if (copyOut(driver, m, m.content.data(), m.content.size()) != CUDA_SUCCESS)
      return false;
  return true;
}

} // namespace heddle::driver
