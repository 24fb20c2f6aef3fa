// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/device_linkers.h"
#include "jit/client/jit_library.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/compile/device_code.h"
#include "tool/compile/device_objects.h"
#include "tool/options/tool_words.h"
#include "tool/tools/files.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace heddle::tool {

namespace {

constexpr const char *LinkUsage =
    "Usage: nvlink [options] <cubin, fatbinary, object or archive>...\n\n"
    "Links relocatable device images (nvcc -rdc=true, ptxas -c).\n\n"
    "  --arch, -arch <sm_N>; --output-file, -o <file> (default: a_dlink.cubin)\n"
    "  --version, -V; --help, -h\n"
    "Options of nvlink's that concern a GPU's code are taken and have no effect.\n";
constexpr ToolOption LinkOptions[] = {
    {"arch", "arch", true},
    {"output-file", "o", true},
    {"maxrregcount", "maxrregcount", true},
    {"cpu-arch", "cpu-arch", true},
    {"machine", "m", true},
    {"kernels-used", "kernels-used", true},
    {"variables-used", "variables-used", true},
    {"Xptxas", "Xptxas", true},
    {"Xnvvm", "Xnvvm", true},
    {"split-compile", "split-compile", true},
    {"debug", "g", false},
    {"disable-infos", "disable-infos", false},
    {"disable-warnings", "w", false},
    {"dlto", "dlto", false},
    {"link-time-opt", "lto", false},
    {"ignore-host-info", "ignore-host-info", false},
    {"use-host-info", "use-host-info", false},
    {"preserve-relocs", "preserve-relocs", false},
    {"suppress-arch-warning", "suppress-arch-warning", false},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", false},
    {"verbose", "v", false}};

constexpr const char *FatUsage =
    "Usage: fatbinary --create=<file> --image3=kind=<elf or ptx>,sm=<N>,file=<file>...\n\n"
    "Puts device images for several architectures into one file, as nvcc -fatbin does.\n"
    "PTX becomes an image.\n\n"
    "  --embedded-fatbin=<file>  also, or instead, a source in C that holds them\n"
    "  --image=profile=<sm_N or compute_N>,file=<file> is an older spelling\n"
    "  --version, -V; --help, -h\n";
constexpr ToolOption FatOptions[] = {{"create", "create", true},
                                     {"embedded-fatbin", "fatbin", true},
                                     {"no-asm", "no-asm", false},
                                     {"image3", "image3", true},
                                     {"image", "image", true},
                                     {"cmdline", "cmdline", true},
                                     {"ident", "ident", true},
                                     {"compress", "compress", true},
                                     {"compress-mode", "compress-mode", true},
                                     {"compress-all", "compress-all", false},
                                     {"debug", "g", false},
                                     {"device-c", "c", false},
                                     {"link", "link", false},
                                     {"64", "64", false}};

int usageOrVersion(const std::vector<std::string> &words, const char *usage, const char *name,
                   const char *title, bool &isAsked) {
  isAsked = true;
  if (words.empty())
    return std::fputs(usage, stdout) < 0;
  for (const std::string &word : words)
    if (word == "--help" || word == "-h")
      return std::fputs(usage, stdout) < 0;
    else if (word == "--version" || word == "-V")
      return std::fputs(toolVersion(name, title).c_str(), stdout) < 0;
  isAsked = false;
  return 0;
}

/// The digits of sm_90a; 0 if there are none.
unsigned numberOf(std::string_view name) {
  size_t digits = name.find_first_of("0123456789");
  return digits == name.npos ? 0
                             : static_cast<unsigned>(std::strtoul(
                                   std::string(name.substr(digits)).c_str(), nullptr, 10));
}

/// The value of `key` in "kind=elf,sm=90,file=x"; a file's name is the last.
std::string partOf(const std::string &text, const std::string &key) {
  for (size_t at = text.find(key + "="); at != text.npos; at = text.find(key + "=", at + 1)) {
    if (at != 0 && text[at - 1] != ',')
      continue;
    size_t begin = at + key.size() + 1;
    return text.substr(begin, text.find(',', begin) - begin);
  }
  return "";
}

/// Relocatable images of a file for `number`.
Result<std::vector<std::string>> inputImages(const std::string &path, unsigned number) {
  Result<std::string> file = readFile(path);
  if (!file)
    return Failure{"Could not open input file '" + path + "'"};
  if (deviceCodeBytes(file->data(), file->size()) == 0)
    return relocatableImages(path, number);
  Result<ChosenImage> chosen = chooseImage(file->data(), file->size(), number);
  if (!chosen)
    return Failure{chosen.error()};
  std::span<const uint8_t> bytes = chosen->image.bytes();
  return std::vector{std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size())};
}

int link(const ToolWords &words) {
  unsigned number = 90;
  std::string output = "a_dlink.cubin";
  for (const auto &[option, value] : words.options) {
    if (option == "output-file")
      output = value;
    if (option == "arch") {
      number = numberOf(value);
      if (std::ranges::find(knownArchitectures(), number) == knownArchitectures().end())
        return fatal("Value '" + value + "' is not defined for option 'arch'");
    }
  }
  if (auto failure = refuseOverwriting(words.inputs, {output}))
    return fatal(failure->message);
  std::vector<std::string> images;
  for (const std::string &input : words.inputs) {
    Result<std::vector<std::string>> found = inputImages(input, number);
    if (!found)
      return fatal(found.error());
    images.insert(images.end(), found->begin(), found->end());
  }
  if (images.empty())
    return fatal("no relocatable device code was given");
  Result<const JitLibrary *> jit = JitLibrary::open(ownFolders().libs);
  Result<std::string> linked =
      jit ? (*jit)->link(images) : Result<std::string>(Failure{jit.error()});
  if (!linked) {
    printErrors(linked.error() + "\n");
    return ExitUsage;
  }
  if (auto failure = writeFile(output, *linked))
    return fatal(failure->message);
  return 0;
}

/// The image in the file that a spec names; PTX is read.
Result<std::string> specifiedImage(const std::string &path, bool isPtx, bool isRelocatable) {
  Result<std::string> file = readFile(path);
  if (!file)
    return Failure{"Could not open input file '" + path + "'"};
  if (!isPtx) {
    std::vector<FoundImage> images = imagesIn(*file);
    return images.size() == 1 ? Result<std::string>(images.front().bytes)
                              : Failure{"'" + path + "' is no cubin of Heddle's"};
  }
  Result<const JitLibrary *> jit = JitLibrary::open(ownFolders().libs);
  return jit ? (*jit)->readPtx({*file}, isRelocatable) : Result<std::string>(Failure{jit.error()});
}

/// A source in C whose variable __fatDeviceText is what __cudaRegisterFatBinary takes. `bundle` is of
/// words of eight bytes.
std::string embeddedSource(const std::string &bundle) {
  std::string text = R"(#ifndef __SKIP_INTERNAL_FATBINARY_HEADERS
#include "fatbinary_section.h"
#endif
#define __CUDAFATBINSECTION  ".nvFatBinSegment"
#define __CUDAFATBINDATASECTION  ".nv_fatbin"
asm(
".section .nv_fatbin, \"a\"\n"
".align 8\n"
"fatbinData:\n"
)";
  const size_t count = (bundle.size() + 7) / 8;
  for (size_t i = 0; i != count; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, &bundle[8 * i], std::min<size_t>(8, bundle.size() - 8 * i));
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%016" PRIx64, word);
    const bool isLast = i % 4 == 3 || i + 1 == count;
    text += (i % 4 ? "," : "\".quad ") + std::string(digits) + (isLast ? "\\n\"\n" : "");
  }
  return text + R"(".text\n");
#ifdef __cplusplus
extern "C" {
#endif
extern const unsigned long long fatbinData[)" +
         std::to_string(count) + R"(];
static const __fatBinC_Wrapper_t __fatDeviceText __attribute__ ((aligned (8))) __attribute__ ((section (__CUDAFATBINSECTION)))=
	{ 0x466243b1, 1, fatbinData, 0 };
#ifdef __cplusplus
}
#endif
)";
}

int makeFatbinary(const ToolWords &words) {
  std::string output, source;
  std::vector<std::string> images, inputs;
  std::vector<BundleItem> items;
  const bool isRelocatable = std::any_of(words.options.begin(), words.options.end(),
                                         [](auto &o) { return o.first == "device-c"; });
  images.reserve(words.options.size()); // items point into it
  for (const auto &[option, value] : words.options) {
    if (option == "create")
      output = value;
    else if (option == "embedded-fatbin")
      source = value;
    if (option != "image" && option != "image3")
      continue;
    const std::string path = partOf(value, "file"), profile = partOf(value, "profile");
    const bool isPtx = partOf(value, "kind") == "ptx" || profile.starts_with("compute_");
    const unsigned number = numberOf(option == "image" ? profile : partOf(value, "sm"));
    if (path.empty() || !number)
      return fatal("'" + value + "': expected a file and an architecture");
    Result<std::string> image = specifiedImage(path, isPtx, isRelocatable);
    if (!image)
      return fatal(image.error());
    inputs.push_back(path);
    images.push_back(*image);
    items.push_back({number, number, !isPtx, images.back()});
  }
  if ((output.empty() && source.empty()) || items.empty())
    return fatal("--create or --embedded-fatbin, and at least one --image3, are needed");
  if (isRelocatable && !source.empty())
    return fatal(
        "--embedded-fatbin of relocatable code is not supported: nvcc -rdc=true embeds it");
  const std::string bundle = makeBundle(items);
  for (const auto &[file, text] :
       {std::pair(output, bundle), std::pair(source, embeddedSource(bundle))}) {
    if (file.empty())
      continue;
    if (auto failure = refuseOverwriting(inputs, {file}))
      return fatal(failure->message);
    if (auto failure = writeFile(file, text))
      return fatal(failure->message);
  }
  return 0;
}

} // namespace

int runNvlink(const std::vector<std::string> &words) {
  bool isAsked;
  int code = usageOrVersion(words, LinkUsage, "nvlink", "Cuda linker", isAsked);
  if (isAsked)
    return code;
  Result<ToolWords> parsed = parseToolWords(LinkOptions, words);
  return parsed ? link(*parsed) : fatal(parsed.error());
}

int runFatbinary(const std::vector<std::string> &words) {
  bool isAsked;
  int code = usageOrVersion(words, FatUsage, "fatbinary", "fatbinary", isAsked);
  if (isAsked)
    return code;
  Result<ToolWords> parsed = parseToolWords(FatOptions, words);
  return parsed ? makeFatbinary(*parsed) : fatal(parsed.error());
}

} // namespace heddle::tool
