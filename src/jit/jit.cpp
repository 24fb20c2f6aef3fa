// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the C interface with the rest of this folder.
#include "jit/jit.h"

#include "base/cache/version.h"
#include "frontend/link.h"
#include "frontend/pack.h"
#include "frontend/ptx/module/read_module.h"
#include "frontend/ptx/module/unpack_text.h"
#include "jit/compile.h"
#include "jit/emit/link_object.h"
#include "jit/emit/symbolize.h"
#include "jit/load/gpu_code.h"
#include "jit/load/guard.h"
#include "jit/load/ptx.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <cstring>

using namespace heddle;

namespace {

using Bytes = std::vector<uint8_t>;

char *copyText(llvm::StringRef text) {
  auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (copy) {
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
  }
  return copy;
}

HeddleJitResult failure(llvm::StringRef message) { return {nullptr, 0, copyText(message), false}; }

HeddleJitResult failure(llvm::Error error) {
  bool isLibraryMissing = error.isA<jit::MissingLibrary>();
  HeddleJitResult result = failure(llvm::toString(std::move(error)));
  result.isLibraryMissing = isLibraryMissing;
  return result;
}

HeddleJitResult success(llvm::ArrayRef<uint8_t> bytes) {
  auto *copy = static_cast<uint8_t *>(std::malloc(bytes.empty() ? 1 : bytes.size()));
  if (!copy)
    return failure("out of memory");
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size(), nullptr, false};
}

/// Runs `action`, which gives llvm::Expected<Bytes>, and turns whatever happens into a result.
HeddleJitResult answer(llvm::function_ref<llvm::Expected<Bytes>()> action) {
  HeddleJitResult result = {};
  std::string fatal;
  bool survived = jit::survive(
      [&] {
        llvm::Expected<Bytes> bytes = action();
        result = bytes ? success(*bytes) : failure(bytes.takeError());
      },
      fatal);
  return survived ? result : failure("internal error: " + fatal);
}

llvm::Expected<ImageView> viewOf(const uint8_t *data, size_t size) {
  Result<ImageView> view = ImageView::create({data, size});
  if (!view)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), view.error());
  return *view;
}

llvm::MemoryBufferRef bufferOf(const uint8_t *data, size_t size) {
  return {llvm::toStringRef(llvm::ArrayRef(data, size)), "device code"};
}

llvm::Expected<Bytes> compile(const HeddleCompileRequest &request) {
  llvm::Expected<ImageView> image = viewOf(request.image, request.imageSize);
  if (!image)
    return image.takeError();
  return jit::compileKernel({*image,
                             request.kernel,
                             {request.blockDim[0], request.blockDim[1], request.blockDim[2]},
                             request.width,
                             request.cpu,
                             request.threadwise,
                             request.objects,
                             request.hasLongObjects,
                             request.mode,
                             request.checks});
}

llvm::Expected<Bytes> link(const uint8_t *const *images, const size_t *sizes, size_t count) {
  std::vector<ImageView> views;
  for (size_t i = 0; i != count; ++i) {
    llvm::Expected<ImageView> view = viewOf(images[i], sizes[i]);
    if (!view)
      return view.takeError();
    views.push_back(*view);
  }
  return frontend::linkImages(views);
}

llvm::Expected<Bytes> symbolize(const char *path, uint64_t offset, uint32_t *line) {
  llvm::Expected<jit::SourcePosition> position = jit::symbolize(path, offset);
  if (!position)
    return position.takeError();
  *line = position->line;
  std::string text = position->function + '\0' + position->file + '\0';
  return Bytes(text.begin(), text.end());
}

llvm::Expected<Bytes> symbolizeHost(const char *path, uint64_t offset) {
  auto frames = jit::symbolizeHost(path, offset);
  if (!frames)
    return frames.takeError();
  std::string text;
  for (const jit::SourcePosition &frame : *frames)
    for (const std::string &part :
         {frame.function, frame.file, std::to_string(frame.line), std::to_string(frame.column)})
      text += part + '\0';
  return Bytes(text.begin(), text.end());
}

/// What `read(problems)` makes of a text of PTX.
template <typename F>
HeddleJitResult answerPtx(llvm::StringRef text, HeddlePtxRefusal *refusal, F &&read) {
  *refusal = HeddlePtxInvalid;
  return answer([&]() -> llvm::Expected<Bytes> {
    frontend::ptx::Problems problems(text);
    Bytes image = read(problems);
    if (!problems.any()) {
      *refusal = HeddlePtxAccepted;
      return image;
    }
    if (problems.refusal() == frontend::ptx::Refusal::Version)
      *refusal = HeddlePtxVersion;
    return llvm::createStringError(llvm::inconvertibleErrorCode(), problems.log());
  });
}

} // namespace

HeddleJitResult heddleJitCompileWith(const HeddleCompileRequest *request) {
  return answer([&] { return compile(*request); });
}

HeddleJitResult heddleJitPack(const uint8_t *bitcode, size_t size, uint32_t imageFlags, uint32_t sm,
                              uint32_t compileOptions, uint32_t maxRegisters) {
  return answer([&] {
    return frontend::packBitcode(bufferOf(bitcode, size),
                                 {imageFlags, sm, compileOptions, maxRegisters});
  });
}

HeddleJitResult heddleJitLink(const uint8_t *const *images, const size_t *sizes, size_t count) {
  return answer([&] { return link(images, sizes, count); });
}

/// What is packed is kept in `unpacked`.
static llvm::Expected<llvm::StringRef> textOf(const HeddlePtxText &given, std::string &unpacked) {
  llvm::StringRef text(given.bytes, given.size);
  if (given.packing != HeddlePtxPlain) {
    auto bytes = llvm::arrayRefFromStringRef(text);
    auto result = given.packing == HeddlePtxLz4
                      ? frontend::ptx::unpackLz4(bytes, given.unpackedSize)
                      : frontend::ptx::unpackZstd(bytes, given.unpackedSize);
    if (!result)
      return result.takeError();
    unpacked = std::move(*result);
    text = unpacked;
  }
  return text.substr(0, text.find('\0'));
}

HeddleJitResult heddleJitUnpackPtx(const HeddlePtxText *given) {
  return answer([&]() -> llvm::Expected<Bytes> {
    std::string unpacked;
    auto text = textOf(*given, unpacked);
    if (!text)
      return text.takeError();
    return Bytes(text->bytes_begin(), text->bytes_end());
  });
}

HeddleJitResult heddleJitReadPtx(const HeddlePtxText *given, bool isRelocatable,
                                 HeddlePtxRefusal *refusal) {
  *refusal = HeddlePtxInvalid;
  std::string unpacked;
  auto found = textOf(*given, unpacked);
  if (!found)
    return failure(found.takeError());
  llvm::StringRef text = *found;
  return answerPtx(text, refusal, [&](frontend::ptx::Problems &problems) {
    return frontend::ptx::readModule(text,
                                     {isRelocatable, given->maxRegisters, given->isDebug,
                                      given->maxThreads, given->minBlocks, given->overrides},
                                     problems);
  });
}

HeddleJitResult heddleJitReadPtxKernel(const uint8_t *index, size_t size, const char *kernel,
                                       HeddlePtxRefusal *refusal) {
  *refusal = HeddlePtxInvalid;
  llvm::Expected<ImageView> image = viewOf(index, size);
  if (!image)
    return failure(image.takeError());
  Result<std::span<const uint8_t>> code = image->bitcode();
  if (!code)
    return failure(code.error());
  llvm::StringRef text = llvm::toStringRef(llvm::ArrayRef(code->data(), code->size()));
  return answerPtx(text, refusal, [&](frontend::ptx::Problems &problems) {
    return frontend::ptx::readKernel(*image, text, kernel, problems);
  });
}

HeddleJitResult heddleJitEmitPtx(const uint8_t *data, size_t size, const char *target,
                                 bool hasLines) {
  return answer([&]() -> llvm::Expected<Bytes> {
    llvm::Expected<ImageView> image = viewOf(data, size);
    if (!image)
      return image.takeError();
    return jit::emitPtx(*image, target, hasLines);
  });
}

HeddleJitResult heddleJitEmitGpu(const HeddleGpuRequest *request) {
  return answer([&]() -> llvm::Expected<Bytes> {
    llvm::Expected<ImageView> image = viewOf(request->image, request->imageSize);
    if (!image)
      return image.takeError();
    return jit::emitGpuCode(*image, {request->target, request->ptx, request->usesHostVariables,
                                     request->kernel, request->threads});
  });
}

HeddleJitResult heddleJitSurvive(void (*action)(void *), void *context) {
  std::string fatal;
  return jit::survive([&] { action(context); }, fatal) ? HeddleJitResult{}
                                                       : failure("internal error: " + fatal);
}

HeddleJitResult heddleJitSymbolize(const char *objectPath, uint64_t offset, uint32_t *line) {
  return answer([&] { return symbolize(objectPath, offset, line); });
}

HeddleJitResult heddleJitSymbolizeHost(const char *path, uint64_t offset) {
  return answer([&] { return symbolizeHost(path, offset); });
}

const char *heddleJitVersion() { return compilerVersion(); }

void heddleJitFree(HeddleJitResult *result) {
  std::free(result->data);
  std::free(result->error);
  *result = {};
}
