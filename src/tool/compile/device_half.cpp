// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device half of a source, for one architecture or several.
//
// A source is compiled once for each __CUDA_ARCH__ that makes a difference to it. Most make none:
// the JIT compiles for the CPU, and only text under #if tells architectures apart. So with several
// architectures the source is preprocessed for each, which takes a fraction of a compilation, and
// those with the same text share one image. Of these the newest is compiled, for clang has the most
// builtins there.
#include "tool/compile/device_half.h"
#include "base/hash.h"
#include "base/image/image_bundle.h"
#include "jit/client/jit_library.h"
#include "tool/tools/files.h"

#include <algorithm>
#include <cstdlib>

namespace heddle::tool {

namespace {

/// Runs commands, a few at a time; their ends in the same order. A command that cannot start ends
/// with -1.
struct Ended {
  int code = -1;
  std::string output, errors;
};

std::vector<Ended> runCommands(
    const std::vector<Command> &commands, size_t atOnce,
    const std::function<void()> &meanwhile = [] {}) {
  std::vector<Result<Process>> processes;
  std::vector<Ended> ends;
  for (size_t i = 0; i < commands.size(); ++i) {
    while (processes.size() < std::min(commands.size(), i + atOnce))
      processes.push_back(Process::start(commands[processes.size()],
                                         {.captureOutput = true, .captureErrors = true}));
    if (i == 0)
      meanwhile();
    if (!processes[i]) {
      ends.push_back({-1, "", processes[i].error()});
      continue;
    }
    int code = processes[i]->wait();
    ends.push_back({code, processes[i]->output(), processes[i]->errors()});
    *processes[i] = Process(); // its memory goes
  }
  return ends;
}

/// Two at a time, or as many as -t says.
size_t commandsAtOnce(const Settings &s) {
  return static_cast<size_t>(
      std::max(2l, std::strtol(s.options.last(Opt::Threads, "2").c_str(), nullptr, 10)));
}

class Compilation {
public:
  Compilation(const Settings &s, const Unit &unit, const DeviceCommand &command, Timer &timer)
      : s_(s), unit_(unit), command_(command), timer_(timer), all_(s.architectures.all) {}

  DeviceHalf run() {
    group();
    std::vector<Command> commands;
    for (size_t group : groups_)
      commands.push_back(command_(all_[group], "-c"));
    Result<const JitLibrary *> jit = Failure{""};
    std::vector<Ended> ends =
        runCommands(commands, commandsAtOnce(s_), [&] { jit = JitLibrary::open(s_.tools.libs); });
    timer_.step("clang (device)", unit_.source, "");
    std::vector<std::string> images;
    for (size_t i = 0; i < ends.size(); ++i)
      images.push_back(jit ? finish(ends[i], all_[groups_[i]], **jit) : fail(jit.error()));
    timer_.step("pack", unit_.source, "");
    for (size_t i = 0; i < all_.size() && half_.code == 0; ++i)
      half_.images.push_back({all_[i], images[groupOf_[i]]});
    return std::move(half_);
  }

private:
  /// Fills groups_ (an architecture for each) and groupOf_ (an index into groups_ for each
  /// architecture).
  void group() {
    std::vector<Ended> texts = preprocess();
    std::vector<Hash128> hashes;
    for (size_t i = 0; i < all_.size(); ++i) {
      // What cannot be preprocessed is a group of its own, and its compilation says why.
      bool known = i < texts.size() && texts[i].code == 0;
      Hash128 hash = known ? hashOf({texts[i].output}) : hashOf({bytesOf(i)});
      auto same = std::find(hashes.begin(), hashes.end(), hash);
      groupOf_.push_back(static_cast<size_t>(same - hashes.begin()));
      if (same == hashes.end()) {
        hashes.push_back(hash);
        groups_.push_back(i);
      }
      groups_[groupOf_[i]] = i; // the newest
    }
  }

  std::vector<Ended> preprocess() {
    if (all_.size() == 1)
      return {};
    std::vector<Command> commands;
    for (const Architecture &arch : all_)
      commands.push_back(command_(arch, "-E"));
    return runCommands(commands, commandsAtOnce(s_));
  }

  std::string finish(const Ended &end, const Architecture &arch, const JitLibrary &jit) {
    half_.errors.push_back(end.errors);
    if (end.code != 0)
      half_.code = ExitCompile;
    if (end.code != 0 || unit_.product == Product::Nothing)
      return "";
    keep(arch, ".bc", end.output);
    Result<std::string> image =
        jit.pack(end.output, s_.imageFlags, arch.number, s_.compileOptions, s_.maxRegisters);
    if (!image)
      return fail(image.error());
    keep(arch, ".image", *image);
    if (!unit_.keepDirectory.empty())
      keepPtx(arch, *image, jit);
    return *image;
  }

  std::string fail(const std::string &message) {
    half_.code = ExitCompile;
    bool placed = message.find("error: ") != message.npos;
    half_.errors.push_back((placed ? "" : unit_.source + ": error: ") + message +
                           (message.ends_with('\n') ? "" : "\n"));
    return "";
  }

  void keepPtx(const Architecture &arch, const std::string &image, const JitLibrary &jit) {
    Result<std::string> ptx = jit.emitPtx(image, arch.name(), s_.ptxHasLines);
    if (ptx)
      keep(arch, ".ptx", *ptx);
    else
      half_.errors.push_back(unit_.source + ": warning: there is no PTX to keep: " + ptx.error() +
                             "\n");
  }

  void keep(const Architecture &arch, const char *suffix, const std::string &bytes) {
    if (unit_.keepDirectory.empty())
      return;
    std::string name = stem(unit_.source);
    if (groups_.size() > 1)
      name += ".compute_" + std::to_string(arch.number) + arch.suffix;
    (void)writeFile(unit_.keepDirectory + "/" + name + suffix, bytes);
  }

  const Settings &s_;
  const Unit &unit_;
  const DeviceCommand &command_;
  Timer &timer_;
  const std::vector<Architecture> &all_;
  std::vector<size_t> groups_, groupOf_;
  DeviceHalf half_;
};

} // namespace

DeviceHalf compileDevice(const Settings &s, const Unit &unit, const DeviceCommand &command,
                         Timer &timer) {
  return Compilation(s, unit, command, timer).run();
}

std::string deviceCode(const Settings &s, const std::vector<DeviceImage> &images) {
  if (!s.architectures.given && images.size() == 1)
    return images.front().bytes;
  std::vector<BundleItem> items;
  for (const DeviceImage &image : images)
    for (const CodeName &code : image.arch.codes)
      items.push_back({image.arch.number, code.number, code.isReal, image.bytes});
  return makeBundle(items);
}

} // namespace heddle::tool
