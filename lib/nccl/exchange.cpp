// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/exchange.h"

#include "nccl/communicator.h"

#include <algorithm>
#include <cstring>

namespace heddle::nccl {

namespace {

/// What ranks must agree on, in one number.
uint64_t describe(const Call &call) {
  return uint64_t(call.kind) | uint64_t(call.type) << 8 | uint64_t(call.op) << 16 |
         uint64_t(call.factor != nullptr) << 24 | uint64_t(uint32_t(call.root)) << 32;
}

constexpr uint64_t Gathering = 255; // no kind

char *at(void *pointer, size_t bytes) { return static_cast<char *>(pointer) + bytes; }
const char *at(const void *pointer, size_t bytes) {
  return static_cast<const char *>(pointer) + bytes;
}

void copyBytes(const void *from, void *to, size_t bytes) {
  if (bytes > 0 && from != to)
    std::memmove(to, from, bytes);
}

} // namespace

void Exchange::send(int peer, uint64_t what, const void *data, size_t bytes, const Call *call) {
  Message message{
      {what, bytes, {}}, true, peer, static_cast<char *>(const_cast<void *>(data)), bytes};
  if (call && call->factor)
    std::memcpy(message.header.factor, call->factor, bytesOf(call->type));
  sends_[size_t(peer)].push_back(message);
}

void Exchange::receive(int peer, uint64_t what, void *data, size_t bytes, char *factor) {
  Message message{{what, bytes, {}}, false, peer, static_cast<char *>(data), bytes};
  message.factor = factor;
  receives_[size_t(peer)].push_back(message);
}

/// Moves bytes of a message as far as they go.
Exchange::Progress Exchange::advance(Message &m) {
  size_t before = m.done, all = sizeof(Header) + m.bytes;
  while (m.done < all) {
    bool inHeader = m.done < sizeof(Header);
    Header &header = m.sends ? m.header : m.arrived;
    char *data = inHeader ? reinterpret_cast<char *>(&header) + m.done
                          : m.payload + (m.done - sizeof(Header));
    size_t bytes = (inHeader ? sizeof(Header) : all) - m.done;
    size_t moved = m.sends ? segment_->write(rank_, m.peer, data, bytes)
                           : segment_->read(m.peer, rank_, data, bytes);
    if (moved == 0)
      break;
    m.done += moved;
    if (m.sends || !inHeader || m.done < sizeof(Header))
      continue;
    if (m.arrived.what != m.header.what || m.arrived.bytes != m.header.bytes)
      return Wrong;
    if (m.factor)
      std::memcpy(m.factor, m.arrived.factor, sizeof m.arrived.factor);
  }
  return m.done > before ? Some : Nothing;
}

/// The first message of each queue, and those that follow one that is done.
Exchange::Progress Exchange::advanceAll() {
  Progress progress = Nothing;
  for (auto *side : {&sends_, &receives_})
    for (std::deque<Message> &queue : *side)
      while (!queue.empty()) {
        Message &m = queue.front();
        Progress now = advance(m);
        if (now == Wrong)
          return Wrong;
        if (now == Some)
          progress = Some;
        if (m.done < sizeof(Header) + m.bytes)
          break;
        queue.pop_front();
      }
  return progress;
}

ncclResult_t Exchange::finishMessages() {
  auto isEmpty = [](const auto &side) {
    return std::all_of(side.begin(), side.end(), [](const auto &queue) { return queue.empty(); });
  };
  for (;;) {
    uint32_t seen = segment_->bell(rank_);
    Progress progress = advanceAll();
    if (progress == Wrong)
      return fail(ncclInvalidUsage, "the ranks call operations that do not fit together");
    if (isEmpty(sends_) && isEmpty(receives_))
      return ncclSuccess;
    if (segment_->isAborted())
      return ncclRemoteError;
    if (progress == Some)
      continue;
    segment_->sleep(rank_, seen);
    for (int peer = 0; peer < size_; ++peer)
      if ((!sends_[size_t(peer)].empty() || !receives_[size_t(peer)].empty()) &&
          !segment_->lives(peer) && advanceAll() == Nothing)
        return fail(ncclRemoteError, "the process of rank " + std::to_string(peer) + " has ended");
  }
}

ncclResult_t Exchange::gather(uint64_t mine, std::vector<uint64_t> &all) {
  sends_.assign(size_t(size_), {}), receives_.assign(size_t(size_), {});
  all.assign(size_t(size_), mine);
  for (int peer = 0; peer < size_; ++peer)
    if (peer != rank_) {
      send(peer, Gathering, &mine, sizeof mine);
      receive(peer, Gathering, &all[size_t(peer)], sizeof mine);
    }
  return finishMessages();
}

ncclResult_t Exchange::copy(const Call &call) {
  size_t bytes = call.count * bytesOf(call.type);
  uint64_t what = describe(call);
  bool all = call.kind == Kind::AllGather, sends = all || rank_ == call.root;
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_)
      continue;
    if (sends)
      send(peer, what, call.send, bytes);
    if (all)
      receive(peer, what, at(call.recv, size_t(peer) * bytes), bytes);
    else if (peer == call.root)
      receive(peer, what, call.recv, bytes);
  }
  if (sends)
    copyBytes(call.send, all ? at(call.recv, size_t(rank_) * bytes) : call.recv, bytes);
  return finishMessages();
}

ncclResult_t Exchange::reduce(const Call &call) {
  size_t element = bytesOf(call.type), ranks = size_t(size_), mine = size_t(rank_);
  bool scatters = call.kind == Kind::ReduceScatter, toRoot = call.kind == Kind::Reduce;
  auto begin = [&](size_t rank) {
    return scatters ? rank * call.count : call.count * rank / ranks;
  };
  size_t count = begin(mine + 1) - begin(mine);
  uint64_t what = describe(call);
  std::vector<std::vector<char>> theirs(ranks);
  std::vector<std::array<char, 8>> factors(ranks);
  for (size_t rank = 0; rank < ranks; ++rank) {
    if (rank == mine)
      continue;
    theirs[rank].resize(count * element);
    send(int(rank), what, at(call.send, begin(rank) * element),
         (begin(rank + 1) - begin(rank)) * element, &call);
    receive(int(rank), what, theirs[rank].data(), count * element, factors[rank].data());
  }
  if (ncclResult_t result = finishMessages(); result != ncclSuccess)
    return result;

  std::vector<char> sums(toRoot && rank_ != call.root ? count * element : 0);
  void *to = scatters                       ? call.recv
             : toRoot && rank_ != call.root ? sums.data()
                                            : at(call.recv, begin(mine) * element);
  Job job{Kind::Reduce, count, call.type, call.op, rank_, {}};
  for (size_t rank = 0; rank < ranks; ++rank) {
    const void *numbers = rank == mine ? at(call.send, begin(mine) * element) : theirs[rank].data();
    const void *factor = rank == mine ? call.factor : factors[rank].data();
    job.parts.push_back({numbers, rank == mine ? to : nullptr, call.factor ? factor : nullptr});
  }
  nccl::run(job);

  for (size_t rank = 0; rank < ranks && !scatters; ++rank) {
    if (rank == mine)
      continue;
    if (!toRoot || int(rank) == call.root)
      send(int(rank), what, to, count * element);
    if (!toRoot || rank_ == call.root)
      receive(int(rank), what, at(call.recv, begin(rank) * element),
              (begin(rank + 1) - begin(rank)) * element);
  }
  return finishMessages();
}

ncclResult_t Exchange::collective(const Call &call) {
  return call.kind == Kind::Broadcast || call.kind == Kind::AllGather ? copy(call) : reduce(call);
}

/// Those to the own rank are copies, in the order of the calls.
ncclResult_t Exchange::sendAndReceive(const std::vector<const Call *> &calls) {
  std::deque<const Call *> own[2];
  for (const Call *call : calls) {
    size_t bytes = call->count * bytesOf(call->type);
    if (call->root == rank_)
      own[call->sends].push_back(call);
    else if (call->sends)
      send(call->root, uint64_t(Kind::SendRecv), call->send, bytes);
    else
      receive(call->root, uint64_t(Kind::SendRecv), call->recv, bytes);
  }
  if (own[0].size() != own[1].size())
    return fail(ncclInvalidUsage, "a rank sends to itself what it does not receive in the group");
  for (size_t i = 0; i < own[0].size(); ++i) {
    size_t bytes = own[0][i]->count * bytesOf(own[0][i]->type);
    if (bytes != own[1][i]->count * bytesOf(own[1][i]->type))
      return fail(ncclInvalidUsage, "the ranks call operations that do not fit together");
    copyBytes(own[1][i]->send, own[0][i]->recv, bytes);
  }
  return finishMessages();
}

ncclResult_t Exchange::run(const std::vector<Call> &calls) {
  sends_.assign(size_t(size_), {}), receives_.assign(size_t(size_), {});
  std::vector<const Call *> pairs;
  for (const Call &call : calls) {
    if (call.kind == Kind::SendRecv)
      pairs.push_back(&call);
    else if (ncclResult_t result = collective(call); result != ncclSuccess)
      return result;
  }
  return pairs.empty() ? ncclSuccess : sendAndReceive(pairs);
}

} // namespace heddle::nccl
