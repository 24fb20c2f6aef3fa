// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transform in a stream. The call decides which of FFTW's plans fits the two addresses; the work
// that goes into the stream holds it, so a plan may be destroyed while its work waits.
//
// FFTW reads and writes the program's memory. Where it would overwrite an input that cuFFT keeps it
// gets a copy, in the plan's work area if that is what it is for. Half and bfloat16 are widened to
// float around it, layout and all: what lies between the elements of the output is written back as
// it was.
#include "fft/plan.h"

#include "support/checked_memory.h"
#include "support/stream_work.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdlib>
#include <cstring>
#include <vector>

using namespace heddle::fft;

namespace {

struct Job {
  std::shared_ptr<const Transform> transform;
  Number number;
  void *in, *out;
  void *workArea = nullptr;         ///< for a copy of the input
  size_t inBytes = 0, outBytes = 0; ///< of a side's memory
};

/// Runs FFTW from a copy of the input.
void runOnCopy(const Job &job, const void *in, void *out, size_t bytes, void *copy) {
  constexpr size_t Alignment = 64;
  void *memory =
      copy ? nullptr
           : std::aligned_alloc(Alignment, (bytes + Alignment - 1) / Alignment * Alignment);
  if (!copy)
    copy = memory;
  std::memcpy(copy, in, bytes);
  job.transform->run(copy, out);
  std::free(memory);
}

void runOn(const Job &job, void *in, void *out, size_t inBytes, void *workArea) {
  if (job.transform->wantsCopy)
    runOnCopy(job, in, out, inBytes, workArea);
  else
    job.transform->run(in, out);
}

template <typename Small> void runWidened(const Job &job) {
  const Small *in = static_cast<const Small *>(job.in);
  Small *out = static_cast<Small *>(job.out);
  size_t inNumbers = job.inBytes / sizeof(Small), outNumbers = job.outBytes / sizeof(Small);
  std::vector<float> wideIn(in, in + inNumbers), wideOut;
  float *to = wideIn.data();
  if (job.in != job.out) {
    wideOut.assign(out, out + outNumbers);
    to = wideOut.data();
  } else if (outNumbers > inNumbers) {
    wideIn.insert(wideIn.end(), out + inNumbers, out + outNumbers);
    to = wideIn.data();
  }
  runOn(job, wideIn.data(), to, inNumbers * sizeof(float), nullptr);
  for (size_t i = 0; i < outNumbers; ++i)
    out[i] = Small(to[i]);
}

void run(const Job &job) {
  switch (job.number) {
  case Number::Half:
    return runWidened<__half>(job);
  case Number::BFloat16:
    return runWidened<__nv_bfloat16>(job);
  case Number::Float:
  case Number::Double:
    return runOn(job, job.in, job.out, job.inBytes, job.workArea);
  }
}

/// The plan's transform for these addresses; made at its first use.
std::shared_ptr<const Transform> transformFor(Plan &plan, void *in, void *out, bool forward) {
  Number number = plan.problem.number;
  bool aligned = number != Number::Half && number != Number::BFloat16 && isAligned(number, in) &&
                 isAligned(number, out) && isAligned(number, plan.workArea);
  auto &transform = plan.transforms[in == out][forward][aligned];
  if (!transform)
    transform = findTransform(plan.problem, {in == out, forward, aligned});
  return transform;
}

bool mayAccess(const void *side, size_t bytes) {
  return heddle::library::mayAccess({{side, int64_t(bytes), int64_t(bytes), 1}});
}

bool isUsable(const void *side) {
  return side && mayAccess(side, 1) && heddle::library::isUsable(side);
}

/// What the work tells that it accesses: not of layouts that may have gaps.
std::vector<heddle::library::MemoryRows> memoryOf(const Problem &problem, const Job &job) {
  if (problem.advanced)
    return {};
  auto in = int64_t(job.inBytes), out = int64_t(job.outBytes);
  return heddle::library::toTell(
      {{job.in, in, in, 1}, heddle::library::written({job.out, out, out, 1})});
}

/// The transform itself, in the stream.
cufftResult transform(Plan &plan, void *in, void *out, bool forward) {
  const Problem &problem = plan.problem;
  bool inPlace = in == out;
  Job job{transformFor(plan, in, out, forward), problem.number, in, out};
  if (!job.transform)
    return CUFFT_INTERNAL_ERROR;
  bool useWorkArea = workBytes(problem) != 0 && !inPlace;
  job.workArea = useWorkArea ? plan.workArea : nullptr;
  job.inBytes = size_t(extent(problem, true, inPlace)) * elementBytes(problem, true);
  job.outBytes = size_t(extent(problem, false, inPlace)) * elementBytes(problem, false);
  if (!mayAccess(in, job.inBytes) || !mayAccess(out, job.outBytes))
    return CUFFT_EXEC_FAILED;
  return resultOf(
      heddle::library::enqueue(plan.stream, [job] { run(job); }, memoryOf(problem, job)));
}

/// The transform between the program's functions. In place the plan's memory stands for both sides.
cufftResult transformWithCallbacks(Plan &plan, void *in, void *out, bool forward) {
  const Callbacks &c = plan.callbacks;
  bool inPlace = in == out;
  bool loads = inPlace || c.load.routine, stores = inPlace || c.store.routine;
  void *from = loads ? c.rooms[0] : in, *to = stores ? c.rooms[!inPlace] : out;
  if (loads)
    if (cudaError_t error = c.pass({plan.problem, true, inPlace, c.load, in, from}, plan.stream);
        error != cudaSuccess)
      return resultOf(error);
  cufftResult result = transform(plan, from, to, forward);
  if (result != CUFFT_SUCCESS || !stores)
    return result;
  return resultOf(c.pass({plan.problem, false, inPlace, c.store, out, to}, plan.stream));
}

cufftResult execute(Plan &plan, void *in, void *out, int direction) {
  if ((direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) || !isUsable(in) || !isUsable(out))
    return CUFFT_INVALID_VALUE;
  if (workBytes(plan.problem) != 0 && !plan.workArea)
    return CUFFT_NO_WORKSPACE;
  auto by = plan.callbacks.any() ? transformWithCallbacks : transform;
  return by(plan, in, out, direction == CUFFT_FORWARD);
}

/// A plan of this kind and number, executed.
cufftResult executeAs(cufftHandle handle, Kind kind, Number number, void *in, void *out,
                      int direction) {
  std::shared_ptr<Plan> plan = findPlan(handle);
  if (!plan)
    return CUFFT_INVALID_PLAN;
  std::lock_guard lock(plan->mutex);
  if (!plan->made || !plan->devices.empty() || plan->problem.kind != kind ||
      plan->problem.number != number)
    return CUFFT_INVALID_PLAN;
  return execute(*plan, in, out, direction);
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata,
                         int direction) {
  return executeAs(plan, Kind::Complex, Number::Float, idata, odata, direction);
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata) {
  return executeAs(plan, Kind::RealToComplex, Number::Float, idata, odata, CUFFT_FORWARD);
}

cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata) {
  return executeAs(plan, Kind::ComplexToReal, Number::Float, idata, odata, CUFFT_INVERSE);
}

cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata,
                         int direction) {
  return executeAs(plan, Kind::Complex, Number::Double, idata, odata, direction);
}

cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata) {
  return executeAs(plan, Kind::RealToComplex, Number::Double, idata, odata, CUFFT_FORWARD);
}

cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata) {
  return executeAs(plan, Kind::ComplexToReal, Number::Double, idata, odata, CUFFT_INVERSE);
}

cufftResult cufftXtExec(cufftHandle handle, void *input, void *output, int direction) {
  std::shared_ptr<Plan> plan = findPlan(handle);
  if (!plan)
    return CUFFT_INVALID_PLAN;
  std::lock_guard lock(plan->mutex);
  if (!plan->made || !plan->devices.empty())
    return CUFFT_INVALID_PLAN;
  if (plan->problem.kind != Kind::Complex) // the type says the direction
    direction = plan->problem.kind == Kind::RealToComplex ? CUFFT_FORWARD : CUFFT_INVERSE;
  return execute(*plan, input, output, direction);
}

#pragma GCC visibility pop
}
