// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stop watches of the samples' headers (helper_string.h says whose these are). Times are milliseconds.
#pragma once

#include <cstddef>
#include <time.h>

class StopWatchInterface {
public:
  StopWatchInterface() {}
  virtual ~StopWatchInterface() {}
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual void reset() = 0;
  virtual float getTime() = 0;
  virtual float getAverageTime() = 0;
};

class StopWatchLinux : public StopWatchInterface {
public:
  StopWatchLinux() : begin_(), last_(0), total_(0), isRunning_(false), sessions_(0) {}
  void start() {
    clock_gettime(CLOCK_MONOTONIC, &begin_);
    isRunning_ = true;
  }
  void stop() {
    last_ = sinceStart();
    total_ += last_;
    isRunning_ = false;
    ++sessions_;
  }
  void reset() {
    last_ = total_ = 0;
    sessions_ = 0;
    if (isRunning_)
      clock_gettime(CLOCK_MONOTONIC, &begin_);
  }
  float getTime() { return total_ + (isRunning_ ? sinceStart() : 0); }
  float getAverageTime() { return sessions_ > 0 ? total_ / float(sessions_) : 0; }

private:
  float sinceStart() const {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return float(double(now.tv_sec - begin_.tv_sec) * 1e3 + double(now.tv_nsec - begin_.tv_nsec) * 1e-6);
  }

  timespec begin_;
  float last_, total_;
  bool isRunning_;
  int sessions_;
};

inline bool sdkCreateTimer(StopWatchInterface **timer) {
  *timer = new StopWatchLinux;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface **timer) {
  delete *timer;
  *timer = NULL;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface **timer) {
  if (*timer)
    (*timer)->start();
  return true;
}
inline bool sdkStopTimer(StopWatchInterface **timer) {
  if (*timer)
    (*timer)->stop();
  return true;
}
inline bool sdkResetTimer(StopWatchInterface **timer) {
  if (*timer)
    (*timer)->reset();
  return true;
}
inline float sdkGetTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getTime() : 0; }
inline float sdkGetAverageTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getAverageTime() : 0; }
