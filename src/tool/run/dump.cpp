// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/dump.h"
#include "tool/compile/compile.h"
#include "tool/tools/files.h"
#include "tool/tools/process.h"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace heddle::tool {

namespace {

constexpr const char *Usage =
    "Usage: heddle dump [options] <file>\n\n"
    "Lists the device code in a program, library, object, archive, fatbinary, cubin or PTX file:\n"
    "images, the architectures that they are for, their variables and kernels.\n\n"
    "  --ptx             also PTX of each image\n"
    "  --ir              also the LLVM IR that each kernel becomes for a block of 256 threads\n"
    "  --code            also its machine code, beside the source lines\n"
    "  --kernel <name>   only this kernel's, by its name in C++, with or without template\n"
    "                    arguments and parameters, or its mangled name\n";

struct Request {
  std::string file, kernel;
  bool withPtx = false, withIr = false, withCode = false;
};

Result<Request> parse(const std::vector<std::string> &words) {
  Request request;
  for (size_t i = 0; i != words.size(); ++i) {
    const std::string &word = words[i];
    if (word == "--ptx")
      request.withPtx = true;
    else if (word == "--ir")
      request.withIr = true;
    else if (word == "--code")
      request.withCode = true;
    else if (word == "--kernel" && i + 1 != words.size())
      request.kernel = words[++i];
    else if (word.starts_with("-"))
      return Failure{"Unknown option '" + word + "'"};
    else if (!request.file.empty())
      return Failure{"one file at a time: '" + word + "' is one more"};
    else
      request.file = word;
  }
  return request;
}

const char *spaceOf(VariableSpace space) {
  switch (space) {
  case VariableSpace::Constant:
    return "constant";
  case VariableSpace::Managed:
    return "managed";
  default:
    return "global";
  }
}

std::string optionsOf(uint32_t options) {
  std::string text;
  for (auto [bit, name] :
       {std::pair(OptionFastMath, "use_fast_math"), std::pair(OptionFlushDenormals, "ftz"),
        std::pair(OptionApproxDivide, "prec-div=false"),
        std::pair(OptionApproxSqrt, "prec-sqrt=false"), std::pair(OptionNoContract, "fmad=false")})
    if (options & bit)
      text += std::string(" -") + name;
  return text;
}

void printHead(const FoundImage &found, size_t number) {
  const ImageHeader &header = found.view().header();
  std::string names;
  for (const BundleEntry &entry : found.names)
    names += (entry.isReal ? " sm_" : " compute_") + std::to_string(entry.code);
  std::printf("image %zu: __CUDA_ARCH__ %u,%s%s%s%s%s, %zu bytes\n", number, header.sm * 10,
              names.empty() ? " every device" : names.c_str(),
              header.flags & ImageRelocatable ? ", relocatable" : "",
              header.flags & ImageDebug ? ", -G" : "", header.flags & ImagePtx ? ", of PTX" : "",
              optionsOf(header.compileOptions).c_str(), found.bytes.size());
}

/// Whether a name, `space::k` or `space::k<int>`, stands for `void space::k<int>(int *)`.
bool isShort(std::string_view asked, std::string shown) {
  constexpr std::string_view Anonymous = "(anonymous namespace)::", Result = "void ";
  for (size_t at; (at = shown.find(Anonymous)) != shown.npos;)
    shown.erase(at, Anonymous.size());
  std::string_view name = std::string_view(shown).substr(0, shown.find('('));
  if (name.starts_with(Result))
    name.remove_prefix(Result.size());
  return asked == name || asked == name.substr(0, name.find('<'));
}

class Dump {
public:
  Dump(const Request &request, const JitLibrary *jit) : request_(request), jit_(jit) {}

  std::optional<Failure> print(const FoundImage &found, size_t number) {
    printHead(found, number);
    const ImageView image = found.view();
    for (const ImageVariable &variable : image.variables())
      if (std::string name(image.string(variable.name)); name.find(".str") == name.npos)
        std::printf("  variable %s: %s, %llu bytes%s\n", name.c_str(), spaceOf(variable.space),
                    static_cast<unsigned long long>(variable.size),
                    variable.isExtern ? ", defined elsewhere" : "");
    if (request_.withPtx)
      if (auto failure = printPtx(found))
        return failure;
    for (const ImageKernel &kernel : image.kernels())
      if (auto failure = printKernel(found, kernel))
        return failure;
    return {};
  }

  bool hasKernel() const { return hasKernel_; }

private:
  std::optional<Failure> printPtx(const FoundImage &found) {
    Result<std::string> ptx = found.ptx;
    if (found.ptx.empty())
      ptx = jit_->emitPtx(found.bytes, "sm_" + std::to_string(found.number()), /*hasLines=*/true);
    if (!ptx)
      return Failure{ptx.error()};
    std::fputs(ptx->c_str(), stdout);
    return {};
  }

  std::optional<Failure> printKernel(const FoundImage &found, const ImageKernel &kernel) {
    const ImageView image = found.view();
    const std::string name(image.string(kernel.name)), shown(image.string(kernel.displayName));
    const std::string &asked = request_.kernel;
    if (!asked.empty() && asked != name && asked != shown && !isShort(asked, shown))
      return {};
    hasKernel_ = true;
    std::printf("  kernel %s (%s): %u parameters of %u bytes, %u bytes shared, %u bytes local, %u "
                "barriers",
                shown.c_str(), name.c_str(), kernel.paramCount, kernel.paramBytes,
                kernel.staticShared, kernel.localBytes, kernel.barriers);
    if (kernel.maxThreads)
      std::printf(", at most %u threads", kernel.maxThreads);
    std::puts("");
    if (request_.withIr)
      if (auto failure = printIr(found, name))
        return failure;
    return request_.withCode ? printMachineCode(*jit_, found, name) : std::nullopt;
  }

  /// The compiler writes it to the standard error.
  std::optional<Failure> printIr(const FoundImage &found, const std::string &kernel) {
    std::fflush(stdout);
    const int errors = dup(STDERR_FILENO);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    setenv("HEDDLE_PRINT_AFTER", "optimize", 1);
    Result<std::string> object = jit_->compile(found.bytes, kernel);
    unsetenv("HEDDLE_PRINT_AFTER");
    dup2(errors, STDERR_FILENO);
    close(errors);
    return object ? std::nullopt : std::optional(Failure{object.error()});
  }

  const Request &request_;
  const JitLibrary *jit_;
  bool hasKernel_ = false;
};

} // namespace

std::optional<Failure> printMachineCode(const JitLibrary &jit, const FoundImage &found,
                                        const std::string &kernel) {
  Result<std::string> object = jit.compile(found.bytes, kernel);
  if (!object)
    return Failure{object.error()};
  std::string disassembler = findProgram("objdump");
  if (disassembler.empty())
    disassembler = findProgram("llvm-objdump-22");
  if (disassembler.empty())
    return Failure{"no disassembler was found: install the package binutils"};
  TemporaryDirectory temporary;
  Result<std::string> folder = temporary.path();
  if (!folder)
    return Failure{folder.error()};
  const std::string path = *folder + "/kernel.so";
  if (auto failure = writeFile(path, *object))
    return failure;
  Result<Process> process =
      Process::start({disassembler, "-S", "-l", "--no-show-raw-insn", "--section=.text", path},
                     {.captureOutput = true});
  if (!process)
    return Failure{process.error()};
  if (process->wait() != 0)
    return Failure{disassembler + " failed"};
  std::string text = process->output();
  text.erase(0, text.find("Disassembly"));
  std::fputs(text.c_str(), stdout);
  return {};
}

int runDump(const std::vector<std::string> &words) {
  if (words.empty() || words.front() == "--help")
    return std::fputs(Usage, stdout) < 0;
  Result<Request> request = parse(words);
  if (!request)
    return fatal(request.error());
  Result<std::string> file = readFile(request->file);
  if (!file)
    return fatal(file.error());
  Result<std::vector<FoundImage>> images = deviceCodeIn(*file);
  if (!images)
    return fatal(images.error());
  if (images->empty())
    return fatal("'" + request->file + "' holds no device code of Heddle's, and no PTX");
  const JitLibrary *jit = nullptr;
  if (request->withPtx || request->withIr || request->withCode) {
    Result<const JitLibrary *> opened = JitLibrary::open(ownFolders().libs);
    if (!opened)
      return fatal(opened.error());
    jit = *opened;
  }
  Dump dump(*request, jit);
  for (size_t i = 0; i != images->size(); ++i)
    if (auto failure = dump.print((*images)[i], i + 1))
      return fatal(failure->message);
  if (!request->kernel.empty() && !dump.hasKernel())
    return fatal("'" + request->file + "' has no kernel '" + request->kernel + "'");
  return 0;
}

} // namespace heddle::tool
