// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs. All devices of a program have one image, so a program has one build status and log.
#include "opencl/program.h"

#include "opencl/build_cache.h"
#include "opencl/info.h"

#include "base/image/module_image.h"
#include "base/messages/messages.h"

#include <algorithm>
#include <set>

#include <dlfcn.h>

using namespace heddle::cl;
using heddle::opencl::CompilerTable;

namespace heddle::cl {

Executable::~Executable() {
  for (auto &[device, module] : modules) {
    Current current(device->context);
    cu().cuModuleUnload(module);
  }
}

CUmodule Executable::moduleOn(cl_device_id device, CUresult &error) {
  std::lock_guard lock(mutex);
  for (auto &[known, module] : modules)
    if (known == device)
      return module;
  Current current(device->context);
  CUmodule module = nullptr;
  error = cu().cuModuleLoadData(&module, image.data());
  if (error != CUDA_SUCCESS)
    return nullptr;
  modules.emplace_back(device, module);
  return module;
}

Executable *Executable::specializedFor(const std::string &kernel, const FixedArguments &fixed) {
  if (fixed.empty() || globalBytes)
    return this;
  std::lock_guard lock(mutex);
  auto &known = specialized[kernel];
  for (auto &[arguments, made] : known)
    if (arguments == fixed)
      return made.get();
  const auto refuse = [&](const std::string &why) {
    tellf("heddle: kernel '%s' cannot be made for its images and samplers: %s\n", kernel.c_str(),
          why.c_str());
    return nullptr;
  };
  auto made = std::make_shared<Executable>();
  Result<ImageView> view = ImageView::create(image.data());
  if (!view)
    return refuse(view.error());
  Result<std::span<const uint8_t>> code = view->bitcode();
  if (!code)
    return refuse(code.error());
  opencl::Linked linked = specializeKernel({{code->begin(), code->end()},
                                            kernel,
                                            fixed,
                                            (view->header().flags & ImageDebug) != 0,
                                            view->header().compileOptions});
  if (!linked.isGood)
    return refuse(linked.log);
  made->image = std::move(linked.code);
  return known.emplace_back(fixed, std::move(made)).second.get();
}

const CompilerTable *compiler(std::string &reason) {
  static std::string why;
  static const CompilerTable *table = []() -> const CompilerTable * {
    Dl_info info;
    std::string path;
    if (dladdr(reinterpret_cast<void *>(&parseOptions), &info) && info.dli_fname)
      path = info.dli_fname;
    const size_t slash = path.rfind('/');
    path = (slash == path.npos ? "" : path.substr(0, slash + 1)) + "libheddle_compiler.so";
    void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (void *found = library ? dlsym(library, "heddleOpenclTable") : nullptr)
      return reinterpret_cast<const CompilerTable *(*)()>(found)();
    const char *error = dlerror();
    why = std::string("error: the compiler cannot be loaded: ") + (error ? error : path.c_str()) +
          "\n";
    return nullptr;
  }();
  reason = why;
  return table;
}

namespace {

using Notify = void (*)(cl_program, void *);

cl_int checkDevices(const _cl_context &context, cl_uint count, const cl_device_id *list) {
  if (!count != !list)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i != count; ++i)
    if (!isValid(list[i]) || !context.has(list[i]))
      return CL_INVALID_DEVICE;
  return CL_SUCCESS;
}

/// The arguments that clBuildProgram and clCompileProgram share.
cl_int checkBuild(cl_program program, cl_uint count, const cl_device_id *list, Notify notify,
                  void *data) {
  if (!isValid(program))
    return CL_INVALID_PROGRAM;
  if (!notify && data)
    return CL_INVALID_VALUE;
  if (!count != !list)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i != count; ++i)
    if (std::find(program->devices.begin(), program->devices.end(), list[i]) ==
        program->devices.end())
      return CL_INVALID_DEVICE;
  return program->kernels ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/// clang's flags for a device that lacks some of what we know.
void addWithout(const _cl_device_id &device, std::vector<std::string> &flags) {
  if (device.hasImages())
    return;
  flags.push_back("-U__IMAGE_SUPPORT__");
  std::string missing;
  for (const char *name : {
#define HEDDLE_OPENCL_EXTENSION(name, major, minor, patch) #name,
#define HEDDLE_OPENCL_FEATURE(name) #name,
#include "frontend/opencl/features.def"
       })
    if (!device.offers(name))
      missing += std::string(missing.empty() ? "-cl-ext=-" : ",-") + name;
  flags.push_back(missing);
}

bool compile(_cl_program &program, const Options &options,
             std::vector<opencl::SourceText> headers) {
  std::vector<std::string> flags = options.flags;
  addWithout(*program.devices.front(), flags);
  opencl::Compiled compiled = compileSource({program.source, std::move(headers), flags});
  program.log += compiled.log;
  program.code = std::move(compiled.code);
  if (compiled.isGood)
    program.stage = Stage::Compiled;
  return compiled.isGood;
}

bool link(_cl_program &program, const Options &options, std::vector<std::string> modules) {
  opencl::Linked linked = linkPrograms(
      {std::move(modules), options.createsLibrary, options.isDebug, options.compileOptions});
  program.log += linked.log;
  if (!linked.isGood)
    return false;
  if (options.createsLibrary) {
    program.stage = Stage::Library;
    program.code = std::move(linked.code);
    return true;
  }
  program.stage = Stage::Executable;
  program.executable = std::make_shared<Executable>();
  program.executable->image = std::move(linked.code);
  program.executable->kernels = std::move(linked.kernels);
  program.executable->globalBytes = linked.globalBytes;
  return true;
}

void start(_cl_program &program, const char *options) {
  program.status = CL_BUILD_IN_PROGRESS;
  program.options = options ? options : "";
  program.log.clear();
}

cl_int finish(_cl_program &program, bool isGood, cl_int failure) {
  program.status = isGood ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  return isGood ? CL_SUCCESS : failure;
}

cl_int build(_cl_program &program, const char *text) {
  std::lock_guard lock(program.mutex);
  const Options options = parseOptions(text, false);
  start(program, text);
  if (!options.problem.empty()) {
    program.log = "error: unknown option '" + options.problem + "'\n";
    return finish(program, false, CL_INVALID_BUILD_OPTIONS);
  }
  if (program.isFromBinary && program.stage == Stage::Executable)
    return finish(program, true, CL_SUCCESS);
  program.executable = nullptr;
  if (!program.isFromBinary && !compile(program, options, {}))
    return finish(program, false, CL_BUILD_PROGRAM_FAILURE);
  return finish(program, link(program, options, {program.code}), CL_BUILD_PROGRAM_FAILURE);
}

cl_program create(cl_context context) {
  auto *program = new _cl_program;
  program->context = Ref(context);
  program->devices = context->devices;
  return program;
}

} // namespace

} // namespace heddle::cl

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  if (!count || !texts)
    return fail(code, CL_INVALID_VALUE);
  std::string source;
  for (cl_uint i = 0; i != count; ++i) {
    if (!texts[i])
      return fail(code, CL_INVALID_VALUE);
    source += lengths && lengths[i] ? std::string(texts[i], lengths[i]) : std::string(texts[i]);
  }
  cl_program program = create(context);
  program->source = std::move(source);
  return succeed(code, program);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *list,
                                     const size_t *lengths, const unsigned char **binaries,
                                     cl_int *status, cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  if (!count || !list || !lengths || !binaries)
    return fail(code, CL_INVALID_VALUE);
  if (cl_int error = checkDevices(*context, count, list))
    return fail(code, error);
  if (std::set(list, list + count).size() != count) // whose binary would it have?
    return fail(code, CL_INVALID_DEVICE);
  for (cl_uint i = 0; i != count; ++i)
    if (!lengths[i] || !binaries[i]) {
      if (status)
        status[i] = CL_INVALID_VALUE;
      return fail(code, CL_INVALID_VALUE);
    }
  Binary first;
  for (cl_uint i = 0; i != count; ++i) {
    Binary binary = readBinary(binaries[i], lengths[i]);
    const bool isOurs = binary.stage != Stage::None;
    if (status)
      status[i] = isOurs ? CL_SUCCESS : CL_INVALID_BINARY;
    if (!isOurs)
      return fail(code, CL_INVALID_BINARY);
    if (i == 0)
      first = std::move(binary);
  }
  cl_program program = create(context);
  program->devices.assign(list, list + count);
  program->isFromBinary = true;
  program->stage = first.stage;
  program->options = first.options;
  if (first.stage == Stage::Executable) {
    program->executable = std::make_shared<Executable>();
    program->executable->image = std::move(first.code);
    program->executable->kernels = std::move(first.kernels);
    program->executable->globalBytes = first.globalBytes;
  } else {
    program->code = std::move(first.code);
  }
  return succeed(code, program);
}

cl_int clRetainProgram(cl_program program) {
  if (!isValid(program))
    return CL_INVALID_PROGRAM;
  program->retain();
  return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program) {
  if (!isValid(program))
    return CL_INVALID_PROGRAM;
  program->release();
  return CL_SUCCESS;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *list,
                      const char *options, Notify notify, void *data) {
  if (cl_int error = checkBuild(program, count, list, notify, data))
    return error;
  cl_int error = build(*program, options);
  if (notify && error != CL_INVALID_BUILD_OPTIONS) {
    notify(program, data);
    return CL_SUCCESS;
  }
  return error;
}

cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id *list,
                        const char *text, cl_uint headerCount, const cl_program *headers,
                        const char **names, Notify notify, void *data) {
  if (cl_int error = checkBuild(program, count, list, notify, data))
    return error;
  if (!headerCount != !headers || !headerCount != !names)
    return CL_INVALID_VALUE;
  if (program->isFromBinary)
    return CL_INVALID_OPERATION;
  std::vector<heddle::opencl::SourceText> included;
  for (cl_uint i = 0; i != headerCount; ++i) {
    if (!isValid(headers[i]))
      return CL_INVALID_PROGRAM;
    included.push_back({names[i], headers[i]->source});
  }
  std::unique_lock lock(program->mutex);
  const Options options = parseOptions(text, false);
  start(*program, text);
  cl_int error;
  if (options.problem.empty()) {
    program->executable = nullptr;
    error = finish(*program, compile(*program, options, std::move(included)),
                   CL_COMPILE_PROGRAM_FAILURE);
  } else {
    program->log = "error: unknown option '" + options.problem + "'\n";
    error = finish(*program, false, CL_INVALID_COMPILER_OPTIONS);
  }
  lock.unlock();
  if (notify && error != CL_INVALID_COMPILER_OPTIONS) {
    notify(program, data);
    return CL_SUCCESS;
  }
  return error;
}

cl_program clLinkProgram(cl_context context, cl_uint count, const cl_device_id *list,
                         const char *text, cl_uint inputCount, const cl_program *inputs,
                         Notify notify, void *data, cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  if (!inputCount || !inputs || (!notify && data))
    return fail(code, CL_INVALID_VALUE);
  if (cl_int error = checkDevices(*context, count, list))
    return fail(code, error);
  std::vector<std::string> modules;
  for (cl_uint i = 0; i != inputCount; ++i) {
    if (!isValid(inputs[i]))
      return fail(code, CL_INVALID_PROGRAM);
    if (inputs[i]->stage != Stage::Compiled && inputs[i]->stage != Stage::Library)
      return fail(code, CL_INVALID_OPERATION);
    modules.push_back(inputs[i]->code);
  }
  const Options options = parseOptions(text, true);
  if (!options.problem.empty())
    return fail(code, CL_INVALID_LINKER_OPTIONS);
  cl_program program = create(context);
  if (count)
    program->devices.assign(list, list + count);
  start(*program, text);
  cl_int error =
      finish(*program, link(*program, options, std::move(modules)), CL_LINK_PROGRAM_FAILURE);
  if (code)
    *code = notify ? CL_SUCCESS : error;
  if (notify)
    notify(program, data);
  return program;
}
