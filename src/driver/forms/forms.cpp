// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a kernel has used several times as much time as the compilation of another form takes
// (form_budget.h), that form is compiled, in another process (form_process.h), and the workers
// measure it (KernelForms). Then comes the next one: first the neighbours of the best one so far on
// the ladder of widths, so that the search climbs, then single threads and plain warps, which are
// the other extremes of what a kernel can be, then the rest.
//
// What is best depends on how large a launch is. So each size class (the magnitudes of the grid and
// of the integer parameters) has a best form of its own; the forms are compiled once for all.
//
// What was found is kept in the cache, in a text of a few lines, before a compilation, after each
// trial and when the program ends: a process goes on where the last one ended. `heddle devices
// --kernels` prints these texts.
//
// Nothing is measured of kernels in which blocks wait for other blocks, or print, in programs that
// run under a debugger, where HEDDLE_WIDTH says what the width is, and with HEDDLE_TUNE=off, under
// which a program runs the same code each time.
#include "driver/forms/forms.h"

#include "base/cache/form_record.h"
#include "base/cache/object_cache.h"
#include "device/kernel_forms.h"
#include "driver/forms/form_budget.h"
#include "driver/forms/form_process.h"
#include "driver/forms/form_thread.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

namespace heddle::driver {

using device::KernelForms;
using device::KernelInfo;

namespace {

using Time = KernelForms::Time; // 1/16 ns

constexpr auto &Widths = FormWidths;
constexpr uint32_t CudaWarp = 32;
constexpr unsigned MostSizeClasses = 8; ///< of a kernel; what is left over shares the first one
constexpr Time Millisecond = 16'000'000;
constexpr Time UsedPerTrial = 5 * Millisecond;
constexpr Time UsedPerNote = 20 * Millisecond; ///< before the end of a process is worth a note

/// Two codes of a kernel that agree in this are taken to be the same form.
auto shapeOf(const KernelCode &code) {
  return std::tuple(code.width, std::max(code.neighbours, 1u), std::max(code.together, 1u),
                    code.abreast);
}

} // namespace

class TunedKernel final : public KernelForms::Owner {
public:
  explicit TunedKernel(Compiled &first);

  KernelForms &formsFor(const device::LaunchRequest &);
  void wantForm(KernelForms &) override;
  void decided(KernelForms &) override;

  struct SizeClass {
    SizeClass(TunedKernel &kernel, uint64_t key) : key(key), forms(kernel, kernel.first_.info) {}
    uint64_t key;
    KernelForms forms;
    uint32_t tried = 0;                 ///< a bit for each of Widths
    const KernelInfo *before = nullptr; ///< the best form before the trial that runs, if one does
    uint32_t trial = 0;                 ///< its bit in `tried`
    double advantage = 1;               ///< of the best form over the compiler's
    SizeClass *next = nullptr;
  };

  /// Goes on with a size class: the next form, or the end. On the thread for it.
  void advance(SizeClass &);
  /// When the program ends: what it has used counts in the next process.
  void end();

  TunedKernel *next = nullptr; ///< of the process's

private:
  struct Form {
    enum { Unknown, Compiling, Known } state = Unknown;
    std::unique_ptr<const Compiled> compiled; ///< Known and null: no other form that may take turns
    std::optional<Time> took; ///< to compile, if that has not failed; 0: it was in the cache
  };
  uint64_t keyFor(const device::LaunchRequest &) const;
  SizeClass &add(uint64_t key);
  int nextFor(const SizeClass &) const;
  const Compiled *formOf(std::unique_lock<std::mutex> &, size_t index);
  const Compiled *formFor(std::unique_lock<std::mutex> &, size_t index);
  std::unique_ptr<const Compiled> compile(size_t index) const;
  uint32_t widthOf(const KernelInfo &) const;
  Time used() const;
  bool isWorth(SizeClass &, size_t index) const;
  void note(SizeClass &);
  void load();
  void store();

  Compiled &first_;
  std::atomic<SizeClass *> classes_{nullptr};
  std::mutex mutex_; ///< guards what follows, and what SizeClass does not guard itself
  std::array<Form, Widths.size()> forms_;
  FormBudget budget_;
  std::vector<FormRecord::Size> known_; ///< from the cache
};

namespace {

Tuning tuningFromEnvironment() {
  const char *text = getenv("HEDDLE_TUNE");
  std::string_view value = text ? text : "";
  if (value == "off")
    return Tuning::Off;
  if (value == "full")
    return Tuning::Full;
  if (!value.empty() && value != "on")
    reportFailure("HEDDLE_TUNE", "'" + std::string(value) + "' is not off, on or full");
  return device::isDebuggerAttached() ? Tuning::Off : Tuning::On;
}

/// Numbers that differ by less than about four times are of one magnitude.
uint64_t magnitude(uint64_t number) { return static_cast<uint64_t>(std::bit_width(number)) / 2; }

} // namespace

Tuning tuning() {
  static const Tuning value = tuningFromEnvironment();
  return value;
}

/// All of them, the latest first.
static std::atomic<TunedKernel *> tunedKernels{nullptr};

static void endAll() {
  if (device::isForkedCopy())
    return;
  for (TunedKernel *kernel = tunedKernels.load(std::memory_order_acquire); kernel;
       kernel = kernel->next)
    kernel->end();
}

TunedKernel *tune(Compiled &compiled) {
  const KernelCode &code = *compiled.info.code;
  if (tuning() == Tuning::Off || !device::mayTakeTurns(code, code))
    return nullptr;
  static const int endsWithProgram = atexit(endAll);
  (void)endsWithProgram;
  auto *kernel = new TunedKernel(compiled);
  kernel->next = tunedKernels.load(std::memory_order_relaxed);
  while (!tunedKernels.compare_exchange_weak(kernel->next, kernel, std::memory_order_release))
    ;
  return kernel;
}

void chooseForm(Compiled &compiled, device::LaunchRequest &request) {
  KernelForms &forms = compiled.tuned->formsFor(request);
  request.forms = &forms;
  const KernelInfo &best = forms.best();
  if (device::isAligned(*best.code, static_cast<const uint8_t *>(request.params)))
    request.kernel = &best;
}

TunedKernel::TunedKernel(Compiled &first) : first_(first), budget_(first) { load(); }

/// The magnitudes of the grid's sides and of what may be integers among the parameters.
uint64_t TunedKernel::keyFor(const device::LaunchRequest &request) const {
  uint64_t key = 0;
  auto add = [&](uint64_t number) { key = key * 37 + magnitude(number) + 1; };
  for (uint32_t side : request.gridDim)
    add(side);
  const Function &function = *first_.function;
  const auto *packed = static_cast<const uint8_t *>(request.params);
  for (const ImageParam &param : function.image.params(*function.kernel)) {
    if (param.isPointer || (param.size != 4 && param.size != 8))
      continue;
    int64_t number = 0;
    int32_t word;
    if (param.size == 8) {
      std::memcpy(&number, packed + param.offset, sizeof(number));
    } else {
      std::memcpy(&word, packed + param.offset, sizeof(word));
      number = word;
    }
    add(static_cast<uint64_t>(number < 0 ? ~number : number));
  }
  return key;
}

KernelForms &TunedKernel::formsFor(const device::LaunchRequest &request) {
  uint64_t key = keyFor(request);
  for (SizeClass *sizes = classes_.load(std::memory_order_acquire); sizes; sizes = sizes->next)
    if (sizes->key == key)
      return sizes->forms;
  return add(key).forms;
}

TunedKernel::SizeClass &TunedKernel::add(uint64_t key) {
  std::unique_lock lock(mutex_);
  unsigned count = 0;
  for (SizeClass *sizes = classes_.load(std::memory_order_relaxed); sizes; sizes = sizes->next)
    if (sizes->key == key || (++count == MostSizeClasses && !sizes->next))
      return *sizes;
  auto *sizes = new SizeClass(*this, key);
  auto known = std::ranges::find(known_, key, &FormRecord::Size::key);
  if (known != known_.end()) {
    sizes->tried = known->tried;
    sizes->advantage = known->advantage;
    auto width = std::ranges::find(Widths, known->width);
    if (width != Widths.end())
      if (const Compiled *form = formOf(lock, size_t(width - Widths.begin())))
        sizes->forms.take(form->info);
  }
  if (tuning() == Tuning::Full)
    for (size_t i = 0; i < Widths.size(); ++i)
      formOf(lock, i);
  sizes->next = classes_.load(std::memory_order_relaxed);
  classes_.store(sizes, std::memory_order_release);
  lock.unlock();
  if (tuning() == Tuning::Full)
    advance(*sizes); // so that the first launch is in a trial already
  else
    sizes->forms.askAfter(UsedPerTrial);
  return *sizes;
}

void TunedKernel::wantForm(KernelForms &forms) {
  for (SizeClass *sizes = classes_.load(std::memory_order_acquire); sizes; sizes = sizes->next)
    if (&sizes->forms == &forms)
      return doInBackground([this, sizes] { advance(*sizes); });
}

void TunedKernel::decided(KernelForms &forms) { wantForm(forms); }

/// By the ladder; the compiler's form counts as the step that is nearest to it.
uint32_t TunedKernel::widthOf(const KernelInfo &info) const {
  for (unsigned i = 0; i < Widths.size(); ++i)
    if (forms_[i].compiled && &forms_[i].compiled->info == &info)
      return Widths[i];
  return 0;
}

/// The index of the next width to try; -1: there is none.
int TunedKernel::nextFor(const SizeClass &sizes) const {
  uint32_t width = widthOf(sizes.forms.best());
  if (!width)
    width = first_.info.code->width;
  auto at = static_cast<int>(std::ranges::lower_bound(Widths, width) - Widths.begin());
  const auto &block = first_.blockDim;
  uint32_t widest = std::max(CudaWarp, std::bit_ceil(block[0] * block[1] * block[2]));
  auto isCheap = [&](size_t index) {
    const Form &form = forms_[index];
    return form.state == Form::Known ? form.compiled != nullptr
                                     : tuning() == Tuning::Full || budget_.isCheap(Widths[index]);
  };
  auto mayTry = [&](int index) {
    return index >= 0 && index < int(Widths.size()) && !(sizes.tried >> index & 1) &&
           Widths[size_t(index)] <= widest && isCheap(size_t(index));
  };
  for (int index : {at + 1, at - 1, 0, 3, at + 2, at - 2, at, 1, 2, 4, 5})
    if (mayTry(index))
      return index;
  return -1;
}

Time TunedKernel::used() const {
  Time used = 0;
  for (SizeClass *sizes = classes_.load(std::memory_order_acquire); sizes; sizes = sizes->next)
    used += sizes->forms.used();
  return used;
}

/// Null where it cannot be had, or may not take turns with the compiler's.
std::unique_ptr<const Compiled> TunedKernel::compile(size_t index) const {
  if (first_.info.code->flags & KernelCountsOnWarps && Widths[index] < CudaWarp)
    return nullptr;
  auto compiled = compileLike(first_, Widths[index]);
  bool isUsable = compiled && device::mayTakeTurns(*first_.info.code, *(*compiled)->info.code);
  return isUsable ? std::move(*compiled) : nullptr;
}

/// Compiles it, if need be, without the lock. Null where it is no other form than those that there
/// are, or is being compiled.
const Compiled *TunedKernel::formOf(std::unique_lock<std::mutex> &lock, size_t index) {
  Form &form = forms_[index];
  if (form.state != Form::Unknown)
    return form.compiled.get();
  form.state = Form::Compiling;
  lock.unlock();
  auto compiled = compile(index);
  lock.lock();
  if (compiled)
    form.took = compiled->compilation * 16;
  form.state = Form::Known;
  auto isSame = [&](const Compiled *other) {
    return other && shapeOf(*other->info.code) == shapeOf(*compiled->info.code);
  };
  bool isOther =
      compiled && !isSame(&first_) &&
      std::ranges::none_of(forms_, isSame, [](const Form &f) { return f.compiled.get(); });
  if (isOther)
    form.compiled = std::move(compiled);
  return form.compiled.get();
}

/// For a trial: counted in the budget, and noted before in case that the program ends meanwhile.
const Compiled *TunedKernel::formFor(std::unique_lock<std::mutex> &lock, size_t index) {
  if (forms_[index].state != Form::Unknown || tuning() == Tuning::Full)
    return formOf(lock, index);
  budget_.begin(Widths[index]);
  store();
  const Compiled *form = formOf(lock, index);
  if (isCompilingStopped())
    budget_.lose();
  else if (std::optional<Time> took = forms_[index].took)
    budget_.end(Widths[index], *took);
  return form;
}

/// The last trial is over.
void TunedKernel::note(SizeClass &sizes) {
  const KernelInfo *before = std::exchange(sizes.before, nullptr);
  if (!before)
    return;
  sizes.trial = 0;
  if (before != &sizes.forms.best())
    sizes.advantage *= sizes.forms.advantage();
  store();
}

/// Whether another form is worth its compilation; if not yet, the size class asks again.
bool TunedKernel::isWorth(SizeClass &sizes, size_t index) const {
  if (forms_[index].state == Form::Known || tuning() == Tuning::Full)
    return true;
  Time missing = budget_.missing(Widths[index], used());
  if (missing)
    sizes.forms.askAfter(missing);
  return missing == 0;
}

void TunedKernel::advance(SizeClass &sizes) {
  std::unique_lock lock(mutex_);
  note(sizes);
  for (int next; (next = nextFor(sizes)) >= 0;) {
    auto index = static_cast<size_t>(next);
    if (!isWorth(sizes, index))
      return;
    const Compiled *form = formFor(lock, index);
    if (isCompilingStopped())
      return;
    sizes.tried |= 1u << index;
    if (form) {
      sizes.before = &sizes.forms.best();
      sizes.trial = 1u << index;
      return sizes.forms.offer(form->info);
    }
  }
}

void TunedKernel::store() {
  if (objectCache().config().directory.empty() || objectCache().isRefused())
    return;
  FormRecord record = {.kernel = first_.info.name, .blockDim = first_.blockDim, .sizes = {}};
  budget_.store(record, used());
  for (SizeClass *sizes = classes_.load(std::memory_order_acquire); sizes; sizes = sizes->next) {
    std::erase_if(known_, [&](const FormRecord::Size &known) { return known.key == sizes->key; });
    record.sizes.push_back(
        {sizes->key, widthOf(sizes->forms.best()), sizes->tried & ~sizes->trial, sizes->advantage});
  }
  record.sizes.insert(record.sizes.end(), known_.begin(), known_.end());
  std::string text = record.text();
  objectCache().keep(formsKey(first_),
                     {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

void TunedKernel::load() {
  if (auto path = objectCache().lookup(formsKey(first_)))
    if (auto record = FormRecord::read(*path)) {
      known_ = record->sizes;
      budget_.load(*record);
    }
}

void TunedKernel::end() {
  std::lock_guard lock(mutex_);
  bool hasMore = false;
  for (SizeClass *sizes = classes_.load(std::memory_order_acquire); sizes; sizes = sizes->next)
    hasMore |= nextFor(*sizes) >= 0;
  if (hasMore && used() >= UsedPerNote)
    store();
}

} // namespace heddle::driver
