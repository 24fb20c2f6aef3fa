// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of variables with the attributes device, managed, unified and pinned. Flang's runtime
// allocates arrays through a registry of allocators, whose number stands in the array's descriptor;
// ours are registered before main.
#include "fortran/entry.h"
#include "fortran/on_gpu.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include <dlfcn.h>

namespace Fortran::runtime {

// As libflang_rt has them (flang-rt/runtime/allocator-registry.h).
struct Allocator_t {
  void *(*alloc)(size_t bytes, int64_t *stream);
  void (*free)(void *);
};
struct AllocatorRegistry {
  void Register(int position, Allocator_t);
};
extern AllocatorRegistry allocatorRegistry;

} // namespace Fortran::runtime

// libcudart.so.12 (src/runtime/fortran.cpp).
extern "C" void heddle_unify_memory();
// libcublas (lib/blas/interfaces/legacy.cpp), if the program has it.
extern "C" void heddle_make_cublas_handle() __attribute__((weak));

namespace heddle::fortran {

namespace {

// Positions in the registry (flang/Runtime/allocator-registry-consts.h).
enum Position { Pinned = 1, Device = 2, Managed = 3, Unified = 4 };

// The kinds of memory that compiled code names (flang/Support/Fortran-consts.h).
enum Kind : unsigned { DeviceKind, ManagedKind, UnifiedKind, PinnedKind };
constexpr Position PositionOf[] = {Device, Managed, Unified, Pinned};

/// Of this thread's last allocation.
thread_local cudaError_t allocationError = cudaSuccess;

void *orNull(cudaError_t error, void *memory) {
  allocationError = error;
  if (error == cudaSuccess)
    return memory;
  cudaGetLastError(); // the program sees allocate's status
  return nullptr;
}

/// -gpu=zeroinit.
void *zeroed(void *memory, size_t bytes, cudaStream_t stream) {
  if (memory && &heddleFortranZeroes)
    check(cudaMemsetAsync(memory, 0, bytes, stream), "memory that is zero", {"allocate", 0});
  return memory;
}

void *allocateDevice(size_t bytes, int64_t *stream) {
  void *memory = nullptr;
  bytes += bytes == 0;
  cudaError_t error = isTouchedByHost() ? allocateTouched(&memory, bytes)
                      : stream          ? cudaMallocAsync(&memory, bytes, streamOf(stream))
                                        : cudaMalloc(&memory, bytes);
  return zeroed(orNull(error, memory), bytes, stream ? streamOf(stream) : nullptr);
}

struct Block {
  size_t bytes;
  bool isManaged; ///< or the host's
};

/// Blocks of managed memory and of what stands for it. They live as long as the process: what runs
/// at its end frees memory, too.
struct Blocks {
  std::mutex mutex;
  std::unordered_map<void *, Block> blocks;

  void add(void *memory, Block block) {
    std::lock_guard lock(mutex);
    blocks[memory] = block;
  }
};

Blocks &managedBlocks() {
  static auto *blocks = new Blocks;
  return *blocks;
}

void *allocateManagedIn(size_t bytes, int64_t *) {
  return zeroed(allocateManaged(bytes), bytes, nullptr);
}
void *allocateForBothIn(size_t bytes, int64_t *) {
  return zeroed(allocateForBoth(bytes), bytes, nullptr);
}
void releaseManaged(void *memory) { freeManaged(memory); }

void *allocatePinned(size_t bytes, int64_t *) {
  void *memory = nullptr;
  cudaError_t error = cudaMallocHost(&memory, bytes + (bytes == 0));
  return orNull(error, memory);
}

void freeDevice(void *memory) {
  forgetStream(memory);
  cudaFree(memory);
}
void freePinned(void *memory) { cudaFreeHost(memory); }

/// By position; that of host memory is Flang's own.
constexpr Fortran::runtime::Allocator_t Allocators[] = {{nullptr, std::free},
                                                        {allocatePinned, freePinned},
                                                        {allocateDevice, freeDevice},
                                                        {allocateManagedIn, releaseManaged},
                                                        {allocateForBothIn, releaseManaged}};

int positionOf(const Descriptor &array) {
  constexpr int Positions = 7;
  return array.extra >> 1 & Positions;
}

/// Runs `allocateWith(whether a failure is a status)`. A failure that the program does not ask for
/// ends it, with CUDA's error if that is why; anything else Flang's runtime says itself.
template <typename F> int allocate(bool hasStat, Place place, F allocateWith) {
  allocationError = cudaSuccess;
  int status = allocateWith(true);
  if (status == 0 || hasStat)
    return status;
  check(allocationError, "memory of an array", place);
  return allocateWith(false);
}

/// After an allocation: the flag of PINNED=, and what kernels see of a module's variable.
int finish(int status, bool *isPinned, const Descriptor *global, Place place) {
  if (isPinned)
    *isPinned = status == 0;
  if (status == 0 && global)
    syncDescriptor(global, place);
  return status;
}

/// With SOURCE=, which Flang's runtime copies as memory of the process. Kernels see the result if it is
/// the variable `global`.
int allocateFrom(Descriptor &array, const Descriptor &source, bool *isPinned, bool hasStat,
                 const Descriptor *message, const Descriptor *global, Place place) {
  const bool isPointer = array.attribute == CFI_attribute_pointer;
  check(cudaDeviceSynchronize(), "work before an allocation with SOURCE=", place);
  int status = allocate(hasStat, place, [&](bool asStatus) {
    auto withSource =
        isPointer ? _FortranAPointerAllocateSource : _FortranAAllocatableAllocateSource;
    if (!isOnGpu())
      return withSource(array, source, asStatus, message, place.file, place.line);
    int failure = isPointer ? _FortranAPointerAllocate(array, asStatus, message, place.file,
                                                       place.line, copyAnywhere)
                            : _FortranAAllocatableAllocate(array, nullptr, asStatus, message,
                                                           place.file, place.line, copyAnywhere);
    if (failure == 0)
      assignElements(array, source, place);
    return failure;
  });
  return finish(status, isPinned, global, place);
}

} // namespace

void tellOfVariable(const void *memory) {
  static const auto tell =
      reinterpret_cast<void (*)(const void *)>(dlsym(RTLD_DEFAULT, "heddle_is_variable"));
  if (tell)
    tell(memory);
}

void *allocateManaged(size_t bytes) {
  void *memory = nullptr;
  bytes += bytes == 0;
  cudaError_t error = cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal);
  if (error == cudaSuccess)
    managedBlocks().add(memory, {bytes, /*isManaged=*/true});
  return orNull(error, memory);
}

void *allocateForBoth(size_t bytes) {
  void *memory = allocateManaged(bytes);
  if (memory || allocationError == cudaErrorMemoryAllocation)
    return memory;
  memory = std::calloc(bytes + (bytes == 0), 1);
  if (memory)
    managedBlocks().add(memory, {bytes, /*isManaged=*/false});
  return memory;
}

bool freeManaged(void *memory) {
  Block block;
  {
    std::lock_guard lock(managedBlocks().mutex);
    auto found = managedBlocks().blocks.find(memory);
    if (found == managedBlocks().blocks.end())
      return false;
    block = found->second;
    managedBlocks().blocks.erase(found);
  }
  if (block.isManaged)
    freeDevice(memory);
  else
    std::free(memory);
  return true;
}

size_t managedBytes(void *memory) {
  std::lock_guard lock(managedBlocks().mutex);
  auto found = managedBlocks().blocks.find(memory);
  return found == managedBlocks().blocks.end() ? 0 : found->second.bytes;
}

bool isOnDeviceAlone(const Descriptor &array) { return positionOf(array) == Device; }

void *copyAnywhere(void *to, const void *from, size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "initial values of components",
        {"allocate", 0});
  return to;
}

} // namespace heddle::fortran

using namespace heddle::fortran;

/// For -gpu=mem:unified.
static void unify() {
  int device = 0, reaches = 1;
  heddle_unify_memory();
  if (isOnGpu() && cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&reaches, cudaDevAttrPageableMemoryAccess, device) == cudaSuccess &&
      !reaches)
    std::fputs("heddle: -gpu=mem:unified: this GPU reaches what the program allocates, but not its "
               "other variables\n",
               stderr);
}

HEDDLE_FORTRAN void _FortranACUFInit() {
  programHasBegun = true;
  if (heddle_make_cublas_handle)
    heddle_make_cublas_handle();
  if (&heddleFortranUnified)
    unify();
}

HEDDLE_FORTRAN void _FortranACUFRegisterAllocator() {
  for (Position position : PositionOf)
    Fortran::runtime::allocatorRegistry.Register(position, Allocators[position]);
}

/// Without a device a program begins, and may ask for the number of devices; it ends where it uses
/// the variable.
HEDDLE_FORTRAN void *_FortranACUFMemAlloc(size_t bytes, unsigned kind, const char *file, int line) {
  void *memory = Allocators[PositionOf[kind]].alloc(bytes, nullptr);
  if (!memory && allocationError != cudaErrorNoDevice)
    check(allocationError, "memory of a variable", {file, line});
  tellOfVariable(memory);
  return memory;
}

HEDDLE_FORTRAN void _FortranACUFMemFree(void *memory, unsigned kind, const char *file, int line) {
  if (!memory || freeManaged(memory))
    return;
  forgetStream(memory);
  check(kind == PinnedKind ? cudaFreeHost(memory) : cudaFree(memory), "memory of a variable",
        {file, line});
}

/// Calls of this stand in front of allocations (src/frontend/fortran/flang/allocations.cpp). The
/// number lies above the bit of the addendum.
HEDDLE_FORTRAN void heddleFortranSetAllocator(Descriptor &array, int allocator) {
  constexpr unsigned char Others = 0xf1;
  array.extra = static_cast<unsigned char>((array.extra & Others) | allocator << 1);
}

/// Calls of this free functions' allocatable results, which may be on the device.
HEDDLE_FORTRAN void heddleFortranFreeResult(Descriptor &array) {
  Allocators[positionOf(array)].free(array.base_addr);
}

HEDDLE_FORTRAN int _FortranACUFAllocatableAllocate(Descriptor &array, int64_t *stream, bool *pinned,
                                                   bool hasStat, const Descriptor *message,
                                                   const char *file, int line, bool onDevice) {
  int status = allocate(hasStat, {file, line}, [&](bool asStatus) {
    return _FortranAAllocatableAllocate(array, stream, asStatus, message, file, line,
                                        onDevice ? copyAnywhere : std::memcpy);
  });
  return finish(status, pinned, nullptr, {file, line});
}

HEDDLE_FORTRAN int _FortranACUFAllocatableAllocateSync(Descriptor &array, int64_t *stream,
                                                       bool *pinned, bool hasStat,
                                                       const Descriptor *message, const char *file,
                                                       int line, bool onDevice) {
  int status = allocate(hasStat, {file, line}, [&](bool asStatus) {
    return _FortranAAllocatableAllocate(array, stream, asStatus, message, file, line,
                                        onDevice ? copyAnywhere : std::memcpy);
  });
  return finish(status, pinned, &array, {file, line});
}

HEDDLE_FORTRAN int _FortranACUFAllocatableAllocateSource(Descriptor &array,
                                                         const Descriptor &source, int64_t *,
                                                         bool *pinned, bool hasStat,
                                                         const Descriptor *message,
                                                         const char *file, int line, bool) {
  return allocateFrom(array, source, pinned, hasStat, message, nullptr, {file, line});
}

HEDDLE_FORTRAN int _FortranACUFAllocatableAllocateSourceSync(Descriptor &array,
                                                             const Descriptor &source, int64_t *,
                                                             bool *pinned, bool hasStat,
                                                             const Descriptor *message,
                                                             const char *file, int line, bool) {
  return allocateFrom(array, source, pinned, hasStat, message, &array, {file, line});
}

/// Of pointers, too. Kernels that are using the array end first, as cudaFree has it.
HEDDLE_FORTRAN int _FortranACUFAllocatableDeallocate(Descriptor &array, bool hasStat,
                                                     const Descriptor *message, const char *file,
                                                     int line) {
  check(cudaDeviceSynchronize(), "work before a deallocation", {file, line});
  auto deallocate = array.attribute == CFI_attribute_pointer ? _FortranAPointerDeallocate
                                                             : _FortranAAllocatableDeallocate;
  int status = deallocate(array, hasStat, message, file, line);
  return finish(status, nullptr, &array, {file, line});
}

HEDDLE_FORTRAN int _FortranACUFPointerAllocate(Descriptor &array, int64_t *, bool *pinned,
                                               bool hasStat, const Descriptor *message,
                                               const char *file, int line, bool onDevice) {
  int status = allocate(hasStat, {file, line}, [&](bool asStatus) {
    return _FortranAPointerAllocate(array, asStatus, message, file, line,
                                    onDevice ? copyAnywhere : std::memcpy);
  });
  return finish(status, pinned, nullptr, {file, line});
}

HEDDLE_FORTRAN int _FortranACUFPointerAllocateSync(Descriptor &array, int64_t *, bool *pinned,
                                                   bool hasStat, const Descriptor *message,
                                                   const char *file, int line, bool onDevice) {
  int status = allocate(hasStat, {file, line}, [&](bool asStatus) {
    return _FortranAPointerAllocate(array, asStatus, message, file, line,
                                    onDevice ? copyAnywhere : std::memcpy);
  });
  return finish(status, pinned, &array, {file, line});
}

HEDDLE_FORTRAN int _FortranACUFPointerAllocateSource(Descriptor &array, const Descriptor &source,
                                                     int64_t *, bool *pinned, bool hasStat,
                                                     const Descriptor *message, const char *file,
                                                     int line, bool) {
  return allocateFrom(array, source, pinned, hasStat, message, nullptr, {file, line});
}

HEDDLE_FORTRAN int _FortranACUFPointerAllocateSourceSync(Descriptor &array,
                                                         const Descriptor &source, int64_t *,
                                                         bool *pinned, bool hasStat,
                                                         const Descriptor *message,
                                                         const char *file, int line, bool) {
  return allocateFrom(array, source, pinned, hasStat, message, &array, {file, line});
}
