// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much to plan. FFTW_ESTIMATE takes a plan by rules of thumb, FFTW_MEASURE tries some out,
// which for a large problem takes seconds. A GPU's plan is made in milliseconds, so small problems
// are measured, for at most MeasureSeconds, and what was learned is kept (wisdom.h): the next
// process gets the measured plan at once. Measuring writes to its arrays, so it gets arrays of its
// own; estimating does not touch them (FFTW manual, "Planner Flags").
//
// Wanted is a plan for new arrays: all with the same strides and alignment. Data that is not
// aligned as FFTW's vector code wants it gets a plan for any data.
#include "fft/transform.h"

#include "fft/fftw.h"
#include "fft/wisdom.h"

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

namespace heddle::fft {

namespace {

constexpr int64_t PointsPerThread = 16384; ///< below that a thread costs more than it brings
constexpr int64_t MaxMeasuredPoints = 1 << 14;
constexpr double MeasureSeconds = 0.2;
constexpr size_t KeptTransforms = 128;

/// The arguments of FFTW's guru interface.
struct Shape {
  fftw_iodim64 dimensions[MaxRank], batch;
  int rank;
};

Shape shapeOf(const Problem &problem, bool inPlace) {
  Layout in = layoutOf(problem, true, inPlace), out = layoutOf(problem, false, inPlace);
  Shape shape{{}, {problem.batch, in.dist, out.dist}, problem.rank};
  int64_t inStride = in.stride, outStride = out.stride;
  for (int i = problem.rank - 1; i >= 0; --i) {
    shape.dimensions[i] = {problem.n[i], inStride, outStride};
    inStride *= in.embed[i];
    outStride *= out.embed[i];
  }
  return shape;
}

int threadCount(const Problem &problem) {
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return int(std::clamp<int64_t>(pointCount(problem) / PointsPerThread, 1, cores));
}

template <typename T> class FftwTransform final : public Transform {
  using F = Fftw<T>;

public:
  FftwTransform(Kind kind, typename F::Plan plan) : kind_(kind), plan_(plan) {}
  ~FftwTransform() override {
    Planning<T> planning;
    F::destroy_plan(plan_);
  }

  void run(void *in, void *out) const override {
    using Complex = typename F::Complex;
    switch (kind_) {
    case Kind::Complex:
      return F::execute_dft(plan_, static_cast<Complex *>(in), static_cast<Complex *>(out));
    case Kind::RealToComplex:
      return F::execute_dft_r2c(plan_, static_cast<T *>(in), static_cast<Complex *>(out));
    case Kind::ComplexToReal:
      return F::execute_dft_c2r(plan_, static_cast<Complex *>(in), static_cast<T *>(out));
    }
  }

private:
  Kind kind_;
  typename F::Plan plan_;
};

/// Asks FFTW for a plan; null if it has none. Arrays are touched as `flags` says.
template <typename T>
typename Fftw<T>::Plan askForPlan(const Problem &problem, const Shape &shape, bool forward,
                                  void *in, void *out, unsigned flags) {
  using F = Fftw<T>;
  using Complex = typename F::Complex;
  switch (problem.kind) {
  case Kind::Complex:
    return F::plan_guru64_dft(shape.rank, shape.dimensions, 1, &shape.batch,
                              static_cast<Complex *>(in), static_cast<Complex *>(out),
                              forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
  case Kind::RealToComplex:
    return F::plan_guru64_dft_r2c(shape.rank, shape.dimensions, 1, &shape.batch,
                                  static_cast<T *>(in), static_cast<Complex *>(out), flags);
  case Kind::ComplexToReal:
    return F::plan_guru64_dft_c2r(shape.rank, shape.dimensions, 1, &shape.batch,
                                  static_cast<Complex *>(in), static_cast<T *>(out), flags);
  }
  return nullptr;
}

/// Memory of FFTW's, for a plan to measure on.
template <typename T> struct Arrays {
  Arrays(const Problem &problem, bool inPlace) {
    size_t inBytes = size_t(extent(problem, true, inPlace)) * elementBytes(problem, true);
    size_t outBytes = size_t(extent(problem, false, inPlace)) * elementBytes(problem, false);
    in = Fftw<T>::malloc(inPlace ? std::max(inBytes, outBytes) : inBytes);
    out = inPlace ? in : Fftw<T>::malloc(outBytes);
    if (in)
      std::fill_n(static_cast<char *>(in), inBytes, 0);
  }
  ~Arrays() {
    Fftw<T>::free(in);
    if (out != in)
      Fftw<T>::free(out);
  }
  void *in, *out;
};

/// A measured plan: one that is known, or else one that is measured now.
template <typename T>
typename Fftw<T>::Plan measuredPlan(const Problem &problem, const Shape &shape, Variant variant,
                                    unsigned flags) {
  using F = Fftw<T>;
  Arrays<T> arrays(problem, variant.inPlace);
  if (!arrays.in || !arrays.out)
    return nullptr;
  auto ask = [&](unsigned more) {
    return askForPlan<T>(problem, shape, variant.forward, arrays.in, arrays.out, flags | more);
  };
  if (typename F::Plan known = ask(FFTW_WISDOM_ONLY))
    return known;
  F::set_timelimit(MeasureSeconds);
  typename F::Plan plan = ask(FFTW_MEASURE);
  F::set_timelimit(FFTW_NO_TIMELIMIT);
  if (plan)
    keepWisdom<T>();
  return plan;
}

/// Estimating needs addresses, not arrays: FFTW looks at their alignment and whether they are the
/// same.
template <typename T>
typename Fftw<T>::Plan estimatedPlan(const Problem &problem, const Shape &shape, Variant variant,
                                     unsigned flags) {
  alignas(64) static char in[64], out[64];
  return askForPlan<T>(problem, shape, variant.forward, in, variant.inPlace ? in : out,
                       flags | FFTW_ESTIMATE);
}

template <typename T>
std::shared_ptr<Transform> makeVariant(const Problem &problem, Variant variant, unsigned flags) {
  using F = Fftw<T>;
  Shape shape = shapeOf(problem, variant.inPlace);
  if (!variant.aligned)
    flags |= FFTW_UNALIGNED;
  int before = F::planner_nthreads();
  F::plan_with_nthreads(threadCount(problem));
  typename F::Plan plan = pointCount(problem) <= MaxMeasuredPoints
                              ? measuredPlan<T>(problem, shape, variant, flags)
                              : estimatedPlan<T>(problem, shape, variant, flags);
  F::plan_with_nthreads(before);
  return plan ? std::make_shared<FftwTransform<T>>(problem.kind, plan) : nullptr;
}

/// In place if FFTW can; out of place with the input kept if it can; else from a copy of the input.
template <typename T>
std::shared_ptr<Transform> makeTransform(const Problem &problem, Variant variant) {
  Planning<T> planning;
  if (!planning.ready)
    return nullptr;
  bool fftwKeepsInput = problem.kind != Kind::ComplexToReal || problem.rank == 1;
  if (variant.inPlace || fftwKeepsInput)
    if (auto found = makeVariant<T>(problem, variant, variant.inPlace ? 0 : FFTW_PRESERVE_INPUT))
      return found;
  Problem copied = problem;
  copied.in = layoutOf(problem, true, variant.inPlace);
  copied.out = layoutOf(problem, false, variant.inPlace);
  copied.advanced = true;
  variant.inPlace = false;
  auto found = makeVariant<T>(copied, variant, FFTW_DESTROY_INPUT);
  if (found)
    found->wantsCopy = true;
  return found;
}

std::vector<int64_t> keyOf(const Problem &problem, Variant variant) {
  Layout in = layoutOf(problem, true, variant.inPlace);
  Layout out = layoutOf(problem, false, variant.inPlace);
  std::vector<int64_t> key{int64_t(problem.kind), problem.number == Number::Double,
                           problem.rank,          problem.batch,
                           variant.inPlace,       variant.forward,
                           variant.aligned};
  for (const Layout *layout : {&in, &out})
    key.insert(key.end(), {layout->stride, layout->dist});
  for (int i = 0; i < problem.rank; ++i)
    key.insert(key.end(), {problem.n[i], in.embed[i], out.embed[i]});
  return key;
}

/// The transforms of the process, the oldest forgotten first.
struct Kept {
  struct Entry {
    std::shared_ptr<const Transform> transform;
    uint64_t lastUse;
  };

  void forgetOldest() {
    auto older = [](const auto &a, const auto &b) { return a.second.lastUse < b.second.lastUse; };
    entries.erase(std::min_element(entries.begin(), entries.end(), older));
  }

  std::mutex mutex;
  std::map<std::vector<int64_t>, Entry> entries;
  uint64_t uses = 0;
};

} // namespace

std::shared_ptr<const Transform> findTransform(const Problem &problem, Variant variant) {
  static Kept &kept = *new Kept; // work may still run while the process ends
  if (problem.kind != Kind::Complex)
    variant.forward = problem.kind == Kind::RealToComplex;
  std::vector<int64_t> key = keyOf(problem, variant);
  std::lock_guard lock(kept.mutex);
  auto found = kept.entries.find(key);
  if (found == kept.entries.end()) {
    Problem calculated = problem;
    if (problem.number != Number::Double)
      calculated.number = Number::Float;
    std::shared_ptr<const Transform> made = problem.number == Number::Double
                                                ? makeTransform<double>(calculated, variant)
                                                : makeTransform<float>(calculated, variant);
    if (!made)
      return nullptr;
    if (kept.entries.size() >= KeptTransforms)
      kept.forgetOldest();
    found = kept.entries.emplace(std::move(key), Kept::Entry{std::move(made), 0}).first;
  }
  found->second.lastUse = ++kept.uses;
  return found->second.transform;
}

bool isAvailable(Number number) {
  return number == Number::Double ? Planning<double>().ready : Planning<float>().ready;
}

bool isAligned(Number number, const void *data) {
  void *address = const_cast<void *>(data);
  return number == Number::Double ? Fftw<double>::alignment_of(static_cast<double *>(address)) == 0
                                  : Fftw<float>::alignment_of(static_cast<float *>(address)) == 0;
}

} // namespace heddle::fft
