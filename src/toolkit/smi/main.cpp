// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvidia-smi, on NVML: it shows the machine that HEDDLE_DEVICE describes, and sets compute modes.
#include "toolkit/smi/reports.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace {

using namespace smi;
using Words = std::vector<std::string>;

constexpr const char *Help =
    R"(NVIDIA System Management Interface, of Heddle: the machine is what HEDDLE_DEVICE says.

    nvidia-smi [OPTION1 [ARG1]] [OPTION2 [ARG2]] ...

    -h,   --help                Print this text.
          --version             Print versions.
    -L,   --list-gpus           List the GPUs with their UUIDs.
    -i,   --id=                 Only these: index, UUID, serial number or PCI bus, separated by commas.
    -f,   --filename=           Write to a file.
    -l,   --loop=               Repeat after so many seconds.
    -q,   --query               Print all that is known.
    -d,   --display=            Only these sections of it: MEMORY, UTILIZATION, ECC, TEMPERATURE,
                                POWER, CLOCK, COMPUTE, PIDS, PERFORMANCE
          --query-gpu=          Print these values of each GPU; see --help-query-gpu.
          --query-compute-apps= The same of processes; see --help-query-compute-apps.
          --format=             csv, and noheader, nounits, separated by commas.
    -c,   --compute-mode=       Set the compute mode:
                                0/DEFAULT, 2/PROHIBITED, 3/EXCLUSIVE_PROCESS
    topo  -m | -p2p r           Print who sits where, and who can access whose memory.
)";

/// The options that take a word, and those that do not.
struct Option {
  std::string shortName, longName;
  bool takesWord;
};

const Option Options[] = {
    {"-h", "--help", false},         {"", "--version", false},
    {"-L", "--list-gpus", false},    {"-i", "--id", true},
    {"-f", "--filename", true},      {"-l", "--loop", true},
    {"-q", "--query", false},        {"-d", "--display", true},
    {"", "--query-gpu", true},       {"", "--query-compute-apps", true},
    {"", "--format", true},          {"-c", "--compute-mode", true},
    {"", "--help-query-gpu", false}, {"", "--help-query-compute-apps", false},
};

/// The options of a command line by their long names.
class Given {
public:
  /// False for a word that is no option, which it prints.
  bool read(const Words &words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
      const std::string name = words[i].substr(0, equals);
      const Option *option = std::ranges::find_if(Options, [&](const Option &o) {
        return name == o.longName || (!o.shortName.empty() && name == o.shortName);
      });
      const bool hasWord = equals != std::string::npos;
      if (option == std::end(Options) || (hasWord && !option->takesWord) ||
          (option->takesWord && !hasWord && i + 1 == words.size())) {
        std::printf(
            "Invalid combination of input arguments: %s\nPlease run 'nvidia-smi -h' for help.\n",
            words[i].c_str());
        return false;
      }
      std::string word = hasWord             ? words[i].substr(equals + 1)
                         : option->takesWord ? words[++i]
                                             : "";
      given_.push_back({option->longName, std::move(word)});
    }
    return true;
  }

  bool has(const std::string &name) const {
    return std::ranges::any_of(given_, [&](auto &pair) { return pair.first == name; });
  }
  /// What was given last; empty if it was not.
  std::string value(const std::string &name) const {
    std::string value;
    for (auto &pair : given_)
      if (pair.first == name)
        value = pair.second;
    return value;
  }

private:
  std::vector<std::pair<std::string, std::string>> given_;
};

/// False, and a message, for a format that is not csv.
bool readFormat(const std::string &list, CsvFormat &format) {
  bool isCsv = false;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    isCsv |= word == "csv";
    format.hasHeader &= word != "noheader";
    format.hasUnits &= word != "nounits";
  }
  if (!isCsv)
    std::puts("\"--format=\" must be csv, and may have noheader and nounits behind it.");
  return isCsv;
}

struct NamedMode {
  const char *number, *name;
  nvmlComputeMode_t mode;
};

constexpr NamedMode Modes[] = {
    {"0", "DEFAULT", NVML_COMPUTEMODE_DEFAULT},
    {"1", "EXCLUSIVE_THREAD", NVML_COMPUTEMODE_EXCLUSIVE_PROCESS}, // the other mode was removed
    {"2", "PROHIBITED", NVML_COMPUTEMODE_PROHIBITED},
    {"3", "EXCLUSIVE_PROCESS", NVML_COMPUTEMODE_EXCLUSIVE_PROCESS},
};

int setComputeMode(const Gpus &gpus, const std::string &word) {
  const NamedMode *wanted = std::ranges::find_if(
      Modes, [&](const NamedMode &m) { return word == m.number || word == m.name; });
  if (wanted == std::end(Modes)) {
    std::printf("\"%s\" is no compute mode.\n", word.c_str());
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  if (wanted->mode != NVML_COMPUTEMODE_DEFAULT && std::string_view(wanted->number) == "1")
    std::puts("EXCLUSIVE_THREAD was removed from CUDA; EXCLUSIVE_PROCESS takes its place.");
  const char *name = std::ranges::find_if(Modes, [&](const NamedMode &m) {
                       return m.mode == wanted->mode && std::string_view(m.number) != "1";
                     })->name;
  for (const Gpu &gpu : gpus) {
    const bool isSet = ask(nvmlDeviceGetComputeMode, gpu.device) == wanted->mode;
    if (nvmlReturn_t error = nvmlDeviceSetComputeMode(gpu.device, wanted->mode))
      return fail(error);
    std::printf(isSet ? "Compute mode is already set to %s for GPU %s.\n"
                      : "Set compute mode to %s for GPU %s.\n",
                name, gpu.busId.c_str());
  }
  std::puts("All done.");
  return 0;
}

int printVersions() {
  std::printf("NVIDIA-SMI version  : %s\nNVML version        : %s\nDRIVER version      : %s\n"
              "CUDA Version        : %s\n",
              driverVersion().c_str(), nvmlVersion().c_str(), driverVersion().c_str(),
              cudaVersion().c_str());
  return 0;
}

/// One report.
int print(const Given &given, const Gpus &gpus) {
  CsvFormat format;
  const bool ofGpus = given.has("--query-gpu"), ofProcesses = given.has("--query-compute-apps");
  if ((ofGpus || ofProcesses) && !readFormat(given.value("--format"), format))
    return NVML_ERROR_INVALID_ARGUMENT;
  if (ofGpus)
    return printGpuFields(gpus, given.value("--query-gpu"), format);
  if (ofProcesses)
    return printProcessFields(gpus, given.value("--query-compute-apps"), format);
  if (given.has("--query"))
    return printAll(gpus, given.value("--display"));
  return given.has("--list-gpus") ? printList(gpus) : printTable(gpus);
}

int run(const Given &given) {
  const Gpus gpus = given.has("--id") ? chosenGpus(given.value("--id")) : allGpus();
  if (gpus.empty()) {
    std::puts("No devices were found");
    return NVML_ERROR_NOT_FOUND;
  }
  if (given.has("--filename") && !std::freopen(given.value("--filename").c_str(), "w", stdout)) {
    std::perror(given.value("--filename").c_str());
    return 1;
  }
  if (given.has("--compute-mode"))
    return setComputeMode(gpus, given.value("--compute-mode"));
  int status = print(given, gpus);
  while (status == 0 && given.has("--loop")) {
    std::fflush(stdout);
    sleep(static_cast<unsigned>(std::max(1, std::atoi(given.value("--loop").c_str()))));
    status = print(given, gpus);
  }
  return status;
}

int dispatch(const Words &words) {
  if (!words.empty() && words[0] == "topo")
    return printTopology({words.begin() + 1, words.end()});
  Given given;
  if (!given.read(words))
    return NVML_ERROR_INVALID_ARGUMENT;
  if (given.has("--help")) {
    std::fputs(Help, stdout);
    return 0;
  }
  if (given.has("--help-query-gpu") || given.has("--help-query-compute-apps"))
    return printFieldNames(given.has("--help-query-compute-apps"));
  return given.has("--version") ? printVersions() : run(given);
}

} // namespace

int main(int argc, char **argv) {
  if (nvmlReturn_t error = nvmlInit())
    return fail(error);
  const int status = dispatch(Words(argv + 1, argv + argc));
  nvmlShutdown();
  return status;
}
