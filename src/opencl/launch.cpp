// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clEnqueueNDRangeKernel. A range that is a grid of CUDA is one launch of a kernel's plain form. Any
// other is a launch of a ranged form for each part of it: along a dimension, the whole groups, as
// many as a grid may have, and a last group that is smaller. Of kernels to which groups mean nothing, all groups
// are whole, and the ranged form leaves out what lies outside.
#include "opencl/group_size.h"
#include "opencl/kernel.h"

#include <algorithm>
#include <array>
#include <climits>

using namespace heddle::cl;
using heddle::opencl::ArgumentKind;
using heddle::opencl::Range;

namespace {

/// Groups of one size along a dimension.
struct Run {
  uint64_t firstGroup;
  unsigned groups, size;
};

/// CUDA guide, "Compute Capabilities": the most blocks of a grid along each dimension.
constexpr std::array<uint64_t, 3> MostGroups = {INT_MAX, 65535, 65535};

std::vector<Run> runsOf(unsigned dimension, uint64_t global, uint64_t local, bool isGuarded) {
  std::vector<Run> runs;
  const uint64_t whole = isGuarded ? (global + local - 1) / local : global / local;
  for (uint64_t first = 0; first < whole; first += MostGroups[dimension])
    runs.push_back({first, static_cast<unsigned>(std::min(whole - first, MostGroups[dimension])),
                    static_cast<unsigned>(local)});
  if (global % local && !isGuarded)
    runs.push_back({whole, 1, static_cast<unsigned>(global % local)});
  return runs;
}

/// A command: what it launches with which arguments.
struct Launch {
  std::shared_ptr<Executable> executable;
  Forms forms;
  std::vector<char> bytes;    ///< of all arguments
  std::vector<size_t> places; ///< of each in `bytes`
  std::vector<Ref<_cl_mem>> kept;
  unsigned sharedBytes = 0;
  bool isFree = false;
  Range range = {};

  /// It is a grid of CUDA.
  bool isPlain() const {
    if (!forms.plain)
      return false;
    for (unsigned d = 0; d != 3; ++d)
      if (range.offset[d] || range.size[d] > INT_MAX || range.groups[d] > MostGroups[d] ||
          range.size[d] != range.groups[d] * range.groupSize[d])
        return false;
    return true;
  }

  /// Its numbers, and those of work-items beside it, have 32 bits.
  bool isNarrow() const {
    for (unsigned d = 0; d != 3; ++d)
      if (range.offset[d] + range.size[d] > INT_MAX - MostBeside)
        return false;
    return true;
  }
  static constexpr unsigned MostBeside = 1024;

  /// Along a dimension, for the plain form.
  Run wholeRun(unsigned d) const {
    return {0, static_cast<unsigned>(range.groups[d]), range.groupSize[d]};
  }

  CUresult start(CUstream stream) const {
    std::vector<void *> parameters;
    parameters.reserve(places.size() + 1);
    for (size_t place : places)
      parameters.push_back(const_cast<char *>(bytes.data()) + place);
    if (isPlain())
      return launch(forms.plain, wholeRun(0), wholeRun(1), wholeRun(2), parameters, stream);
    Range part = range;
    parameters.push_back(&part);
    const CUfunction form = isNarrow() ? forms.ranged : forms.wide;
    const bool isGuarded = isFree && isNarrow();
    const auto runs = [&](unsigned d) {
      return runsOf(d, range.size[d], range.groupSize[d], isGuarded);
    };
    for (const Run &z : runs(2))
      for (const Run &y : runs(1))
        for (const Run &x : runs(0)) {
          part.firstGroup[0] = x.firstGroup;
          part.firstGroup[1] = y.firstGroup;
          part.firstGroup[2] = z.firstGroup;
          if (CUresult error = launch(form, x, y, z, parameters, stream))
            return error;
        }
    return CUDA_SUCCESS;
  }

  CUresult launch(CUfunction form, const Run &x, const Run &y, const Run &z,
                  std::vector<void *> &parameters, CUstream stream) const {
    return cu().cuLaunchKernel(form, x.groups, y.groups, z.groups, x.size, y.size, z.size,
                               sharedBytes, stream, parameters.data(), nullptr);
  }
};

cl_int checkArguments(const _cl_kernel &kernel) {
  for (const Slot &slot : kernel.slots)
    if (!slot.isSet)
      return CL_INVALID_KERNEL_ARGS;
  return CL_SUCCESS;
}

cl_int checkShape(const _cl_kernel &kernel, const Forms &forms, cl_device_id device,
                  cl_uint dimensions, const size_t *global, const size_t *local) {
  const auto &required = kernel.facts->requiredShape;
  size_t room = forms.mostThreads; // of a group that is too large, programs expect this code first
  for (cl_uint d = 0; d != dimensions; ++d) {
    if (!local[d] || local[d] > room)
      return CL_INVALID_WORK_GROUP_SIZE;
    room /= local[d];
  }
  for (cl_uint d = 0; d != dimensions; ++d) {
    if (local[d] > device->mostThreads[d])
      return CL_INVALID_WORK_ITEM_SIZE;
    if (required[0] && local[d] != required[d])
      return CL_INVALID_WORK_GROUP_SIZE;
    if (global[d] % local[d] && kernel.facts->isUniform)
      return CL_INVALID_WORK_GROUP_SIZE;
  }
  for (cl_uint d = dimensions; d < 3; ++d)
    if (required[0] && required[d] != 1)
      return CL_INVALID_WORK_GROUP_SIZE;
  return CL_SUCCESS;
}

void takeArguments(Launch &launch, const _cl_kernel &kernel, bool keeps) {
  std::vector<uint32_t> offsets;
  launch.sharedBytes = static_cast<unsigned>(layOutLocals(kernel, &offsets));
  launch.places.reserve(kernel.slots.size());
  launch.bytes.reserve(8 * kernel.slots.size());
  for (size_t i = 0; i != kernel.slots.size(); ++i) {
    const Slot &slot = kernel.slots[i];
    launch.places.push_back(launch.bytes.size());
    if (kernel.facts->arguments[i].kind == ArgumentKind::Local) {
      const auto *offset = reinterpret_cast<const char *>(&offsets[i]);
      launch.bytes.insert(launch.bytes.end(), offset, offset + sizeof(uint32_t));
    } else {
      launch.bytes.insert(launch.bytes.end(), slot.bytes.begin(), slot.bytes.end());
    }
    if (keeps && slot.memory && isValid(slot.memory))
      launch.kept.emplace_back(slot.memory);
  }
}

} // namespace

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *given,
                              cl_uint count, const cl_event *list, cl_event *event) {
  if (!isValid(queue))
    return CL_INVALID_COMMAND_QUEUE;
  if (!isValid(kernel))
    return CL_INVALID_KERNEL;
  if (kernel->program->context.get() != queue->context.get())
    return CL_INVALID_CONTEXT;
  if (dimensions < 1 || dimensions > 3)
    return CL_INVALID_WORK_DIMENSION;
  if (cl_int error = checkWaitList(queue->context.get(), count, list))
    return error;
  if (cl_int error = checkArguments(*kernel))
    return error;
  CUresult error = CUDA_SUCCESS;
  Launch launch;
  launch.forms = kernel->formsOn(queue->device, error, kernel->fixedArguments());
  if (error)
    return CL_INVALID_PROGRAM_EXECUTABLE;
  const bool isEmpty =
      !global || std::any_of(global, global + dimensions, [](size_t size) { return !size; });
  if (isEmpty) // OpenCL 2.1 and later: a command that does nothing
    return enqueue(queue, CL_COMMAND_NDRANGE_KERNEL, {count, list}, event,
                   [](CUstream) { return CUDA_SUCCESS; });
  size_t local[3] = {1, 1, 1};
  if (given)
    std::copy_n(given, dimensions, local);
  else
    chooseGroupSize(*kernel, launch.forms, queue->device, dimensions, global, local);
  if (cl_int wrong = checkShape(*kernel, launch.forms, queue->device, dimensions, global, local))
    return wrong;
  launch.isFree = kernel->facts->isFree;
  if (given && launch.isFree && isSlow(dimensions, global, local))
    chooseGroupSize(*kernel, launch.forms, queue->device, dimensions, global, local);
  launch.range.dimensions = dimensions;
  for (cl_uint d = 0; d != 3; ++d) {
    const bool has = d < dimensions;
    launch.range.offset[d] = has && offset ? offset[d] : 0;
    launch.range.size[d] = has ? global[d] : 1;
    launch.range.groupSize[d] = static_cast<uint32_t>(local[d]);
    launch.range.groups[d] = (launch.range.size[d] + local[d] - 1) / local[d];
    if (launch.range.offset[d] + launch.range.size[d] < launch.range.size[d])
      return CL_INVALID_GLOBAL_OFFSET;
  }
  takeArguments(launch, *kernel, true);
  if (launch.forms.staticShared + launch.sharedBytes > queue->device->mostShared)
    return CL_OUT_OF_RESOURCES;
  launch.executable = kernel->executable;
  return enqueue(queue, CL_COMMAND_NDRANGE_KERNEL, {count, list}, event,
                 [launch = std::move(launch)](CUstream stream) { return launch.start(stream); });
}

cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *list,
                     cl_event *event) {
  const size_t one = 1;
  return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, count, list, event);
}
