// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How driver_calls.cpp calls: each function through a pointer of the library's, so that all versions of one can be
// called with any cuda.h; each unit in a process of its own, which may die in a call. Then the call's line says so, and
// the unit runs again without that call.
#pragma once

// NVIDIA's cuda.h has the structures of first versions for those that say this.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>

#include "../../../../src/driver/interop_types.h"

// Of cudaGL.h, which needs OpenGL's headers.
#define CUGLDeviceList ProbeGlList
enum ProbeGlList : unsigned { ProbeGlNone };

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/// The functions, from the table that is the driver's, too.
struct Api {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  CUresult(*f_##symbol) parameters = nullptr;
#include "../../../../src/driver/driver.def"
};
inline Api api;
#define CU(symbol) (api.f_##symbol)

struct Row {
  const char *name, *arguments, *twin;
  void **pointer;
};
inline const Row rows[] = {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  {#symbol, #arguments, #twin, reinterpret_cast<void **>(&api.f_##symbol)},
#include "../../../../src/driver/driver.def"
};
inline constexpr size_t Rows = sizeof rows / sizeof *rows;

inline void *cudaLibrary() {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  return library;
}

inline bool loadApi() {
  for (const Row &row : rows)
    *row.pointer = cudaLibrary() ? dlsym(cudaLibrary(), row.name) : nullptr;
  return cudaLibrary() != nullptr;
}

inline const char *nameOf(CUresult code) {
  const char *name = nullptr;
  return CU(cuGetErrorName)(code, &name) == CUDA_SUCCESS ? name : "no code of an error";
}

inline constexpr unsigned Patience = 5; ///< seconds: a call that takes longer does not return

/// What a unit's process and the one that started it both see.
struct Shared {
  volatile int call = -1;      ///< the number of that which is made
  volatile int calls = 0;      ///< that the unit has, once it has run
  volatile int isInside = 0;   ///< it has not returned
  volatile int codes[8][2048]; ///< of the calls without arguments (zeros.h); see there
};
inline Shared *shared = nullptr;

/// How the unit's process goes through its calls.
struct Run {
  int index = 0;                ///< of the next call
  int from = 0;                 ///< the first that is shown; those before it were
  int only = -1;                ///< the only one that is made; -1: all are
  std::set<int> deadly;         ///< calls that end the process
  bool isRisky = false;         ///< with handles that no object has, and nothing else
  std::function<void()> before; ///< each call: makes the state that it expects
};
inline Run run;

/// Something that gives a code; it ends with the expression that makes it.
class Call {
public:
  template <class F>
  Call(const F &f)
      : function_(&f),
        run_([](const void *f) -> CUresult { return (*static_cast<const F *>(f))(); }) {}
  CUresult operator()() const { return run_(function_); }

private:
  const void *function_;
  CUresult (*run_)(const void *);
};

/// Makes a call and shows its code.
inline CUresult attempt(const std::string &label, Call call, bool isShown = true) {
  if (!isShown)
    return call();
  const int index = run.index++;
  if (run.deadly.count(index) || (run.only >= 0 && index != run.only))
    return CUDA_ERROR_UNKNOWN;
  if (run.before)
    run.before();
  if (index < run.from)
    return call();
  std::printf("%s: ", label.c_str());
  std::fflush(stdout);
  shared->call = index;
  shared->isInside = 1;
  alarm(Patience);
  CUresult code = call();
  alarm(0);
  shared->isInside = 0;
  std::printf("%s\n", nameOf(code));
  std::fflush(stdout);
  return code;
}

/// Shows a number that the calls before it have made.
inline void value(const char *what, long long number) {
  const int index = run.index++;
  if (index < run.from || run.isRisky)
    return;
  shared->call = index;
  std::printf("  %s = %lld\n", what, number);
  std::fflush(stdout);
}

template <class T> struct Bad {
  std::string label;
  T value;
};

/// Handles of each kind that are not as they should be.
template <class T> struct Handles {
  static inline bool isKind = false;
  static inline T destroyed = nullptr, ofOtherContext = nullptr;
};
/// Live objects, for handles of another kind.
inline void *anEvent = nullptr, *aStream = nullptr;

template <class T> inline constexpr bool isHandle = false;
#define HANDLE(type) template <> inline constexpr bool isHandle<type> = true
HANDLE(CUcontext);
HANDLE(CUmodule);
HANDLE(CUlibrary);
HANDLE(CUfunction);
HANDLE(CUkernel);
HANDLE(CUarray);
HANDLE(CUmipmappedArray);
HANDLE(CUtexref);
HANDLE(CUsurfref);
HANDLE(CUevent);
HANDLE(CUstream);
HANDLE(CUgraphicsResource);
HANDLE(CUexternalMemory);
HANDLE(CUexternalSemaphore);
HANDLE(CUgraph);
HANDLE(CUgraphNode);
HANDLE(CUgraphExec);
HANDLE(CUmemoryPool);
HANDLE(CUuserObject);
HANDLE(CUlinkState);
HANDLE(CUgreenCtx);
HANDLE(CUdevResourceDesc);
HANDLE(CUasyncCallbackHandle);
#undef HANDLE

template <class T> std::vector<Bad<T>> badHandles() {
  std::vector<Bad<T>> all;
  if (!run.isRisky) {
    all.push_back({"null", nullptr});
    if (Handles<T>::ofOtherContext)
      all.push_back({"another context's", Handles<T>::ofOtherContext});
    return all;
  }
  if (Handles<T>::destroyed)
    all.push_back({"destroyed", Handles<T>::destroyed});
  if (std::is_same<T, CUevent>::value)
    all.push_back({"a stream", static_cast<T>(aStream)});
  else
    all.push_back({"an event", static_cast<T>(anEvent)});
  return all;
}

/// What an argument may be instead of the good one.
template <class T> std::vector<Bad<T>> badOnes(T good) {
  if constexpr (isHandle<T>)
    return badHandles<T>();
  std::vector<Bad<T>> all;
  if (run.isRisky)
    return all;
  auto add = [&](const char *label, T v) {
    if (std::memcmp(&v, &good, sizeof v) != 0)
      all.push_back({label, v});
  };
  if constexpr (std::is_same<T, const char *>::value) {
    add("null", nullptr);
    add("\"\"", "");
    add("\"none\"", "none");
  } else if constexpr (std::is_pointer<T>::value) {
    add("null", nullptr);
  } else if constexpr (std::is_enum<T>::value) {
    add("-1", static_cast<T>(-1));
    add("0", static_cast<T>(0));
    add("99", static_cast<T>(99));
  } else if constexpr (std::is_same<T, int>::value) {
    add("-1", -1);
    add("0", 0);
    add("1000", 1000);
  } else if constexpr (std::is_integral<T>::value && sizeof(T) < 4) {
  } else if constexpr (std::is_same<T, CUdeviceptr>::value) { // flags, too
    add("0", 0);
    add("8", 8);
    add("-1", static_cast<T>(-1));
  } else if constexpr (std::is_integral<T>::value) {
    add("0", 0);
    add("3", 3);
    add("-1", static_cast<T>(-1));
  } else if constexpr (std::is_class<T>::value) {
    T zero;
    std::memset(static_cast<void *>(&zero), 0, sizeof zero);
    add("zeros", zero);
  }
  return all;
}

/// The names of the parameters of a function.
inline std::vector<std::string> parametersOf(const char *function) {
  std::vector<std::string> names;
  for (const Row &row : rows)
    if (std::strcmp(row.name, function) == 0)
      for (const char *c = row.arguments; *c; ++c) {
        if (*c == '(' || *c == ' ')
          names.emplace_back();
        else if (*c != ',' && *c != ')')
          names.back() += *c;
      }
  return names;
}

template <size_t I, class F, class Tuple>
void varyOne(const std::string &name, const std::vector<std::string> &names, F f,
             const Tuple &good) {
  using T = typename std::tuple_element<I, Tuple>::type;
  for (const Bad<T> &bad : badOnes<T>(std::get<I>(good))) {
    Tuple arguments = good;
    std::get<I>(arguments) = bad.value;
    attempt(name + " " + names[I] + "=" + bad.label, [&] { return std::apply(f, arguments); });
  }
}
template <class F, class Tuple, size_t... I>
void varyAll(const char *name, F f, const Tuple &good, std::index_sequence<I...>) {
  const std::vector<std::string> names = parametersOf(name);
  (varyOne<I>(name, names, f, good), ...);
}

/// Calls a function with each bad value of each argument, the others good, then with good ones.
template <class... P, class... A>
CUresult vary(const char *name, CUresult (*f)(P...), A... arguments) {
  if (!f) {
    attempt(std::string(name) + " is not there", [] { return CUDA_SUCCESS; });
    return CUDA_ERROR_NOT_FOUND;
  }
  std::tuple<P...> good{static_cast<P>(arguments)...};
  varyAll(name, f, good, std::index_sequence_for<P...>());
  return attempt(name, [&] { return std::apply(f, good); }, !run.isRisky);
}
#define VARY(symbol, ...) vary(#symbol, api.f_##symbol, ##__VA_ARGS__)
/// One call, with a remark.
#define CALL(remark, symbol, ...)                                                                  \
  attempt(                                                                                         \
      std::string(#symbol) + " " + (remark), [&] { return api.f_##symbol(__VA_ARGS__); },          \
      !run.isRisky)

template <class S> struct Change {
  const char *label;
  void (*make)(S &);
};
/// Calls with a structure in which one field after the other is changed.
template <class S, class F>
void fields(const char *name, const S &good, F &&call, std::initializer_list<Change<S>> changes) {
  for (const Change<S> &change : changes) {
    S changed = good;
    change.make(changed);
    attempt(std::string(name) + " " + change.label, [&] { return call(changed); }, !run.isRisky);
  }
}
#define SET(field, number)                                                                         \
  {#field "=" #number,                                                                             \
   [](auto &s) { s.field = (typename std::remove_reference<decltype(s.field)>::type)(number); }}

template <class S> S zeros() {
  S s;
  std::memset(static_cast<void *>(&s), 0, sizeof s);
  return s;
}

/// An array of one, for calls that say that it has three: what is behind it is zero.
template <class T> T *padded(const T &first) {
  T *all = static_cast<T *>(std::calloc(8, sizeof(T)));
  all[0] = first;
  return all;
}

/// Runs a unit in a process. False if that ended outside of a call; says so if it ended in one.
template <class F> bool runProcess(F &&unit, bool &endedInCall) {
  std::fflush(stdout);
  shared->call = -1;
  shared->isInside = 0;
  pid_t child = fork();
  if (child == 0) {
    unit();
    shared->calls = run.index;
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  endedInCall = WIFSIGNALED(status) && shared->isInside;
  if (endedInCall)
    std::printf(WTERMSIG(status) == SIGALRM ? "does not return\n" : "ends the process\n");
  return endedInCall || !WIFSIGNALED(status);
}

inline void startUnit(const char *name, bool isRisky) {
  std::printf("== %s%s\n", name, isRisky ? ", handles of no object" : "");
  run = Run();
  run.isRisky = isRisky;
}

/// Runs a unit in a process of its own, and again behind each call that ends it.
template <class F> void runUnit(const char *name, bool isRisky, F &&unit) {
  startUnit(name, isRisky);
  for (int again = 0; again < 200; ++again) {
    bool endedInCall;
    if (!runProcess(unit, endedInCall))
      std::printf("the process ends\n");
    if (!endedInCall)
      return;
    run.deadly.insert(int(shared->call));
    run.from = shared->call + 1;
  }
}

/// Runs a unit once for each of its calls with handles of no object, which could harm what comes behind it.
template <class F> void runCallsAlone(const char *name, F &&unit) {
  startUnit(name, true);
  shared->calls = 0;
  run.only = 1 << 30; // none: it only counts them
  bool endedInCall;
  runProcess(unit, endedInCall);
  const int calls = shared->calls;
  for (run.only = 0; run.only < calls; ++run.only)
    if (!runProcess(unit, endedInCall))
      std::printf("the process ends\n");
}
