// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches taken down, on any device: a table in front of the driver's. All is done by functions of the
// table, so what runs below may be our own driver or that of a GPU.
//
// HEDDLE_SAVE_LAUNCH says which launch goes into the file HEDDLE_SAVE_TO (`heddle replay`):
//
//   7           the process's seventh launch, before it runs
//   name        the first launch of that kernel; name:3 the third
//   fault       the launch that ends with an error. Then the context's memory is lost, on a GPU as here:
//               so the memory is copied before each launch, and each is waited for
//
// HEDDLE_DIFF_CHANNEL is a pair of descriptors, "out,in", of `heddle diff`: each launch goes out twice,
// with the memory before and after it, and an answer is awaited each time.
//
// Launches under capture and those of graphs are not seen.
#include "driver/record/recorder.h"

#include "driver/record/snapshot.h"

#include "base/messages/messages.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <tuple>

#include <fcntl.h>
#include <unistd.h>

namespace heddle::driver {

namespace {

/// HEDDLE_SAVE_LAUNCH.
struct Wish {
  bool atFault = false;
  std::string kernel;
  uint64_t number = 0; ///< of the kernel's launches, or of all; 0: none
};

struct Recorder {
  const Table *below = nullptr;
  std::mutex mutex;
  Wish wish;
  std::string file;
  int out = -1, in = -1; ///< of HEDDLE_DIFF_CHANNEL
  uint64_t launches = 0, ofKernel = 0;
  bool isOver = false; ///< nothing is left to take down
};

Recorder &recorder() {
  static Recorder &one = *new Recorder;
  return one;
}
const Table &below() { return *recorder().below; }

bool isNumber(const std::string &word) {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

Wish wishOf(const std::string &text) {
  Wish wish;
  if (text == "fault") {
    wish.atFault = true;
    return wish;
  }
  const size_t colon = text.rfind(':');
  const bool hasNumber = colon != text.npos && isNumber(text.substr(colon + 1));
  if (isNumber(text)) {
    wish.number = std::strtoull(text.c_str(), nullptr, 10);
  } else {
    wish.kernel = hasNumber ? text.substr(0, colon) : text;
    wish.number = hasNumber ? std::strtoull(text.c_str() + colon + 1, nullptr, 10) : 1;
  }
  return wish;
}

/// `name` is the whole mangled name, or the name in front of a demangled one's arguments.
bool isNamed(const KnownKernel &kernel, const std::string &name) {
  if (kernel.name == name)
    return true;
  std::string shown = shownName(kernel);
  shown = shown.substr(0, shown.find_first_of("(<"));
  if (const size_t space = shown.rfind(' '); space != shown.npos)
    shown = shown.substr(space + 1);
  return shown == name;
}

bool writeAll(int file, const void *data, size_t bytes) {
  const auto *at = static_cast<const char *>(data);
  while (bytes) {
    const ssize_t n = write(file, at, bytes);
    if (n <= 0)
      return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

/// With the kernel's code.
void save(SavedLaunch launch, const KnownCode &code) {
  auto whole = wholeCode(code);
  if (!whole)
    return tellf("heddle: launch %llu (%s) cannot be saved: %s\n",
                 static_cast<unsigned long long>(launch.number), launch.shown.c_str(),
                 whole.error().c_str());
  launch.code = std::move(*whole);
  const std::vector<uint8_t> bytes = bytesOf(launch);
  const std::string &file = recorder().file;
  const int out = open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  const bool isWritten = out >= 0 && writeAll(out, bytes.data(), bytes.size());
  if (out >= 0)
    close(out);
  if (isWritten && recorder().out >= 0)
    return; // who compares tells it
  if (isWritten)
    tellf("heddle: launch %llu, %s, is saved in %s (%zu bytes)\n",
          static_cast<unsigned long long>(launch.number), launch.shown.c_str(), file.c_str(),
          bytes.size());
  else
    tellf("heddle: %s cannot be written: %s\n", file.c_str(), std::strerror(errno));
}

/// Gives the launch to `heddle diff`; its answer: g go on, s save and end, q end.
char exchange(const SavedLaunch &launch) {
  const std::vector<uint8_t> bytes = bytesOf(launch);
  const uint64_t size = bytes.size();
  char answer = 'q';
  if (!writeAll(recorder().out, &size, sizeof size) ||
      !writeAll(recorder().out, bytes.data(), bytes.size()) || read(recorder().in, &answer, 1) != 1)
    return 'q';
  return answer;
}

/// Both processes end here: what comes behind follows from the first difference.
void obey(char answer, const SavedLaunch &before, const KnownCode &code) {
  if (answer == 's')
    save(before, code);
  if (answer != 'g')
    _exit(0);
}

bool isWished(const KnownKernel &kernel) {
  Recorder &r = recorder();
  if (r.wish.atFault || r.out >= 0)
    return true;
  if (!r.wish.number)
    return false;
  if (r.wish.kernel.empty())
    return r.launches == r.wish.number;
  return isNamed(kernel, r.wish.kernel) && ++r.ofKernel == r.wish.number;
}

bool isCaptured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return below().cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

template <class F> CUresult record(const LaunchCall &call, F &&launch) {
  Recorder &r = recorder();
  std::lock_guard guard(r.mutex);
  const auto kernel = knownKernel(call.function);
  if (r.isOver || !kernel || isCaptured(call.stream))
    return launch();
  ++r.launches;
  if (!isWished(*kernel) || below().cuCtxSynchronize() != CUDA_SUCCESS)
    return launch();
  auto before = takeSnapshot(below(), call, *kernel, r.launches);
  if (!before) {
    tellf("heddle: launch %llu (%s) cannot be saved: %s\n",
          static_cast<unsigned long long>(r.launches), kernel->name.c_str(),
          before.error().c_str());
    return launch();
  }
  if (r.out >= 0)
    obey(exchange(*before), *before, *kernel->code);
  else if (!r.wish.atFault) {
    save(std::move(*before), *kernel->code);
    r.isOver = true;
    return launch();
  }
  CUresult error = launch();
  const CUresult end = error ? error : below().cuCtxSynchronize();
  if (r.out >= 0) {
    SavedLaunch after = *before;
    if (end != CUDA_SUCCESS || !takeAgain(below(), after)) {
      after.memory.clear();
      after.shown += ", which ends with error " + std::to_string(end);
      after.kernel = after.shown;
    }
    obey(exchange(after), *before, *kernel->code);
  } else if (end != CUDA_SUCCESS) {
    save(std::move(*before), *kernel->code);
    r.isOver = true;
  }
  return error;
}

LaunchCall callOf(const CUlaunchConfig &config, CUfunction function, void **params, void **extra) {
  LaunchCall call{function,
                  {config.gridDimX, config.gridDimY, config.gridDimZ},
                  {config.blockDimX, config.blockDimY, config.blockDimZ},
                  {0, 0, 0},
                  config.sharedMemBytes,
                  false,
                  config.hStream,
                  params,
                  extra};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute &a = config.attrs[i];
    if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      call.isCooperative = a.value.cooperative;
    if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      call.cluster[0] = a.value.clusterDim.x;
      call.cluster[1] = a.value.clusterDim.y;
      call.cluster[2] = a.value.clusterDim.z;
    }
  }
  return call;
}

template <auto Member>
CUresult launchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                      unsigned bz, unsigned shared, CUstream stream, void **params, void **extra) {
  return record(
      {f, {gx, gy, gz}, {bx, by, bz}, {0, 0, 0}, shared, false, stream, params, extra},
      [&] { return (below().*Member)(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra); });
}

template <auto Member>
CUresult launchTogether(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params) {
  return record(
      {f, {gx, gy, gz}, {bx, by, bz}, {0, 0, 0}, shared, true, stream, params, nullptr},
      [&] { return (below().*Member)(f, gx, gy, gz, bx, by, bz, shared, stream, params); });
}

template <auto Member>
CUresult launchEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {
  if (!config)
    return (below().*Member)(config, f, params, extra);
  return record(callOf(*config, f, params, extra),
                [&] { return (below().*Member)(config, f, params, extra); });
}

/// For `heddle diff`: what a program has not written is the same on both sides. It has ended when the
/// program writes: managed memory is the host's, too.
void clear(CUdeviceptr pointer, size_t bytes) {
  if (below().cuCtxSynchronize() == CUDA_SUCCESS &&
      below().cuMemsetD8_v2(pointer, 0, bytes) == CUDA_SUCCESS)
    (void)below().cuCtxSynchronize();
}

/// Behind an allocation, where `Pointer` is where its address was put and `Bytes` its size, among the
/// arguments.
template <auto Member, size_t Pointer, size_t Bytes, class... A> CUresult allocate(A... arguments) {
  CUresult error = (below().*Member)(arguments...);
  const auto all = std::tuple(arguments...);
  if (error == CUDA_SUCCESS)
    clear(*std::get<Pointer>(all), std::get<Bytes>(all));
  return error;
}

void clearMemory(Table &table) {
  table.cuMemAlloc_v2 = allocate<&Table::cuMemAlloc_v2, 0, 1>;
  table.cuMemAllocManaged = allocate<&Table::cuMemAllocManaged, 0, 1>;
  table.cuMemAllocAsync = allocate<&Table::cuMemAllocAsync, 0, 1>;
  table.cuMemAllocAsync_ptsz = allocate<&Table::cuMemAllocAsync_ptsz, 0, 1>;
  table.cuMemAllocPitch_v2 = [](CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                                unsigned element) {
    CUresult error = below().cuMemAllocPitch_v2(pointer, pitch, width, height, element);
    if (error == CUDA_SUCCESS)
      clear(*pointer, *pitch * height);
    return error;
  };
}

/// A program that asks for functions by name gets those that are taken down.
std::map<const void *, void *> replaced;

void interceptEntryPoints(Table &table) {
  table.cuGetProcAddress_v2 = [](const char *symbol, void **function, int version, cuuint64_t flags,
                                 CUdriverProcAddressQueryResult *status) {
    CUresult error = below().cuGetProcAddress_v2(symbol, function, version, flags, status);
    if (error == CUDA_SUCCESS && function)
      if (auto place = replaced.find(*function); place != replaced.end())
        *function = place->second;
    return error;
  };
}

Table recordingTable() {
  Table table = below();
  interceptCode(table, below());
  table.cuLaunchKernel = launchKernel<&Table::cuLaunchKernel>;
  table.cuLaunchKernel_ptsz = launchKernel<&Table::cuLaunchKernel_ptsz>;
  table.cuLaunchCooperativeKernel = launchTogether<&Table::cuLaunchCooperativeKernel>;
  table.cuLaunchCooperativeKernel_ptsz = launchTogether<&Table::cuLaunchCooperativeKernel_ptsz>;
  table.cuLaunchKernelEx = launchEx<&Table::cuLaunchKernelEx>;
  table.cuLaunchKernelEx_ptsz = launchEx<&Table::cuLaunchKernelEx_ptsz>;
  interceptEntryPoints(table);
  if (recorder().out >= 0)
    clearMemory(table);
  const auto *from = reinterpret_cast<void *const *>(&below());
  const auto *to = reinterpret_cast<void *const *>(&table);
  for (size_t i = 0; i < sizeof(Table) / sizeof(void *); ++i)
    if (from[i] != to[i])
      replaced[from[i]] = to[i];
  return table;
}

/// What HEDDLE_SAVE_LAUNCH and HEDDLE_DIFF_CHANNEL ask for. They are not for programs that this one
/// starts, which would write to the same file or descriptors.
bool readWishes() {
  Recorder &r = recorder();
  const char *wish = std::getenv("HEDDLE_SAVE_LAUNCH");
  const char *file = std::getenv("HEDDLE_SAVE_TO");
  const char *channel = std::getenv("HEDDLE_DIFF_CHANNEL");
  r.file = file && *file ? file : "heddle.launch";
  if (wish && *wish)
    r.wish = wishOf(wish);
  if (channel && std::sscanf(channel, "%d,%d", &r.out, &r.in) != 2)
    r.out = r.in = -1;
  const bool any = r.out >= 0 || r.wish.atFault || r.wish.number;
  unsetenv("HEDDLE_SAVE_LAUNCH");
  unsetenv("HEDDLE_DIFF_CHANNEL");
  return any;
}

} // namespace

const Table &recordedTable(const Table &chosen) {
  static const Table &table = [&]() -> const Table & {
    if (!readWishes())
      return chosen;
    recorder().below = &chosen;
    static const Table recording = recordingTable();
    return recording;
  }();
  return table;
}

} // namespace heddle::driver
