// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that a device is told of once and runs many times: CUDA's executable graphs without CUDA's
// names.
#pragma once

#include "device/device.h"

#include <span>
#include <vector>

namespace heddle::device {

struct Graph;       ///< owned by the device; see Device::createGraph
struct GraphLaunch; ///< a launch of a graph, as Device::changeLaunch knows it

/// What kernels may change of a launch of a graph.
struct LaunchChange {
  enum class Field : uint8_t { Grid, Params, Enabled };
  Field field;
  uint32_t gridDim[3] = {};
  size_t offset = 0; ///< Params: of `bytes` among the parameters
  std::span<const uint8_t> bytes = {};
  bool isEnabled = true;
};

/// How a GraphWork chooses the graphs that run in its place, by a value that kernels set.
enum class Choice : uint8_t {
  If,     ///< the first body if the value is not 0, else the second if there is one
  While,  ///< the first body, as long as the value is not 0
  Switch, ///< the body of that number, if there is one
};

/// One piece of work of a graph.
struct GraphWork {
  enum class Kind : uint8_t {
    Nothing,      ///< only joins what it depends on
    Launch,       ///< `launch`, whose parameters are copied
    Task,         ///< `task`, which may run many times
    HostFunction, ///< the same on the thread for host functions
    OutsideWait,  ///< the same on a thread of its own (Device::enqueueWait)
    Record,       ///< completes the marker `event` of the launch (Device::launchGraph)
    Wait,         ///< waits for it
    Choose,       ///< runs one of `bodies`
  };
  Kind kind = Kind::Nothing;
  Device *device = nullptr;
  int priority = 0;
  bool hasPriority = false; ///< else that of the queue that the graph is launched in
  LaunchRequest launch = {};
  bool isEnabled = true;                            ///< Launch: else it is passed over
  std::atomic<GraphLaunch *> *changeable = nullptr; ///< Launch: where its handle goes
  device::Task task = {};
  bool isOfDevice = false; ///< HostFunction: Device::enqueueHostFunction
  size_t event = 0;
  Choice choice = Choice::If;
  size_t value = 0;                 ///< Choose: which of the graph's values
  std::vector<Graph *> bodies = {}; ///< Choose; they belong to the graph from now on
  std::vector<size_t> after = {};   ///< what must have ended before: numbers of earlier works
};

/// A value of a graph, which its kernels set and by which Choose chooses.
struct GraphValue {
  uint64_t handle = 0; ///< how kernels name it
  uint32_t initial = 0;
  bool isReset = false; ///< each launch of the graph begins with `initial`
};

} // namespace heddle::device
