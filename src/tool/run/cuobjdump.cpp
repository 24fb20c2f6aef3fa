// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuobjdump (CUDA binary utilities, "cuobjdump"): a device image stands for the machine code and for the
// PTX of its architectures. Its PTX is made now, its machine code is this processor's.
#include "base/image/resources.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/options/tool_words.h"
#include "tool/run/dump.h"
#include "tool/tools/files.h"

#include <cstdio>

namespace heddle::tool {

namespace {

constexpr const char *Usage =
    "Usage: cuobjdump [options] <file>\n\n"
    "  --list-elf, -lelf             list the images that stand for machine code\n"
    "  --list-ptx, -lptx             list those that stand for PTX\n"
    "  --extract-elf, -xelf <name>   write them to files; all: each\n"
    "  --extract-ptx, -xptx <name>\n"
    "  --dump-ptx, -ptx              print PTX\n"
    "  --dump-elf, -elf              print what the images hold (heddle dump)\n"
    "  --dump-sass, -sass            print the machine code of this processor, beside source "
    "lines\n"
    "  --dump-resource-usage, -res-usage   registers (estimates) and memory of each kernel\n"
    "  --dump-elf-symbols, -symbols  names of kernels and variables\n"
    "  --all-fatbin, -all; --sort-functions, -sort  have no effect: all are shown\n"
    "  --gpu-architecture, -arch <sm_N>, --function, -fun <name>  only these\n"
    "  --version, -V; --help, -h\n";

struct Request {
  std::string file, architecture, function, extractElf, extractPtx;
  bool listsElf = false, listsPtx = false, dumpsPtx = false, dumpsElf = false, dumpsCode = false,
       dumpsUsage = false, dumpsSymbols = false;
};

constexpr ToolOption Options[] = {{"list-elf", "lelf", false},
                                  {"list-ptx", "lptx", false},
                                  {"extract-elf", "xelf", true},
                                  {"extract-ptx", "xptx", true},
                                  {"dump-ptx", "ptx", false},
                                  {"dump-elf", "elf", false},
                                  {"dump-sass", "sass", false},
                                  {"gpu-architecture", "arch", true},
                                  {"function", "fun", true},
                                  {"dump-resource-usage", "res-usage", false},
                                  {"dump-elf-symbols", "symbols", false},
                                  {"all-fatbin", "all", false},
                                  {"sort-functions", "sort", false}};

struct Member {
  std::string_view option;
  bool Request::*flag;
  std::string Request::*value;
};
constexpr Member Members[] = {{"list-elf", &Request::listsElf, nullptr},
                              {"list-ptx", &Request::listsPtx, nullptr},
                              {"extract-elf", nullptr, &Request::extractElf},
                              {"extract-ptx", nullptr, &Request::extractPtx},
                              {"dump-ptx", &Request::dumpsPtx, nullptr},
                              {"dump-elf", &Request::dumpsElf, nullptr},
                              {"dump-sass", &Request::dumpsCode, nullptr},
                              {"gpu-architecture", nullptr, &Request::architecture},
                              {"function", nullptr, &Request::function},
                              {"dump-resource-usage", &Request::dumpsUsage, nullptr},
                              {"dump-elf-symbols", &Request::dumpsSymbols, nullptr}};

Result<Request> parse(const std::vector<std::string> &words) {
  Result<ToolWords> parsed = parseToolWords(Options, words);
  if (!parsed)
    return Failure{parsed.error()};
  Request request;
  for (const auto &[option, value] : parsed->options)
    for (const Member &member : Members) {
      if (option == member.option && member.flag)
        request.*member.flag = true;
      else if (option == member.option)
        request.*member.value = value;
    }
  if (!parsed->inputs.empty())
    request.file = parsed->inputs.back();
  return request;
}

/// One image under one of its names.
struct Entry {
  const FoundImage *image;
  unsigned number;
  bool isReal;
  std::string fileName; ///< program.1.sm_90.cubin
};

class Listing {
public:
  Listing(const Request &request, const std::vector<FoundImage> &images, const JitLibrary &jit)
      : request_(request), jit_(jit) {
    for (const FoundImage &image : images) {
      if (image.names.empty()) { // it serves as both
        add(image, image.number(), true);
        add(image, image.number(), false);
      }
      for (const BundleEntry &name : image.names)
        add(image, name.code, name.isReal != 0);
    }
  }

  std::optional<Failure> print() {
    for (const Entry &entry : entries_) {
      if (entry.isReal ? request_.listsElf : request_.listsPtx)
        std::printf("%s file %4u: %s\n", entry.isReal ? "ELF" : "PTX",
                    ++(entry.isReal ? elfs_ : ptxs_), entry.fileName.c_str());
      if (auto failure = entry.isReal ? handleCode(entry) : handlePtx(entry))
        return failure;
    }
    return {};
  }

private:
  void add(const FoundImage &image, unsigned number, bool isReal) {
    const std::string target = "sm_" + std::to_string(number);
    if (!request_.architecture.empty() && request_.architecture != target &&
        request_.architecture != "compute_" + std::to_string(number))
      return;
    unsigned &count = isReal ? realCount_ : virtualCount_;
    entries_.push_back({&image, number, isReal,
                        stem(request_.file) + "." + std::to_string(++count) + "." + target +
                            (isReal ? ".cubin" : ".ptx")});
  }

  void head(const Entry &entry) {
    std::printf("\nFatbin %s code:\n================\narch = sm_%u\nhost = linux\ncompile_size = "
                "64bit\n\n",
                entry.isReal ? "elf" : "ptx", entry.number);
  }

  static bool asks(const std::string &names, const Entry &entry) {
    return names == "all" || (!names.empty() && entry.fileName.find(names) != std::string::npos);
  }

  std::optional<Failure> handlePtx(const Entry &entry) {
    const bool isExtracted = asks(request_.extractPtx, entry);
    if (!request_.dumpsPtx && !isExtracted)
      return {};
    Result<std::string> ptx = entry.image->ptx;
    if (ptx->empty())
      ptx = jit_.emitPtx(entry.image->bytes, "sm_" + std::to_string(entry.number),
                         /*hasLines=*/false);
    if (!ptx)
      return Failure{ptx.error()};
    if (isExtracted)
      return extract(entry, *ptx);
    head(entry);
    std::fputs(ptx->c_str(), stdout);
    return {};
  }

  std::optional<Failure> handleCode(const Entry &entry) {
    if (asks(request_.extractElf, entry))
      return extract(entry, entry.image->bytes);
    if (!request_.dumpsCode && !request_.dumpsElf && !request_.dumpsUsage && !request_.dumpsSymbols)
      return {};
    head(entry);
    const ImageView image = entry.image->view();
    if (request_.dumpsUsage)
      std::fputs(resourceUsage(image, entry.number, request_.function).c_str(), stdout);
    if (request_.dumpsSymbols)
      printSymbols(image);
    if (!request_.dumpsCode && !request_.dumpsElf)
      return {};
    for (const ImageKernel &kernel : image.kernels()) {
      std::string name(image.string(kernel.name));
      if (!request_.function.empty() && request_.function != name)
        continue;
      std::printf("\t\tFunction : %s\n", name.c_str());
      if (!request_.dumpsCode)
        continue;
      if (auto failure = printMachineCode(jit_, *entry.image, name))
        return failure;
    }
    return {};
  }

  void printSymbols(const ImageView &image) {
    const auto print = [](const char *type, const char *binding, const char *other,
                          std::string_view name) {
      std::printf("%-16s %-10s %-14s %.*s\n", type, binding, other, int(name.size()), name.data());
    };
    std::puts("symbols:");
    for (const ImageVariable &variable : image.variables())
      print(variable.isExtern ? "STT_NOTYPE" : "STT_OBJECT",
            variable.space == VariableSpace::Internal ? "STB_LOCAL" : "STB_GLOBAL", "STV_DEFAULT",
            image.string(variable.name));
    for (const ImageKernel &kernel : image.kernels())
      if (const std::string_view name = image.string(kernel.name);
          request_.function.empty() || request_.function == name)
        print("STT_FUNC", "STB_GLOBAL", "STO_ENTRY", name);
  }

  std::optional<Failure> extract(const Entry &entry, const std::string &bytes) {
    std::printf("Extracting %s file and saving as: %s\n", entry.isReal ? "ELF" : "PTX",
                entry.fileName.c_str());
    return writeFile(entry.fileName, bytes);
  }

  const Request &request_;
  const JitLibrary &jit_;
  std::vector<Entry> entries_;
  unsigned realCount_ = 0, virtualCount_ = 0, elfs_ = 0, ptxs_ = 0;
};

} // namespace

int runCuobjdump(const std::vector<std::string> &words) {
  for (const std::string &word : words)
    if (word == "--help" || word == "-h")
      return std::fputs(Usage, stdout) < 0;
    else if (word == "--version" || word == "-V")
      return std::fputs(toolVersion("cuobjdump", "cuobjdump").c_str(), stdout) < 0;
  Result<Request> request = parse(words);
  if (!request)
    return fatal(request.error());
  if (request->file.empty())
    return std::fputs(Usage, stdout) < 0;
  Result<std::string> file = readFile(request->file);
  if (!file)
    return fatal("Could not open input file '" + request->file + "'");
  Result<std::vector<FoundImage>> images = deviceCodeIn(*file);
  if (!images)
    return fatal(images.error());
  if (images->empty()) {
    std::fprintf(stderr, "cuobjdump info    : File '%s' does not contain device code\n",
                 request->file.c_str());
    return 0;
  }
  Result<const JitLibrary *> jit = JitLibrary::open(ownFolders().libs);
  if (!jit)
    return fatal(jit.error());
  if (auto failure = Listing(*request, *images, **jit).print())
    return fatal(failure->message);
  return 0;
}

} // namespace heddle::tool
