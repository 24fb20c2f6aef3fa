// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -arch=sm_X is short for -arch=compute_X -code=sm_X,compute_X; -gencode says the same in one
// option, any number of times. Device code is compiled once for each virtual architecture, and the
// runtime picks for the device by the code names (base/image/image_bundle.h). `all`, `all-major` and
// `native` are nvcc's lists for the toolkit that we stand for; the GPUs of this machine are those
// that HEDDLE_DEVICE names. An architecture newer than all that are known here is taken as the
// newest of them: a build script that asks for next year's GPU still builds.
#include "tool/options/architecture.h"
#include "base/image/device_flags.h"
#include "model/gpu.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace heddle::tool {

namespace {

// CUDA guide, "Compute Capabilities", and those of toolkits before 9.0; ascending.
constexpr unsigned Known[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61, 62,
                              70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
// Those of CUDA 12.8, for `all`.
constexpr unsigned Current[] = {50, 52, 53, 60, 61, 62,  70,  72, 75,
                                80, 86, 87, 89, 90, 100, 101, 120};
constexpr unsigned Newest = std::end(Known)[-1];
constexpr unsigned Default = 90;
// The first with code for one GPU alone (sm_90a) and for a family (sm_100f): guide of nvcc, "GPU
// Feature List".
constexpr unsigned FirstSpecific = 90, FirstFamily = 100;

struct Parsed {
  unsigned number;
  std::string suffix;
  bool isReal;
};

Failure unsupported(const std::string &text) {
  return {"Unsupported gpu architecture '" + text + "'"};
}

Result<Parsed> parseName(const std::string &name) {
  size_t prefix = name.find('_');
  std::string kind = name.substr(0, prefix);
  if (prefix == name.npos || (kind != "sm" && kind != "compute" && kind != "lto"))
    return unsupported(name);
  size_t end = name.find_first_not_of("0123456789", prefix + 1);
  std::string digits = name.substr(prefix + 1, end == name.npos ? end : end - prefix - 1);
  std::string suffix = end == name.npos ? "" : name.substr(end);
  unsigned number =
      digits.empty() || digits.size() > 3 ? 0 : static_cast<unsigned>(std::stoul(digits));
  bool goodSuffix = suffix.empty() || (suffix == "a" && number >= FirstSpecific) ||
                    (suffix == "f" && number >= FirstFamily);
  if (number > Newest)
    number = Newest;
  if (!goodSuffix || std::find(std::begin(Known), std::end(Known), number) == std::end(Known))
    return unsupported(name);
  return Parsed{number, suffix, kind == "sm"};
}

/// The value of `key` in "arch=compute_70,code=[sm_70,compute_70]"; empty if it is not there.
std::string generateCodePart(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != ',')
      continue;
    std::string value(text.substr(at + key.size()));
    if (size_t next = value.find(",arch="); next != value.npos)
      value.resize(next);
    if (size_t next = value.find(",code="); next != value.npos)
      value.resize(next);
    return value;
  }
  return "";
}

std::vector<std::string> codeList(std::string list) {
  std::erase_if(list,
                [](char c) { return c == '[' || c == ']' || c == '"' || c == '\\' || c == ' '; });
  return splitCommas(list);
}

/// Collects architectures and their code names; keeps the first failure.
class Collector {
public:
  /// `arch=name,code=codes`. No codes: the architecture's own, machine code first if it is named as
  /// real.
  void add(const std::string &name, const std::vector<std::string> &codes) {
    Result<Parsed> arch = parse(name);
    if (!arch)
      return;
    Architecture &target = find(*arch);
    if (codes.empty() && arch->isReal)
      addCode(target, {arch->number, true});
    if (codes.empty())
      addCode(target, {arch->number, false});
    for (const std::string &code : codes)
      if (Result<Parsed> parsed = parse(code)) {
        if (parsed->number < arch->number)
          return fail("Incompatible code generation requested: arch='" + name + "', code='" + code +
                      "'");
        addCode(target, {parsed->number, parsed->isReal});
      }
  }

  /// sm_X for each, and PTX of the last.
  void addAll(const std::vector<unsigned> &numbers, bool withPtx) {
    for (unsigned number : numbers)
      add("compute_" + std::to_string(number), {"sm_" + std::to_string(number)});
    if (withPtx)
      add("compute_" + std::to_string(numbers.back()), {});
  }

  void fail(std::string message) {
    if (error_.empty())
      error_ = std::move(message);
  }

  Result<Architectures> take() {
    if (!error_.empty())
      return Failure{error_};
    Architectures result;
    result.given = !found_.empty();
    if (!result.given)
      return result;
    std::sort(found_.begin(), found_.end(), [](const Architecture &a, const Architecture &b) {
      return std::tie(a.number, a.suffix) < std::tie(b.number, b.suffix);
    });
    result.all = std::move(found_);
    result.newer = std::move(newer_);
    return result;
  }

private:
  Result<Parsed> parse(const std::string &name) {
    Result<Parsed> parsed = parseName(name);
    if (!parsed)
      fail(parsed.error());
    else if (name.find(std::to_string(parsed->number)) == name.npos)
      newer_.push_back(name);
    return parsed;
  }

  Architecture &find(const Parsed &arch) {
    for (Architecture &known : found_)
      if (known.number == arch.number && known.suffix == arch.suffix)
        return known;
    found_.push_back({arch.number, arch.suffix, {}});
    return found_.back();
  }

  static void addCode(Architecture &target, CodeName code) {
    if (std::find(target.codes.begin(), target.codes.end(), code) == target.codes.end())
      target.codes.push_back(code);
  }

  std::vector<Architecture> found_;
  std::vector<std::string> newer_;
  std::string error_;
};

std::vector<unsigned> currentArchitectures(bool majorOnly) {
  std::vector<unsigned> numbers;
  for (unsigned number : Current)
    if (!majorOnly || number % 10 == 0)
      numbers.push_back(number);
  return numbers;
}

/// Capabilities of the devices that HEDDLE_DEVICE names; unknown ones are the runtime's to report.
std::vector<unsigned> nativeArchitectures() {
  const char *text = getenv("HEDDLE_DEVICE");
  std::vector<unsigned> numbers;
  std::string list = text ? text : "";
  std::ranges::replace(list, '/', ','); // between hubs
  for (const std::string &key : splitCommas(list)) {
    const model::Gpu *gpu = model::findGpu(key);
    numbers.push_back(gpu ? static_cast<unsigned>(gpu->major * 10 + gpu->minor) : Default);
  }
  if (numbers.empty())
    numbers.push_back(Default);
  return numbers;
}

void addArchitectureOption(Collector &found, const Options &options) {
  const std::vector<std::string> &codes = options.values(Opt::Code);
  std::string name = options.last(Opt::Architecture);
  if (name == "all" || name == "all-major")
    found.addAll(currentArchitectures(name == "all-major"), true);
  else if (name == "native")
    found.addAll(nativeArchitectures(), false);
  else if (!name.empty())
    found.add(name, codes);
  else if (!codes.empty())
    found.fail("-arch option not specified");
}

} // namespace

std::string Architecture::clangName() const { return clangArchitecture(number, suffix); }

const Architecture &Architectures::main() const {
  const Architecture *best = &all.front();
  for (const Architecture &architecture : all)
    if (architecture.number <= Default)
      best = &architecture;
  return *best;
}

Result<Architectures> chooseArchitectures(const Options &options) {
  Collector found;
  addArchitectureOption(found, options);
  for (const std::string &text : options.values(Opt::GenerateCode)) {
    std::string name = generateCodePart(text, "arch=");
    if (name.empty())
      found.fail("'arch' is missing in '-gencode " + text + "'");
    else
      found.add(name, codeList(generateCodePart(text, "code=")));
  }
  return found.take();
}

std::span<const unsigned> knownArchitectures() { return Known; }

} // namespace heddle::tool
