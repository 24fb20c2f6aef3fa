// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What processes that share a GPU must know of each other, which on hardware the driver knows: which processes have a
// context on which GPU, how much of its memory each uses, and the GPU's compute mode. It lies in shared memory, one file
// for each user and value of HEDDLE_MACHINE.
//
// A process that has a context on a GPU has an entry, of which it changes `used` without a lock. Entries are made and
// removed under a lock on the file, which the system drops when its holder dies. An entry whose process has ended counts
// no more, and whoever finds it removes it: so nothing has to be done at a process's end, however it ends. Modes stay
// until the machine is restarted, as on hardware.
#pragma once

#include "driver/boards/machine.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::driver {

class Ledger {
public:
  struct alignas(64) Entry {
    std::atomic<int32_t> process; ///< 0: the entry is free
    uint32_t instance;            ///< tells the programs that a process runs one after the other
    uint64_t started;             ///< of the process, in the system's ticks: numbers are used again
    Uuid gpu;
    std::atomic<uint64_t> used; ///< bytes of the GPU's memory
  };
  struct User {
    int32_t process;
    uint64_t used;
  };

  /// The ledger of HEDDLE_MACHINE (not set: "default"). Empty, or where the system has no shared memory, which is said once:
  /// one of this process alone.
  static Ledger &get();
  /// `path` is the file; empty: a ledger of this process alone.
  explicit Ledger(const std::string &path);
  Ledger(const Ledger &) = delete;
  ~Ledger();

  /// cudaComputeMode of a GPU.
  int computeMode(const Uuid &) const;
  /// False if there is no room for one more GPU.
  bool setComputeMode(const Uuid &, int mode);

  /// An entry for this process. Null if the mode forbids it, or there is no free one.
  Entry *enter(const Uuid &);
  void leave(Entry &);

  /// Bytes that other processes use of the GPU of an entry of this process.
  uint64_t usedByOthers(const Entry &own) const;
  /// The same after a look at which of them still live.
  uint64_t usedByOthersNow(const Entry &own);
  /// The processes with a context on a GPU.
  std::vector<User> users(const Uuid &);

private:
  struct Table;
  void removeDead();
  void removeEarlier();
  template <typename F> auto locked(F &&body);

  int file_ = -1;
  Table *table_ = nullptr;
  std::mutex mutex_;
  uint32_t instance_;
};

/// In the system's ticks.
struct ProcessTimes {
  uint64_t started =
      0; ///< 0: there is no such process, or it has ended and its parent does not know yet
  uint64_t used = 0; ///< on processors
};
ProcessTimes timesOf(int32_t process);

} // namespace heddle::driver
