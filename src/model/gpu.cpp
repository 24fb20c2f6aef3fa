// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/gpu.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <strings.h>

namespace heddle::model {
namespace {

constexpr std::string_view DramNames[] = {"gddr3", "gddr5", "gddr5x", "gddr6", "gddr6x",
                                          "hbm2",  "hbm2e", "hbm3",   "hbm3e"};

struct IntegerField {
  std::string_view name;
  int Gpu::*member;
  int least;
};
constexpr IntegerField IntegerFields[] = {
    {"multiprocessors", &Gpu::multiprocessors, 1},
    {"clockKhz", &Gpu::clockKhz, 1000},
    {"memoryClockKhz", &Gpu::memoryClockKhz, 1000},
    {"busBits", &Gpu::busBits, 8},
    {"l2Bytes", &Gpu::l2Bytes, 0},
    {"ecc", &Gpu::ecc, 0},
    {"copyEngines", &Gpu::copyEngines, 0},
    {"sustainedKhz", &Gpu::sustainedKhz, 1000},
    {"channels", &Gpu::channels, 1},
    {"l2Slices", &Gpu::l2Slices, 0},
    {"fp64", &Gpu::fp64, 0},
    {"pcie", &Gpu::pcie, 1},
    {"nvlink", &Gpu::nvlink, 0},
};

bool isSame(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

const Gpu *findIn(const std::vector<Gpu> &gpus, std::string_view key) {
  auto found = std::ranges::find_if(gpus, [&](const Gpu &gpu) { return isSame(gpu.key, key); });
  return found == gpus.end() ? nullptr : &*found;
}

std::string_view stripped(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

template <typename T> bool parseNumber(std::string_view text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Reads the lines of a file one after the other; `problem` is set at the first that is wrong.
class Reader {
public:
  Reader(std::string_view name, const std::vector<Gpu> &known) : name_(name), known_(known) {}

  bool readLine(std::string_view line) {
    ++number_;
    line = stripped(line);
    if (line.empty() || line.front() == '#')
      return true;
    if (line.front() == '[')
      return beginBoard(line);
    const size_t equals = line.find('=');
    if (equals == line.npos)
      return fail("expected [board] or field = value, found '" + std::string(line) + "'");
    if (gpus_.empty())
      return fail("a field before the first [board]");
    return readField(stripped(line.substr(0, equals)), stripped(line.substr(equals + 1)));
  }

  bool finish() {
    return gpus_.empty() || hasLike_ || fail("board '" + gpus_.back().key + "' has no 'like'");
  }

  Result<std::vector<Gpu>> take() {
    if (!problem_.empty())
      return Failure{problem_};
    return std::move(gpus_);
  }

private:
  bool fail(const std::string &what) {
    problem_ = std::string(name_) + ":" + std::to_string(number_) + ": " + what;
    return false;
  }

  bool beginBoard(std::string_view line) {
    if (!finish())
      return false;
    const std::string key(stripped(line.substr(1, line.size() - 2)));
    const bool isKey = !key.empty() && key.find_first_of(",/ []=") == key.npos;
    if (line.back() != ']' || !isKey)
      return fail("expected [board], found '" + std::string(line) + "'");
    if (isSame(key, "cpu") || findIn(known_, key) || findIn(gpus_, key))
      return fail("board '" + key + "' is known already");
    gpus_.push_back({});
    gpus_.back().key = key;
    hasLike_ = false;
    return true;
  }

  bool readField(std::string_view field, std::string_view value) {
    Gpu &gpu = gpus_.back();
    if (field == "like")
      return readLike(gpu, value);
    if (!hasLike_)
      return fail("board '" + gpu.key + "' begins without 'like = BOARD'");
    if (field == "name")
      return readName(gpu, value);
    if (field == "capability")
      return readCapability(gpu, value);
    if (field == "dram")
      return readDram(gpu, value);
    if (field == "memoryBytes")
      return parseNumber(value, gpu.memoryBytes) || failNumber(field, value);
    for (const IntegerField &known : IntegerFields)
      if (known.name == field)
        return (parseNumber(value, gpu.*known.member) && gpu.*known.member >= known.least) ||
               failNumber(field, value);
    return fail("a board has no field '" + std::string(field) + "'");
  }

  bool readLike(Gpu &gpu, std::string_view value) {
    const Gpu *like = findIn(known_, value);
    if (!like)
      like = findIn(gpus_, value);
    if (!like || like == &gpu)
      return fail("'like' names an unknown board '" + std::string(value) + "'");
    const std::string key = gpu.key;
    gpu = Gpu(*like);
    gpu.key = key;
    return hasLike_ = true;
  }

  bool readName(Gpu &gpu, std::string_view value) {
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    gpu.name = value;
    return !value.empty() || fail("the name is empty");
  }

  bool readCapability(Gpu &gpu, std::string_view value) {
    const size_t dot = value.find('.');
    int major = 0, minor = 0;
    if (dot == value.npos || !parseNumber(value.substr(0, dot), major) ||
        !parseNumber(value.substr(dot + 1), minor) || !findArchitecture(major, minor))
      return fail("unknown compute capability '" + std::string(value) + "'");
    gpu.major = major, gpu.minor = minor;
    return true;
  }

  bool readDram(Gpu &gpu, std::string_view value) {
    for (size_t i = 0; i < std::size(DramNames); ++i)
      if (isSame(DramNames[i], value)) {
        gpu.dram = static_cast<Dram>(i);
        return true;
      }
    return fail("unknown kind of memory '" + std::string(value) + "'");
  }

  bool failNumber(std::string_view field, std::string_view value) {
    return fail("'" + std::string(value) + "' is no number for " + std::string(field));
  }

  std::string_view name_;
  const std::vector<Gpu> &known_;
  std::vector<Gpu> gpus_;
  std::string problem_;
  size_t number_ = 0;
  bool hasLike_ = false;
};

struct AllGpus {
  std::vector<Gpu> gpus;
  std::string error;
};

AllGpus readAll() {
  AllGpus all{builtInGpus(), {}};
  const char *path = std::getenv("HEDDLE_BOARDS");
  if (!path || !*path)
    return all;
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    all.error = "HEDDLE_BOARDS: cannot read '" + std::string(path) + "'";
    return all;
  }
  Result<std::vector<Gpu>> own = parseGpus(text.str(), path, builtInGpus());
  if (!own)
    all.error = "HEDDLE_BOARDS: " + own.error();
  else
    all.gpus.insert(all.gpus.end(), own->begin(), own->end());
  return all;
}

const AllGpus &all() {
  static const AllGpus &made = *new AllGpus(readAll());
  return made;
}

} // namespace

int Gpu::concurrentKernels() const {
  // CUDA guide, "Technical Specifications per Compute Capability".
  switch (major) {
  case 1:
    return 1;
  case 2:
    return 16;
  case 3:
    return minor < 5 ? 16 : 32;
  case 5:
    return 32;
  case 6:
    return minor == 0 ? 128 : 32;
  default:
    return 128;
  }
}

Result<std::vector<Gpu>> parseGpus(std::string_view text, std::string_view name,
                                   const std::vector<Gpu> &known) {
  Reader reader(name, known);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (!reader.readLine(text.substr(0, end)))
      return reader.take();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  reader.finish();
  return reader.take();
}

const std::vector<Gpu> &builtInGpus() {
  static const std::vector<Gpu> &gpus = *[] {
    auto *list = new std::vector<Gpu>;
    using enum Dram;
#define HEDDLE_BOARD(...) list->push_back({__VA_ARGS__});
#include "model/gpus.def"
#undef HEDDLE_BOARD
    return list;
  }();
  return gpus;
}

const std::vector<Gpu> &allGpus() { return all().gpus; }
const std::string &gpuFileError() { return all().error; }
const Gpu *findGpu(std::string_view key) { return findIn(allGpus(), key); }

} // namespace heddle::model
