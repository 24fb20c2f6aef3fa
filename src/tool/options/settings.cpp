// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From nvcc's options to clang's. One function for each concern (language, macros, paths, floating
// point, debugging, warnings); each appends to the flag lists of both halves, of one, or of plain
// C++ sources.
//
// clang must never look for NVIDIA's toolkit: -nocudainc and -nocudalib keep it from its headers
// and its device library, and --cuda-path names our own folder so that it does not probe the usual
// places.
//
// What clang is told to compile for is not what __CUDA_ARCH__ says. clang ties its builtins
// (shuffles, cluster and asynchronous copies) to the GPU that has them, while our JIT runs all of
// them everywhere; so clang always gets a recent GPU, and the macro follows -arch.
#include "tool/options/settings.h"
#include "base/image/device_flags.h"
#include "base/image/module_image.h"
#include "base/messages/diagnostic_numbers.h"
#include "tool/options/tool_words.h"
#include "tool/tools/files.h"
#include "tool/tools/mpi.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace heddle::tool {

namespace {

void append(Command &command, std::initializer_list<std::string> words) {
  command.insert(command.end(), words);
}

bool has(const std::vector<std::string> &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<Failure> oneOf(const Options &options, Opt id, std::string_view name,
                             std::initializer_list<std::string_view> allowed) {
  for (const std::string &value : options.values(id))
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      return Failure{"Value '" + value + "' is not defined for option '" + std::string(name) + "'"};
  return {};
}

/// Words without a dash are values of the word before.
std::optional<Failure> checkPtxasOptions(const Options &o) {
  std::string value;
  bool hasValue;
  for (const std::string &word : o.values(Opt::PtxasOptions))
    if (word.starts_with('-') && !findToolOption(ptxasOptions(), word, value, hasValue))
      return Failure{"Unknown option '" + word + "' in -Xptxas"};
  return {};
}

/// The value of -maxrregcount, also among ptxas's options; empty if there is none.
std::string registersAsked(const Options &o) {
  std::string asked = o.last(Opt::MaxRegisters);
  const std::vector<std::string> &words = o.values(Opt::PtxasOptions);
  for (size_t i = 0; i != words.size(); ++i)
    for (std::string_view name : {"-maxrregcount", "--maxrregcount"}) {
      if (words[i] == name && i + 1 != words.size())
        asked = words[i + 1];
      else if (words[i].starts_with(std::string(name) + "="))
        asked = words[i].substr(name.size() + 1);
    }
  return asked;
}

/// Its number; archmax stands for no limit, archmin for the least.
std::optional<uint32_t> registersOf(const std::string &asked) {
  if (asked.empty() || asked == "archmax")
    return 0;
  if (asked == "archmin")
    return 1;
  if (asked.size() > 4 || asked.find_first_not_of("0123456789") != asked.npos)
    return std::nullopt;
  return static_cast<uint32_t>(std::stoul(asked));
}

std::optional<Failure> checkValues(const Options &o) {
  if (auto bad = oneOf(o, Opt::Language, "x", {"cu", "c", "c++"}))
    return bad;
  if (auto bad = oneOf(o, Opt::Standard, "std",
                       {"c++03", "c++11", "c++14", "c++17", "c++20", "c++23", "gnu++03", "gnu++11",
                        "gnu++14", "gnu++17", "gnu++20", "gnu++23"}))
    return bad;
  if (auto bad = oneOf(o, Opt::Cudart, "cudart", {"none", "shared", "static"}))
    return bad;
  if (auto bad = oneOf(o, Opt::CudaVersion, "cuda-version", {"12", "13"}))
    return bad;
  if (auto bad = oneOf(o, Opt::DefaultStream, "default-stream", {"legacy", "null", "per-thread"}))
    return bad;
  if (auto bad = oneOf(o, Opt::Machine, "m", {"64"}))
    return bad;
  for (Opt id : {Opt::Threads, Opt::Optimize})
    for (const std::string &number : o.values(id))
      if (number.empty() || number.find_first_not_of("0123456789") != number.npos)
        return Failure{"'" + number + "': expected a number"};
  if (auto bad = checkPtxasOptions(o))
    return bad;
  if (std::string asked = registersAsked(o); !registersOf(asked))
    return Failure{"'" + asked + "': expected a number"};
  return oneOf(o, Opt::WarningsAsErrors, "Werror",
               {"all-warnings", "cross-execution-space-call", "reorder", "default-stream-launch",
                "missing-launch-bounds", "ext-lambda-captures-this", "deprecated-declarations"});
}

std::string level(const Options &options) {
  std::string given = options.last(Opt::Optimize);
  if (options.has(Opt::Optimize))
    return "-O" + given;
  bool debugging = options.has(Opt::Debug) || options.has(Opt::DeviceDebug);
  return debugging ? "-O0" : "-O2";
}

DeviceOptions deviceOptions(const Options &o) {
  bool fastFloat = o.has(Opt::FastFloat);
  bool fast = fastFloat || o.has(Opt::FastMath);
  return {.isDebug = o.has(Opt::DeviceDebug),
          .isFastMath = fast,
          .isFastFloat = fastFloat,
          .isAnyOrder = o.has(Opt::AnyOrder),
          .flushes = o.isTrue(Opt::FlushToZero, fast),
          .dividesExactly = o.isTrue(Opt::PreciseDivide, !fast),
          .takesRootsExactly = o.isTrue(Opt::PreciseSqrt, !fast),
          .contracts = o.isTrue(Opt::Fmad, true),
          .isLoaded = o.has(Opt::Ptx) || o.has(Opt::Cubin) || o.has(Opt::Fatbin)};
}

void addLanguage(Settings &s) {
  s.cudaFlags = languageFlags(s.tools.root, s.tools.resources);
  s.cudaFlags.push_back("-std=" + s.options.last(Opt::Standard, "gnu++17"));
  s.deviceFlags = deviceFlags(deviceOptions(s.options));
  s.compileOptions = compileOptionsOf(deviceOptions(s.options));
  s.imageFlags |= s.options.has(Opt::DeviceDebug) ? ImageDebug : 0;
  s.ptxHasLines = s.options.has(Opt::LineInfo) || s.options.has(Opt::DeviceDebug);
  s.hostFlags.push_back("--cuda-host-only");
}

void addMacros(Settings &s) {
  const CudaRelease &release = cudaRelease(s.options);
  Command macros = versionMacros(std::string(release.major) + "." + release.minor, release.build);
  s.plainFlags.insert(s.plainFlags.end(), macros.begin(), macros.end());
  s.cudaFlags.insert(s.cudaFlags.end(), macros.begin(), macros.end());
  s.cudaFlags.push_back("-D__CUDACC__");
  if (s.relocatable)
    s.cudaFlags.push_back("-D__CUDACC_RDC__");
  if (s.options.has(Opt::WholeProgram))
    s.cudaFlags.push_back("-D__CUDACC_EWP__");
  if (s.options.has(Opt::DeviceDebug))
    s.cudaFlags.push_back("-D__CUDACC_DEBUG__");
  if (s.options.has(Opt::ExtendedLambda) || s.options.has(Opt::ExptExtendedLambda))
    s.cudaFlags.push_back("-D__CUDACC_EXTENDED_LAMBDA__");
  if (s.options.has(Opt::RelaxedConstexpr))
    s.cudaFlags.push_back("-D__CUDACC_RELAXED_CONSTEXPR__");
  std::string list;
  unsigned before = 0; // sm_90 and sm_90a are one entry
  for (const Architecture &arch : s.architectures.all) {
    if (arch.number != before)
      list += (list.empty() ? "" : ",") + std::to_string(arch.number * 10);
    before = arch.number;
  }
  for (const char *word : {"-U__CUDA_ARCH_LIST__", "-D__CUDA_ARCH_LIST__="})
    append(s.cudaFlags, {"-Xclang", word[1] == 'D' ? word + list : std::string(word)});
}

/// True for a folder with the headers of another CUDA toolkit. Build scripts name the one of the
/// machine, and its headers would come before ours.
bool isOtherToolkit(const Toolchain &tools, const std::string &folder) {
  std::error_code error;
  return isFile(folder + "/cuda_runtime_api.h") &&
         !std::filesystem::equivalent(folder, tools.include, error);
}

/// The folders without those of other toolkits, which are noted for -v.
std::vector<std::string> ownFolders(Settings &s, const std::vector<std::string> &folders) {
  std::vector<std::string> own;
  for (const std::string &folder : folders)
    if (isOtherToolkit(s.tools, folder))
      s.notes.push_back("'" + folder +
                        "' holds another CUDA toolkit's headers; it is not searched");
    else
      own.push_back(folder);
  return own;
}

/// The same for the variables in which compilers look for folders of headers.
void cleanEnvironment(Settings &s) {
  for (const char *name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    const char *value = std::getenv(name);
    if (!value)
      continue;
    std::vector<std::string> folders(1); // an empty one is the current folder
    for (const char *c = value; *c; ++c)
      if (*c == ':')
        folders.emplace_back();
      else
        folders.back() += *c;
    std::string list;
    for (const std::string &folder : ownFolders(s, folders))
      list += ":" + folder;
    if (list.empty())
      unsetenv(name);
    else
      setenv(name, list.c_str() + 1, 1);
  }
}

void addPaths(Settings &s) {
  cleanEnvironment(s);
  Command flags;
  if (s.readsStandardInput)
    append(flags, {"-iquote", "."}); // the text is compiled from a folder of ours
  for (const std::string &path : ownFolders(s, s.options.values(Opt::IncludePath)))
    append(flags, {"-I", path});
  for (const std::string &path : ownFolders(s, s.options.values(Opt::SystemInclude)))
    append(flags, {"-isystem", path});
  append(flags, {"-isystem", s.tools.include, "-idirafter", s.tools.include + "/heddle/samples"});
  for (const std::string &macro : s.options.values(Opt::Define))
    flags.push_back("-D" + macro);
  for (const std::string &macro : s.options.values(Opt::Undefine))
    flags.push_back("-U" + macro);
  append(s.cudaFlags, {"-include", "cuda_runtime.h"});
  // clang compiles CUDA sources in place of the MPI library's compiler, with that one's headers.
  if (std::string host = s.options.last(Opt::HostCompiler); isMpiCompiler(host)) {
    if (!mpiLibrary(s.tools).empty() && isOpenMpis(host))
      flags.push_back(mpiHeaders(s.tools));
    Command words = mpiHeaderWords(host);
    flags.insert(flags.end(), words.begin(), words.end());
  }
  for (const std::string &header : s.options.values(Opt::PreInclude))
    append(flags, {"-include", header});
  s.cudaFlags.insert(s.cudaFlags.end(), flags.begin(), flags.end());
  s.plainFlags.insert(s.plainFlags.end(), flags.begin(), flags.end());
}

void addHostCode(Settings &s) {
  for (Command *flags : {&s.hostFlags, &s.plainFlags}) {
    if (s.options.has(Opt::FastFloat))
      flags->push_back("-ffast-math");
    flags->push_back(level(s.options));
    if (s.options.has(Opt::Debug) || s.options.has(Opt::DeviceDebug))
      flags->push_back("-g");
    if (s.options.has(Opt::Profile))
      flags->push_back("-pg");
  }
}

/// Of device lambdas that have the host's `this`, which nvcc tells of on request only.
std::string warningOfThis(const Options &o) {
  if (has(o.values(Opt::WarningsAsErrors), "ext-lambda-captures-this"))
    return "-Werror=gpu-maybe-wrong-side";
  return o.has(Opt::WarnLambdaThis) ? "-Wgpu-maybe-wrong-side" : "-Wno-gpu-maybe-wrong-side";
}

void addWarnings(Settings &s) {
  // clang tells of what libstdc++ itself uses of the deprecated, as in std::stable_sort, and of
  // __device__ at deduction guides; g++ and nvcc do not.
  Command flags = {"-U__DEPRECATED", "-Wno-deprecated-attributes"};
  s.cudaFlags.push_back(warningOfThis(s.options));
  if (s.options.has(Opt::NoWarnings))
    flags.push_back("-w");
  for (const std::string &kind : s.options.values(Opt::WarningsAsErrors))
    if (kind == "all-warnings")
      flags.push_back("-Werror");
    else if (kind == "reorder" || kind == "deprecated-declarations")
      flags.push_back("-Werror=" + kind);
  for (auto [id, severity] : {std::pair(Opt::DiagError, Severity::Error),
                              std::pair(Opt::DiagSuppress, Severity::Suppressed),
                              std::pair(Opt::DiagWarn, Severity::Warning)})
    for (const std::string &numbers : s.options.values(id))
      addDiagnosticFlags(flags, severity, numbers);
  if (s.options.has(Opt::WarnReorder))
    flags.push_back("-Wreorder");
  if (s.options.has(Opt::NoWarnDeprecated))
    flags.push_back("-Wno-deprecated-declarations");
  for (auto [id, name] : {std::pair(Opt::TemplateBacktrace, "-ftemplate-backtrace-limit="),
                          std::pair(Opt::TemplateDepth, "-ftemplate-depth=")})
    if (s.options.has(id))
      flags.push_back(name + s.options.last(id));
  s.cudaFlags.insert(s.cudaFlags.end(), flags.begin(), flags.end());
  s.plainFlags.insert(s.plainFlags.end(), flags.begin(), flags.end());
  s.cudaFlags.push_back(s.colour ? "-fcolor-diagnostics" : "-fno-color-diagnostics");
}

/// Of the host compiler's options those that decide which text it compiles, and the warnings. nvcc
/// preprocesses device code with them, too: Kokkos' nvcc_wrapper has paths in -Xcompiler=-isystem,DIR.
Command preprocessorOptions(const Command &words) {
  constexpr std::string_view prefixes[] = {"-D", "-U", "-I", "-W", "-w", "-i"};
  constexpr std::string_view takeNext[] = {"-D",      "-U",         "-I",       "-isystem",
                                           "-iquote", "-idirafter", "-include", "-imacros"};
  Command kept;
  for (auto word = words.begin(); word != words.end(); ++word) {
    bool concerns = std::ranges::any_of(
        prefixes, [&](std::string_view prefix) { return word->starts_with(prefix); });
    if (!concerns || word->starts_with("-Wl,") || word->starts_with("-Wa,") || *word == "-Werror")
      continue;
    kept.push_back(*word);
    if (std::ranges::count(takeNext, *word) && std::next(word) != words.end())
      kept.push_back(*++word);
  }
  return kept;
}

/// Warnings that clang has by default, with -Wall or with -Wextra, and g++ has not.
constexpr const char *OfClangOnly[] = {"absolute-value",
                                       "bitwise-instead-of-logical",
                                       "constant-conversion",
                                       "defaulted-function-deleted",
                                       "deprecated-copy-with-dtor",
                                       "deprecated-enum-enum-conversion",
                                       "implicit-const-int-float-conversion",
                                       "inconsistent-missing-override",
                                       "instantiation-after-specialization",
                                       "mismatched-tags",
                                       "missing-braces",
                                       "null-pointer-arithmetic",
                                       "null-pointer-subtraction",
                                       "overloaded-virtual",
                                       "self-assign",
                                       "self-assign-field",
                                       "sometimes-uninitialized",
                                       "tautological-compare",
                                       "tautological-constant-compare",
                                       "undefined-bool-conversion",
                                       "undefined-internal",
                                       "undefined-var-template",
                                       "unneeded-internal-declaration",
                                       "unqualified-std-cast-call",
                                       "unsequenced",
                                       "unused-command-line-argument",
                                       "unused-comparison",
                                       "unused-const-variable",
                                       "unused-lambda-capture",
                                       "unused-private-field",
                                       "vla-cxx-extension"};

/// -Werror makes errors of what g++ warns of, in whatever form it is given.
void addHostErrors(Settings &s) {
  for (const char *name : OfClangOnly) {
    std::string flag = std::string("-Wno-error=") + name;
    s.cudaFlags.push_back(flag);
    if (!s.options.has(Opt::HostCompiler))
      s.plainFlags.push_back(flag);
  }
}

void addHostOptions(Settings &s) {
  Command words = s.options.values(Opt::HostOptions);
  if (!s.options.has(Opt::ForwardToLinker) || s.options.has(Opt::ForwardToCompiler))
    words.insert(words.end(), s.options.forwarded.begin(), s.options.forwarded.end());
  if (s.options.has(Opt::NoExceptions))
    words.push_back("-fno-exceptions");
  for (const std::string &word : words) {
    s.hostFlags.push_back(word);
    s.plainFlags.push_back(word);
  }
  Command forDevice = preprocessorOptions(words);
  s.deviceFlags.insert(s.deviceFlags.end(), forDevice.begin(), forDevice.end());
  if (has(words, "-Werror") || has(s.options.values(Opt::WarningsAsErrors), "all-warnings"))
    addHostErrors(s);
  // Warnings and optimisations that only g++ has.
  s.cudaFlags.push_back("-Wno-unknown-warning-option");
  s.hostFlags.push_back("-Wno-ignored-optimization-argument");
  if (!s.options.has(Opt::HostCompiler))
    append(s.plainFlags, {"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument"});
}

/// What clang must be told so that both halves do what they did under nvcc: docs/tool.md.
void addSemantics(Settings &s) {
  std::string plugin = "-fpass-plugin=" + s.tools.plugin;
  s.deviceFlags.push_back(plugin);
  append(s.hostFlags, {"-fwrapv", "-fno-strict-return", plugin});
  if (!s.options.has(Opt::HostCompiler))
    append(s.plainFlags, {"-fwrapv", "-fno-strict-return", plugin});
}

void addStreamAndLinkage(Settings &s) {
  if (s.options.last(Opt::DefaultStream) == "per-thread") {
    append(s.cudaFlags, {"-Xclang", "-fgpu-default-stream=per-thread",
                         "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
    s.plainFlags.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  }
  if (!s.relocatable)
    return s.cudaFlags.push_back("-fuse-cuid=none");
  s.imageFlags |= ImageRelocatable;
  s.cudaFlags.push_back("-fgpu-rdc");
}

} // namespace

Result<Settings> settle(Options options, Toolchain tools) {
  if (auto bad = checkValues(options))
    return *bad;
  Result<Architectures> architectures = chooseArchitectures(options);
  if (!architectures)
    return Failure{architectures.error()};
  Settings s;
  if (const char *compiler = std::getenv("NVCC_CCBIN"); compiler && !options.has(Opt::HostCompiler))
    options.add(Opt::HostCompiler, compiler);
  s.options = std::move(options);
  s.tools = std::move(tools);
  s.architectures = *architectures;
  for (const std::string &name : s.architectures.newer)
    s.notes.push_back("'" + name + "' is newer than what Heddle knows; it is taken as " +
                      std::to_string(knownArchitectures().back()));
  if (s.options.has(Opt::HostCompiler))
    s.notes.push_back("'" + s.options.last(Opt::HostCompiler) +
                      "' compiles C and C++ files and links; the host half of CUDA files is "
                      "compiled by clang");
  s.relocatable = s.options.has(Opt::DeviceC) || s.options.isTrue(Opt::Relocatable, false);
  s.readsStandardInput =
      std::any_of(s.options.inputs.begin(), s.options.inputs.end(), isStandardInput);
  s.dryRun = s.options.has(Opt::DryRun);
  s.verbose = s.dryRun || s.options.has(Opt::Verbose);
  s.maxRegisters = registersOf(registersAsked(s.options)).value_or(0);
  s.colour = isatty(STDERR_FILENO);
  addLanguage(s);
  addMacros(s);
  addPaths(s);
  addHostCode(s);
  addWarnings(s);
  addSemantics(s);
  addHostOptions(s);
  addStreamAndLinkage(s);
  return s;
}

const CudaRelease &cudaRelease(const Options &options) {
  return CudaReleases[options.last(Opt::CudaVersion) == CudaReleases[1].major];
}

Command architectureFlags(const Architecture &arch) {
  return heddle::architectureFlags(arch.number, arch.clangName());
}

std::string hostCompiler(const Settings &s, bool cxx) {
  std::string given = s.options.last(Opt::HostCompiler);
  if (given.empty())
    return cxx ? s.tools.clangxx : s.tools.clang;
  if (!isDirectory(given))
    return given;
  return given + (cxx ? "/g++" : "/gcc"); // -ccbin also takes the folder of the compiler
}

} // namespace heddle::tool
