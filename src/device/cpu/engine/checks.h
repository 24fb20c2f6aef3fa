// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "base/abi/kernel_abi.h"
#include "device/device.h"

namespace heddle::device {
struct ChildStream;
struct LaunchRequest;
} // namespace heddle::device

namespace heddle::device::cpu {

struct LaunchState;
class DeviceHeap;

/// What a launch of checked code has besides.
struct CheckedState;
/// Null if the code is not checked.
CheckedState *newChecked(const LaunchRequest &);
/// Finds the bounds of the launch's parameters, as the allocations are now.
struct Op;
void beginChecked(Op &);
/// Of checked code: whether the next block is to show that others need not be looked at as closely. Of
/// counted code the sampler says which blocks are plain.
bool isTrial(const LaunchState &);
/// One has run.
void endTrial(LaunchState &);
/// An operation comes to the end of its queue.
void noteAppended(Op &);
/// Runs the task of an operation.
void runTask(const Op &, Task &);
/// A graph's operations begin to run.
void noteGraphBegins(Graph &);
/// A kernel has changed a launch of its graph.
void noteChanged(Op &);
/// A thread of a grid has waited for what its block has launched.
void noteChildrenSeen(const Op &grid);
/// A thread of a grid has launched it. Under the lock, before it begins.
void noteChild(const Op &child, const ChildStream &);
/// A host thread has seen that these are done.
void noteSeen(const Marker *);
void noteSeen(const Queue *);
void noteAllSeen();
/// The device's heap of kernels is about to be given back.
void noteHeapEnds(DeviceHeap &);
/// A block begins: nothing was written to its shared memory (CheckInit).
void beginShared(const Block &);
/// Whether shared memory and the kernels' heap have shadows.
bool hasShadows();
/// Bytes that a block's shared memory has before it.
inline uint64_t sharedShadowOf(const Launch &launch) {
  return launch.check && hasShadows() ? sharedShadowBytes(launch.sharedBytes) : 0;
}
/// Parameters that did not fit in, and the checked state.
void deleteParams(LaunchState &);

} // namespace heddle::device::cpu
