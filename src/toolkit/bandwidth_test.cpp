// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bandwidthTest: how fast copies between host and device, and on a device, are.
#include "toolkit/transfers.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using transfers::Buffer;
using transfers::check;
using transfers::Stopwatch;

constexpr const char *Help = R"(usage: bandwidthTest [options]
  --device=N|all           the device to test (0)
  --memory=pinned|pageable the host's memory (pinned)
  --mode=quick|range       one size, or those of --start, --end, --increment (quick)
  --start=N --end=N --increment=N   sizes in bytes
  --htod --dtoh --dtod     only this direction; several may be given
  --csv                    values separated by commas
)";

struct Direction {
  const char *option, *title, *name;
  cudaMemcpyKind kind;
};

constexpr Direction Directions[] = {
    {"--htod", "Host to Device Bandwidth", "H2D", cudaMemcpyHostToDevice},
    {"--dtoh", "Device to Host Bandwidth", "D2H", cudaMemcpyDeviceToHost},
    {"--dtod", "Device to Device Bandwidth", "D2D", cudaMemcpyDeviceToDevice},
};

struct Settings {
  std::vector<int> devices = {0};
  Buffer::Kind host = Buffer::Pinned;
  size_t start = 32'000'000, end = 32'000'000, increment = 1;
  std::vector<const Direction *> directions;
  bool isCsv = false;
};

[[noreturn]] void refuse(const std::string &word) {
  std::fprintf(stderr, "bandwidthTest: %s is not understood\n%s", word.c_str(), Help);
  std::exit(EXIT_FAILURE);
}

size_t numberOf(const std::string &word, const std::string &value) {
  char *end = nullptr;
  const unsigned long long number = std::strtoull(value.c_str(), &end, 10);
  if (value.empty() || *end)
    refuse(word);
  return number;
}

std::vector<int> devicesOf(const std::string &word, const std::string &value) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<int> devices;
  if (value != "all")
    devices.push_back(static_cast<int>(numberOf(word, value)));
  else
    for (int i = 0; i < count; ++i)
      devices.push_back(i);
  for (int device : devices)
    if (device >= count)
      check(cudaErrorInvalidDevice, word.c_str());
  return devices;
}

void readOption(Settings &s, const std::string &word) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
  for (const Direction &direction : Directions)
    if (word == direction.option) {
      s.directions.push_back(&direction);
      return;
    }
  if (name == "--device")
    s.devices = devicesOf(word, value);
  else if (word == "--memory=pinned" || word == "--memory=pageable")
    s.host = value == "pinned" ? Buffer::Pinned : Buffer::Pageable;
  else if (word == "--mode=range")
    s.start = s.increment = 1 << 22, s.end = 1 << 24;
  else if (name == "--start")
    s.start = numberOf(word, value);
  else if (name == "--end")
    s.end = numberOf(word, value);
  else if (name == "--increment")
    s.increment = numberOf(word, value);
  else if (word == "--csv")
    s.isCsv = true;
  else if (word != "--mode=quick")
    refuse(word);
}

Settings readOptions(int argc, char **argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      std::fputs(Help, stdout);
      std::exit(EXIT_SUCCESS);
    }
    readOption(settings, word);
  }
  if (settings.increment == 0 || settings.start == 0)
    refuse("a size of 0");
  if (settings.directions.empty())
    for (const Direction &direction : Directions)
      settings.directions.push_back(&direction);
  return settings;
}

/// In bytes a second; on a device each byte is read and written.
double measure(const Direction &direction, int device, Buffer::Kind host, size_t bytes) {
  constexpr int Repeats = 10;
  const bool fromDevice = direction.kind != cudaMemcpyHostToDevice;
  const bool toDevice = direction.kind != cudaMemcpyDeviceToHost;
  const Buffer from(fromDevice ? Buffer::Device : host, device, bytes);
  const Buffer to(toDevice ? Buffer::Device : host, device, bytes);
  Stopwatch watch(device);
  auto copy = [&] {
    check(cudaMemcpyAsync(to.get(), from.get(), bytes, direction.kind, watch.stream()),
          "cudaMemcpyAsync");
  };
  copy();
  watch.start();
  for (int i = 0; i < Repeats; ++i)
    copy();
  const double moved = double(bytes) * Repeats * (fromDevice && toDevice ? 2 : 1);
  return moved / watch.seconds();
}

void test(const Settings &s, int device) {
  const char *memory = s.host == Buffer::Pinned ? "PINNED" : "PAGEABLE";
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  if (!s.isCsv)
    std::printf(" Device %d: %s\n\n", device, properties.name);
  for (const Direction *direction : s.directions) {
    if (!s.isCsv)
      std::printf(" %s, 1 Device(s)\n %s Memory Transfers\n"
                  "   Transfer Size (Bytes)\tBandwidth(GB/s)\n",
                  direction->title, memory);
    for (size_t bytes = s.start; bytes <= s.end; bytes += s.increment) {
      const double rate = measure(*direction, device, s.host, bytes) / 1e9;
      if (s.isCsv)
        std::printf("bandwidthTest-%s-%s, Bandwidth = %.1f GB/s, Size = %zu bytes, Device = %d\n",
                    direction->name, s.host == Buffer::Pinned ? "Pinned" : "Paged", rate, bytes,
                    device);
      else
        std::printf("   %zu\t\t\t%.1f\n", bytes, rate);
    }
    std::puts("");
  }
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = readOptions(argc, argv);
  std::puts("[CUDA Bandwidth Test] - Starting...\n");
  for (int device : settings.devices)
    test(settings, device);
  std::puts("Result = PASS");
}
