// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: checks, packs the parameters, and submits the launch to the device or adds a node to a
// graph (driver API, "Execution Control").
#include "driver/launch/launch.h"
#include "driver/functions.h"

#include "driver/aside.h"
#include "driver/boards/board.h"
#include "driver/forms/forms.h"
#include "driver/launch/checked.h"
#include "driver/launch/clusters.h"
#include "driver/launch/host_pointers.h"
#include "driver/launch/kernel_operation.h"
#include "driver/launch/launch_objects.h"
#include "driver/launch/occupancy.h"
#include "driver/memory/memory.h"
#include "driver/modules/jit_library.h"
#include "driver/profiling.h"
#include "driver/streams/capture.h"
#include "driver/streams/event.h"

#include "base/machine/clock.h"
#include "check/api_errors.h"
#include "check/check.h"
#include "check/host_stack.h"
#include "check/init/init.h"
#include "device/kernel_forms.h"
#include "profile/count/counting.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

namespace heddle::driver {

namespace {

/// What cuLaunchKernelEx is given besides the shape.
struct LaunchAttributes {
  std::span<cudaLaunchAttribute> all;
  bool isNodeOnly = false;       ///< one is that only nodes of graphs have
  cudaGraphEdgeData early = {};  ///< how the launch depends on a kernel in front of it
  cudaEvent_t trigger = nullptr; ///< recorded when all blocks have triggered
  cudaEvent_t begun = nullptr;   ///< recorded when all blocks have begun
};

CUresult checkShape(const LaunchShape &a, const cudaDeviceProp &p) {
  const unsigned grid[3] = {a.grid.x, a.grid.y, a.grid.z},
                 block[3] = {a.block.x, a.block.y, a.block.z};
  for (int i = 0; i < 3; ++i)
    if (grid[i] == 0 || grid[i] > static_cast<unsigned>(p.maxGridSize[i]) || block[i] == 0 ||
        block[i] > static_cast<unsigned>(p.maxThreadsDim[i]))
      return CUresult(cudaErrorInvalidConfiguration);
  if (uint64_t(block[0]) * block[1] * block[2] > static_cast<unsigned>(p.maxThreadsPerBlock))
    return CUresult(cudaErrorInvalidConfiguration);
  return CUDA_SUCCESS;
}

/// Blocks of such a launch that the whole device holds at once.
uint64_t residentBlocks(Function &function, const LaunchShape &a, Context &device) {
  unsigned threads = a.block.x * a.block.y * a.block.z;
  return uint64_t(activeBlocks(function, device, static_cast<int>(threads), a.shared)) *
         static_cast<unsigned>(device.board->properties.multiProcessorCount);
}

CUresult checkResources(Function &function, const LaunchShape &a, Context &device) {
  const ImageKernel &kernel = *function.kernel;
  const cudaDeviceProp &p = device.board->properties;
  unsigned threads = a.block.x * a.block.y * a.block.z;
  if (kernel.staticShared > p.sharedMemPerBlock) {
    reportFailure("kernel launch", "shared memory of kernel '" + function.displayName + "' is " +
                                       std::to_string(kernel.staticShared) +
                                       " bytes; the device allows " +
                                       std::to_string(p.sharedMemPerBlock));
    return CUDA_ERROR_INVALID_IMAGE;
  }
  if (kernel.maxThreads && threads > kernel.maxThreads)
    return CUDA_ERROR_INVALID_VALUE;
  if (const uint32_t *only = kernel.blockDim;
      only[0] && (a.block.x != only[0] || a.block.y != only[1] || a.block.z != only[2]))
    return CUDA_ERROR_INVALID_VALUE;
  if (refusesForRegisters() &&
      threads > static_cast<unsigned>(maxThreadsPerBlock(function, device)))
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (a.shared > static_cast<size_t>(std::max(0, maxDynamicShared(function, device))))
    return CUDA_ERROR_INVALID_VALUE;
  // A cooperative grid is alive as a whole (CUDA guide, "Grid Synchronization").
  if (a.cooperative &&
      uint64_t(a.grid.x) * a.grid.y * a.grid.z > residentBlocks(function, a, device))
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return CUDA_SUCCESS;
}

/// The code for a launch if it is in memory, or null; then `objects` is what to compile it for.
Compiled *codeInMemory(const Function &function, const LaunchShape &shape, const uint8_t *packed,
                       const device::LaunchRequest &request, ObjectNumbers &objects) {
  std::array<uint32_t, 3> blockDim = std::to_array(request.blockDim);
  if (Compiled *all = compiledForAll(function, blockDim))
    return all;
  if (!shape.isUpdatable) // which allocations there are may matter
    objects = numberObjects(function, packed, request.globals);
  return findCompiled(function, blockDim, objects);
}

CUresult reportUncompiled(Function &function, const Context &device, const std::string &reason) {
  bool told = function.reportedUncompiled.exchange(true);
  CUresult error =
      function.missesLibrary ? CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND : CUDA_ERROR_INVALID_PTX;
  if (told && !isCompilerMissing()) // programs launch a kernel thousands of times
    return error;
  return reportNoCode(device, ("kernel '" + function.displayName + "'").c_str(), reason, error);
}

/// Counted code that could not be made of whole warps.
bool isOneByOne(const Compiled &compiled, const device::LaunchRequest &request) {
  const uint32_t *block = request.blockDim;
  return compiled.info.code->counted && compiled.info.code->width == 1 &&
         block[0] * block[1] * block[2] > 1;
}

/// While it is there, a launch in the stream waits for its code: notes how long the stream has
/// nothing to do meanwhile. On a GPU it has its code before (Stream::stoodStill).
class Standstill {
public:
  explicit Standstill(Stream *stream)
      : stream_(stream && stream->device->backend->hasHostTime() ? stream : nullptr) {
    if (!stream_)
      return;
    began_ = nowNanoseconds();
    before_ = stream_->device->backend->record(stream_->queue);
  }
  ~Standstill() {
    if (!stream_)
      return;
    device::Device &device = *stream_->device->backend;
    if (device.isDone(before_))
      std::atomic_ref(stream_->stoodStill)
          .fetch_add(nowNanoseconds() - std::max(began_, device.timeOf(before_)));
    device.drop(before_);
  }
  Standstill(const Standstill &) = delete;
  Standstill &operator=(const Standstill &) = delete;

private:
  Stream *stream_;
  uint64_t began_ = 0;
  device::Marker *before_ = nullptr;
};

/// The code for a launch, in the stream if one is given. What is not in memory is made aside: the
/// caller's stack may be small.
CUresult chooseCode(Function &function, Context &device, const LaunchShape &shape,
                    const uint8_t *packed, device::LaunchRequest &request,
                    Stream *stream = nullptr) {
  ObjectNumbers objects = {};
  Compiled *compiled = codeInMemory(function, shape, packed, request, objects);
  if (!compiled) {
    Standstill standstill(stream);
    Result<Compiled *> made = Failure{"the system has no thread left to prepare it on"};
    runAside([&] { made = compiledFor(function, std::to_array(request.blockDim), objects); });
    if (!made && profile::counts() && !function.isUncounted) {
      profile::noteUncounted(function.displayName, made.error());
      return chooseCode(uncounted(function), device, shape, packed, request);
    }
    if (!made)
      return reportUncompiled(function, device, made.error());
    compiled = *made;
  }
  if (profile::counts() && !function.isUncounted && isOneByOne(*compiled, request)) {
    profile::noteUncounted(function.displayName, "its threads run one by one, and not in warps");
    return chooseCode(uncounted(function), device, shape, packed, request);
  }
  request.kernel = &compiled->info;
  if (!device::isAligned(*request.kernel->code, packed)) {
    const device::KernelInfo *careful = findCarefulForm(*compiled);
    if (!careful)
      runAside([&] { careful = carefulForm(*compiled); });
    if (careful)
      request.kernel = careful;
  } else if (compiled->tuned) {
    chooseForm(*compiled, request);
  }
  return CUDA_SUCCESS;
}

/// In place of checked code, where checks could find nothing.
CUresult chooseLessChecked(Context &device, const LaunchShape &shape, const uint8_t *packed,
                           device::LaunchRequest &request) {
  LessChecked less =
      lessChecked(*static_cast<Compiled *>(request.kernel->owner)->function, request);
  if (less.all)
    if (CUresult error = chooseCode(*less.all, device, shape, packed, request))
      return error;
  if (!less.rest)
    return CUDA_SUCCESS;
  device::LaunchRequest rest = request;
  if (CUresult error = chooseCode(*less.rest, device, shape, packed, rest))
    return error;
  takeRest(request, *rest.kernel);
  request.restBlocks = less.restBlocks;
  return CUDA_SUCCESS;
}

/// For the blocks that are not counted.
CUresult chooseUncounted(Context &device, const LaunchShape &shape, const uint8_t *packed,
                         device::LaunchRequest &request) {
  Function &function = *static_cast<Compiled *>(request.kernel->owner)->function;
  if (!request.kernel->code->counted || request.cooperative || request.hasClusters)
    return CUDA_SUCCESS;
  device::LaunchRequest rest = request;
  if (CUresult error = chooseCode(uncounted(function), device, shape, packed, rest))
    return error;
  takeRest(request, *rest.kernel);
  return CUDA_SUCCESS;
}

/// Programs that only look at the next synchronisation must see these, too. They are no errors of
/// the arguments.
bool isAboutCode(CUresult error) {
  return error == CUDA_ERROR_INVALID_PTX || error == CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
}

CUresult launchNow(Function &function, const LaunchShape &shape, Stream &stream,
                   const Arguments &args) {
  // Few kernels have more, and stacks may be small.
  alignas(16) uint8_t few[1024];
  std::unique_ptr<uint8_t[]> many;
  if (function.kernel->paramBytes > sizeof(few))
    many.reset(new (std::nothrow) uint8_t[function.kernel->paramBytes + 4]);
  uint8_t *packed = many ? many.get() : few;
  if (function.kernel->paramBytes > sizeof(few) && !many)
    return CUDA_ERROR_OUT_OF_MEMORY;
  device::LaunchRequest request;
  if (CUresult error = packParams(function, args, packed))
    return error;
  if (CUresult error = makeLaunch(function, *stream.device, shape, packed, request, &stream)) {
    if (isAboutCode(error))
      stream.device->unlaunched.store(error, std::memory_order_relaxed);
    return error;
  }
  if (check::checks())
    if (CUresult error = chooseLessChecked(*stream.device, shape, packed, request))
      return error;
  if (profile::counts() && profile::leavesOutBlocks())
    if (CUresult error = chooseUncounted(*stream.device, shape, packed, request))
      return error;
  noteOrigin(request);
  if (isProfiled) [[unlikely]]
    profileLaunch(request, function, *stream.device, shape);
  stream.device->backend->launch(stream.queue, request);
  return state().launchBlocking ? synchronize(stream) : CUDA_SUCCESS;
}

/// The launch as a node. An error of its arguments ends the capture, as on a GPU.
CUresult makeOperation(Function &function, CUfunction handle, const LaunchAttributes &attributes,
                       const LaunchShape &shape, Stream &stream, const Arguments &args,
                       std::unique_ptr<Operation> &operation) {
  if (CUresult error = checkLaunch(function, *stream.device, shape)) {
    breakCapture(stream);
    return errorOfNode(error);
  }
  auto made = std::make_unique<KernelOperation>(handle, shape, *stream.device);
  made->takeAttributes(attributes.all);
  made->packed.resize(function.kernel->paramBytes);
  if (CUresult error = packParams(function, args, made->packed.data()))
    return error;
  operation = std::move(made);
  return CUDA_SUCCESS;
}

CUresult launch(CUfunction handle, const LaunchShape &shape, CUstream where, const Arguments &args,
                const LaunchAttributes &attributes) {
  Stream *stream = streamOf(where);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  Context &device = currentContext();
  if (stream->device != &device)
    return CUDA_ERROR_INVALID_HANDLE;
  Function *function;
  if (CUresult error = findFunction(handle, device, function))
    return error;
  if (function->kernel->paramBytes > MaxParamBytes)
    return CUDA_ERROR_INVALID_VALUE;
  return submit(
      *stream,
      [&](std::unique_ptr<Operation> &operation) {
        return makeOperation(*function, handle, attributes, shape, *stream, args, operation);
      },
      [&] {
        return attributes.isNodeOnly ? CUDA_ERROR_INVALID_VALUE
                                     : launchNow(*function, shape, *stream, args);
      },
      attributes.early);
}

/// How something depends on a kernel that it need not see the end of.
cudaGraphEdgeData earlyEdge(unsigned char port) {
  return {port, 0, cudaGraphDependencyTypeProgrammatic, {}};
}

/// The events that a launch records on its way, which is at its end here: the manual promises no
/// earlier time.
CUresult recordEvents(const LaunchAttributes &attributes, cudaStream_t handle) {
  Stream &stream = *streamOf(handle); // it has been launched in
  if (attributes.trigger)
    if (CUresult error = recordBehindLaunch(stream, attributes.trigger,
                                            earlyEdge(cudaGraphKernelNodePortProgrammatic)))
      return error;
  if (attributes.begun)
    return recordBehindLaunch(stream, attributes.begun, // an H200 captures it by the same port
                              earlyEdge(cudaGraphKernelNodePortProgrammatic));
  return CUDA_SUCCESS;
}

/// An attribute that a GPU takes and that changes nothing here. 16 came with CUDA 13.
bool isHint(CUlaunchAttributeID id) {
  const auto number = static_cast<unsigned>(id);
  return id != CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY &&
         (number <= CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT || number == 16);
}

CUresult readAttributes(const CUlaunchConfig &config, LaunchShape &a,
                        LaunchAttributes &attributes) {
  a.cluster = askedClusters(config);
  attributes.all = {reinterpret_cast<cudaLaunchAttribute *>(config.attrs), config.numAttrs};
  for (const cudaLaunchAttribute &attribute : attributes.all) {
    switch (attribute.id) {
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      attributes.isNodeOnly |= attribute.val.deviceUpdatableKernelNode.deviceUpdatable != 0;
      break;
    case cudaLaunchAttributeCooperative:
      a.cooperative = attribute.val.cooperative != 0;
      break;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
      if (attribute.val.programmaticStreamSerializationAllowed)
        attributes.early = earlyEdge(cudaGraphKernelNodePortProgrammatic);
      break;
    case cudaLaunchAttributeProgrammaticEvent: {
      auto &value = attribute.val.programmaticEvent;
      attributes.trigger = value.event;
      if (CUresult error = value.flags ? CUDA_ERROR_INVALID_VALUE : checkForLaunch(value.event))
        return error;
      break;
    }
    case cudaLaunchAttributeLaunchCompletionEvent: {
      auto &value = attribute.val.launchCompletionEvent;
      attributes.begun = value.event;
      if (CUresult error = value.flags ? CUDA_ERROR_INVALID_VALUE : checkForLaunch(value.event))
        return error;
      break;
    }
    default:
      if (!isHint(static_cast<CUlaunchAttributeID>(attribute.id)))
        return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return CUDA_SUCCESS;
}

} // namespace

/// CUDA's checks. Gives the clusters.
static CUresult check(Function &function, Context &device, const LaunchShape &shape,
                      ClusterShape &clusters) {
  if (CUresult error = checkShape(shape, device.board->properties))
    return error;
  if (CUresult error = checkResources(function, shape, device))
    return error;
  return chooseClusters(function, device, shape.cluster, shape.grid, clusters);
}

/// The grid in blocks, where the kernel has it in clusters.
static LaunchShape inBlocks(const Function &function, LaunchShape shape) {
  if (function.kernel->flags & ImageKernelCountsClusters) {
    const uint32_t *dim = function.kernel->clusterDim;
    shape.grid = dim3(shape.grid.x * dim[0], shape.grid.y * dim[1], shape.grid.z * dim[2]);
  }
  return shape;
}

CUresult checkLaunch(Function &function, Context &device, const LaunchShape &given) {
  ClusterShape clusters;
  return check(function, device, inBlocks(function, given), clusters);
}

CUresult makeLaunch(Function &function, Context &device, const LaunchShape &given, uint8_t *packed,
                    device::LaunchRequest &request, Stream *stream) {
  const LaunchShape shape = inBlocks(function, given);
  ClusterShape clusters;
  if (CUresult error = check(function, device, shape, clusters))
    return error;
  auto globals = globalsOf(function, device);
  if (!globals) {
    reportFailure(("kernel '" + function.displayName + "'").c_str(), globals.error());
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  request.gridDim[0] = shape.grid.x, request.gridDim[1] = shape.grid.y;
  request.gridDim[2] = shape.grid.z;
  request.blockDim[0] = shape.block.x, request.blockDim[1] = shape.block.y;
  request.blockDim[2] = shape.block.z;
  request.params = packed;
  request.paramBytes = function.kernel->paramBytes;
  request.globals = *globals;
  request.dynamicSharedBytes = static_cast<uint32_t>(shape.shared);
  std::ranges::copy(clusters.dim, request.clusterDim);
  request.hasClusters = clusters.isNamed;
  request.cooperative = shape.cooperative;
  if (!isCpu(*device.board))
    request.multiprocessors = uint16_t(device.board->properties.multiProcessorCount);
  noteLaunch(shape.grid, shape.block);
  if (CUresult error = chooseCode(functionToRun(function), device, shape, packed, request, stream))
    return error;
  checkPointers(function, device, packed);
  if (request.kernel->code->flags & KernelMaySpin)
    request.residentBlocks = residentBlocks(function, shape, device);
  return CUDA_SUCCESS;
}

void noteOrigin(device::LaunchRequest &request) {
  if (request.kernel->code->checkedParams)
    request.origin = check::hostStackHere();
  else if (isChecked)
    check::noteLaunchOf(request.kernel->name);
}

int maxThreadsPerBlock(Function &function, Context &device) {
  const ImageKernel &kernel = *function.kernel;
  const cudaDeviceProp &p = device.board->properties;
  int threads = p.maxThreadsPerBlock;
  if (kernel.maxThreads)
    threads = std::min(threads, static_cast<int>(kernel.maxThreads));
  if (int registers = registersOf(kernel, *device.board->architecture)) // whole warps
    threads = std::min(threads, p.regsPerBlock / registers / 32 * 32);
  return threads;
}

int maxDynamicShared(Function &function, Context &device) {
  constexpr size_t Standard = 48 << 10; // more must be asked for with cudaFuncSetAttribute
  size_t standard = std::min(Standard, device.board->properties.sharedMemPerBlock);
  int set = function.settingsOn(device).maxDynamicShared;
  return std::max(set,
                  static_cast<int>(standard) - static_cast<int>(function.kernel->staticShared));
}

CUresult launch(CUfunction function, const LaunchShape &shape, CUstream stream,
                const Arguments &args) {
  return launch(function, shape, stream, args, {});
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                        unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                        CUstream stream, void **params, void **extra) {
  return launch(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes}, stream,
                {params, extra});
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY,
                                   unsigned gridZ, unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned sharedBytes, CUstream stream,
                                   void **params) {
  return launch(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, true},
                stream, {params});
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra) {
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  const CUlaunchConfig &c = *config;
  LaunchShape a = {{c.gridDimX, c.gridDimY, c.gridDimZ},
                   {c.blockDimX, c.blockDimY, c.blockDimZ},
                   c.sharedMemBytes};
  LaunchAttributes attributes;
  if (CUresult error = readAttributes(*config, a, attributes))
    return error;
  if (CUresult error = launch(function, a, config->hStream, {params, extra}, attributes))
    return error;
  return recordEvents(attributes, config->hStream);
}

} // namespace heddle::driver
