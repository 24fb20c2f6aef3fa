// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a link by a host compiler needs that its user does not write.
//
// One OpenMP runtime. Our host code calls libgomp (GOMP_parallel), as g++'s does; that of another
// clang, and what we do not translate (plugin/openmp/use_libgomp.cpp), calls libomp
// (__kmpc_fork_call and its like). Both in one process are two pools of threads with two ideas of
// who is thread 0: omp_get_num_threads is answered by the library that comes first, critical
// sections do not exclude each other. libgomp cannot run what calls libomp, but libomp has all of
// libgomp's functions. So when some input calls libomp, every mention of libgomp goes and libomp is linked
// first; then a shared library that brings libgomp along finds libomp's functions, too. If no input
// does, the user's choice stands.
//
// MPI that is aware of device memory. A link of Open MPI's libraries gets ours in front of them.
//
// A run path. libcudart.so, libcublas.so and the like lie in no folder that the dynamic linker
// knows. CMake adds no run path for it, because it takes our folder for one of the compiler's own.
#include "tool/link/host_link.h"
#include "tool/absent/absent_parts.h"
#include "tool/compile/compile.h"
#include "tool/options/options.h"
#include "tool/tools/files.h"
#include "tool/tools/host_parts.h"
#include "tool/tools/interrupts.h"
#include "tool/tools/mpi.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/utsname.h>

namespace heddle::tool {

namespace {

bool isGomp(const std::string &word) {
  return word == "-lgomp" || word == "-l:libgomp.so.1" ||
         fileName(word).starts_with("libgomp.so") || fileName(word) == "libgomp.a";
}

bool isLibomp(const std::string &word) {
  std::string name = fileName(word);
  return word == "-lomp" || word == "-liomp5" || name.starts_with("libomp.so") ||
         name.starts_with("libiomp5.so");
}

bool isOpenMpFlag(const std::string &word) {
  return word == "-fopenmp" || word.starts_with("-fopenmp=");
}

/// The folders of -L, in their order.
std::vector<std::string> libraryFolders(const Command &words) {
  std::vector<std::string> folders;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == "-L" && i + 1 < words.size())
      folders.push_back(words[++i]);
    else if (words[i].starts_with("-L"))
      folders.push_back(words[i].substr(2));
  return folders;
}

/// True if code in the file calls libomp. The names of the symbols that an object, an archive, a
/// shared library or a file of LTO bitcode needs stand in it as text.
bool callsLibomp(const std::string &path) {
  Result<std::string> file = readFile(path);
  return file && file->find("__kmpc_") != file->npos;
}

bool someInputCallsLibomp(const Command &words) {
  const std::vector<std::string> folders = libraryFolders(words);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word == "-o" || word == "-Xlinker") {
      ++i;
      continue;
    }
    if (isGomp(word) || isLibomp(word))
      continue;
    bool isLibrary = word.starts_with("-l");
    std::string path = isLibrary ? findLibrary(folders, word.substr(2)) : word;
    if (!path.empty() && (isLibrary || path[0] != '-') && isFile(path) && callsLibomp(path))
      return true;
  }
  return false;
}

/// The libomp that belongs to clang, as words for a linker. It must stay even if no object needs it
/// by then, for it comes first.
Command libomp(const Toolchain &tools) {
  std::string library = "-lomp";
  std::string folder;
  if (char *real = realpath(tools.clang.c_str(), nullptr)) {
    folder = directoryOf(directoryOf(real)) + "/lib";
    free(real);
  }
  if (isFile(folder + "/libomp.so"))
    library = folder + "/libomp.so";
  Command words = {"-Wl,--push-state,--no-as-needed", library, "-Wl,--pop-state"};
  // A distribution puts libomp where programs find it; an LLVM by itself has it in its own folder.
  void *found = dlopen("libomp.so.5", RTLD_LAZY | RTLD_LOCAL);
  if (!found)
    found = dlopen("libomp.so", RTLD_LAZY | RTLD_LOCAL);
  if (!found && library != "-lomp") // not as one word of -Wl, whose commas part words
    words.insert(words.end(), {"-Xlinker", "-rpath", "-Xlinker", folder});
  return words;
}

Command useOneOpenMp(const Toolchain &tools, Command words, bool isClang) {
  bool hasGomp = std::any_of(words.begin(), words.end(), isGomp);
  bool hasFlag = std::any_of(words.begin(), words.end(), isOpenMpFlag);
  if (!hasGomp && !hasFlag)
    return words;
  if (someInputCallsLibomp(words)) {
    std::erase_if(words, [](const std::string &word) {
      return isGomp(word) || isLibomp(word) || isOpenMpFlag(word);
    });
    Command runtime = libomp(tools);
    words.insert(words.begin(), runtime.begin(), runtime.end());
    words.push_back("-lpthread");
  } else if (hasGomp && isClang) { // clang's -fopenmp would link libomp beside it
    std::erase_if(words, isOpenMpFlag);
  }
  return words;
}

/// `-lcublas`, `<libs>/libcublas.so`.
bool isOurSharedLibrary(const std::string &word, const std::string &libs) {
  std::string name = word.starts_with("-l") ? "lib" + word.substr(2) + ".so" : fileName(word);
  return name.starts_with("lib") && name.find(".so") != std::string::npos &&
         isFile(libs + "/" + name);
}

bool isMpiLibrary(const std::string &word) {
  return word == "-lmpi" || word.starts_with("-lmpi_") || fileName(word).starts_with("libmpi.so");
}

/// Whether the library named in this way is another's: MPICH has a libmpi, too. The names of the
/// symbols that a shared library defines stand in it as text.
bool isOtherMpi(const std::string &word, std::vector<std::string> folders) {
  utsname machine;
  uname(&machine);
  folders.push_back("/usr/lib/" + std::string(machine.machine) + "-linux-gnu");
  std::string path = word == "-lmpi" ? findLibrary(folders, "mpi") : word;
  Result<std::string> file = readFile(path);
  return file && fileName(path).starts_with("libmpi.so") &&
         file->find("ompi_mpi_comm_world") == std::string::npos;
}

Command addMpi(const Toolchain &tools, Command words) {
  const std::vector<std::string> folders = libraryFolders(words);
  if (std::any_of(words.begin(), words.end(), isMpiLibrary) &&
      std::none_of(words.begin(), words.end(),
                   [&](const std::string &word) { return isOtherMpi(word, folders); })) {
    Command library = mpiLibrary(tools);
    words.insert(words.begin(), library.begin(), library.end());
  }
  return words;
}

/// Adds a word, or the words in the file that "@file" names.
void addExpanded(Command &words, const std::string &word) {
  Result<std::string> file = word.starts_with('@') ? readFile(word.substr(1)) : Failure{""};
  if (!file)
    return words.push_back(word);
  for (std::string &inner : splitWords(*file))
    words.push_back(std::move(inner));
}

/// What these words make.
std::string fileThatIsLinked(const Command &words) {
  std::string output = "a.out";
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == "-o" && i + 1 < words.size())
      output = words[++i];
    else if (words[i].starts_with("-o"))
      output = words[i].substr(2);
  return output;
}

/// libcudart, in any of its forms.
bool isRuntime(const std::string &word) {
  return word.starts_with("-lcudart") || fileName(word).starts_with("libcudart");
}

} // namespace

std::string findLibrary(const std::vector<std::string> &folders, const std::string &name) {
  for (const std::string &folder : folders)
    for (const char *suffix : {".so", ".a"})
      if (std::string path = folder + "/lib" + name + suffix; isFile(path))
        return path;
  return "";
}

std::optional<Failure> refuseLink(const Command &words) {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == "-o")
      ++i;
    else if (words[i].starts_with("-l"))
      inputs.push_back(findLibrary(libraryFolders(words), words[i].substr(2)));
    else
      inputs.push_back(words[i]);
  for (const std::string &word : words)
    if ((word == "-static" || word == "--static" || word == "-static-pie") &&
        std::any_of(words.begin(), words.end(), isRuntime))
      return Failure{"'" + word + "' is not supported: the runtime is a shared library (" +
                     "-static-libstdc++ and -static-libgcc work)"};
  return refuseOverwriting(inputs, {fileThatIsLinked(words)});
}

Command prepareHostLink(const Toolchain &tools, Command words, bool isClang) {
  words = addMpi(tools, useOneOpenMp(tools, std::move(words), isClang));
  // First, so that no other toolkit's runtime is found, at the link or when the program starts.
  Command first = {"-L" + tools.libs};
  if (std::any_of(words.begin(), words.end(),
                  [&](const std::string &word) { return isOurSharedLibrary(word, tools.libs); }))
    first.insert(first.end(), {"-Xlinker", "-rpath", "-Xlinker", tools.libs});
  words.insert(words.begin(), first.begin(), first.end());
  return words;
}

int runHostLinker(const Command &command) {
  Result<Process> process = Process::start(command, {.captureErrors = true});
  if (!process) {
    fatal(process.error());
    return -1;
  }
  int code = process->wait();
  printErrors(code == 0 ? process->errors() : explainAbsentSymbols(process->errors()));
  return code;
}

int runHostLink(const std::vector<std::string> &arguments) {
  Result<Toolchain> tools = findToolchain();
  if (!tools)
    return fatal(tools.error());
  Command words;
  for (const std::string &argument : arguments)
    addExpanded(words, argument);
  if (auto failure = refuseLink(words))
    return fatal(failure->message);
  Unfinished output(fileThatIsLinked(words));
  Command command = {tools->clangxx};
  for (std::string &word : prepareHostLink(*tools, std::move(words), true))
    command.push_back(std::move(word));
  int code = runHostLinker(command);
  if (std::string why = code > 0 ? whyNotLinked(*tools) : ""; !why.empty())
    return fatal(why);
  return code < 0 ? ExitUsage : code;
}

} // namespace heddle::tool
