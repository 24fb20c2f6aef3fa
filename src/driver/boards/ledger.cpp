// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/boards/ledger.h"

#include "base/hash.h"
#include "base/messages/messages.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

namespace {

constexpr uint32_t MostEntries = 4096, MostModes = 256;
/// Part of the file's name: files of another layout are others'.
constexpr const char *Layout = "1";

static_assert(std::atomic<uint64_t>::is_always_lock_free);

/// Of this user, in this space of process numbers.
std::string pathOf(const char *machine) {
  struct stat space{};
  stat("/proc/self/ns/pid", &space);
  return "/dev/shm/heddle-" + std::to_string(geteuid()) + "-" +
         hashOf({Layout, machine, bytesOf(space.st_ino)}).text();
}

/// A file of this user's that nobody else may open; -1 if there is none to be had.
int openOwn(const char *path) {
  const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  struct stat status{};
  if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                   status.st_uid == geteuid() && (status.st_mode & 077) == 0))
    return file;
  close(file);
  errno = EPERM;
  return -1;
}

uint32_t newInstance() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint32_t>(now.tv_nsec ^ (now.tv_sec << 10) ^ getpid());
}

bool allowsOneProcess(int mode) {
  return mode == cudaComputeModeExclusive || mode == cudaComputeModeExclusiveProcess;
}

uint64_t startOf(int32_t process) { return timesOf(process).started; }

} // namespace

ProcessTimes timesOf(int32_t process) {
  char path[32], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  FILE *file = std::fopen(path, "re");
  if (!file)
    return {};
  text[std::fread(text, 1, sizeof text - 1, file)] = 0;
  std::fclose(file);
  const char *rest = std::strrchr(text, ')'); // the name before it may hold anything
  char state = 0;
  unsigned long long user = 0, system = 0, started = 0;
  // proc(5): the state is field 3, times are fields 14 and 15, the start is field 22.
  constexpr const char *Fields = ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu"
                                 " %*s %*s %*s %*s %*s %*s %llu";
  if (!rest || std::sscanf(rest, Fields, &state, &user, &system, &started) != 4 || state == 'Z' ||
      state == 'X')
    return {};
  return {started, user + system};
}

/// New memory of the system is zero, which is what all of this starts with.
struct Ledger::Table {
  struct Mode {
    Uuid gpu;
    std::atomic<int32_t> mode;
  };
  std::atomic<uint32_t> modeCount;
  std::atomic<uint32_t> entryBound; ///< entries from here on were never used
  Mode modes[MostModes];
  Entry entries[MostEntries];

  Mode *findMode(const Uuid &gpu) {
    const uint32_t count = modeCount.load(std::memory_order_acquire);
    Mode *end = modes + count;
    Mode *found = std::find_if(modes, end, [&](const Mode &mode) { return mode.gpu == gpu; });
    return found == end ? nullptr : found;
  }

  /// Calls `body(entry, process)` for all that are taken.
  template <typename F> void forEach(F body) {
    const uint32_t bound = entryBound.load(std::memory_order_acquire);
    for (Entry *entry = entries; entry != entries + bound; ++entry)
      if (const int32_t process = entry->process.load(std::memory_order_acquire))
        body(*entry, process);
  }
};

Ledger &Ledger::get() {
  static Ledger &ledger = *[] {
    const char *machine = std::getenv("HEDDLE_MACHINE");
    return new Ledger(machine && !*machine ? "" : pathOf(machine ? machine : "default"));
  }();
  return ledger;
}

Ledger::Ledger(const std::string &path) : instance_(newInstance()) {
  void *memory = MAP_FAILED;
  if (!path.empty()) {
    file_ = openOwn(path.c_str());
    if (file_ >= 0 && ftruncate(file_, sizeof(Table)) == 0)
      memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) {
      tellf("heddle: %s: %s; other processes' use of devices is not seen\n", path.c_str(),
            std::strerror(errno));
      if (file_ >= 0)
        close(file_);
      file_ = -1;
    }
  }
  static Table own;
  table_ = memory == MAP_FAILED ? &own : static_cast<Table *>(memory);
}

Ledger::~Ledger() {
  if (file_ < 0)
    return;
  munmap(table_, sizeof(Table));
  close(file_);
}

template <typename F> auto Ledger::locked(F &&body) {
  std::lock_guard guard(mutex_);
  while (file_ >= 0 && flock(file_, LOCK_EX) != 0 && errno == EINTR) {
  }
  auto result = body();
  if (file_ >= 0)
    flock(file_, LOCK_UN);
  return result;
}

int Ledger::computeMode(const Uuid &gpu) const {
  const Table::Mode *mode = table_->findMode(gpu);
  return mode ? mode->mode.load(std::memory_order_relaxed) : cudaComputeModeDefault;
}

bool Ledger::setComputeMode(const Uuid &gpu, int value) {
  return locked([&] {
    Table::Mode *mode = table_->findMode(gpu);
    const uint32_t count = table_->modeCount;
    if (!mode && count == MostModes)
      return false;
    if (!mode) {
      mode = table_->modes + count;
      mode->gpu = gpu;
    }
    mode->mode.store(value, std::memory_order_relaxed);
    table_->modeCount.store(std::max(count, uint32_t(mode - table_->modes) + 1),
                            std::memory_order_release);
    return true;
  });
}

/// With the lock.
void Ledger::removeDead() {
  table_->forEach([&](Entry &entry, int32_t process) {
    if (entry.started != startOf(process))
      entry.process.store(0, std::memory_order_release);
  });
}

/// With the lock. An earlier program of this process, before exec, had contexts that are gone.
void Ledger::removeEarlier() {
  table_->forEach([&](Entry &entry, int32_t process) {
    if (process == getpid() && entry.instance != instance_)
      entry.process.store(0, std::memory_order_release);
  });
}

Ledger::Entry *Ledger::enter(const Uuid &gpu) {
  return locked([&]() -> Entry * {
    removeDead();
    removeEarlier();
    const int mode = computeMode(gpu);
    bool isTaken = mode == cudaComputeModeProhibited;
    table_->forEach([&](Entry &entry, int32_t process) {
      isTaken |= entry.gpu == gpu && process != getpid() && allowsOneProcess(mode);
    });
    Entry *entry = std::find_if(table_->entries, table_->entries + MostEntries,
                                [](const Entry &e) { return e.process == 0; });
    if (isTaken || entry == table_->entries + MostEntries)
      return nullptr;
    entry->instance = instance_;
    entry->started = startOf(getpid());
    entry->gpu = gpu;
    entry->used = 0;
    entry->process.store(getpid(), std::memory_order_release);
    const auto bound = static_cast<uint32_t>(entry - table_->entries) + 1;
    if (bound > table_->entryBound)
      table_->entryBound.store(bound, std::memory_order_release);
    return entry;
  });
}

void Ledger::leave(Entry &entry) {
  locked([&] {
    entry.process.store(0, std::memory_order_release);
    return 0;
  });
}

uint64_t Ledger::usedByOthers(const Entry &own) const {
  uint64_t sum = 0;
  table_->forEach([&](Entry &entry, int32_t) {
    if (&entry != &own && entry.gpu == own.gpu)
      sum += entry.used.load(std::memory_order_relaxed);
  });
  return sum;
}

uint64_t Ledger::usedByOthersNow(const Entry &own) {
  return locked([&] {
    removeDead();
    return usedByOthers(own);
  });
}

std::vector<Ledger::User> Ledger::users(const Uuid &gpu) {
  return locked([&] {
    removeDead();
    std::vector<User> users;
    table_->forEach([&](Entry &entry, int32_t process) {
      if (entry.gpu == gpu)
        users.push_back({process, entry.used.load(std::memory_order_relaxed)});
    });
    return users;
  });
}

} // namespace heddle::driver
