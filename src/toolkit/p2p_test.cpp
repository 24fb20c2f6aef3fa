// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// p2pBandwidthLatencyTest: how fast devices exchange data, with and without access to each other's memory.
#include "toolkit/transfers.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace {

using transfers::Buffer;
using transfers::check;
using transfers::Stopwatch;

constexpr size_t MostBytes = 64 << 20;
constexpr int Repeats = 5, LatencyRepeats = 100;

/// Everything that a device has for the test.
struct Device {
  Device(int number, size_t bytes)
      : number(number), from(Buffer::Device, number, bytes), to(Buffer::Device, number, bytes),
        watch(std::make_unique<Stopwatch>(number)) {}
  int number;
  Buffer from, to;
  std::unique_ptr<Stopwatch> watch;
};
using Devices = std::vector<Device>;

bool canAccess(int from, int to) {
  int can = 0;
  if (from != to)
    check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
  return can;
}

/// Access between two devices, where there can be some, while it lives.
class Access {
public:
  Access(int a, int b, bool wanted)
      : a_(a), b_(b), isOn_(wanted && canAccess(a, b) && canAccess(b, a)) {
    if (isOn_)
      set(a_, b_, true), set(b_, a_, true);
  }
  ~Access() {
    if (isOn_)
      set(a_, b_, false), set(b_, a_, false);
  }
  Access(const Access &) = delete;

private:
  static void set(int from, int to, bool on) {
    check(cudaSetDevice(from), "cudaSetDevice");
    check(on ? cudaDeviceEnablePeerAccess(to, 0) : cudaDeviceDisablePeerAccess(to), "peer access");
  }
  int a_, b_;
  bool isOn_;
};

void copy(const Device &from, const Device &to, size_t bytes, cudaStream_t stream) {
  check(cudaMemcpyPeerAsync(to.to.get(), to.number, from.from.get(), from.number, bytes, stream),
        "cudaMemcpyPeerAsync");
}

/// In GB/s, from `a` to `b`; on one device each byte is read and written.
double oneWay(const Device &a, const Device &b, size_t bytes) {
  Stopwatch &watch = *a.watch;
  copy(a, b, bytes, watch.stream());
  watch.start();
  for (int i = 0; i < Repeats; ++i)
    copy(a, b, bytes, watch.stream());
  const double moved = double(bytes) * Repeats * (a.number == b.number ? 2 : 1);
  return moved / watch.seconds() / 1e9;
}

/// The sum of both directions at the same time.
double bothWays(const Device &a, const Device &b, size_t bytes) {
  Stopwatch back(b.number);
  Stopwatch &watch = *a.watch;
  watch.start();
  back.start();
  for (int i = 0; i < Repeats; ++i) {
    copy(a, b, bytes, watch.stream());
    copy(b, a, bytes, back.stream());
  }
  const double seconds = std::max(watch.seconds(), back.seconds());
  return double(bytes) * Repeats * 2 / seconds / 1e9;
}

/// In microseconds, of a copy of four bytes.
double latency(const Device &a, const Device &b, size_t) {
  Stopwatch &watch = *a.watch;
  copy(a, b, 4, watch.stream());
  watch.start();
  for (int i = 0; i < LatencyRepeats; ++i)
    copy(a, b, 4, watch.stream());
  return watch.seconds() / LatencyRepeats * 1e6;
}

void printColumns(size_t count) {
  std::printf("   D\\D");
  for (size_t i = 0; i < count; ++i)
    std::printf("%6zu ", i);
  std::puts("");
}

void printConnectivity(int count) {
  std::puts("\nP2P Connectivity Matrix");
  std::printf("     D\\D");
  for (int i = 0; i < count; ++i)
    std::printf("%6d", i);
  std::puts("");
  for (int i = 0; i < count; ++i) {
    std::printf("%6d  ", i);
    for (int j = 0; j < count; ++j)
      std::printf("%6d", i == j || canAccess(i, j));
    std::puts("");
  }
}

using Measure = double (*)(const Device &, const Device &, size_t);

void printMatrix(const char *title, const Devices &devices, size_t bytes, bool withAccess,
                 Measure measure) {
  std::puts(title);
  printColumns(devices.size());
  for (const Device &a : devices) {
    std::printf("%6d ", a.number);
    for (const Device &b : devices) {
      const Access access(a.number, b.number, withAccess);
      std::printf("%6.2f ", measure(a, b, bytes));
    }
    std::puts("");
  }
}

/// What fits on the smallest device.
size_t sizeFor(int count) {
  size_t bytes = MostBytes;
  for (int i = 0; i < count; ++i) {
    size_t free = 0, total = 0;
    check(cudaSetDevice(i), "cudaSetDevice");
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    bytes = std::min(bytes, free / 4);
  }
  return bytes;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1) {
    std::puts("usage: p2pBandwidthLatencyTest");
    return std::strcmp(argv[1], "--help") != 0 && std::strcmp(argv[1], "-h") != 0;
  }
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::puts("[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]");
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, i), "cudaGetDeviceProperties");
    std::printf("Device: %d, %s, pciBusID: %x, pciDeviceID: %x, pciDomainID:%x\n", i, p.name,
                p.pciBusID, p.pciDeviceID, p.pciDomainID);
  }
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      if (i != j)
        std::printf("Device=%d %s Access Peer Device=%d\n", i, canAccess(i, j) ? "CAN" : "CANNOT",
                    j);
  printConnectivity(count);
  const size_t bytes = sizeFor(count);
  Devices devices;
  for (int i = 0; i < count; ++i)
    devices.emplace_back(i, bytes);
  printMatrix("Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)", devices, bytes, false, oneWay);
  printMatrix("Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)", devices, bytes, true, oneWay);
  printMatrix("Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)", devices, bytes, false,
              bothWays);
  printMatrix("Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)", devices, bytes, true, bothWays);
  printMatrix("P2P=Disabled Latency Matrix (us)", devices, bytes, false, latency);
  printMatrix("P2P=Enabled Latency Matrix (us)", devices, bytes, true, latency);
}
