// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of the API gets extreme sizes, positions, pitches, numbers, handles and pointers,
// by the types of its parameters. It may say no, but must return. Each function has a process of
// its own. What a C program must not do is not done here: a buffer is null or there, and a size is
// one that the buffer has, or one that no memory has.
//
// Longer: base/test_fuzz.h.
#include "runtime/prototypes.h"

#include "base/test_fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

uint64_t state;

uint64_t number() { // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <typename T, size_t N> T oneOf(const T (&values)[N]) { return values[number() % N]; }
uint64_t oneOf(const std::vector<uint64_t> &values) { return values[number() % values.size()]; }

/// What there is, as words.
struct Things {
  std::vector<uint64_t> handles = {0, 1, 2, 3, 16, ~0ull, 0x7fff'ffff'f000, 0xffff'8000'0000'0000};
  std::vector<uint64_t> memory = {0}; ///< 64 KiB at least can be read and written
  std::vector<uint64_t> addresses = {0, 1, 0x1000, ~0ull, ~0ull - 4095, 0xffff'8000'0000'0000};
};
Things things;

template <typename T> void addHandle(T handle) {
  things.handles.push_back(reinterpret_cast<uint64_t>(handle));
}

void makeThings() {
  constexpr size_t Bytes = 64 << 10;
  cudaStream_t streams[3];
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  cudaArray_t array;
  cudaMemPool_t pool;
  void *device, *freed, *managed, *pinned;
  for (cudaStream_t &stream : streams)
    cudaStreamCreateWithFlags(&stream, &stream == streams ? 0 : cudaStreamNonBlocking);
  cudaStreamDestroy(streams[2]);
  cudaEventCreate(&event);
  cudaGraphCreate(&graph, 0);
  cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaChannelFormatDesc format = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};
  cudaMallocArray(&array, &format, 64, 64, 0);
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMalloc(&device, Bytes);
  cudaMalloc(&freed, Bytes);
  cudaFree(freed);
  cudaMallocManaged(&managed, Bytes, cudaMemAttachGlobal);
  cudaMallocHost(&pinned, Bytes);
  for (cudaStream_t stream : streams)
    addHandle(stream);
  addHandle(event), addHandle(graph), addHandle(node), addHandle(executable), addHandle(array);
  addHandle(pool), addHandle(device);
  for (void *memory : {device, managed, pinned, static_cast<void *>(calloc(1, Bytes))})
    things.memory.push_back(reinterpret_cast<uint64_t>(memory));
  things.addresses.insert(things.addresses.end(), things.memory.begin(), things.memory.end());
  things.addresses.push_back(reinterpret_cast<uint64_t>(freed));
  things.addresses.push_back(reinterpret_cast<uint64_t>(device) + Bytes);
  things.addresses.push_back(reinterpret_cast<uint64_t>(device) + 1);
}

uint64_t size() {
  return oneOf({0ull, 1ull, 2ull, 3ull, 4ull, 7ull, 16ull, 64ull, 1ull << 57, 1ull << 60,
                1ull << 62, 1ull << 63, (1ull << 63) - 1, ~0ull, ~0ull - 1, ~0ull - 63,
                ~0ull - 4095, 0x5555'5555'5555'5556ull});
}

uint64_t word() {
  switch (number() % 4) {
  case 0:
    return oneOf(things.handles);
  case 1:
    return oneOf(things.memory);
  default:
    return size();
  }
}

/// Of the current function: it only looks at the addresses that it is given; what it is given
/// points to more; a size says how much of the caller's memory it writes.
bool onlyLooks, isNested, fillsMemory;

bool contains(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](auto part) { return name.find(part) != name.npos; });
}

template <typename T>
concept Complete = requires { sizeof(T); };

template <typename R, typename... Arguments> R nothing(Arguments...) { return R(); }
template <typename R, typename... A> auto nothingLike(R (*)(A...)) { return &nothing<R, A...>; }

/// A buffer that nobody else has, filled in one of several ways. `isCount`: it says how large another
/// one is.
void *buffer(bool isCount = false) {
  constexpr size_t Words = 8 << 10;
  static auto *buffers = static_cast<uint64_t *>(calloc(8, Words * 8));
  static unsigned next;
  uint64_t *words = buffers + next++ % 8 * Words;
  const unsigned way = isNested ? 0 : isCount ? 3 : number() % 4;
  for (size_t i = 0; i < (way < 2 ? Words : 64); ++i)
    words[i] = way == 0 ? 0 : way == 1 ? ~0ull : way == 2 ? word() : number() % 64;
  return words;
}

template <typename T> T make() {
  if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    return static_cast<T>(number() % 2 && !fillsMemory ? size() : number() % 12);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(size());
  } else if constexpr (std::is_pointer_v<T>) {
    using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_function_v<Target>)
      return number() % 8 ? nothingLike(T()) : nullptr;
    else if constexpr (std::is_void_v<Target>)
      return reinterpret_cast<T>(oneOf(onlyLooks ? things.addresses : things.memory));
    else if constexpr (std::is_same_v<Target, char>)
      return number() % 4 ? static_cast<T>(strcpy(static_cast<char *>(buffer()), "0000:00:00.0"))
                          : nullptr;
    else if constexpr (Complete<Target>)
      return number() % 8 ? static_cast<T>(buffer(std::is_same_v<Target, size_t>)) : nullptr;
    else
      return reinterpret_cast<T>(oneOf(things.handles));
  } else {
    T value;
    uint64_t words[(sizeof(T) + 7) / 8];
    for (uint64_t &one : words)
      one = word();
    memcpy(&value, words, sizeof(T));
    return value;
  }
}

struct Function {
  const char *name;
  void (*call)(void (*)());
  void (*address)();
};

template <typename R, typename... Parameters>
Function function(const char *name, R (*address)(Parameters...)) {
  auto call = [](void (*f)()) { reinterpret_cast<R (*)(Parameters...)>(f)(make<Parameters>()...); };
  return {name, call, reinterpret_cast<void (*)()>(address)};
}

#define HEDDLE_NONE(name)
#define HEDDLE_SOME(name) function(#name, name),
#define HEDDLE_CALL_compiler HEDDLE_NONE
#define HEDDLE_CALL_interop HEDDLE_NONE
#define HEDDLE_CALL_graphics HEDDLE_NONE
#define HEDDLE_CALL_legacy HEDDLE_NONE
#define HEDDLE_CALL_reference HEDDLE_NONE
#define HEDDLE_CALL_profiler HEDDLE_NONE
#define HEDDLE_CALL_entry HEDDLE_NONE
#define HEDDLE_CALL_unified HEDDLE_NONE
#define HEDDLE_CALL_gl HEDDLE_NONE
#define HEDDLE_CALL_device HEDDLE_SOME
#define HEDDLE_CALL_error HEDDLE_SOME
#define HEDDLE_CALL_event HEDDLE_SOME
#define HEDDLE_CALL_execution HEDDLE_SOME
#define HEDDLE_CALL_external HEDDLE_SOME
#define HEDDLE_CALL_graph HEDDLE_SOME
#define HEDDLE_CALL_library HEDDLE_SOME
#define HEDDLE_CALL_memory HEDDLE_SOME
#define HEDDLE_CALL_occupancy HEDDLE_SOME
#define HEDDLE_CALL_peer HEDDLE_SOME
#define HEDDLE_CALL_pool HEDDLE_SOME
#define HEDDLE_CALL_stream HEDDLE_SOME
#define HEDDLE_CALL_texture HEDDLE_SOME
#define HEDDLE_CALL_thread HEDDLE_SOME
#define HEDDLE_CALL_version HEDDLE_SOME
#define HEDDLE_STATE_Done(group, name) HEDDLE_CALL_##group(name)
#define HEDDLE_STATE_Driver(group, name) HEDDLE_CALL_##group(name)
#define HEDDLE_STATE_Unsupported(group, name)
#define HEDDLE_RUNTIME(group, state, majors, twin, sides, returns, symbol, parameters, arguments)  \
  HEDDLE_STATE_##state(group, symbol)
const Function Functions[] = {
#include "runtime/runtime.def"
};

/// Of the calls under way, for the report of a crash.
int *progress;

int callOften(const Function &f, int count, uint64_t seed) {
  alarm(120);
  makeThings();
  onlyLooks = contains(f.name, {"Free", "Host", "Pointer", "Advise", "Prefetch", "Ipc", "Attach",
                                "Func", "Launch", "Kernel", "Occupancy", "Symbol"}) &&
              !contains(f.name, {"emcpy"});
  isNested = contains(f.name, {"KernelEx", "MultiDevice", "MaxActiveClusters", "RangeGetAttributes",
                               "ExternalSemaphores", "LibraryLoad"});
  fillsMemory = contains(f.name, {"RangeGetAttribute"});
  for (int i = 0; i < count; ++i) {
    state = seed + uint64_t(i) * 1000003;
    *progress = i;
    f.call(f.address);
  }
  *progress = -1;
  cudaDeviceSynchronize();
  return 0;
}

TEST(Arguments, Extremes) {
  const heddle::test::FuzzRun run;
  progress = static_cast<int *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::string folder = std::filesystem::temp_directory_path() / "heddle-arguments-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data())) << folder; // some functions write a file
  for (const Function &f : Functions) {
    if (contains(f.name, {"AtomicCapabilities"})) // as many words are read as a number says
      continue;
    fflush(stdout);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (!freopen("/dev/null", "w", stderr) || chdir(folder.c_str()) != 0)
        _exit(2);
      _exit(callOften(f, static_cast<int>(400 * run.factor), run.seed));
    }
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << f.name << ", call " << *progress << ": "
                         << (WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
  }
  std::filesystem::remove_all(folder);
}

TEST(Arguments, NoMemoryThere) {
  void *p;
  const auto refuse = [&](uint64_t at, size_t bytes) {
    EXPECT_EQ(cudaHostRegister(reinterpret_cast<void *>(at), bytes, 0), cudaErrorInvalidValue)
        << at << " " << bytes;
  };
  refuse(0x1000, 4096);
  refuse(0x1000, ~0ull - 0x1000);
  refuse(1, ~0ull);
  refuse(0xffff'8000'0000'0000, 4096);
  refuse(~0ull - 4095, 4096);
  ASSERT_EQ(cudaMalloc(&p, 4096), cudaSuccess);
  refuse(reinterpret_cast<uint64_t>(p), 4096);
  char own[4096];
  EXPECT_EQ(cudaHostRegister(own, sizeof own, 0), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(own), cudaSuccess);
  for (size_t far : {~size_t(0), ~size_t(0) - 63, size_t(1) << 63, size_t(1) << 60})
    for (int axis = 0; axis < 3; ++axis) {
      cudaMemcpy3DParms copy = {};
      copy.srcPtr = {own, 64, 64, 64};
      copy.dstPtr = {p, 64, 64, 64};
      copy.extent = {16, 1, 1};
      copy.kind = cudaMemcpyHostToDevice;
      (axis == 0 ? copy.srcPos.x : axis == 1 ? copy.srcPos.y : copy.srcPos.z) = far;
      EXPECT_NE(cudaMemcpy3D(&copy), cudaSuccess) << axis << " " << far;
    }
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}

} // namespace
