// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvJitLink's functions, as the thin libraries call them (tables.h). What is linked are device images:
// what nvcc and NVRTC give as cubin and as LTO IR, and what PTX is read to.
#include "rtc/options.h"
#include "rtc/tables.h"
#include "rtc/toolkit.h"

#include "base/image/embedded_code.h"
#include "base/image/fat_binary.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>

namespace heddle::rtc {

namespace {

struct Link {
  unsigned number = 0; ///< 90 of sm_90
  std::string target;  ///< sm_90a
  bool isForLto = false, givesPtx = false, hasLines = false;
  std::vector<std::string> images;
  bool isComplete = false;
  std::string cubin, ptx, errors;

  nvJitLinkResult fail(nvJitLinkResult code, const std::string &message) {
    errors += message + "\n";
    return code;
  }
};

/// Options by what stands before their '='; those without a member are accepted.
constexpr std::string_view Known[] = {"-arch",
                                      "-lto",
                                      "-ptx",
                                      "-O",
                                      "-g",
                                      "-lineinfo",
                                      "-ftz",
                                      "-prec-div",
                                      "-prec-sqrt",
                                      "-fma",
                                      "-kernels-used",
                                      "-variables-used",
                                      "-optimize-unused-variables",
                                      "-Xptxas",
                                      "-Xnvvm",
                                      "-maxrregcount",
                                      "-time",
                                      "-verbose",
                                      "-no-cache",
                                      "-split-compile",
                                      "-split-compile-extended",
                                      "-jump-table-density",
                                      "-r"};

struct Links {
  std::mutex mutex;
  std::set<Link *> all;
};

Links &links() {
  static Links &all = *new Links; // threads may still link when the process ends
  return all;
}

template <typename F, typename... Pointers>
nvJitLinkResult with(nvJitLinkHandle handle, F &&body, Pointers... given) {
  auto *link = reinterpret_cast<Link *>(handle);
  if (!link || ((given == nullptr) || ...))
    return NVJITLINK_ERROR_NULL_INPUT;
  {
    std::lock_guard lock(links().mutex);
    if (!links().all.contains(link))
      return NVJITLINK_ERROR_INVALID_INPUT;
  }
  return body(*link);
}

nvJitLinkResult readArchitecture(Link &link, Release release, const std::string &name,
                                 bool &isReal) {
  isReal = name.starts_with("sm_");
  size_t digits = name.find('_') + 1;
  size_t count = std::min(name.find_first_not_of("0123456789", digits), name.size()) - digits;
  if (!(isReal || name.starts_with("compute_")) || count == 0 || count > 4)
    return link.fail(NVJITLINK_ERROR_UNRECOGNIZED_ARCH, "unrecognized architecture (" + name + ")");
  link.number = static_cast<unsigned>(std::stoul(name.substr(digits, count)));
  std::vector<unsigned> known = architecturesOf(release);
  if (std::find(known.begin(), known.end(), link.number) == known.end())
    return link.fail(NVJITLINK_ERROR_UNSUPPORTED_ARCH, "unsupported architecture (" + name + ")");
  link.target = "sm_" + name.substr(digits);
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult readOptions(Link &link, Release release, const std::vector<std::string> &words) {
  bool isReal = true;
  for (const std::string &word : words) {
    std::string name = word.substr(0, word.find('='));
    std::string value = name.size() < word.size() ? word.substr(name.size() + 1) : "";
    if (name == "-O0" || name == "-O3")
      continue;
    if (name.starts_with("-O") && name.size() == 3)
      return link.fail(NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
                       "unsupported value of -O: " + name.substr(2));
    if (std::find(std::begin(Known), std::end(Known), name) == std::end(Known))
      return link.fail(NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "unrecognized option: " + word);
    link.isForLto |= name == "-lto";
    link.givesPtx |= name == "-ptx";
    link.hasLines |= name == "-lineinfo" || name == "-g";
    if (name == "-arch")
      if (nvJitLinkResult error = readArchitecture(link, release, value, isReal))
        return error;
  }
  if (!link.number)
    return link.fail(NVJITLINK_ERROR_MISSING_ARCH, "-arch=sm_NN is missing");
  if (link.givesPtx && !link.isForLto)
    return link.fail(NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS, "ERROR: -ptx requires -lto");
  if (!isReal && !link.givesPtx)
    return link.fail(NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS, "ERROR: virtual arch requires -ptx");
  return NVJITLINK_SUCCESS;
}

/// A comment, or the directive that PTX begins with.
bool isPtx(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with(".version") || text.starts_with("//") || text.starts_with("/*");
}

nvJitLinkResult addPtx(Link &link, const PtxText &text) {
  Result<const JitLibrary *> jit = openJit();
  if (!jit)
    return link.fail(NVJITLINK_ERROR_INTERNAL, jit.error());
  Result<std::string> image = (*jit)->readPtx(text, /*isRelocatable=*/true);
  if (!image)
    return link.fail(NVJITLINK_ERROR_PTX_COMPILE, image.error());
  const auto view =
      ImageView::create({reinterpret_cast<const uint8_t *>(image->data()), image->size()});
  if (view && view->header().sm > link.number)
    return link.fail(NVJITLINK_ERROR_PTX_COMPILE, "ptxas fatal   : SM version specified by .target "
                                                  "is higher than default SM version assumed");
  link.images.push_back(*image);
  return NVJITLINK_SUCCESS;
}

/// The PTX in one of NVIDIA's.
nvJitLinkResult addFatBinary(Link &link, std::span<const PtxText> texts, const std::string &name) {
  if (const PtxText *text = chooseText(texts, link.number))
    return addPtx(link, *text);
  return link.fail(NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
                   "'" + name + "' has no PTX for " + link.target +
                       " (nvcc writes it with -gencode arch=compute_NN,code=compute_NN)");
}

/// In objects and archives what is no fat binary may begin like one.
nvJitLinkResult addFatBinaries(Link &link, const std::string &bytes, const std::string &name) {
  for (const std::vector<PtxText> &texts : fatBinariesIn(bytes))
    if (!texts.empty())
      if (nvJitLinkResult error = addFatBinary(link, texts, name))
        return error;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult addImage(Link &link, const std::string &bytes, const std::string &name) {
  Result<ChosenImage> chosen = chooseImage(bytes.data(), bytes.size(), link.number);
  if (!chosen)
    return link.fail(NVJITLINK_ERROR_UNRECOGNIZED_INPUT, chosen.error() + " in '" + name + "'");
  std::span<const uint8_t> image = chosen->image.bytes();
  link.images.emplace_back(reinterpret_cast<const char *>(image.data()), image.size());
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult addEmbedded(Link &link, const std::string &bytes, const std::string &name) {
  auto found = findEmbeddedCode(bytes, link.number);
  if (!found)
    return link.fail(NVJITLINK_ERROR_INCORRECT_INPUT_TYPE,
                     "'" + name + "' is no object and no library");
  for (const EmbeddedCode &code : *found) {
    std::span<const uint8_t> image = code.image.bytes();
    link.images.emplace_back(reinterpret_cast<const char *>(image.data()), image.size());
  }
  return addFatBinaries(link, bytes, name);
}

nvJitLinkResult add(Link &link, nvJitLinkInputType type, const std::string &bytes,
                    const std::string &name) {
  const bool isText = isPtx(bytes), isTheirs = isFatBinary(bytes.c_str());
  const bool isImage = deviceCodeBytes(bytes.data(), bytes.size()) != 0;
  switch (type) {
  case NVJITLINK_INPUT_OBJECT:
  case NVJITLINK_INPUT_LIBRARY:
    return addEmbedded(link, bytes, name);
  case NVJITLINK_INPUT_FATBIN:
    if (isTheirs)
      return addFatBinary(link, ptxOf(bytes.data()), name);
    [[fallthrough]];
  case NVJITLINK_INPUT_PTX:
  case NVJITLINK_INPUT_CUBIN:
  case NVJITLINK_INPUT_LTOIR:
    if (type == NVJITLINK_INPUT_PTX ? !isText : !isImage)
      return link.fail(NVJITLINK_ERROR_INCORRECT_INPUT_TYPE,
                       "'" + name + "' is not of the type that is given, or not Heddle's");
    if (type == NVJITLINK_INPUT_LTOIR && !link.isForLto)
      return link.fail(NVJITLINK_ERROR_LTO_NOT_ENABLED, "LTO IR requires -lto");
    break;
  case NVJITLINK_INPUT_ANY:
    if (bytes.starts_with("\177ELF") || bytes.starts_with("!<arch>\n"))
      return addEmbedded(link, bytes, name);
    if (isTheirs)
      return addFatBinary(link, ptxOf(bytes.data()), name);
    if (!isText && !isImage)
      return link.fail(NVJITLINK_ERROR_UNRECOGNIZED_INPUT, "'" + name + "' is not device code");
    break;
  default:
    return link.fail(NVJITLINK_ERROR_INCORRECT_INPUT_TYPE, "unsupported input type: " + name);
  }
  return isText ? addPtx(link, {std::string_view(bytes).substr(0, bytes.find('\0'))})
                : addImage(link, bytes, name);
}

/// One image that is complete stays as it is.
Result<std::string> linked(const Link &link, const JitLibrary &jit) {
  const std::string &first = link.images.front();
  auto view = ImageView::create({reinterpret_cast<const uint8_t *>(first.data()), first.size()});
  if (link.images.size() == 1 && view && !(view->header().flags & ImageRelocatable))
    return first;
  return jit.link(link.images);
}

nvJitLinkResult copySize(size_t *size, size_t bytes) {
  *size = bytes;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult copyText(char *to, const std::string &text) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVJITLINK_SUCCESS;
}

/// An empty log has no bytes.
size_t logBytes(const std::string &log) { return log.empty() ? 0 : log.size() + 1; }

} // namespace

nvJitLinkResult Create(Release release, nvJitLinkHandle *handle, uint32_t count,
                       const char **options) {
  if (!handle || (count && !options))
    return NVJITLINK_ERROR_NULL_INPUT;
  std::vector<std::string> words;
  for (uint32_t i = 0; i != count; ++i) {
    if (!options[i])
      return NVJITLINK_ERROR_NULL_INPUT;
    words.push_back(options[i]);
  }
  auto *link = new Link; // there after an error, too: it has the log
  std::lock_guard lock(links().mutex);
  links().all.insert(link);
  *handle = reinterpret_cast<nvJitLinkHandle>(link);
  return readOptions(*link, release, words);
}

nvJitLinkResult Destroy(Release, nvJitLinkHandle *handle) {
  if (!handle)
    return NVJITLINK_ERROR_NULL_INPUT;
  auto *link = reinterpret_cast<Link *>(*handle);
  std::lock_guard lock(links().mutex);
  if (!links().all.erase(link))
    return NVJITLINK_ERROR_INVALID_INPUT;
  delete link;
  *handle = nullptr;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult AddData(Release, nvJitLinkHandle handle, nvJitLinkInputType type, const void *data,
                        size_t size, const char *name) {
  return with(
      handle,
      [&](Link &link) {
        return add(link, type, std::string(static_cast<const char *>(data), size),
                   name ? name : "");
      },
      data);
}

nvJitLinkResult AddFile(Release, nvJitLinkHandle handle, nvJitLinkInputType type,
                        const char *name) {
  return with(
      handle,
      [&](Link &link) {
        std::ifstream file(name, std::ios::binary);
        if (!file)
          return link.fail(NVJITLINK_ERROR_INVALID_INPUT, "no such file: " + std::string(name));
        return add(link, type, std::string(std::istreambuf_iterator<char>(file), {}), name);
      },
      name);
}

nvJitLinkResult Complete(Release, nvJitLinkHandle handle) {
  return with(handle, [&](Link &link) {
    if (link.images.empty())
      return link.fail(NVJITLINK_ERROR_INVALID_INPUT, "there is nothing to be linked");
    Result<const JitLibrary *> jit = openJit();
    if (!jit)
      return link.fail(NVJITLINK_ERROR_INTERNAL, jit.error());
    Result<std::string> image = linked(link, **jit);
    if (!image)
      return link.fail(NVJITLINK_ERROR_INTERNAL, image.error());
    link.isComplete = true;
    if (!link.givesPtx)
      return link.cubin = *image, NVJITLINK_SUCCESS;
    Result<std::string> ptx = (*jit)->emitPtx(*image, link.target, link.hasLines);
    if (!ptx)
      return link.fail(NVJITLINK_ERROR_FINALIZE, ptx.error());
    return link.ptx = *ptx, NVJITLINK_SUCCESS;
  });
}

nvJitLinkResult GetLinkedCubinSize(Release, nvJitLinkHandle handle, size_t *size) {
  return with(
      handle,
      [&](Link &link) {
        return link.cubin.empty() ? NVJITLINK_ERROR_INVALID_INPUT
                                  : copySize(size, link.cubin.size());
      },
      size);
}
nvJitLinkResult GetLinkedCubin(Release, nvJitLinkHandle handle, void *cubin) {
  return with(
      handle,
      [&](Link &link) {
        if (link.cubin.empty())
          return NVJITLINK_ERROR_INVALID_INPUT;
        std::memcpy(cubin, link.cubin.data(), link.cubin.size());
        return NVJITLINK_SUCCESS;
      },
      cubin);
}
nvJitLinkResult GetLinkedPtxSize(Release, nvJitLinkHandle handle, size_t *size) {
  return with(
      handle,
      [&](Link &link) {
        return link.ptx.empty() ? NVJITLINK_ERROR_INVALID_INPUT
                                : copySize(size, link.ptx.size() + 1);
      },
      size);
}
nvJitLinkResult GetLinkedPtx(Release, nvJitLinkHandle handle, char *ptx) {
  return with(
      handle,
      [&](Link &link) {
        return link.ptx.empty() ? NVJITLINK_ERROR_INVALID_INPUT : copyText(ptx, link.ptx);
      },
      ptx);
}
nvJitLinkResult GetErrorLogSize(Release, nvJitLinkHandle handle, size_t *size) {
  return with(handle, [&](Link &link) { return copySize(size, logBytes(link.errors)); }, size);
}
nvJitLinkResult GetErrorLog(Release, nvJitLinkHandle handle, char *log) {
  return with(
      handle,
      [&](Link &link) {
        return link.errors.empty() ? NVJITLINK_SUCCESS : copyText(log, link.errors);
      },
      log);
}
nvJitLinkResult GetInfoLogSize(Release, nvJitLinkHandle handle, size_t *size) {
  return with(handle, [&](Link &) { return copySize(size, 0); }, size);
}
nvJitLinkResult GetInfoLog(Release, nvJitLinkHandle handle, char *log) {
  return with(handle, [](Link &) { return NVJITLINK_SUCCESS; }, log);
}

} // namespace heddle::rtc

extern "C" __attribute__((visibility("default"))) const heddle::rtc::NvJitLinkTable *
heddleNvJitLinkTable() {
  static constexpr heddle::rtc::NvJitLinkTable Table = {
#define HEDDLE_NVJITLINK(name, parameters, arguments) .name = heddle::rtc::name,
#include "heddle/nvjitlink_functions.inc"
#undef HEDDLE_NVJITLINK
  };
  return &Table;
}
