// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver tells of itself where a program is profiled (src/profile): calls, launches, copies.
// Otherwise each place costs a look at `isProfiled`.
#pragma once

#include "driver/call.h"
#include "driver/launch/launch.h"

namespace heddle::driver {

struct CopyWork;
struct FillWork;

/// When the devices are there.
void startProfile(const State &);
/// The process ends.
void finishProfile();

/// A stream's queue, so that reports can number it.
void profileStream(const device::Queue *, const Context &, bool isDefault);
/// cudaFuncSetCacheConfig: what a kernel prefers in a context.
void profileCacheConfig(const Function &, const Context &, int config);
/// What is to be told when the launch is over.
void profileLaunch(device::LaunchRequest &, Function &, Context &, const LaunchShape &);

/// The number of the call of the API that this thread is in.
uint64_t profiledCall();

/// Tells of a copy or a fill that runs during its life.
class ProfiledWork {
public:
  explicit ProfiledWork(const CopyWork &);
  explicit ProfiledWork(const FillWork &);
  ~ProfiledWork() {
    if (begin_) [[unlikely]]
      end();
  }
  ProfiledWork(const ProfiledWork &) = delete;

private:
  void end();
  const CopyWork *copy_ = nullptr;
  const FillWork *fill_ = nullptr;
  uint64_t begin_ = 0;
};

} // namespace heddle::driver
