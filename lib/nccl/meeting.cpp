// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/meeting.h"

#include "nccl/communicator.h"
#include "nccl/flags.h"
#include "nccl/gate.h"
#include "nccl/remote.h"

#include "support/stream_work.h"

#include <algorithm>
#include <chrono>
#include <mutex>

namespace heddle::nccl {

namespace {

constexpr auto Patience = std::chrono::milliseconds(20);

void finish(const Pending &pending) {
  if (pending && pending->fetch_sub(1) == 1)
    pending->notify_all();
}

Event makeEvent() {
  cudaEvent_t event = nullptr;
  if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess)
    return nullptr;
  return Event(event, [](cudaEvent_t e) { cudaEventDestroy(e); });
}

/// An event behind what the stream does; null if the runtime refuses.
Event recordEvent(const Call &call) {
  DeviceScope scope(call.comm->device);
  Event event = makeEvent();
  return event && cudaEventRecord(event.get(), call.stream) == cudaSuccess ? event : nullptr;
}

/// True if two ranks call the same operation.
bool agree(const Call &a, const Call &b) {
  return a.kind == b.kind && a.count * bytesOf(a.type) == b.count * bytesOf(b.type) &&
         (a.kind == Kind::SendRecv ||
          (a.type == b.type && a.op == b.op && a.root == b.root && !a.factor == !b.factor));
}

/// A meeting that this call belongs to, and its place there.
struct Seat {
  std::shared_ptr<Meeting> meeting;
  size_t place;
  bool last;
};

Seat sit(std::shared_ptr<Meeting> meeting, size_t place, size_t size, Arrival arrival) {
  meeting->arrivals.resize(size);
  meeting->arrivals[place] = std::move(arrival);
  bool last = ++meeting->arrived == int(size);
  if (last)
    meeting->state = Meeting::Launching;
  return {std::move(meeting), place, last};
}

Seat arriveAtCollective(Clique &clique, Arrival arrival) {
  ncclComm_t comm = arrival.call.comm;
  uint64_t number = comm->collectiveCount++;
  std::shared_ptr<Meeting> &slot = clique.collectives[number];
  if (!slot)
    slot = std::make_shared<Meeting>();
  Seat seat = sit(slot, size_t(comm->rank), size_t(clique.size), std::move(arrival));
  if (seat.last)
    clique.collectives.erase(number);
  return seat;
}

/// Sends and receives between two ranks meet in the order of the calls.
Seat arriveAtPair(Clique &clique, Arrival arrival) {
  const Call &call = arrival.call;
  bool sends = call.sends;
  Clique::Pair pair(sends ? call.comm->rank : call.root, sends ? call.root : call.comm->rank);
  auto &others = (sends ? clique.receives : clique.sends)[pair];
  std::shared_ptr<Meeting> meeting;
  if (others.empty()) {
    meeting = std::make_shared<Meeting>();
    (sends ? clique.sends : clique.receives)[pair].push_back(meeting);
  } else {
    meeting = others.front();
    others.pop_front();
  }
  return sit(std::move(meeting), sends ? 0 : 1, 2, std::move(arrival));
}

Seat arrive(const Call &call, Event ready) {
  Clique &clique = *call.comm->clique;
  Arrival arrival{call, std::move(ready), nullptr, nullptr, std::this_thread::get_id()};
  if (!library::isCaptured(call.stream)) {
    arrival.pending = call.comm->pending;
    ++*arrival.pending;
  }
  std::lock_guard lock(clique.mutex);
  return call.kind == Kind::SendRecv ? arriveAtPair(clique, std::move(arrival))
                                     : arriveAtCollective(clique, std::move(arrival));
}

Job jobOf(const Meeting &meeting) {
  const Call &call = meeting.arrivals[0].call;
  Job job{call.kind, call.count, call.type, call.op, call.root, {}};
  for (const Arrival &arrival : meeting.arrivals)
    job.parts.push_back({arrival.call.send, arrival.call.recv, arrival.call.factor});
  return job;
}

/// Puts the operation into the last rank's stream, behind what all ranks' streams did before.
cudaError_t enqueueOperation(Meeting &meeting, const Arrival &last) {
  DeviceScope scope(last.call.comm->device);
  struct Rest {
    int *gate;
    Pending pending;
    std::shared_ptr<const void> owner;
  };
  std::vector<Rest> rests;
  for (const Arrival &arrival : meeting.arrivals) {
    rests.push_back({arrival.gate, arrival.pending, arrival.call.owner});
    if (&arrival != &last)
      if (cudaError_t error = cudaStreamWaitEvent(last.call.stream, arrival.ready.get(), 0))
        return error;
  }
  cudaError_t error = library::enqueue(last.call.stream, [job = jobOf(meeting), rests] {
    run(job);
    for (const Rest &rest : rests) {
      if (rest.gate)
        openGate(rest.gate);
      finish(rest.pending);
    }
  });
  if (error != cudaSuccess)
    return error;
  meeting.done = makeEvent();
  return meeting.done ? cudaEventRecord(meeting.done.get(), last.call.stream)
                      : cudaErrorMemoryAllocation;
}

/// Ends a meeting whose operation does not run. The clique's lock is held.
void failMeeting(Clique &clique, Meeting &meeting, ncclResult_t result) {
  meeting.state = Meeting::Failed;
  meeting.result = result;
  for (Arrival &arrival : meeting.arrivals) {
    if (arrival.gate)
      openGate(arrival.gate);
    finish(arrival.pending);
  }
  if (clique.failure == ncclSuccess)
    clique.failure = result;
}

ncclResult_t launch(const Seat &seat) {
  Meeting &meeting = *seat.meeting;
  const Arrival &last = meeting.arrivals[seat.place];
  Clique &clique = *last.call.comm->clique;
  ncclResult_t result = ncclSuccess;
  for (const Arrival &arrival : meeting.arrivals)
    if (!agree(arrival.call, last.call))
      result = fail(ncclInvalidUsage, "the ranks call operations that do not fit together");
  if (result == ncclSuccess && enqueueOperation(meeting, last) != cudaSuccess)
    result = fail(ncclUnhandledCudaError, "a stream does not take the operation");
  std::lock_guard lock(clique.mutex);
  if (result != ncclSuccess) {
    failMeeting(clique, meeting, result);
    failMeetings(clique, result); // nobody can join them any more
  } else {
    meeting.state = Meeting::Launched;
  }
  for (const Arrival &arrival : meeting.arrivals)
    clique.oneThread |= arrival.gate && arrival.thread == last.thread;
  clique.changed.notify_all();
  return result;
}

/// Has the stream wait for an operation that others will launch.
ncclResult_t follow(const Seat &seat) {
  Meeting &meeting = *seat.meeting;
  Arrival &arrival = meeting.arrivals[seat.place];
  Clique &clique = *arrival.call.comm->clique;
  std::unique_lock lock(clique.mutex);
  auto isOver = [&] { return meeting.state >= Meeting::Launched; };
  if (!arrival.pending) // captured: a gate would not open again when the graph is launched again
    clique.changed.wait(lock, isOver);
  else if (!clique.oneThread)
    clique.changed.wait_for(lock, Patience, isOver);
  if (meeting.state == Meeting::Launching)
    clique.changed.wait(lock, isOver);
  if (meeting.state == Meeting::Failed)
    return meeting.result;
  DeviceScope scope(arrival.call.comm->device);
  if (meeting.state == Meeting::Launched) {
    lock.unlock();
    cudaError_t error = cudaStreamWaitEvent(arrival.call.stream, meeting.done.get(), 0);
    return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
  int *gate = arrival.gate = takeFlag();
  cudaStream_t stream = arrival.call.stream;
  lock.unlock();
  cudaError_t error = gate ? enqueueGate(gate, stream) : cudaErrorMemoryAllocation;
  if (error == cudaSuccess)
    error = library::enqueue(stream, [gate] { giveFlagBack(gate); });
  if (error == cudaSuccess)
    return ncclSuccess;
  lock.lock();
  failMeetings(clique, ncclUnhandledCudaError);
  return fail(ncclUnhandledCudaError, std::string("a stream cannot wait for the other ranks: ") +
                                          cudaGetErrorString(error));
}

/// Events behind what the calls' streams do, one for each stream; fewer if the runtime refuses.
std::vector<Event> recordEvents(const std::vector<Call> &calls) {
  std::vector<Event> events;
  for (const Call &call : calls) {
    auto isSame = [&](const Call &other) {
      return other.stream == call.stream && other.comm->device == call.comm->device;
    };
    auto first = size_t(std::ranges::find_if(calls, isSame) - calls.begin());
    events.push_back(first < events.size() ? events[first] : recordEvent(call));
    if (!events.back())
      return {};
  }
  return events;
}

/// The calls are not made: the ranks that they would have met do not wait for them.
void leave(const std::vector<Call> &calls, ncclResult_t result) {
  for (const Call &call : calls) {
    Clique &clique = *call.comm->clique;
    std::lock_guard lock(clique.mutex);
    if (clique.failure == ncclSuccess)
      clique.failure = result;
    failMeetings(clique, result);
  }
}

ncclResult_t submitHere(const std::vector<Call> &calls) {
  std::vector<Event> events = recordEvents(calls);
  if (events.size() < calls.size()) {
    leave(calls, ncclUnhandledCudaError);
    return fail(ncclUnhandledCudaError, "the stream is none");
  }
  std::vector<Seat> seats;
  for (size_t i = 0; i < calls.size(); ++i)
    seats.push_back(arrive(calls[i], events[i]));
  ncclResult_t result = ncclSuccess;
  for (bool last : {true, false})
    for (const Seat &seat : seats)
      if (seat.last == last)
        if (ncclResult_t r = last ? launch(seat) : follow(seat); r != ncclSuccess)
          result = r;
  return result;
}

} // namespace

ncclResult_t submit(std::vector<Call> calls) {
  std::vector<Call> here;
  std::vector<std::pair<ncclComm_t, std::vector<Call>>> elsewhere; // by communicator
  for (const Call &call : calls) {
    if (!remoteOf(call.comm)) {
      here.push_back(call);
      continue;
    }
    auto same = [&](const auto &entry) { return entry.first == call.comm; };
    auto entry = std::find_if(elsewhere.begin(), elsewhere.end(), same);
    if (entry == elsewhere.end())
      entry = elsewhere.insert(entry, {call.comm, {}});
    entry->second.push_back(call);
  }
  ncclResult_t result = ncclSuccess;
  for (auto &[comm, theirs] : elsewhere)
    if (ncclResult_t r = remoteOf(comm)->submit(std::move(theirs), comm->pending); r != ncclSuccess)
      result = r;
  ncclResult_t r = submitHere(here);
  return r != ncclSuccess ? r : result;
}

void failMeetings(Clique &clique, ncclResult_t result) {
  for (auto &[number, meeting] : clique.collectives)
    failMeeting(clique, *meeting, result);
  clique.collectives.clear();
  for (auto *side : {&clique.sends, &clique.receives}) {
    for (auto &[pair, meetings] : *side)
      for (auto &meeting : meetings)
        failMeeting(clique, *meeting, result);
    side->clear();
  }
  clique.changed.notify_all();
}

} // namespace heddle::nccl
