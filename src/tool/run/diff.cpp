// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle diff`: two processes of one program, each on its device. Their drivers give us each launch
// before and after it ran (driver/record/recorder.cpp), and wait for an answer, so both stand at the
// same launch. The memory in front of it must agree, else it was no kernel that made the difference.
#include "tool/run/replay.h"

#include "base/command_options.h"
#include "base/image/image_bundle.h"
#include "jit/client/jit_library.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/run/compare.h"
#include "tool/run/program.h"
#include "tool/tools/files.h"
#include "tool/tools/toolchain.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace heddle::tool {

namespace {

using Words = std::vector<std::string>;

constexpr const char *Usage =
    "Usage: heddle diff [options] [--] program [arguments]\n\n"
    "Runs a program on two devices side by side, and reports the first kernel whose results\n"
    "differ. Exit code: 0 if none does, 1 if one does.\n\n";

struct Request {
  std::string devices = "cpu,gpu", file = "heddle.launch";
  Words firstSettings, secondSettings;
  Tolerance tolerance;
  bool wantsHelp = false;
};

template <auto Field> Complaint takeSetting(Request &r, const std::string &value) {
  if (value.find('=') == value.npos)
    return "is no NAME=value";
  (r.*Field).push_back(value);
  return "";
}
template <auto Field> Complaint takeBound(Request &r, const std::string &value) {
  return takeNumber(r.tolerance.*Field, value);
}
Complaint takeType(Request &r, const std::string &value) {
  const auto type = valueType(value);
  if (type)
    r.tolerance.type = *type;
  return type ? "" : "is no type of values";
}

using Option = CommandOption<Request>;
constexpr Option Options[] = {
    {"--devices", "<a,b>", takeText<Request, &Request::devices>,
     "two values of HEDDLE_DEVICE (default: cpu,gpu); cpu-width1 is the CPU one thread at a time"},
    {"--first", "<NAME=value>", takeSetting<&Request::firstSettings>,
     "a variable of the environment for the first"},
    {"--second", "<NAME=value>", takeSetting<&Request::secondSettings>, "and for the second"},
    {"--relative", "<number>", takeBound<&Tolerance::relative>,
     "numbers may differ by that much of their size (default: 1e-5)"},
    {"--absolute", "<number>", takeBound<&Tolerance::absolute>,
     "and by that much besides (default: 1e-8)"},
    {"--type", "<type>", takeType,
     "what memory holds: float, double, half, int, long, byte; auto (default) guesses for each "
     "word"},
    {"--output", "<file>", takeText<Request, &Request::file>,
     "where the launch is saved, for heddle replay (default: heddle.launch)"},
    {"--help", "", takeFlag<Request, &Request::wantsHelp>, "this text"},
};
constexpr ShortName ShortNames[] = {{"-o", "--output"}, {"-h", "--help"}};
constexpr CommandOptions<Request> Table(Options, ShortNames);

/// Where the program finds its descriptors: above those that it opens.
constexpr int ChildOut = 198, ChildIn = 199;

/// One of the two runs.
struct Side {
  std::string name; ///< of its device, as asked for
  Words settings;
  pid_t process = 0;
  int from = -1, to = -1;
  bool isOver = false;
  int status = 0;
  SavedLaunch launch;
};

/// "cpu-width8" is HEDDLE_DEVICE=cpu and HEDDLE_WIDTH=8.
Words settingsOf(const std::string &name) {
  const size_t width = name.find("-width");
  Words settings = {"HEDDLE_DEVICE=" + name.substr(0, width)};
  if (width != name.npos)
    settings.push_back("HEDDLE_WIDTH=" + name.substr(width + std::strlen("-width")));
  return settings;
}

/// Our environment with the settings in it.
Words environmentWith(const Words &settings) {
  Words all;
  for (char **at = environ; *at; ++at) {
    const std::string entry = *at;
    const std::string name = entry.substr(0, entry.find('=') + 1);
    if (std::ranges::none_of(settings, [&](auto &s) { return s.starts_with(name); }))
      all.push_back(entry);
  }
  all.insert(all.end(), settings.begin(), settings.end());
  return all;
}

std::vector<char *> pointersTo(Words &words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// False, and errno, if it cannot run. The output of one is that of the other, and shown once.
bool start(Side &side, Words program, bool isShown) {
  int out[2], in[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(in, O_CLOEXEC) != 0)
    return false;
  Words settings = side.settings;
  settings.push_back("HEDDLE_DIFF_CHANNEL=" + std::to_string(ChildOut) + "," +
                     std::to_string(ChildIn));
  Words environment = environmentWith(settings);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], ChildOut);
  posix_spawn_file_actions_adddup2(&actions, in[0], ChildIn);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!isShown)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  errno = posix_spawnp(&side.process, program[0].c_str(), &actions, nullptr,
                       pointersTo(program).data(), pointersTo(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  const int failure = errno;
  close(out[1]);
  close(in[0]);
  side.from = out[0];
  side.to = in[1];
  errno = failure;
  return failure == 0;
}

bool readAll(int file, void *data, size_t bytes) {
  auto *at = static_cast<char *>(data);
  while (bytes) {
    const ssize_t n = read(file, at, bytes);
    if (n <= 0)
      return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

void end(Side &side) {
  close(side.to);
  close(side.from);
  waitpid(side.process, &side.status, 0);
  side.isOver = true;
}

/// The next launch of it; false at its end.
bool next(Side &side) {
  uint64_t size = 0;
  if (!readAll(side.from, &size, sizeof size))
    return end(side), false;
  std::vector<uint8_t> bytes(size);
  if (!readAll(side.from, bytes.data(), bytes.size()))
    return end(side), false;
  auto launch = parseSavedLaunch(bytes);
  if (!launch)
    return end(side), false;
  side.launch = std::move(*launch);
  return true;
}

void answer(Side &side, char what) {
  if (write(side.to, &what, 1) != 1)
    return; // it has ended, which the next read shows
}

std::string shapeOf(const SavedLaunch &l) {
  char text[160];
  std::snprintf(text, sizeof text, "grid %u x %u x %u, block %u x %u x %u", l.grid[0], l.grid[1],
                l.grid[2], l.block[0], l.block[1], l.block[2]);
  return text;
}

/// The lines of a kernel's PTX that store to memory which other threads see.
Words linesOfStores(const std::string &ptx, const std::string &kernel) {
  Words lines;
  std::map<std::string, std::string> files;
  std::string line;
  bool isInside = false;
  int depth = 0; // braces; inline assembly may have its own
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string text = ptx.substr(at, end - at);
    at = end + 1;
    text.erase(0, text.find_first_not_of(" \t"));
    char number[16], row[16], name[1024];
    if (std::sscanf(text.c_str(), ".file %15s \"%1023[^\"]\"", number, name) == 2)
      files[number] = fileName(name);
    else if (depth == 0 && text.find(".entry") != text.npos)
      isInside = text.find(".entry " + kernel + "(") != text.npos;
    else if (std::sscanf(text.c_str(), ".loc %15s %15s", number, row) == 2)
      line = std::string(number) + ":" + row;
    const size_t operation = text.starts_with("@") ? text.find(' ') + 1 : 0;
    const std::string_view word = std::string_view(text).substr(std::min(operation, text.size()));
    const bool stores = (word.starts_with("st.") && !word.starts_with("st.shared") &&
                         !word.starts_with("st.local") && !word.starts_with("st.param")) ||
                        word.starts_with("atom.global") || word.starts_with("red.global");
    if (isInside && stores && !line.empty())
      lines.push_back(line);
    if (int change = int(std::ranges::count(text, '{') - std::ranges::count(text, '}'));
        change != 0)
      isInside &= (depth += change) > 0;
  }
  for (std::string &l : lines)
    if (auto place = files.find(l.substr(0, l.find(':'))); place != files.end())
      l = place->second + l.substr(l.find(':'));
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

Result<Words> linesOfStores(const SavedLaunch &launch) {
  const std::vector<uint8_t> &code = launch.code;
  if (code.size() < sizeof(ImageHeader) || !deviceCodeBytes(code.data(), code.size()))
    return Failure{"its code is not saved"};
  auto chosen = chooseImage(code.data(), code.size(), 90);
  if (!chosen)
    return Failure{chosen.error()};
  auto library = JitLibrary::open(ownFolders().libs);
  if (!library)
    return Failure{library.error()};
  const std::span<const uint8_t> image = chosen->image.bytes();
  auto ptx = (*library)->emitPtx({reinterpret_cast<const char *>(image.data()), image.size()},
                                 "sm_90", true);
  if (!ptx)
    return Failure{ptx.error()};
  return linesOfStores(*ptx, launch.kernel);
}

void tellLines(const std::string &file) {
  auto bytes = readFile(file);
  if (!bytes)
    return;
  auto launch = parseSavedLaunch({reinterpret_cast<const uint8_t *>(bytes->data()), bytes->size()});
  if (!launch)
    return;
  Result<Words> lines = linesOfStores(*launch);
  if (!lines)
    std::fprintf(stderr, "  where the kernel stores is not known: %s\n", lines.error().c_str());
  for (size_t i = 0; lines && i < lines->size(); ++i)
    std::fprintf(stderr, "%s%s%s", i == 0 ? "  the kernel stores at " : ", ", (*lines)[i].c_str(),
                 i + 1 == lines->size() ? "\n" : "");
  std::fprintf(stderr, "  the launch is saved in %s: heddle replay %s\n", file.c_str(),
               file.c_str());
}

void tellDifference(const Side &a, const Side &b, const Difference &d) {
  std::fprintf(stderr, "  %s, %s [%zu]: %s on %s, %s on %s; %zu of %zu values differ\n",
               memoryName(a.launch, d.memory).c_str(), d.type.c_str(), d.index, d.first.c_str(),
               a.name.c_str(), d.second.c_str(), b.name.c_str(), d.values, d.of);
}

/// Ends both, the first with the launch saved.
int finish(Side &a, Side &b, const Request &request) {
  answer(a, 's');
  answer(b, 'q');
  end(a);
  end(b);
  tellLines(request.file);
  return 1;
}

/// Looks at what both have given. 0: they agree; else how it ended.
int lookAt(Side &a, Side &b, bool isAfter, const Request &request) {
  const SavedLaunch &l = a.launch;
  const auto begin = [&](const char *what) {
    std::fprintf(stderr, "heddle diff: launch %llu, %s, %s: %s\n",
                 static_cast<unsigned long long>(l.number), l.shown.c_str(), shapeOf(l).c_str(),
                 what);
  };
  if (std::string how = unlikeness(a.launch, b.launch); !how.empty()) {
    begin("the programs go apart");
    std::fprintf(stderr, "  %s (%s, %s)\n", how.c_str(), a.name.c_str(), b.name.c_str());
    return finish(a, b, request);
  }
  const auto found = firstDifference(a.launch, b.launch, request.tolerance);
  if (!found)
    return 0;
  begin(isAfter ? "results differ"
                : "memory differs before it runs: the host, a copy or a library made it so");
  tellDifference(a, b, *found);
  return finish(a, b, request);
}

int compare(Side &a, Side &b, const Request &request) {
  uint64_t compared = 0;
  for (bool isAfter = false;; isAfter = !isAfter) {
    const bool isThereA = next(a), isThereB = next(b);
    if (!isThereA && !isThereB)
      break;
    if (!isThereA || !isThereB) {
      Side &ended = isThereA ? b : a, &other = isThereA ? a : b;
      std::fprintf(stderr,
                   "heddle diff: launch %llu, %s: only on %s; on %s the program has ended\n",
                   static_cast<unsigned long long>(other.launch.number), other.launch.shown.c_str(),
                   other.name.c_str(), ended.name.c_str());
      answer(other, 'q');
      end(other);
      return 1;
    }
    if (int code = lookAt(a, b, isAfter, request))
      return code;
    compared += isAfter;
    answer(a, 'g');
    answer(b, 'g');
  }
  const int first = exitCodeOf(a.status), second = exitCodeOf(b.status);
  std::fprintf(stderr, "heddle diff: %llu launches have the same results on %s and %s\n",
               static_cast<unsigned long long>(compared), a.name.c_str(), b.name.c_str());
  if (first != second)
    std::fprintf(stderr, "heddle diff: the program returns %d on %s, and %d on %s\n", first,
                 a.name.c_str(), second, b.name.c_str());
  return first != second;
}

} // namespace

int runDiff(const Words &arguments) {
  Words words = arguments, program;
  takeProgramName(words);
  Request request;
  if (Complaint complaint = Table.parse(request, words, program); !complaint.empty())
    return fatal(complaint);
  if (request.wantsHelp)
    return fputs((Usage + Table.describe()).c_str(), stdout) < 0;
  const size_t comma = request.devices.find(',');
  if (comma == request.devices.npos || program.empty())
    return fatal(
        "heddle diff needs two devices and a program: heddle diff --devices cpu,gpu ./prog");
  std::signal(SIGPIPE, SIG_IGN);
  findOwnLibraries();
  removeRegularFile(request.file);
  setenv("HEDDLE_SAVE_TO", absolutePath(request.file).c_str(), 1);
  Side a, b;
  a.name = request.devices.substr(0, comma);
  b.name = request.devices.substr(comma + 1);
  for (auto [side, more] : {std::pair(&a, &request.firstSettings), {&b, &request.secondSettings}}) {
    side->settings = settingsOf(side->name);
    side->settings.insert(side->settings.end(), more->begin(), more->end());
  }
  if (a.name == b.name) {
    a.name += " (first)";
    b.name += " (second)";
  }
  if (!start(a, program, true) || !start(b, program, false))
    return fatal("cannot run " + program[0] + ": " + std::strerror(errno));
  return compare(a, b, request);
}

} // namespace heddle::tool
