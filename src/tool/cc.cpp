// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's compilation phases over the inputs: which files to compile, into what, and what to do with
// the results.
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/link/host_link.h"
#include "tool/link/link.h"
#include "tool/tools/files.h"
#include "tool/tools/interrupts.h"
#include "tool/tools/timing.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>
#include <unistd.h>

namespace heddle::tool {

namespace {

/// What the command as a whole makes.
enum class Goal { Program, Library, DeviceLink, Each };

struct Plan {
  Goal goal = Goal::Program;
  Product product = Product::Object; ///< of each source
  std::string output;                ///< of the goal, unless it is Each
  std::vector<Unit> units;
  std::vector<std::string> linkInputs; ///< objects, libraries and -l options in order
  bool isMade = false;                 ///< -run with a program: `output` is there
};

struct PhaseOption {
  Opt option;
  Goal goal;
  Product product;
};

constexpr PhaseOption Phases[] = {
    {Opt::Dependencies, Goal::Each, Product::Dependencies},
    {Opt::UserDependencies, Goal::Each, Product::Dependencies},
    {Opt::Preprocess, Goal::Each, Product::Preprocessed},
    {Opt::DeviceSyntaxOnly, Goal::Each, Product::Nothing},
    {Opt::Ptx, Goal::Each, Product::Ptx},
    {Opt::Cubin, Goal::Each, Product::Image},
    {Opt::Fatbin, Goal::Each, Product::Image},
    {Opt::Cuda, Goal::Each, Product::HostSource},
    {Opt::Assembly, Goal::Each, Product::Assembly},
    {Opt::Compile, Goal::Each, Product::Object},
    {Opt::DeviceC, Goal::Each, Product::Object},
    {Opt::DeviceW, Goal::Each, Product::Object},
    {Opt::DeviceLink, Goal::DeviceLink, Product::Object},
    {Opt::Lib, Goal::Library, Product::Object},
};

const char *productSuffix(const Options &options, Product product) {
  switch (product) {
  case Product::Object:
    return ".o";
  case Product::Assembly:
    return ".s";
  case Product::HostSource:
    return ".cu.cpp.ii";
  case Product::Ptx:
    return ".ptx";
  case Product::Image:
    return options.has(Opt::Fatbin) ? ".fatbin" : ".cubin";
  default:
    return "";
  }
}

std::optional<Language> languageOfExtension(const std::string &suffix) {
  if (suffix == ".cu")
    return Language::Cuda;
  if (suffix == ".c")
    return Language::C;
  for (const char *cxx : {".cpp", ".cc", ".cxx", ".C", ".c++", ".CPP"})
    if (suffix == cxx)
      return Language::Cxx;
  return {};
}

bool isLinkInput(const std::string &path) {
  std::string name = fileName(path);
  for (const char *suffix : {".o", ".obj", ".a", ".so", ".lib"})
    if (name.ends_with(suffix))
      return true;
  return name.find(".so.") != name.npos;
}

std::string inDirectory(const std::string &folder, const std::string &name) {
  return folder.empty() ? name : folder + "/" + name;
}

class Planner {
public:
  Planner(const Settings &settings, TemporaryDirectory &temporary)
      : o_(settings.options), s_(settings), temporary_(temporary) {}

  Result<Plan> make() {
    choosePhase();
    for (const Input &input : o_.inputs)
      addInput(input);
    if (error_.empty())
      checkCounts();
    if (error_.empty())
      checkOutputs();
    if (!error_.empty())
      return Failure{error_};
    return std::move(plan_);
  }

private:
  void choosePhase() {
    for (const PhaseOption &phase : Phases)
      if (o_.has(phase.option)) {
        plan_.goal = phase.goal;
        plan_.product = phase.product;
        break;
      }
    const char *fallback = plan_.goal == Goal::Library      ? "a.a"
                           : plan_.goal == Goal::DeviceLink ? "a_dlink.o"
                                                            : "a.out";
    plan_.output = o_.has(Opt::Output) ? o_.last(Opt::Output)
                                       : inDirectory(o_.last(Opt::OutputDirectory), fallback);
  }

  void addInput(const Input &input) {
    if (input.text.empty()) // CMake's: an option that is not set
      return;
    if (input.isLibrary || isLinkInput(input.text))
      return plan_.linkInputs.push_back(input.text);
    if (std::string program = programOf(input.text); !program.empty()) {
      plan_.isMade = true;
      plan_.output = program;
      return;
    }
    std::optional<Language> language = languageOf(input.text);
    if (!language)
      return fail(unknownInput(input.text));
    std::string source = isStandardInput(input) && !s_.dryRun ? standardInput() : input.text;
    Unit unit{source, *language, plan_.product, outputOf(source), keepDirectory()};
    if (!isFile(source) && !s_.dryRun)
      return fail("Could not open input file '" + input.text + "'");
    if (plan_.goal != Goal::Each)
      plan_.linkInputs.push_back(unit.output);
    plan_.units.push_back(std::move(unit));
  }

  /// The program that `nvcc -run program` starts; empty: it is something else. nvcc writes the name
  /// on a shell's command line, so Meson puts it in quotes.
  std::string programOf(const std::string &text) const {
    if (!o_.has(Opt::Run) || o_.inputs.size() != 1)
      return "";
    std::vector<std::string> words = splitWords(text);
    if (words.size() != 1 || languageOf(words[0]) || !isFile(words[0]) ||
        access(words[0].c_str(), X_OK) != 0)
      return "";
    return words[0];
  }

  /// A file with what comes on the standard input, which the compilers of both halves read. Its
  /// first line makes diagnostics and __FILE__ name it as compilers do.
  std::string standardInput() {
    Result<std::string> folder = temporary_.path();
    if (!folder) {
      fail(folder.error());
      return "-";
    }
    std::string path = *folder + "/stdin";
    std::string text = "# 1 \"<stdin>\"\n";
    char buffer[65536];
    for (ssize_t size; (size = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0;)
      text.append(buffer, static_cast<size_t>(size));
    if (auto failure = writeFile(path, text))
      fail(failure->message);
    return path;
  }

  std::optional<Language> languageOf(const std::string &path) const {
    std::string forced = o_.last(Opt::Language);
    if (!forced.empty())
      return forced == "cu" ? Language::Cuda : forced == "c" ? Language::C : Language::Cxx;
    return languageOfExtension(extension(path));
  }

  static std::string unknownInput(const std::string &path) {
    std::string suffix = extension(path);
    for (const char *device : {".ptx", ".cubin", ".fatbin"})
      if (suffix == device)
        return "device code as an input ('" + path +
               "') is not supported; give its CUDA C++ source";
    return "Don't know what to do with '" + path + "'";
  }

  std::string keepDirectory() const {
    if (!o_.has(Opt::Keep) && !o_.has(Opt::SaveTemps))
      return "";
    return o_.last(Opt::KeepDirectory, ".");
  }

  std::string outputOf(const std::string &source) {
    if (plan_.goal != Goal::Each)
      return intermediate(source);
    if (plan_.product == Product::Dependencies)
      return o_.last(Opt::DependencyOutput, o_.last(Opt::Output));
    if (plan_.product == Product::Preprocessed || plan_.product == Product::Nothing)
      return o_.last(Opt::Output);
    return o_.last(Opt::Output, inDirectory(o_.last(Opt::OutputDirectory),
                                            stem(source) + productSuffix(o_, plan_.product)));
  }

  /// An object that only the link needs. Sources of the same name in two folders must not meet.
  std::string intermediate(const std::string &source) {
    if (std::string folder = keepDirectory(); !folder.empty())
      return inDirectory(folder, stem(source) + ".o");
    Result<std::string> folder = s_.dryRun ? std::string("/tmp") : temporary_.path();
    if (!folder) {
      fail(folder.error());
      return "";
    }
    return *folder + "/" + stem(source) + "-" + std::to_string(plan_.units.size()) + ".o";
  }

  void checkCounts() {
    if (plan_.isMade)
      return;
    if (plan_.units.empty() && (plan_.linkInputs.empty() || onlyLibraries()))
      return fail("No input files specified; use option --help for more information");
    bool single = plan_.goal == Goal::Each && o_.has(Opt::Output);
    if (single && plan_.units.size() > 1)
      return fail("A single input file is required for a non-link phase when an outputfile is "
                  "specified");
    if (plan_.goal == Goal::Each && plan_.units.empty())
      return fail("'" + plan_.linkInputs.front() +
                  "' is an object or a library; this phase needs a source");
    checkOneArchitecture();
    std::string target = plan_.goal == Goal::Each ? plan_.units.front().output : plan_.output;
    if (!s_.dryRun && !target.empty() && !isDirectory(directoryOf(target)))
      fail("Could not open output file '" + target + "'");
  }

  /// PTX text and a cubin are for one architecture.
  void checkOneArchitecture() {
    const std::vector<Architecture> &all = s_.architectures.all;
    size_t machines = 0;
    for (const Architecture &arch : all)
      machines += static_cast<size_t>(std::count_if(
          arch.codes.begin(), arch.codes.end(), [](const CodeName &code) { return code.isReal; }));
    std::string_view option;
    if (plan_.product == Product::Ptx && all.size() > 1)
      option = "--ptx (-ptx)";
    if (plan_.product == Product::Image && !o_.has(Opt::Fatbin) && machines > 1)
      option = "--cubin (-cubin)";
    if (!option.empty())
      fail("Option '" + std::string(option) + "' is not allowed when compiling for multiple GPU " +
           (all.size() > 1 ? "architectures" : "code instances"));
  }

  /// Before anything is written.
  void checkOutputs() {
    std::vector<std::string> inputs = o_.values(Opt::PreInclude), outputs;
    for (const Input &input : o_.inputs)
      inputs.push_back(input.isLibrary
                           ? findLibrary(o_.values(Opt::LibraryPath), input.text.substr(2))
                           : input.text);
    for (const Unit &unit : plan_.units) {
      outputs.push_back(unit.output);
      if (wantsDependencyFile(o_))
        outputs.push_back(dependencyFile(s_, unit));
      for (const char *suffix : {".bc", ".image", ".ptx"})
        if (!unit.keepDirectory.empty())
          outputs.push_back(unit.keepDirectory + "/" + stem(unit.source) + suffix);
    }
    if (plan_.goal != Goal::Each)
      outputs.push_back(plan_.output);
    outputs.push_back(o_.last(Opt::Time));
    if (auto failure = refuseOverwriting(inputs, outputs))
      fail(failure->message);
  }

  bool onlyLibraries() const {
    return std::all_of(o_.inputs.begin(), o_.inputs.end(),
                       [](const Input &input) { return input.isLibrary; });
  }

  void fail(std::string message) {
    if (error_.empty())
      error_ = std::move(message);
  }

  const Options &o_;
  const Settings &s_;
  TemporaryDirectory &temporary_;
  Plan plan_;
  std::string error_;
};

/// The variables that nvcc prints before its commands, as far as they mean something here. CMake
/// reads TOP, PATH, LIBRARIES, INCLUDES and NVVMIR_LIBRARY_DIR, and takes the architecture from
/// "-arch compute_X".
void showEnvironment(const Settings &s) {
  const Architecture &main = s.architectures.main();
  std::string arch = std::to_string(main.number) + main.suffix;
  const char *path = std::getenv("PATH");
  std::string text =
      "#$ _SPACE_= \n#$ _CUDART_=cudart\n#$ _HERE_=" + s.tools.root +
      "/bin\n#$ _THERE_=" + s.tools.root + "/bin\n#$ _TARGET_SIZE_=\n#$ TOP=" + s.tools.root +
      "\n#$ NVVMIR_LIBRARY_DIR=" + s.tools.root + "/nvvm/libdevice\n#$ PATH=" + (path ? path : "") +
      "\n#$ INCLUDES=" + quoteCommand({"-I" + s.tools.include}) +
      "\n#$ LIBRARIES=" + quoteCommand({libraryFlag(s)}) + "\n#$ CUDAFE_FLAGS=\n#$ PTXAS_FLAGS=\n" +
      "#$ ARCH_FLAGS=-arch compute_" + arch + "\n";
  for (const std::string &note : s.notes)
    text += "#$ note: " + note + "\n";
  fwrite(text.data(), 1, text.size(), stderr);
}

/// Compiles all units, -t of them at a time. The first exit code that is not 0.
int compileAll(const Settings &s, const std::vector<Unit> &units) {
  long wanted = std::strtol(s.options.last(Opt::Threads, "1").c_str(), nullptr, 10);
  if (wanted <= 0) // -t 0: as many as there are processors
    wanted = static_cast<long>(std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0;
  std::atomic<int> result = 0;
  auto work = [&] {
    for (size_t i = next++; i < units.size(); i = next++) {
      Unfinished output(units[i].output);
      if (int code = compileUnit(s, units[i]); code != 0) {
        int none = 0;
        result.compare_exchange_strong(none, code);
      }
    }
  };
  std::vector<std::thread> helpers;
  for (long i = 1; i < std::min(wanted, static_cast<long>(units.size())); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  return result;
}

int finish(const Settings &s, const Plan &plan) {
  Unfinished output(plan.goal == Goal::Each ? "" : plan.output);
  switch (plan.goal) {
  case Goal::Each:
    return 0;
  case Goal::Library:
    return makeLibrary(s, plan.linkInputs, plan.output);
  case Goal::DeviceLink:
    return linkDevice(s, plan.linkInputs, plan.output);
  case Goal::Program:
    return linkProgram(s, plan.linkInputs, plan.output);
  }
  return 0;
}

int runProgram(const Settings &s, const Plan &plan) {
  Command command = {plan.output.find('/') == std::string::npos ? "./" + plan.output : plan.output};
  const auto &arguments = s.options.values(Opt::RunArgs);
  command.insert(command.end(), arguments.begin(), arguments.end());
  showCommand(s, command);
  if (s.dryRun)
    return 0;
  Result<Process> process = Process::start(command, {.usesTerminal = true});
  return process ? process->wait() : fatal(process.error());
}

int execute(const Settings &s, const Plan &plan) {
  int code = compileAll(s, plan.units);
  if (code == 0 && !plan.isMade)
    code = finish(s, plan);
  if (s.options.has(Opt::Time))
    if (auto failure = writeTimings(s.options.last(Opt::Time)))
      code = fatal(failure->message);
  if (code == 0 && s.options.has(Opt::Run) && plan.goal == Goal::Program)
    code = runProgram(s, plan);
  return code;
}

std::string architectureList(const char *prefix) {
  std::string text;
  for (unsigned number : knownArchitectures())
    text += prefix + std::to_string(number) + "\n";
  return text;
}

/// The options that print something and do nothing else.
std::optional<std::string> information(const Options &options) {
  if (options.has(Opt::Help))
    return ccHelp();
  if (options.has(Opt::Version))
    return ccVersion(options);
  if (options.has(Opt::ListCode))
    return architectureList("sm_");
  if (options.has(Opt::ListArch))
    return architectureList("compute_");
  return {};
}

/// Options that make a compiler tell of itself; it then compiles nothing.
bool isQuestion(const std::string &option) {
  for (std::string_view word : {"--version", "--help", "--target-help", "-dumpversion",
                                "-dumpfullversion", "-dumpmachine", "-dumpspecs"})
    if (option == word)
      return true;
  for (std::string_view prefix : {"-print-", "--print-", "--help="})
    if (option.starts_with(prefix))
      return true;
  return false;
}

/// `nvcc .c -Xcompiler --version`: build scripts ask so which compiler and version they write
/// options for. The inputs need not exist.
std::optional<int> askHostCompiler(const Settings &s) {
  std::vector<std::string> words = s.options.values(Opt::HostOptions);
  if (std::none_of(words.begin(), words.end(), isQuestion))
    return {};
  bool isC = std::any_of(s.options.inputs.begin(), s.options.inputs.end(),
                         [](const Input &input) { return input.text.ends_with(".c"); });
  bool isOurs = !s.options.has(Opt::HostCompiler);
  if (isOurs) // clang has one version
    std::replace(words.begin(), words.end(), std::string("-dumpfullversion"),
                 std::string("-dumpversion"));
  words.erase(std::unique(words.begin(), words.end()), words.end());
  Command command = {hostCompiler(s, !isC)};
  command.insert(command.end(), words.begin(), words.end());
  showCommand(s, command);
  if (s.dryRun)
    return 0;
  Result<Process> process = Process::start(command);
  return process ? process->wait() : fatal(process.error());
}

} // namespace

int runCc(const std::vector<std::string> &arguments) {
  Result<std::vector<std::string>> words = expandArguments(arguments);
  if (!words)
    return fatal(words.error());
  Result<Options> options = parseOptions(*words);
  if (!options)
    return fatal(options.error());
  if (auto text = information(*options)) {
    fwrite(text->data(), 1, text->size(), stdout);
    return 0;
  }
  Result<Toolchain> tools = findToolchain();
  if (!tools)
    return fatal(tools.error());
  Result<Settings> settings = settle(std::move(*options), std::move(*tools));
  if (!settings)
    return fatal(settings.error());
  if (settings->verbose)
    showEnvironment(*settings);
  if (std::optional<int> code = askHostCompiler(*settings))
    return *code;
  if (std::string folder = settings->options.last(Opt::KeepDirectory); !folder.empty())
    if (!isDirectory(folder) && !settings->dryRun)
      return fatal("Could not open output directory '" + folder + "'");
  TemporaryDirectory temporary;
  Result<Plan> plan = Planner(*settings, temporary).make();
  return plan ? execute(*settings, *plan) : fatal(plan.error());
}

} // namespace heddle::tool
