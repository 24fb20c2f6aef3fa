// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/segment.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <fstream>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::nccl {

namespace {

constexpr size_t ChannelBytes = 1 << 18;
constexpr long NapNanoseconds = 50'000'000;

using Word = std::atomic<uint32_t>;
static_assert(Word::is_always_lock_free && std::atomic<uint64_t>::is_always_lock_free);

void sleepOn(const Word &word, uint32_t seen) {
  timespec nap{0, NapNanoseconds};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &nap, nullptr, 0);
}

void wake(const Word &word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

} // namespace

/// New memory of the system is zero, which is what all of this starts with.
struct Segment::Header {
  Word size, joined, aborted;
  struct Place {
    std::atomic<int32_t> process;
    Word bell;
  } places[MaxRanks];
};

struct Segment::Channel {
  alignas(64) std::atomic<uint64_t> written;
  alignas(64) std::atomic<uint64_t> read;
  alignas(64) char ring[ChannelBytes];
};

std::shared_ptr<Segment> Segment::open(const std::string &name, int size) {
  int file = shm_open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 || size > MaxRanks) {
    if (file >= 0)
      close(file);
    return nullptr;
  }
  auto channels = (sizeof(Header) + 4095) / 4096 * 4096;
  size_t bytes = channels + sizeof(Channel) * size_t(size) * size_t(size);
  struct stat now{};
  void *memory = MAP_FAILED;
  // Those of another number of ranks do not take memory from the others: agrees() tells.
  if (fstat(file, &now) == 0 &&
      (size_t(now.st_size) >= bytes || ftruncate(file, off_t(bytes)) == 0))
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED)
    return nullptr;
  return std::shared_ptr<Segment>(new Segment(name, size, memory, bytes));
}

Segment::Segment(std::string name, int size, void *memory, size_t bytes)
    : name_(std::move(name)), size_(size), header_(static_cast<Header *>(memory)), bytes_(bytes) {
  uint32_t none = 0;
  header_->size.compare_exchange_strong(none, uint32_t(size));
}

Segment::~Segment() {
  if (!complete())
    forgetName();
  munmap(header_, bytes_);
}

Segment::Channel &Segment::channel(int from, int to) const {
  char *first = reinterpret_cast<char *>(header_) + (sizeof(Header) + 4095) / 4096 * 4096;
  return reinterpret_cast<Channel *>(first)[size_t(from) * size_t(size_) + size_t(to)];
}

bool Segment::agrees() const { return header_->size == uint32_t(size_); }

bool Segment::join(int rank) {
  int32_t nobody = 0;
  if (!header_->places[rank].process.compare_exchange_strong(nobody, getpid()))
    return false;
  ++header_->joined;
  wake(header_->joined);
  return true;
}

bool Segment::complete() const { return header_->joined == uint32_t(size_); }

void Segment::waitForOthers() const {
  uint32_t seen = header_->joined;
  if (seen != uint32_t(size_))
    sleepOn(header_->joined, seen);
}

void Segment::forgetName() { shm_unlink(name_.c_str()); }

uint32_t Segment::bell(int rank) const { return header_->places[rank].bell; }

void Segment::ring(int rank) {
  ++header_->places[rank].bell;
  wake(header_->places[rank].bell);
}

void Segment::sleep(int rank, uint32_t seen) const { sleepOn(header_->places[rank].bell, seen); }

void Segment::abort() {
  header_->aborted = 1;
  for (int rank = 0; rank < size_; ++rank)
    ring(rank);
}

bool Segment::isAborted() const { return header_->aborted; }

/// A process that has ended and that nobody has waited for yet is still in the system's list, as a
/// zombie.
bool Segment::lives(int rank) const {
  std::ifstream file("/proc/" + std::to_string(header_->places[rank].process) + "/stat");
  std::string line;
  if (!std::getline(file, line))
    return false;
  size_t name = line.rfind(") "); // its name may have brackets, too
  return name != std::string::npos && line[name + 2] != 'Z' && line[name + 2] != 'X';
}

size_t Segment::write(int from, int to, const void *data, size_t bytes) {
  Channel &c = channel(from, to);
  uint64_t at = c.written.load(std::memory_order_relaxed);
  bytes = std::min(bytes, ChannelBytes - size_t(at - c.read.load(std::memory_order_acquire)));
  size_t place = at % ChannelBytes, first = std::min(bytes, ChannelBytes - place);
  std::memcpy(c.ring + place, data, first);
  std::memcpy(c.ring, static_cast<const char *>(data) + first, bytes - first);
  c.written.store(at + bytes, std::memory_order_release);
  if (bytes > 0)
    ring(to);
  return bytes;
}

size_t Segment::read(int from, int to, void *data, size_t bytes) {
  Channel &c = channel(from, to);
  uint64_t at = c.read.load(std::memory_order_relaxed);
  bytes = std::min(bytes, size_t(c.written.load(std::memory_order_acquire) - at));
  size_t place = at % ChannelBytes, first = std::min(bytes, ChannelBytes - place);
  std::memcpy(data, c.ring + place, first);
  std::memcpy(static_cast<char *>(data) + first, c.ring, bytes - first);
  c.read.store(at + bytes, std::memory_order_release);
  if (bytes > 0)
    ring(from);
  return bytes;
}

} // namespace heddle::nccl
