// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs ends before the host goes on, so that what it did can be compared with what the host
// does. A kernel or a function of the program's that may wait for the host must not be waited for.
#include "device/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/engine.h"
#include "device/cpu/engine/graph.h"
#include "device/cpu/engine/worker.h"

#include <algorithm>
#include <deque>

namespace heddle::device::cpu {

static bool mayWaitForHost(const Op &op);

static bool mayWaitForHost(const Graph &graph) {
  return std::ranges::any_of(graph.ops, [](const Op &op) { return mayWaitForHost(op); });
}

static bool mayWaitForHost(const Op &op) {
  switch (op.kind) {
  case OpKind::HostFunction:
    return !op.isOfDevice;
  case OpKind::OutsideWait:
    return true;
  case OpKind::Launch: {
    const KernelInfo *rest = op.launch.rest;
    return ((op.launch.kernel->code->flags | (rest ? rest->code->flags : 0)) & KernelMaySpin) != 0;
  }
  case OpKind::Graph:
    return mayWaitForHost(*op.graph->graph);
  case OpKind::Choose:
    return std::ranges::any_of(op.graph->bodies,
                               [](const Graph *body) { return body && mayWaitForHost(*body); });
  case OpKind::Task:
  case OpKind::Inline:
  case OpKind::Record:
  case OpKind::Wait:
    return false;
  }
  return true;
}

bool CpuDevice::settle() {
  HostWait wait;
  std::deque<WaitNode> nodes; // stable addresses
  {
    EngineLock lock;
    for (CpuDevice *device : all_)
      for (Queue *queue = device->queues_; queue; queue = queue->next)
        for (Op *op = queue->head; op; op = op->next)
          if (mayWaitForHost(*op))
            return false;
    for (CpuDevice *device : all_)
      device->awaitQueues(wait, nodes);
  }
  sleepOn(wait);
  return true;
}

} // namespace heddle::device::cpu

namespace heddle::device {

bool settle() { return cpu::CpuDevice::settle(); }

} // namespace heddle::device
