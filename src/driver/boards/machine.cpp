// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/boards/machine.h"

#include "base/hash.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <strings.h>
#include <utility>

namespace heddle::driver {
namespace {

/// A quarter of a PCI domain's 256 buses for each hub.
constexpr unsigned BusesPerHub = 64, HubsPerDomain = 4;

/// Calls `entry` for each part of `list`, blanks stripped, until it returns false.
template <typename F> void forEachPart(std::string_view list, char separator, F entry) {
  while (true) {
    const size_t end = std::min(list.find(separator), list.size());
    std::string_view part = list.substr(0, end);
    while (!part.empty() && part.front() == ' ')
      part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ')
      part.remove_suffix(1);
    if (!entry(part) || end == list.size())
      return;
    list.remove_prefix(end + 1);
  }
}

/// Of version 4, as NVIDIA's look.
Uuid uuidOf(std::string_view key, unsigned number) {
  const Hash128 hash = hashOf({"GPU", key, bytesOf(number)});
  Uuid uuid;
  std::memcpy(uuid.data(), &hash.high, 8);
  std::memcpy(uuid.data() + 8, &hash.low, 8);
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0f) | 0x40);
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

/// Thirteen digits, of which the first is 0.
std::string serialOf(std::string_view key, unsigned number) {
  constexpr uint64_t Range = 1'000'000'000'000;
  char text[24];
  std::snprintf(
      text, sizeof text, "0%012llu",
      static_cast<unsigned long long>(hashOf({"board", key, bytesOf(number)}).low % Range));
  return text;
}

/// Boards for workstations and servers tell their number.
bool tellsSerial(const Board &board) {
  return !isCpu(board) && !std::strstr(board.properties.name, "GeForce");
}

/// Puts boards into a machine, slot by slot.
class Assembly {
public:
  void nextHub() { ++hub_, usedBuses_ = 0; }

  /// False if the hub has no buses left.
  bool add(const Board &board) {
    const auto before = static_cast<unsigned>(std::ranges::count(machine_, &board, &Gpu::board));
    for (unsigned i = 0; i < board.gpus; ++i) {
      Gpu gpu;
      gpu.board = &board;
      gpu.index = static_cast<unsigned>(machine_.size());
      gpu.hub = hub_;
      gpu.card = card_;
      gpu.pciDomain = hub_ / HubsPerDomain;
      gpu.pciBus = hub_ % HubsPerDomain * BusesPerHub + ++usedBuses_;
      gpu.uuid = uuidOf(board.key, before + i);
      if (tellsSerial(board))
        gpu.serial = serialOf(board.key, before / board.gpus);
      machine_.push_back(std::move(gpu));
    }
    ++card_;
    return usedBuses_ < BusesPerHub;
  }

  Machine take() { return std::move(machine_); }

private:
  Machine machine_;
  unsigned hub_ = 0, card_ = 0, usedBuses_ = 0;
};

Failure unknownBoard(std::string_view key) {
  std::string message = "HEDDLE_DEVICE names an unknown device '";
  message.append(key).append("'; known are");
  for (std::string_view known : boardKeys())
    message.append(" ").append(known);
  return {message};
}

/// Single precision results of all multiprocessors per second, about: what tells a fast board from a slow one.
double speedOf(const Gpu &gpu) {
  const cudaDeviceProp &p = gpu.board->properties;
  constexpr int CoresOfMajor[] = {8, 8, 32, 192, 192, 128, 64, 64, 64, 128};
  const int major = std::min<int>(p.major, std::size(CoresOfMajor) - 1);
  const bool doubled = (p.major == 6 && p.minor > 0) || (p.major == 8 && p.minor > 0);
  return double(CoresOfMajor[major]) * (doubled ? 2 : 1) * p.multiProcessorCount * p.clockRate;
}

/// "GPU-8932f937-d7" of "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", if no other begins so. Null: none.
const Gpu *findByUuid(const std::vector<const Gpu *> &gpus, std::string_view text) {
  constexpr size_t PrefixBytes = 4; // of "GPU-"
  const Gpu *found = nullptr;
  for (const Gpu *gpu : gpus) {
    const std::string whole = uuidText(*gpu);
    if (text.size() <= PrefixBytes || text.size() > whole.size() ||
        strncasecmp(whole.data(), text.data(), text.size()) != 0)
      continue;
    if (found)
      return nullptr;
    found = gpu;
  }
  return found;
}

const Gpu *findVisible(const std::vector<const Gpu *> &gpus, std::string_view text) {
  if (const Gpu *gpu = findByUuid(gpus, text))
    return gpu;
  size_t index = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  return error == std::errc() && end == text.data() + text.size() && index < gpus.size()
             ? gpus[index]
             : nullptr;
}

/// CUDA guide, "CUDA Environment Variables".
std::vector<const Gpu *> visibleOnly(const std::vector<const Gpu *> &all, std::string_view list) {
  std::vector<const Gpu *> result;
  forEachPart(list, ',', [&](std::string_view part) {
    const Gpu *gpu = findVisible(all, part);
    if (!gpu)
      return false;
    if (std::ranges::count(result, gpu)) {
      result.clear();
      return false;
    }
    result.push_back(gpu);
    return true;
  });
  return result;
}

} // namespace

Result<Machine> makeMachine(const char *devices) {
  if (!model::gpuFileError().empty())
    return Failure{model::gpuFileError()};
  Assembly assembly;
  std::string problem;
  bool first = true;
  forEachPart(devices && *devices ? devices : "cpu", '/', [&](std::string_view hub) {
    if (!std::exchange(first, false))
      assembly.nextHub();
    forEachPart(hub, ',', [&](std::string_view key) {
      const Board *board = findBoard(key);
      if (!board)
        problem = unknownBoard(key).message;
      else if (!assembly.add(*board))
        problem = "HEDDLE_DEVICE has more devices than a hub has places";
      return problem.empty();
    });
    return problem.empty();
  });
  if (!problem.empty())
    return Failure{problem};
  return assembly.take();
}

std::vector<const Gpu *> visibleGpus(const Machine &machine, const char *order,
                                     const char *visible) {
  std::vector<const Gpu *> gpus;
  for (const Gpu &gpu : machine)
    gpus.push_back(&gpu);
  if (order && std::strcmp(order, "FASTEST_FIRST") == 0)
    std::ranges::sort(gpus, [](const Gpu *a, const Gpu *b) {
      return std::pair(-speedOf(*a), a->index) < std::pair(-speedOf(*b), b->index);
    });
  return visible ? visibleOnly(gpus, visible) : gpus;
}

std::string uuidText(const Gpu &gpu) {
  std::string text = "GPU-";
  for (size_t i = 0; i < gpu.uuid.size(); ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", gpu.uuid[i]);
    text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
    text += digits;
  }
  return text;
}

std::string pciText(const Gpu &gpu) {
  char text[24];
  std::snprintf(text, sizeof text, "%04X:%02X:00.0", gpu.pciDomain, gpu.pciBus);
  return text;
}

bool arePeers(const Gpu &a, const Gpu &b) {
  const cudaDeviceProp &p = a.board->properties, &q = b.board->properties;
  return &a != &b && a.hub == b.hub && isCpu(*a.board) == isCpu(*b.board) && p.major == q.major &&
         p.unifiedAddressing && q.unifiedAddressing;
}

} // namespace heddle::driver
