// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/ptxas.h"
#include "base/image/module_image.h"
#include "jit/client/jit_library.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/compile/resources.h"
#include "tool/options/tool_words.h"
#include "tool/tools/files.h"

#include <cstdio>
#include <optional>

namespace heddle::tool {

namespace {

constexpr int ExitPtxas = 255;
constexpr const char *Usage =
    "Usage: ptxas [options] <ptx file>\n\n"
    "Makes a device image of PTX, which the driver loads in place of a cubin.\n\n"
    "  --gpu-name, -arch <name>      sm_90 or compute_90, which writes nothing\n"
    "  --output-file, -o <file>      default: elf.o\n"
    "  --compile-only, -c            an image that is to be linked\n"
    "  --input-as-string, -ias <ptx> the text itself\n"
    "  --maxrregcount <n>, --verbose (-v): registers are estimates\n"
    "  --version, -V; --help, -h\n"
    "ptxas's other options are taken and have no effect: code is made for the CPU at launch.\n";

struct Request {
  std::string input, text, output = "elf.o", target = "sm_52";
  bool isGiven = false, isRelocatable = false, isVerbose = false;
  uint32_t maxRegisters = 0;
  std::vector<std::string> entries; ///< of -e
};

int fail(const std::string &message) {
  fatal(message);
  return ExitPtxas;
}

std::optional<Failure> set(Request &request, std::string_view option, const std::string &value) {
  if (option == "output-file")
    request.output = value;
  else if (option == "gpu-name")
    request.target = value;
  else if (option == "compile-only")
    request.isRelocatable = true;
  else if (option == "verbose")
    request.isVerbose = true;
  else if (option == "entry")
    request.entries.push_back(value);
  else if (option == "machine" && value != "64")
    return Failure{"Value '" + value + "' is not defined for option 'machine'"};
  if (option == "input-as-string") {
    request.input = "<string>";
    request.text = value;
    request.isGiven = true;
  }
  if (option == "maxrregcount" && value != "archmax" && value != "archmin") {
    if (value.empty() || value.size() > 4 || value.find_first_not_of("0123456789") != value.npos)
      return Failure{"Invalid value '" + value + "' for option 'maxrregcount'"};
    request.maxRegisters = static_cast<uint32_t>(std::stoul(value));
  }
  return {};
}

Result<Request> parse(const std::vector<std::string> &words) {
  Result<ToolWords> parsed = parseToolWords(ptxasOptions(), words);
  if (!parsed)
    return Failure{parsed.error()};
  Request request;
  for (const auto &[option, value] : parsed->options)
    if (auto bad = set(request, option, value))
      return *bad;
  if (parsed->inputs.size() + request.isGiven > 1)
    return Failure{"One PTX file at a time: '" + parsed->inputs.back() + "' is one more"};
  if (!parsed->inputs.empty())
    request.input = parsed->inputs.front();
  return request;
}

/// 90 of the first `.target sm_90a`; 0 if there is none.
unsigned targetOf(const std::string &text) {
  size_t at = text.find(".target");
  at = at == text.npos ? at : text.find("sm_", at);
  return at == text.npos ? 0 : static_cast<unsigned>(std::strtoul(&text[at + 3], nullptr, 10));
}

/// The reader's lines, which name no file.
std::string withFile(std::string log, const std::string &file) {
  constexpr std::string_view Unnamed = "ptxas application ptx input,";
  for (size_t at = log.find(Unnamed); at != log.npos; at = log.find(Unnamed, at + 1))
    log.replace(at, Unnamed.size(), "ptxas " + file + ",");
  return log.ends_with('\n') ? log : log + "\n";
}

bool hasKernel(const std::string &bytes, const std::string &name) {
  const auto image =
      ImageView::create({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  return image && image->findKernel(name);
}

int assemble(Request request) {
  Options options;
  options.add(Opt::Architecture, request.target);
  Result<Architectures> architectures = chooseArchitectures(options);
  if (!architectures || !architectures->newer.empty())
    return fail("Value '" + request.target + "' is not defined for option 'gpu-name'");
  const Architecture &architecture = architectures->main();
  if (!request.isGiven) {
    Result<std::string> text = readFile(request.input);
    if (!text) {
      fail("Input file '" + request.input + "' could not be opened");
      return fail("Ptx assembly aborted due to errors");
    }
    request.text = *text;
  }
  request.text.resize(std::min(request.text.size(), request.text.find('\0')));
  if (targetOf(request.text) > architecture.number)
    return fail("SM version specified by .target is higher than default SM version assumed");
  if (auto failure = refuseOverwriting({request.input}, {request.output}))
    return fail(failure->message);
  Result<const JitLibrary *> jit = JitLibrary::open(ownFolders().libs);
  if (!jit)
    return fail(jit.error());
  Result<std::string> image = (*jit)->readPtx({request.text}, request.isRelocatable);
  if (!image) {
    printErrors(withFile(image.error(), request.input));
    return ExitPtxas;
  }
  for (const std::string &entry : request.entries)
    if (!hasKernel(*image, entry))
      return fail("Unknown function " + entry);
  if (request.isVerbose)
    printErrors(resourceReport(*image, architecture, request.maxRegisters));
  if (request.target.starts_with("compute_"))
    return 0;
  if (auto failure = writeFile(request.output, *image))
    return fail(failure->message);
  return 0;
}

} // namespace

int runPtxas(const std::vector<std::string> &words) {
  Result<std::vector<std::string>> all = expandFiles(words);
  if (!all)
    return fail(all.error());
  for (const std::string &word : *all)
    if (word == "--help" || word == "-h")
      return fputs(Usage, stdout) < 0;
    else if (word == "--version" || word == "-V")
      return fputs(toolVersion("ptxas", "Ptx optimizing assembler").c_str(), stdout) < 0;
  Result<Request> request = parse(*all);
  if (!request)
    return fail(request.error());
  if (request->input.empty())
    return fputs(Usage, stdout) < 0;
  return assemble(*request);
}

} // namespace heddle::tool
