// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/watch.h"

namespace heddle::device::cpu {

struct Op;

/// What a Watcher is told, if there is one: an operation comes to the end of its queue, a launch with a
/// note is over, a host thread has waited.
void watchAppended(Op &);
/// Its operations are parts of the one that it runs in the place of.
void watchGraphBegins(const Graph &);
void watchLaunchOver(const Op &);
void watchSeen(const Queue *, const Marker *);
/// Of a marker that is done, in nanoseconds.
uint64_t timeOfMarker(const Marker &);
/// The watcher gives markers their times.
bool givesTimes();

/// The task that this thread runs; null: none.
extern thread_local const Op *runningTask;

} // namespace heddle::device::cpu
