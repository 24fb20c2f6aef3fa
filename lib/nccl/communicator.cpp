// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making and ending communicators. Ranks come to a clique by its identifier, from any thread of the
// processes that know it. Nobody is a rank before all are: ncclCommInitRank waits, or the end of
// the group that it is in. Then it shows whether all ranks are of one process, which meeting.h is
// for, or not (remote.h).
#include "nccl/communicator.h"

#include "nccl/group.h"
#include "nccl/remote.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <unordered_set>

#include <unistd.h>

using namespace heddle::nccl;

namespace {

/// What an ncclUniqueId holds.
struct Identifier {
  char magic[8];
  int64_t process;
  uint64_t number;
};
constexpr char Magic[8] = "heddle!";

struct Registry {
  std::mutex mutex;
  std::unordered_set<ncclComm_t> comms;
  std::map<std::string, std::shared_ptr<Clique>> gathering; ///< by name
  std::string lastError;
};

Registry &registry() {
  static Registry &instance = *new Registry;
  return instance;
}

ncclUniqueId makeId() {
  std::random_device random;
  Identifier id{{}, getpid(), uint64_t(random()) << 32 | random()};
  std::memcpy(id.magic, Magic, sizeof Magic);
  ncclUniqueId result = {};
  std::memcpy(result.internal, &id, sizeof id);
  return result;
}

ncclComm_t addComm(std::shared_ptr<Clique> clique, int rank, int device, bool blocking) {
  auto *comm = new ncclComm;
  comm->clique = std::move(clique);
  comm->rank = rank;
  comm->device = device;
  comm->blocking = blocking;
  std::lock_guard lock(registry().mutex);
  registry().comms.insert(comm);
  return comm;
}

/// What the ranks of an identifier find each other by; empty for what is none.
std::string nameOf(const ncclUniqueId &commId) {
  Identifier id;
  std::memcpy(&id, commId.internal, sizeof id);
  if (std::memcmp(id.magic, Magic, sizeof Magic) != 0)
    return "";
  return "/heddle-nccl-" + std::to_string(id.process) + "-" + std::to_string(id.number);
}

/// The clique of a name, made by the first who asks.
std::shared_ptr<Clique> cliqueOf(const std::string &name, int size) {
  std::lock_guard lock(registry().mutex);
  std::shared_ptr<Clique> &clique = registry().gathering[name];
  if (!clique) {
    clique = std::make_shared<Clique>(size);
    clique->name = name;
    clique->segment = Segment::open(name, size);
  }
  return clique;
}

ncclResult_t findClique(const std::string &name, int size, std::shared_ptr<Clique> &result) {
  std::shared_ptr<Clique> clique = cliqueOf(name, size);
  if (clique->size != size || (clique->segment && !clique->segment->agrees()))
    return fail(ncclInvalidArgument, "the ranks disagree on how many they are");
  if (!clique->segment && clique->failure != ncclSuccess) // see forget
    return fail(clique->failure, "another rank could not join");
  if (!clique->segment)
    return fail(ncclSystemError, "there is no shared memory for so many ranks");
  result = std::move(clique);
  return ncclSuccess;
}

/// Nobody comes to the clique any more. Where not all have, since it has failed, one without a
/// segment tells those that come later.
void forget(Clique &clique) {
  if (!clique.segment)
    return;
  clique.segment->forgetName();
  std::shared_ptr<Clique> failed;
  {
    std::lock_guard lock(clique.mutex);
    if (clique.failure != ncclSuccess && !clique.complete()) {
      failed = std::make_shared<Clique>(clique.size);
      failed->failure = clique.failure;
    }
  }
  std::lock_guard lock(registry().mutex);
  if (failed)
    registry().gathering[clique.name] = std::move(failed);
  else
    registry().gathering.erase(clique.name);
}

/// A rank cannot join: those that have do not wait for it. The clique's lock is held.
ncclResult_t failJoin(Clique &clique, const char *why) {
  clique.failure = ncclInvalidUsage;
  clique.segment->abort();
  clique.changed.notify_all();
  return fail(ncclInvalidUsage, why);
}

ncclResult_t join(Clique &clique, int rank, int device) {
  std::lock_guard lock(clique.mutex);
  if (clique.failure != ncclSuccess)
    return fail(clique.failure, "another rank could not join");
  if (std::find(clique.devices.begin(), clique.devices.end(), device) != clique.devices.end())
    return failJoin(clique, "two ranks have the same device");
  if (clique.devices[size_t(rank)] >= 0 || !clique.segment->join(rank))
    return failJoin(clique, "a rank joins twice");
  clique.devices[size_t(rank)] = device;
  ++clique.joined;
  clique.changed.notify_all();
  return ncclSuccess;
}

ncclResult_t waitForAll(Clique &clique) {
  for (;;) {
    {
      std::lock_guard lock(clique.mutex);
      if (clique.failure == ncclSuccess && clique.segment->isAborted())
        clique.failure = ncclRemoteError; // in another process
      if (clique.failure != ncclSuccess || clique.complete())
        break;
    }
    clique.segment->waitForOthers();
  }
  forget(clique);
  std::lock_guard lock(clique.mutex);
  return clique.failure;
}

ncclResult_t checkConfig(const ncclConfig_t *config, bool &blocking) {
  blocking = true;
  if (!config)
    return ncclSuccess;
  ncclConfig_t right = NCCL_CONFIG_INITIALIZER;
  if (config->magic != right.magic)
    return fail(ncclInvalidArgument, "the configuration was not initialized");
  if (config->blocking != NCCL_CONFIG_UNDEF_INT && config->blocking != 0 && config->blocking != 1)
    return fail(ncclInvalidArgument, "blocking is 0 or 1");
  blocking = config->blocking != 0;
  return ncclSuccess;
}

/// Makes the communicator of a rank that comes to the clique of a name.
ncclResult_t enter(ncclComm_t *comm, const std::string &name, int size, int rank, int device,
                   bool blocking, std::shared_ptr<Clique> &clique) {
  if (ncclResult_t result = findClique(name, size, clique); result != ncclSuccess)
    return result;
  if (ncclResult_t result = join(*clique, rank, device); result != ncclSuccess) {
    if (clique->failure != ncclSuccess)
      forget(*clique);
    return result;
  }
  *comm = addComm(clique, rank, device, blocking);
  return ncclSuccess;
}

ncclResult_t initRank(ncclComm_t *comm, int size, const ncclUniqueId &id, int rank, int device,
                      const ncclConfig_t *config) {
  bool blocking;
  std::shared_ptr<Clique> clique;
  if (!comm || size < 1 || rank < 0 || rank >= size)
    return fail(ncclInvalidArgument, "a communicator has 1 rank at least, and ranks below that");
  if (ncclResult_t result = checkConfig(config, blocking); result != ncclSuccess)
    return result;
  std::string name = nameOf(id);
  if (name.empty())
    return fail(ncclInvalidArgument, "the unique identifier is none");
  if (ncclResult_t result = enter(comm, name, size, rank, device, blocking, clique);
      result != ncclSuccess)
    return result;
  if (!blocking) {
    std::lock_guard lock(clique->mutex);
    return clique->complete() ? ncclSuccess : ncclInProgress;
  }
  return waitOrCollect([clique] { return waitForAll(*clique); });
}

/// Once all have said what they wish: a clique for each color, ranked by key and then by rank.
void divide(const Clique &clique, Split &split) {
  split.places.resize(size_t(clique.size));
  std::map<int, std::vector<std::pair<int, int>>> members; // key and rank by color
  for (int rank = 0; rank < clique.size; ++rank)
    if (const Split::Wish &wish = *split.wishes[size_t(rank)]; wish.color != NCCL_SPLIT_NOCOLOR)
      members[wish.color].emplace_back(wish.key, rank);
  for (auto &[color, ranks] : members) {
    std::sort(ranks.begin(), ranks.end());
    auto made = std::make_shared<Clique>(int(ranks.size()));
    made->joined = made->size;
    for (size_t i = 0; i < ranks.size(); ++i) {
      size_t rank = size_t(ranks[i].second);
      made->devices[i] = clique.devices[rank];
      split.places[rank] = {made, int(i)};
    }
  }
}

/// ncclCommSplit where ranks are in other processes: all tell all what they wish, and those of a
/// color meet again.
ncclResult_t splitRemotely(ncclComm_t comm, int color, int key, ncclComm_t *newcomm) {
  std::vector<uint64_t> wishes;
  uint64_t mine = uint64_t(uint32_t(color)) << 32 | uint32_t(key);
  std::string name =
      comm->clique->name + "-" + std::to_string(comm->splitCount++) + "-" + std::to_string(color);
  if (ncclResult_t result = remoteOf(comm)->gather(mine, wishes); result != ncclSuccess)
    return result;
  if (color == NCCL_SPLIT_NOCOLOR)
    return ncclSuccess;
  std::vector<std::pair<int, int>> members; // key and rank
  for (size_t rank = 0; rank < wishes.size(); ++rank)
    if (int(wishes[rank] >> 32) == color)
      members.emplace_back(int(uint32_t(wishes[rank])), int(rank));
  std::sort(members.begin(), members.end());
  auto me = std::find(members.begin(), members.end(), std::pair(key, comm->rank));
  std::shared_ptr<Clique> clique;
  ncclResult_t result = enter(newcomm, name, int(members.size()), int(me - members.begin()),
                              comm->device, comm->blocking, clique);
  return result == ncclSuccess ? waitForAll(*clique) : result;
}

std::shared_ptr<Split> sayWish(ncclComm_t comm, int color, int key) {
  Clique &clique = *comm->clique;
  uint64_t number = comm->splitCount++;
  std::lock_guard lock(clique.mutex);
  std::shared_ptr<Split> &slot = clique.splits[number];
  if (!slot) {
    slot = std::make_shared<Split>();
    slot->wishes.resize(size_t(clique.size));
  }
  std::shared_ptr<Split> split = slot;
  split->wishes[size_t(comm->rank)] = {color, key};
  if (++split->arrived == clique.size) {
    divide(clique, *split);
    clique.splits.erase(number);
    clique.changed.notify_all();
  }
  return split;
}

/// Waits until the operations of this rank are done.
void drain(ncclComm_t comm) {
  for (int left; (left = comm->pending->load()) > 0;)
    comm->pending->wait(left);
}

void removeComm(ncclComm_t comm) {
  forget(*comm->clique);
  {
    std::lock_guard lock(registry().mutex);
    registry().comms.erase(comm);
  }
  delete comm;
}

} // namespace

ncclComm::ncclComm() = default;
ncclComm::~ncclComm() = default;

namespace heddle::nccl {

ncclResult_t fail(ncclResult_t result, const std::string &why) {
  std::fprintf(stderr, "heddle: NCCL: %s\n", why.c_str());
  std::lock_guard lock(registry().mutex);
  registry().lastError = why;
  return result;
}

ncclResult_t check(ncclComm_t comm) {
  bool known;
  {
    std::lock_guard lock(registry().mutex);
    known = registry().comms.count(comm) != 0;
  }
  return known ? ncclSuccess : fail(ncclInvalidArgument, "the communicator is none");
}

Remote *remoteOf(ncclComm_t comm) {
  Clique &clique = *comm->clique;
  std::lock_guard lock(clique.mutex);
  if (!comm->remote && clique.isRemote())
    comm->remote = std::make_unique<Remote>(clique.segment, comm->rank, clique.size,
                                            [shared = comm->clique](ncclResult_t result) {
                                              std::lock_guard lock(shared->mutex);
                                              if (shared->failure == ncclSuccess)
                                                shared->failure = result;
                                            });
  return comm->remote.get();
}

} // namespace heddle::nccl

extern "C" {
#pragma GCC visibility push(default)

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId) {
  if (!uniqueId)
    return fail(ncclInvalidArgument, "a null pointer for the unique identifier");
  *uniqueId = makeId();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank,
                                    ncclConfig_t *config) {
  int device;
  if (cudaGetDevice(&device) != cudaSuccess)
    return failGroup(fail(ncclUnhandledCudaError, "there is no device"));
  ncclResult_t result = initRank(comm, nranks, commId, rank, device, config);
  return result == ncclSuccess || result == ncclInProgress ? result : failGroup(result);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank) {
  return ncclCommInitRankConfig(comm, nranks, commId, rank, nullptr);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t *newcomm, int nranks, int myrank, int nId,
                                      ncclUniqueId *commIds, ncclConfig_t *config) {
  if (nId < 1 || !commIds)
    return failGroup(fail(ncclInvalidArgument, "there is no unique identifier"));
  return ncclCommInitRankConfig(newcomm, nranks, commIds[0], myrank, config);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devlist) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess)
    return fail(ncclUnhandledCudaError, "there is no device");
  if (!comms || ndev < 1)
    return fail(ncclInvalidArgument, "there are no communicators to make");
  std::vector<bool> taken(size_t(std::max(devices, ndev)));
  for (int i = 0; i < ndev; ++i) {
    int device = devlist ? devlist[i] : i;
    if (device < 0 || device >= devices)
      return fail(ncclInvalidArgument, "there is no device " + std::to_string(device));
    if (taken[size_t(device)])
      return fail(ncclInvalidUsage, "two ranks have the same device");
    taken[size_t(device)] = true;
  }
  auto clique = std::make_shared<Clique>(ndev);
  for (int i = 0; i < ndev; ++i) {
    clique->devices[size_t(i)] = devlist ? devlist[i] : i;
    comms[i] = addComm(clique, i, clique->devices[size_t(i)], true);
  }
  clique->joined = ndev;
  return ncclSuccess;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
                           ncclConfig_t *config) {
  bool blocking;
  ncclResult_t result = check(comm);
  if (result == ncclSuccess)
    result = checkConfig(config, blocking);
  if (result == ncclSuccess && (!newcomm || (color < 0 && color != NCCL_SPLIT_NOCOLOR)))
    result = fail(ncclInvalidArgument, "a color is not negative, or NCCL_SPLIT_NOCOLOR");
  if (result != ncclSuccess)
    return failGroup(result);
  *newcomm = nullptr;
  if (remoteOf(comm))
    return waitOrCollect(
        [comm, color, key, newcomm] { return splitRemotely(comm, color, key, newcomm); });
  std::shared_ptr<Split> split = sayWish(comm, color, key);
  return waitOrCollect([split, comm, newcomm, clique = comm->clique] {
    std::unique_lock lock(clique->mutex);
    clique->changed.wait(
        lock, [&] { return split->arrived == clique->size || clique->failure != ncclSuccess; });
    if (split->arrived != clique->size)
      return clique->failure;
    const Split::Place &place = split->places[size_t(comm->rank)];
    if (place.clique)
      *newcomm = addComm(place.clique, place.rank, comm->device, comm->blocking);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  if (ncclResult_t result = check(comm); result != ncclSuccess)
    return result;
  if (comm->finalized)
    return fail(ncclInvalidUsage, "the communicator was finalized before");
  drain(comm);
  comm->finalized = true;
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (!comm)
    return ncclSuccess;
  if (ncclResult_t result = check(comm); result != ncclSuccess)
    return result;
  drain(comm);
  removeComm(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (!comm)
    return ncclSuccess;
  if (ncclResult_t result = check(comm); result != ncclSuccess)
    return result;
  {
    Clique &clique = *comm->clique;
    std::lock_guard lock(clique.mutex);
    clique.failure = ncclRemoteError;
    failMeetings(clique, ncclRemoteError);
  }
  if (comm->remote)
    comm->remote->abort();
  removeComm(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError) {
  if (ncclResult_t result = check(comm); result != ncclSuccess)
    return result;
  if (!asyncError)
    return fail(ncclInvalidArgument, "a null pointer for the error");
  Clique &clique = *comm->clique;
  std::lock_guard lock(clique.mutex);
  *asyncError = clique.failure != ncclSuccess ? clique.failure
                : clique.complete()           ? ncclSuccess
                                              : ncclInProgress;
  return ncclSuccess;
}

#define HEDDLE_NCCL_QUERY(name, what)                                                              \
  ncclResult_t name(const ncclComm_t comm, int *result) {                                          \
    if (ncclResult_t valid = check(comm); valid != ncclSuccess)                                    \
      return valid;                                                                                \
    if (!result)                                                                                   \
      return fail(ncclInvalidArgument, "a null pointer for the result");                           \
    *result = comm->what;                                                                          \
    return ncclSuccess;                                                                            \
  }
HEDDLE_NCCL_QUERY(ncclCommCount, clique->size)
HEDDLE_NCCL_QUERY(ncclCommCuDevice, device)
HEDDLE_NCCL_QUERY(ncclCommUserRank, rank)

// Buffers are memory of the process: registering one changes nothing.
ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buff, size_t size, void **handle) {
  if (ncclResult_t result = check(comm); result != ncclSuccess)
    return result;
  if (!buff || !handle || size == 0)
    return fail(ncclInvalidArgument, "there is no buffer to register");
  *handle = buff;
  return ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle) { return check(comm); }

const char *ncclGetLastError(ncclComm_t comm) {
  static thread_local std::string text;
  std::lock_guard lock(registry().mutex);
  text = registry().lastError;
  return text.c_str();
}

#pragma GCC visibility pop
}
