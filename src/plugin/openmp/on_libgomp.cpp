// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's OpenMP code calls (libomp's functions __kmpc_*), on libgomp's functions. It is bitcode in the plugin, and
// use_libgomp.cpp links what a file needs into it, so each object has copies of its own: two functions that share a
// variable here must be called from one function of a program, as those that a construct needs are.
//
// The thread numbers that these functions get and give are those of the team (omp_get_thread_num); nothing here uses one.
// Sources of the interfaces: the documentation and headers of LLVM's OpenMP runtime and of GCC's libgomp.
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using Unsigned = unsigned long long;

extern "C" {

int omp_get_thread_num();
int omp_get_num_threads();
void GOMP_parallel(void (*)(void *), void *, unsigned threads, unsigned flags);
void GOMP_parallel_start(void (*)(void *), void *, unsigned threads);
void GOMP_parallel_end();
void GOMP_barrier();
bool GOMP_single_start();
void GOMP_critical_start();
void GOMP_critical_end();
void GOMP_critical_name_start(void **);
void GOMP_critical_name_end(void **);
void GOMP_ordered_start();
void GOMP_ordered_end();
void GOMP_loop_end_nowait();
void GOMP_task(void (*)(void *), void *, void (*copy)(void *, void *), long size, long alignment,
               bool isDeferred, unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskwait();
void GOMP_taskwait_depend(void **);
void GOMP_taskyield();
void GOMP_taskgroup_start();
void GOMP_taskgroup_end();
#define HEDDLE_LOOP(kind)                                                                          \
  bool GOMP_loop_ull_##kind##_start(bool up, Unsigned begin, Unsigned end, Unsigned step,          \
                                    Unsigned chunk, Unsigned *first, Unsigned *last);              \
  bool GOMP_loop_ull_##kind##_next(Unsigned *first, Unsigned *last);
#define HEDDLE_RUNTIME_LOOP(kind)                                                                  \
  bool GOMP_loop_ull_##kind##_start(bool up, Unsigned begin, Unsigned end, Unsigned step,          \
                                    Unsigned *first, Unsigned *last);                              \
  bool GOMP_loop_ull_##kind##_next(Unsigned *first, Unsigned *last);
HEDDLE_LOOP(static)
HEDDLE_LOOP(dynamic)
HEDDLE_LOOP(guided)
HEDDLE_RUNTIME_LOOP(runtime)
HEDDLE_LOOP(ordered_static)
HEDDLE_LOOP(ordered_dynamic)
HEDDLE_LOOP(ordered_guided)
HEDDLE_RUNTIME_LOOP(ordered_runtime)
#undef HEDDLE_LOOP
#undef HEDDLE_RUNTIME_LOOP

} // extern "C"

using Location = const void *;

// --- Parallel regions ---------------------------------------------------------------------------

namespace {

constexpr int MostArguments = 256;

struct Fork {
  void *body;
  int count;
  void **arguments;
};

thread_local unsigned wantedThreads = 0, wantedBinding = 0;

template <int... I> struct Numbers {};
template <int N, int... I> struct Count : Count<N - 1, N - 1, I...> {};
template <int... I> struct Count<0, I...> {
  using Type = Numbers<I...>;
};
template <int> using Pointer = void *;

/// Calls with as many pointers as there are numbers. More than the body has do no harm, with the
/// calling conventions of C on x86-64 and AArch64.
template <int... I> void callWith(void *body, void **a, int32_t *number, Numbers<I...>) {
  reinterpret_cast<void (*)(int32_t *, int32_t *, Pointer<I>...)>(body)(number, number, a[I]...);
}

void callBody(void *body, int count, void **arguments) {
  int32_t number = omp_get_thread_num();
  void *padded[MostArguments] = {};
  std::memcpy(padded, arguments, sizeof(void *) * static_cast<size_t>(count));
  if (count <= 4)
    callWith(body, padded, &number, Count<4>::Type());
  else if (count <= 16)
    callWith(body, padded, &number, Count<16>::Type());
  else if (count <= 64)
    callWith(body, padded, &number, Count<64>::Type());
  else
    callWith(body, padded, &number, Count<MostArguments>::Type());
}

void runFork(void *data) {
  auto *fork = static_cast<Fork *>(data);
  callBody(fork->body, fork->count, fork->arguments);
}

} // namespace

extern "C" {

int32_t __kmpc_global_thread_num(Location) { return omp_get_thread_num(); }

void __kmpc_push_num_threads(Location, int32_t, int32_t count) {
  wantedThreads = static_cast<unsigned>(count > 0 ? count : 0);
}

void __kmpc_push_proc_bind(Location, int32_t, int32_t binding) {
  wantedBinding = static_cast<unsigned>(binding);
}

void __kmpc_fork_call(Location, int32_t count, void *body, ...) {
  void *arguments[MostArguments];
  if (count > MostArguments)
    abort();
  va_list list;
  va_start(list, body);
  for (int i = 0; i < count; ++i)
    arguments[i] = va_arg(list, void *);
  va_end(list);
  Fork fork = {body, count, arguments};
  unsigned threads = wantedThreads, binding = wantedBinding;
  wantedThreads = wantedBinding = 0;
  GOMP_parallel(runFork, &fork, threads, binding);
}

void __kmpc_serialized_parallel(Location, int32_t) {
  wantedThreads = wantedBinding = 0;
  GOMP_parallel_start(nullptr, nullptr, 1);
}

void __kmpc_end_serialized_parallel(Location, int32_t) { GOMP_parallel_end(); }

// --- Threads of a team --------------------------------------------------------------------------

void __kmpc_barrier(Location, int32_t) { GOMP_barrier(); }
void __kmpc_flush(Location) { __sync_synchronize(); }

int32_t __kmpc_master(Location, int32_t) { return omp_get_thread_num() == 0; }
void __kmpc_end_master(Location, int32_t) {}
int32_t __kmpc_masked(Location, int32_t, int32_t filter) { return omp_get_thread_num() == filter; }
void __kmpc_end_masked(Location, int32_t) {}
int32_t __kmpc_single(Location, int32_t) { return GOMP_single_start(); }
void __kmpc_end_single(Location, int32_t) {}

// libgomp's lock of a name is a pointer, which it makes when it is null; clang's is 32 bytes of zero.
void __kmpc_critical(Location, int32_t, void *lock) {
  GOMP_critical_name_start(static_cast<void **>(lock));
}
void __kmpc_critical_with_hint(Location, int32_t, void *lock, uint32_t) {
  GOMP_critical_name_start(static_cast<void **>(lock));
}
void __kmpc_end_critical(Location, int32_t, void *lock) {
  GOMP_critical_name_end(static_cast<void **>(lock));
}

/// 1: the caller adds up its own values, under the lock.
int32_t __kmpc_reduce_nowait(Location, int32_t, int32_t, size_t, void *, void *, void *lock) {
  GOMP_critical_name_start(static_cast<void **>(lock));
  return 1;
}
void __kmpc_end_reduce_nowait(Location, int32_t, void *lock) {
  GOMP_critical_name_end(static_cast<void **>(lock));
}
int32_t __kmpc_reduce(Location, int32_t, int32_t, size_t, void *, void *, void *lock) {
  GOMP_critical_name_start(static_cast<void **>(lock));
  return 1;
}
void __kmpc_end_reduce(Location, int32_t, void *lock) {
  GOMP_critical_name_end(static_cast<void **>(lock));
  GOMP_barrier();
}

void __kmpc_ordered(Location, int32_t) { GOMP_ordered_start(); }
void __kmpc_end_ordered(Location, int32_t) { GOMP_ordered_end(); }

} // extern "C"

// --- Loops --------------------------------------------------------------------------------------

namespace {

enum Schedule {
  StaticChunked = 33,
  Static = 34,
  Dynamic = 35,
  Guided = 36,
  Runtime = 37,
  Auto = 38,
  Steal = 44,
  BalancedChunked = 45,
  GuidedSimd = 46,
  RuntimeSimd = 47,
  OrderedStaticChunked = 65,
  OrderedStatic = 66,
  OrderedDynamic = 67,
  OrderedGuided = 68,
  OrderedRuntime = 69,
  OrderedAuto = 70,
};
constexpr int32_t Modifiers = 3 << 29; // monotonic, nonmonotonic

/// The number of iterations. `U` is the unsigned type of T's size.
template <typename U, typename T> U trips(T lower, T upper, int64_t step) {
  if (step > 0)
    return upper < lower ? 0 : (U(upper) - U(lower)) / U(step) + 1;
  return lower < upper ? 0 : (U(lower) - U(upper)) / U(-step) + 1;
}

/// The first share of this thread: its bounds, the distance to its next share, and whether it has
/// the last iteration.
template <typename U, typename T, typename S>
void initStatic(int32_t schedule, int32_t *isLast, T *lower, T *upper, S *stride, S step, S chunk) {
  U all = trips<U>(*lower, *upper, step);
  U count = U(omp_get_num_threads()), number = U(omp_get_thread_num());
  schedule &= ~Modifiers;
  if (all == 0) {
    if (isLast)
      *isLast = 0;
    *stride = step;
    return;
  }
  U first, size, last;
  if (schedule == StaticChunked || schedule == BalancedChunked) {
    size = chunk < 1 ? 1 : U(chunk);
    if (schedule == BalancedChunked)
      size = ((all + count - 1) / count + size - 1) / size * size;
    first = number * size;
    *stride = S(size * count * U(step));
    last = (all - 1) / size % count;
  } else {
    U small = all / count, more = all % count;
    size = small + (number < more);
    first = number * small + (number < more ? number : more);
    *stride = S(all * U(step));
    last = small ? count - 1 : more - 1;
  }
  T end = *upper;
  *lower = T(U(*lower) + first * U(step));
  *upper = T(U(*lower) + size * U(step) - U(step));
  if (schedule == BalancedChunked && (step > 0 ? *upper > end : *upper < end))
    *upper = end;
  if (isLast)
    *isLast = number == last;
}

/// A loop whose shares libgomp gives out, by numbers of iterations. A thread may be in several, one
/// within the other, in parallel regions that are nested.
struct Loop {
  Loop *outer;
  uint64_t lower;
  int64_t step;
  Unsigned trips, first, last;
  int32_t schedule;
  bool hasFirst, isBegun; ///< whether there is a first share, and whether it was given out
};

thread_local Loop *innermost = nullptr;

bool startLoop(Loop &l, Unsigned chunk) {
  Unsigned *first = &l.first, *last = &l.last;
  switch (l.schedule) {
  case Guided:
  case GuidedSimd:
    return GOMP_loop_ull_guided_start(true, 0, l.trips, 1, chunk, first, last);
  case Runtime:
  case RuntimeSimd:
    return GOMP_loop_ull_runtime_start(true, 0, l.trips, 1, first, last);
  case StaticChunked:
    return GOMP_loop_ull_static_start(true, 0, l.trips, 1, chunk, first, last);
  case Static:
  case Auto:
    return GOMP_loop_ull_static_start(true, 0, l.trips, 1, 0, first, last);
  case OrderedStaticChunked:
    return GOMP_loop_ull_ordered_static_start(true, 0, l.trips, 1, chunk, first, last);
  case OrderedStatic:
  case OrderedAuto:
    return GOMP_loop_ull_ordered_static_start(true, 0, l.trips, 1, 0, first, last);
  case OrderedDynamic:
    return GOMP_loop_ull_ordered_dynamic_start(true, 0, l.trips, 1, chunk, first, last);
  case OrderedGuided:
    return GOMP_loop_ull_ordered_guided_start(true, 0, l.trips, 1, chunk, first, last);
  case OrderedRuntime:
    return GOMP_loop_ull_ordered_runtime_start(true, 0, l.trips, 1, first, last);
  default:
    return GOMP_loop_ull_dynamic_start(true, 0, l.trips, 1, chunk, first, last);
  }
}

bool nextShare(Loop &l) {
  Unsigned *first = &l.first, *last = &l.last;
  switch (l.schedule) {
  case Guided:
  case GuidedSimd:
    return GOMP_loop_ull_guided_next(first, last);
  case Runtime:
  case RuntimeSimd:
    return GOMP_loop_ull_runtime_next(first, last);
  case StaticChunked:
  case Static:
  case Auto:
    return GOMP_loop_ull_static_next(first, last);
  case OrderedStaticChunked:
  case OrderedStatic:
  case OrderedAuto:
    return GOMP_loop_ull_ordered_static_next(first, last);
  case OrderedDynamic:
    return GOMP_loop_ull_ordered_dynamic_next(first, last);
  case OrderedGuided:
    return GOMP_loop_ull_ordered_guided_next(first, last);
  case OrderedRuntime:
    return GOMP_loop_ull_ordered_runtime_next(first, last);
  default:
    return GOMP_loop_ull_dynamic_next(first, last);
  }
}

template <typename U, typename T, typename S>
void initDispatch(int32_t schedule, T lower, T upper, S step, S chunk) {
  auto *loop = static_cast<Loop *>(malloc(sizeof(Loop)));
  *loop = {innermost,
           uint64_t(lower),
           int64_t(step),
           trips<U>(lower, upper, step),
           0,
           0,
           schedule & ~Modifiers,
           false,
           false};
  innermost = loop;
  loop->hasFirst = startLoop(*loop, chunk < 1 ? 1 : Unsigned(chunk));
}

void leaveLoop() {
  Loop *loop = innermost;
  innermost = loop->outer;
  free(loop);
}

template <typename T, typename S>
int32_t nextDispatch(int32_t *isLast, T *lower, T *upper, S *stride) {
  Loop &loop = *innermost;
  bool hasShare = loop.isBegun ? nextShare(loop) : loop.hasFirst;
  loop.isBegun = true;
  if (!hasShare) {
    GOMP_loop_end_nowait();
    leaveLoop();
    return 0;
  }
  *lower = T(loop.lower + loop.first * uint64_t(loop.step));
  *upper = T(loop.lower + (loop.last - 1) * uint64_t(loop.step));
  *stride = S(loop.step);
  if (isLast)
    *isLast = loop.last == loop.trips;
  return 1;
}

} // namespace

extern "C" {

#define HEDDLE_LOOPS(suffix, T, U, S)                                                              \
  void __kmpc_for_static_init_##suffix(Location, int32_t, int32_t schedule, int32_t *isLast,       \
                                       T *lower, T *upper, S *stride, S step, S chunk) {           \
    initStatic<U>(schedule, isLast, lower, upper, stride, step, chunk);                            \
  }                                                                                                \
  void __kmpc_dispatch_init_##suffix(Location, int32_t, int32_t schedule, T lower, T upper,        \
                                     S step, S chunk) {                                            \
    initDispatch<U>(schedule, lower, upper, step, chunk);                                          \
  }                                                                                                \
  int32_t __kmpc_dispatch_next_##suffix(Location, int32_t, int32_t *isLast, T *lower, T *upper,    \
                                        S *stride) {                                               \
    return nextDispatch(isLast, lower, upper, stride);                                             \
  }                                                                                                \
  void __kmpc_dispatch_fini_##suffix(Location, int32_t) {}
HEDDLE_LOOPS(4, int32_t, uint32_t, int32_t)
HEDDLE_LOOPS(4u, uint32_t, uint32_t, int32_t)
HEDDLE_LOOPS(8, int64_t, uint64_t, int64_t)
HEDDLE_LOOPS(8u, uint64_t, uint64_t, int64_t)
#undef HEDDLE_LOOPS

void __kmpc_for_static_fini(Location, int32_t) {}
void __kmpc_dispatch_deinit(Location, int32_t) {}

} // extern "C"

// --- Tasks --------------------------------------------------------------------------------------

namespace {

union TaskData {
  int32_t (*destructors)(int32_t, struct Task *);
  int32_t priority;
};

/// What clang's code fills: its private variables and, behind, the addresses of shared ones follow.
struct Task {
  void *shared;
  int32_t (*body)(int32_t thread, Task *);
  int32_t part;
  TaskData data1, data2;
};

/// In front of a task, which may hold values that are aligned.
struct alignas(64) TaskHeader {
  int32_t flags;
  size_t taskSize, sharedSize;
  int32_t parts; ///< submitted and not ended: an untied task submits its rest
};

enum TaskFlag { IsTied = 1, IsFinal = 2, HasDestructors = 8, HasPriority = 32 };
enum GompFlag { GompUntied = 1, GompFinal = 2, GompDepends = 8, GompPriority = 16 };

TaskHeader &headerOf(Task *task) { return reinterpret_cast<TaskHeader *>(task)[-1]; }

Task *makeTask(const TaskHeader &like) {
  size_t size = sizeof(TaskHeader) + like.taskSize + like.sharedSize;
  constexpr size_t Alignment = alignof(TaskHeader);
  auto *header = static_cast<TaskHeader *>(
      aligned_alloc(Alignment, (size + Alignment - 1) / Alignment * Alignment));
  *header = like;
  header->parts = 0;
  auto *task = reinterpret_cast<Task *>(header + 1);
  task->shared = like.sharedSize ? reinterpret_cast<char *>(task) + like.taskSize : nullptr;
  return task;
}

void freeTask(Task *task) {
  if (headerOf(task).flags & HasDestructors)
    task->data1.destructors(omp_get_thread_num(), task);
  free(&headerOf(task));
}

void beginPart(Task *task) { __atomic_add_fetch(&headerOf(task).parts, 1, __ATOMIC_RELAXED); }
void endPart(Task *task) {
  if (__atomic_sub_fetch(&headerOf(task).parts, 1, __ATOMIC_ACQ_REL) == 0)
    freeTask(task);
}

void runTask(void *data) {
  Task *task = *static_cast<Task **>(data);
  task->body(omp_get_thread_num(), task);
  endPart(task);
}

void submit(Task *task, unsigned flags, void **depend) {
  const TaskHeader &header = headerOf(task);
  beginPart(task);
  flags |= header.flags & IsTied ? 0u : unsigned(GompUntied);
  flags |= header.flags & IsFinal ? unsigned(GompFinal) : 0u;
  flags |= header.flags & HasPriority ? unsigned(GompPriority) : 0u;
  GOMP_task(runTask, &task, nullptr, sizeof(task), alignof(Task *), true, flags, depend,
            header.flags & HasPriority ? task->data2.priority : 0, nullptr);
}

struct Dependence {
  intptr_t address;
  size_t length;
  uint8_t flags; ///< 1: in; 2: out; 4: mutexinoutset; 8: inoutset
};

/// libgomp's list: the number of addresses, how many of them are written, these, and the others.
/// Sets of writers are writers in turn.
class DependenceList {
public:
  DependenceList(int32_t count, const Dependence *list)
      : words_(static_cast<void **>(malloc(sizeof(void *) * (size_t(count) + 2)))) {
    size_t next = 2;
    auto add = [&](bool writes) {
      for (int32_t i = 0; i < count; ++i)
        if ((list[i].flags != 1) == writes)
          words_[next++] = reinterpret_cast<void *>(list[i].address);
    };
    add(true);
    size_t written = next - 2;
    add(false);
    words_[0] = reinterpret_cast<void *>(next - 2);
    words_[1] = reinterpret_cast<void *>(written);
  }
  ~DependenceList() { free(words_); }
  void **words() { return words_; }

private:
  void **words_;
};

} // namespace

extern "C" {

void *__kmpc_omp_task_alloc(Location, int32_t, int32_t flags, size_t taskSize, size_t sharedSize,
                            int32_t (*body)(int32_t, Task *)) {
  Task *task = makeTask({flags, (taskSize + 7) / 8 * 8, sharedSize, 0});
  task->body = body;
  task->part = 0;
  return task;
}

int32_t __kmpc_omp_task(Location, int32_t, Task *task) {
  submit(task, 0, nullptr);
  return 0;
}

int32_t __kmpc_omp_task_with_deps(Location, int32_t, Task *task, int32_t count,
                                  const Dependence *list, int32_t, const Dependence *) {
  DependenceList dependences(count, list);
  submit(task, GompDepends, dependences.words());
  return 0;
}

void __kmpc_omp_wait_deps(Location, int32_t, int32_t count, const Dependence *list, int32_t,
                          const Dependence *) {
  DependenceList dependences(count, list);
  GOMP_taskwait_depend(dependences.words());
}

void __kmpc_omp_taskwait_deps_51(Location, int32_t, int32_t count, const Dependence *list, int32_t,
                                 const Dependence *, int32_t) {
  DependenceList dependences(count, list);
  GOMP_taskwait_depend(dependences.words());
}

void __kmpc_omp_task_begin_if0(Location, int32_t, Task *task) { beginPart(task); }
void __kmpc_omp_task_complete_if0(Location, int32_t, Task *task) { endPart(task); }

int32_t __kmpc_omp_taskwait(Location, int32_t) {
  GOMP_taskwait();
  return 0;
}
int32_t __kmpc_omp_taskyield(Location, int32_t, int32_t) {
  GOMP_taskyield();
  return 0;
}
void __kmpc_taskgroup(Location, int32_t) { GOMP_taskgroup_start(); }
void __kmpc_end_taskgroup(Location, int32_t) { GOMP_taskgroup_end(); }

/// A copy of the task for each part of the loop; its bounds are among its private variables.
void __kmpc_taskloop(Location, int32_t, Task *task, int32_t isParallel, uint64_t *lower,
                     uint64_t *upper, int64_t step, int32_t hasNoGroup, int32_t kind, uint64_t size,
                     void (*copyPrivates)(Task *to, Task *from, int32_t isLast)) {
  enum { ByGrain = 1, ByCount = 2 };
  uint64_t all = trips<uint64_t>(int64_t(*lower), int64_t(*upper), step);
  uint64_t parts = kind == ByCount   ? size
                   : kind == ByGrain ? all / (size ? size : 1)
                                     : uint64_t(omp_get_num_threads()) * 10;
  parts = parts < 1 || !isParallel ? 1 : parts > all ? all : parts;
  ptrdiff_t lowerAt = reinterpret_cast<char *>(lower) - reinterpret_cast<char *>(task);
  ptrdiff_t upperAt = reinterpret_cast<char *>(upper) - reinterpret_cast<char *>(task);
  if (!hasNoGroup)
    GOMP_taskgroup_start();
  for (uint64_t i = 0, first = 0; i < parts && all > 0; ++i) {
    uint64_t count = all / parts + (i < all % parts);
    TaskHeader &header = headerOf(task);
    Task *part = makeTask(header);
    void *shared = part->shared;
    std::memcpy(static_cast<void *>(part), task, header.taskSize + header.sharedSize);
    part->shared = shared;
    char *bytes = reinterpret_cast<char *>(part);
    *reinterpret_cast<uint64_t *>(bytes + lowerAt) = *lower + first * uint64_t(step);
    *reinterpret_cast<uint64_t *>(bytes + upperAt) = *lower + (first + count - 1) * uint64_t(step);
    first += count;
    if (copyPrivates)
      copyPrivates(part, task, i + 1 == parts);
    if (isParallel) {
      submit(part, 0, nullptr);
    } else {
      beginPart(part);
      runTask(&part);
    }
  }
  if (!hasNoGroup)
    GOMP_taskgroup_end();
  freeTask(task);
}

} // extern "C"
